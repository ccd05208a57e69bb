#include "runtime/compile/task_grouping.h"

#include <algorithm>
#include <utility>

#include "runtime/compile/early_updates.h"
#include "runtime/compile/replayed_groups.h"

namespace warpbeam {
namespace {

// A task takes on cheap items up to this much, lest it delay those who wait for its first item.
constexpr int64_t kMaxTrailingNs = 10'000;

struct Group {
  int32_t lane = 0;
  bool closed = false;    // an asynchronous item is alone in its task
  bool replayed = false;  // FindReplayedGroups has made it
  int64_t trailing_ns = 0;
  std::vector<int32_t> items;
  std::vector<int32_t> predecessors;  // tasks, sorted
};

bool WaitsFor(const Group& group, int32_t task) {
  return std::binary_search(group.predecessors.begin(), group.predecessors.end(), task);
}

class Grouper {
 public:
  Grouper(const std::vector<ItemCost>& costs, Plan* plan)
      : costs_(costs), plan_(*plan), program_(plan->program), facts_(plan->facts) {}

  void Run() {
    if (program_.items.empty()) return;
    if (FitsOneTask()) {
      PlanTask all;
      all.items = {0, static_cast<int32_t>(program_.items.size())};
      all.lane = program_.items[0].lane;
      program_.tasks.push_back(all);
      program_.initial_tasks = {0};
      program_.home_lane = program_.items[0].lane;
      program_.is_serial = true;
      return;
    }
    task_of_.resize(program_.items.size());
    replayed_ = FindReplayedGroups(costs_, plan_);
    for (size_t i = 0; i < program_.items.size(); ++i) {
      if (replayed_[i] >= 0) {
        PlaceReplayed(static_cast<int32_t>(i));
      } else {
        Place(static_cast<int32_t>(i));
      }
    }
    FindPredecessorsOfReplayed();
    for (Group& group : groups_) {
      if (group.replayed) PutUpdatesForward(plan_, &group.items);
    }
    Permute();
    Emit();
    facts_.edges.Renumber(moved_);
    program_.serial_below = SerialBelow();
  }

 private:
  bool FitsOneTask() const {
    const Lane& lane = program_.lanes[program_.items[0].lane];
    if (lane.pool == nullptr) return false;
    for (size_t i = 0; i < program_.items.size(); ++i) {
      const PlanItem& item = program_.items[i];
      if (item.lane != program_.items[0].lane || item.is_async) return false;
      if (costs_[i].deserves_thread() && lane.pool->width() > 1) return false;
    }
    return true;
  }

  // Puts the tasks that item i waits for into before_, sorted.
  void FindTasksBefore(int32_t i) {
    before_.clear();
    for (int32_t p : facts_.edges.of(i)) before_.push_back(task_of_[p]);
    std::sort(before_.begin(), before_.end());
    before_.erase(std::unique(before_.begin(), before_.end()), before_.end());
  }

  // Whether item i, which waits for the tasks of before_, may join the last of them.
  bool MayJoin(int32_t i) const {
    const PlanItem& item = program_.items[i];
    if (before_.empty() || item.is_async || costs_[i].deserves_thread()) return false;
    const Group& group = groups_[before_.back()];
    if (group.closed || group.lane != item.lane) return false;
    if (group.trailing_ns + costs_[i].ns() > kMaxTrailingNs) return false;
    return std::all_of(before_.begin(), before_.end() - 1,
                       [&](int32_t t) { return WaitsFor(group, t); });
  }

  void Place(int32_t i) {
    FindTasksBefore(i);
    const bool joins = MayJoin(i);
    const int32_t task = joins ? before_.back() : static_cast<int32_t>(groups_.size());
    if (!joins) {
      groups_.emplace_back();
      groups_.back().lane = program_.items[i].lane;
      groups_.back().closed = program_.items[i].is_async;
      groups_.back().predecessors = before_;
    } else {
      groups_[task].trailing_ns += costs_[i].ns();
    }
    groups_[task].items.push_back(i);
    task_of_[i] = task;
  }

  // An item of a group that is played: it may follow from tasks that come later than the group's
  // first item, so whom the group waits for is known in the end.
  void PlaceReplayed(int32_t i) {
    const int32_t number = replayed_[i];
    if (number >= static_cast<int32_t>(replayed_task_.size()))
      replayed_task_.resize(number + 1, -1);
    if (replayed_task_[number] < 0) {
      replayed_task_[number] = static_cast<int32_t>(groups_.size());
      groups_.emplace_back();
      groups_.back().lane = program_.items[i].lane;
      groups_.back().closed = groups_.back().replayed = true;
    }
    task_of_[i] = replayed_task_[number];
    groups_[task_of_[i]].items.push_back(i);
  }
  void FindPredecessorsOfReplayed() {
    for (size_t t = 0; t < groups_.size(); ++t) {
      Group& group = groups_[t];
      if (!group.replayed) continue;
      std::vector<int32_t>& before = group.predecessors;
      for (const int32_t i : group.items) {
        for (const int32_t p : facts_.edges.of(i)) {
          if (task_of_[p] != static_cast<int32_t>(t)) before.push_back(task_of_[p]);
        }
      }
      std::sort(before.begin(), before.end());
      before.erase(std::unique(before.begin(), before.end()), before.end());
    }
  }

