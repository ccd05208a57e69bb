#include "graph/functions/call_cycles.h"

#include <algorithm>
#include <utility>

#include "graph/functions/callees.h"

namespace warpbeam {

std::vector<std::string> CallCycles::Callees(const std::string& function) const {
  std::vector<std::string> callees = CalleesOf(*library_.Find(function));
  const auto is_unknown = [&](const std::string& name) { return library_.Find(name) == nullptr; };
  callees.erase(std::remove_if(callees.begin(), callees.end(), is_unknown), callees.end());
  return callees;
}

bool CallCycles::CallsItself(const std::string& function) {
  if (library_.Find(function) == nullptr) return false;
  if (!visits_.contains(function)) Look(function);
  return visits_.at(function).cycles;
}

// Tarjan's strongly connected components, without recursion: functions may call each other in a
// chain of any length.
void CallCycles::Look(const std::string& function) {
  struct Frame {
    std::string function;
    std::vector<std::string> callees;
    size_t next = 0;
  };
  std::vector<Frame> path;
  const auto enter = [&](const std::string& name) {
    const auto number = static_cast<int>(visits_.size());
    visits_[name] = {number, number};
    open_.push_back(name);
    path.push_back({name, Callees(name)});
  };
  enter(function);
  while (!path.empty()) {
    Frame& frame = path.back();
    if (frame.next < frame.callees.size()) {
      const std::string callee = frame.callees[frame.next++];
      Visit& caller = visits_.at(frame.function);
      caller.cycles |= callee == frame.function;
      const auto seen = visits_.find(callee);
      if (seen == visits_.end()) {
        enter(callee);
      } else if (seen->second.open) {
        caller.lowest = std::min(caller.lowest, seen->second.number);
      }
      continue;
    }
    const std::string done = std::move(frame.function);
    path.pop_back();
    const Visit visit = visits_.at(done);
    if (visit.lowest == visit.number) Close(done);
    if (path.empty()) continue;
    Visit& caller = visits_.at(path.back().function);
    caller.lowest = std::min(caller.lowest, visit.lowest);
  }
}

// `function` and what was opened after it lead back to each other, and nothing else to them.
void CallCycles::Close(const std::string& function) {
  const bool is_alone = open_.back() == function;
  for (bool last = false; !last;) {
    last = open_.back() == function;
    Visit& visit = visits_.at(open_.back());
    visit.open = false;
    visit.cycles |= !is_alone;
    open_.pop_back();
  }
}

}  // namespace warpbeam