  // As many elements as make none of the items worth a second thread, if all of them are on one
  // lane of host threads. What a resource holds is not told by its handle.
  int64_t SerialBelow() const {
    const int32_t first_lane = program_.items[0].lane;
    const Lane& lane = program_.lanes[first_lane];
    if (lane.pool == nullptr || lane.perturbation != nullptr) return 0;
    int64_t ns = 1;
    for (size_t i = 0; i < program_.items.size(); ++i) {
      const PlanItem& item = program_.items[moved_[i]];
      if (item.lane != first_lane || item.is_async) return 0;
      if (!costs_[i].deserves_thread()) continue;
      if (!costs_[i].is_unknown()) return 0;
      ns = std::max(ns, CostPerElementNs(facts_.graph->node(item.node).op()));
    }
    int64_t elements = kCheapItemNs / ns;
    for (const PlanFeed& feed : program_.feeds) {
      if (feed.dtype == DType::kResource || feed.dtype == DType::kVariant) return 0;
    }
    for (const auto& [slot, constant] : program_.constants) {
      if (constant.ref != nullptr || constant.value.dtype() == DType::kResource) return 0;
      elements -= constant.value.num_elements();
    }
    return std::max<int64_t>(elements, 0);
  }

  // Puts the items of each task side by side, without a second copy of all: each round of places
  // that items leave to each other is gone through from one place on.
  void Permute() {
    std::vector<PlanItem>& items = program_.items;
    moved_.resize(items.size());
    int32_t place = 0;
    for (const Group& g : groups_) {
      for (int32_t i : g.items) moved_[i] = place++;
    }
    std::vector<bool> done(items.size(), false);
    for (size_t first = 0; first < items.size(); ++first) {
      if (done[first] || moved_[first] == static_cast<int32_t>(first)) continue;
      PlanItem carried = items[first];
      size_t at = first;
      do {
        at = moved_[at];
        std::swap(carried, items[at]);
        done[at] = true;
      } while (at != first);
    }
    for (int32_t& i : program_.item_lists) i = moved_[i];
  }

  // `items` of a group are numbered as before Permute.
  int32_t CostPerElement(const Group& group) const {
    int64_t ns = 0;
    for (int32_t i : group.items) {
      const PlanItem& item = program_.items[moved_[i]];
      if (item.is_async || (costs_[i].deserves_thread() && !costs_[i].is_unknown())) return 0;
      if (!costs_[i].is_unknown()) continue;
      ns = std::max(ns, CostPerElementNs(facts_.graph->node(item.node).op()));
    }
    return static_cast<int32_t>(ns);
  }

  void Emit() {
    std::vector<std::vector<int32_t>> successors(groups_.size());
    std::vector<int64_t> lane_cost(program_.lanes.size(), 0);
    int32_t begin = 0;
    for (size_t t = 0; t < groups_.size(); ++t) {
      const Group& g = groups_[t];
      PlanTask task;
      task.items = {begin, begin + static_cast<int32_t>(g.items.size())};
      task.num_predecessors = static_cast<int32_t>(g.predecessors.size());
      task.lane = g.lane;
      task.may_replay = g.replayed;
      task.ns_per_element = CostPerElement(g);
      begin = task.items.end;
      for (int32_t p : g.predecessors) successors[p].push_back(static_cast<int32_t>(t));
      for (int32_t i : g.items) lane_cost[g.lane] += costs_[i].ns();
      if (g.predecessors.empty()) program_.initial_tasks.push_back(static_cast<int32_t>(t));
      program_.tasks.push_back(task);
    }
    for (size_t t = 0; t < groups_.size(); ++t) {
      PlanTask& task = program_.tasks[t];
      auto others = successors[t].end();
      if (program_.lanes[task.lane].enqueues()) {
        others = std::stable_partition(
            successors[t].begin(), successors[t].end(),
            [&](int32_t successor) { return groups_[successor].lane == task.lane; });
      }
      task.successors.begin = static_cast<int32_t>(program_.task_lists.size());
      program_.task_lists.insert(program_.task_lists.end(), successors[t].begin(),
                                 successors[t].end());
      task.successors.end = static_cast<int32_t>(program_.task_lists.size());
      task.others_begin = task.successors.end - static_cast<int32_t>(successors[t].end() - others);
    }
    // The caller's thread works where there is most to do for host threads.
    for (size_t l = 0; l < lane_cost.size(); ++l) {
      const bool better = lane_cost[l] > lane_cost[program_.home_lane] ||
                          program_.lanes[program_.home_lane].pool == nullptr;
      if (program_.lanes[l].pool != nullptr && better) program_.home_lane = static_cast<int32_t>(l);
    }
  }

  const std::vector<ItemCost>& costs_;
  const Plan& plan_;
  Program& program_;
  PlanFacts& facts_;
  std::vector<int32_t> task_of_;
  std::vector<int32_t> moved_;  // by item: its place among the tasks
  std::vector<Group> groups_;
  std::vector<int32_t> replayed_;       // by item, as FindReplayedGroups numbers them
  std::vector<int32_t> replayed_task_;  // by that number
  std::vector<int32_t> before_;         // tasks before the item at hand; kept for its memory
};

}  // namespace

void GroupIntoTasks(const std::vector<ItemCost>& costs, Plan* plan) { Grouper(costs, plan).Run(); }

}  // namespace warpbeam
