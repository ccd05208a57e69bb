#include "placement/search/placement_search.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "placement/report.h"
#include "placement/search/coarse_groups.h"
#include "placement/search/starts.h"

namespace warpbeam {
namespace {

constexpr size_t kMostNeighbours = 16;
constexpr int kMostMovedTogether = 16;
// How many evaluations without anything better end a climb.
constexpr int64_t kPatience = 400;
// Of more groups that may move, larger ones are placed first (coarse_groups.h).
constexpr int kMostAtOnce = 2'000;

// Less is better.
struct Score {
  double missing_bytes = 0;  // beyond what the memories have
  double step_s = 0;
  friend bool operator<(const Score& a, const Score& b) {
    return a.missing_bytes != b.missing_bytes ? a.missing_bytes < b.missing_bytes
                                              : a.step_s < b.step_s;
  }
};

class Searcher {
 public:
  Searcher(const StepGraph& step, const Machine& machine, const MovableGroups& groups,
           const SearchOptions& options, std::vector<StartPlacement> more_starts = {})
      : step_(step),
        machine_(machine),
        groups_(groups),
        options_(options),
        more_starts_(std::move(more_starts)),
        simulator_(&step, &machine),
        random_(options.seed),
        group_of_(step.num_nodes()),
        node_devices_(step.num_nodes()),
        begin_(std::chrono::steady_clock::now()) {
    for (int g = 0; g < groups.size(); ++g) {
      for (int k : groups.members[g]) group_of_[k] = g;
    }
  }

  StatusOr<FoundPlacement> Run() {
    FindMovable();
    FindNeighbours();
    FoundPlacement found;
    bool first = true;
    std::vector<StartPlacement> starts = StartPlacements(step_, machine_, groups_);
    std::move(more_starts_.begin(), more_starts_.end(), std::back_inserter(starts));
    for (StartPlacement& start : starts) {
      SetAll(start.devices);
      const Score score = Evaluate();
      if (first) {
        found.default_step_s = score.step_s;
        found.default_fits = score.missing_bytes == 0;
      }
      if (first || score < best_score_) {
        best_score_ = score;
        best_ = std::move(start.devices);
        found.start = start.name;
      }
      first = false;
    }
    if (!movable_.empty()) Climb();
    SetAll(best_);
    Evaluate();
    --evaluations_;  // it was counted before
    if (best_score_.missing_bytes > 0) return DoesNotFit();
    found.devices = best_;
    found.step_s = best_score_.step_s;
    found.lower_bound_s = step_.LowerBoundSeconds(machine_);
    found.evaluations = evaluations_;
    return found;
  }

 private:
  struct Move {
    int group;
    int from;
  };

  void FindMovable() {
    for (int g = 0; g < groups_.size(); ++g) {
      const std::vector<int>& members = groups_.members[g];
      const bool matters = std::any_of(members.begin(), members.end(), [&](int k) {
        return !step_.is_source(k) || step_.state_bytes(k) > 0 || step_.cost(k).is_work();
      });
      if (matters && groups_.allowed[g].size() > 1) movable_.push_back(g);
    }
  }

  // By the bytes that they exchange, most first.
  void FindNeighbours() {
    std::map<std::pair<int, int>, double> bytes;
    for (int o = 0; o < step_.first_feed(); ++o) {
      const StepGraph::Output& output = step_.output(o);
      if (output.is_free_to_copy) continue;
      const int a = group_of_[output.producer];
      for (const StepGraph::Use& use : step_.uses(o)) {
        const int b = group_of_[use.node];
        if (a != b) bytes[{std::min(a, b), std::max(a, b)}] += output.bytes;
      }
    }
    std::vector<std::vector<std::pair<double, int>>> all(groups_.size());
    for (const auto& [pair, exchanged] : bytes) {
      all[pair.first].push_back({-exchanged, pair.second});
      all[pair.second].push_back({-exchanged, pair.first});
    }
    neighbours_.resize(groups_.size());
    for (int g = 0; g < groups_.size(); ++g) {
      std::sort(all[g].begin(), all[g].end());
      if (all[g].size() > kMostNeighbours) all[g].resize(kMostNeighbours);
      for (const auto& [exchanged, other] : all[g]) neighbours_[g].push_back(other);
    }
  }

  void SetAll(const std::vector<int>& devices) {
    devices_ = devices;
    for (int k = 0; k < step_.num_nodes(); ++k) node_devices_[k] = devices[group_of_[k]];
  }
  void Set(int group, int device) {
    devices_[group] = device;
    for (int k : groups_.members[group]) node_devices_[k] = device;
  }
  void MoveTo(int group, int device) {
    if (devices_[group] == device || !IsAllowed(group, device)) return;
    moves_.push_back({group, devices_[group]});
    Set(group, device);
  }
  void TakeBack() {
    for (size_t i = moves_.size(); i-- > 0;) Set(moves_[i].group, moves_[i].from);
  }
  bool IsAllowed(int group, int device) const {
    const std::vector<int>& allowed = groups_.allowed[group];
    return std::binary_search(allowed.begin(), allowed.end(), device);
  }

  double Limit(int memory) const {
    return static_cast<double>(machine_.device(memory).memory_bytes) * options_.memory_share;
  }
  Score Evaluate() {
    ++evaluations_;
    Score score;
    score.step_s = simulator_.Run(node_devices_);
    for (int m = 0; m < machine_.num_devices(); ++m) {
      if (machine_.device(m).memory_bytes == 0) continue;
      score.missing_bytes += std::max(0.0, simulator_.memories()[m].peak_bytes - Limit(m));
    }
    return score;
  }

  int Pick(size_t n) { return static_cast<int>(random_() % n); }
  int PickGroup() {
    if (!critical_.empty() && Pick(2) == 0) return critical_[Pick(critical_.size())];
    return movable_[Pick(movable_.size())];
  }
  // Where a neighbour is, or anywhere.
  int PickDevice(int group) {
    const std::vector<int>& near = neighbours_[group];
    if (!near.empty() && Pick(3) == 0) {
      const int device = devices_[near[Pick(near.size())]];
      if (device != devices_[group] && IsAllowed(group, device)) return device;
    }
    const std::vector<int>& allowed = groups_.allowed[group];
    const int device = allowed[Pick(allowed.size() - 1)];
    return device == devices_[group] ? allowed.back() : device;
  }

  void Change() {
    moves_.clear();
    const int group = PickGroup();
    const int from = devices_[group];
    const int to = PickDevice(group);
    switch (Pick(4)) {
      case 0:
      case 1:
        MoveTo(group, to);
        break;
      case 2:
        MoveTogether(group, from, to);
        break;
      case 3: {
        MoveTo(group, to);
        const int other = movable_[Pick(movable_.size())];
        if (devices_[other] == to && other != group) MoveTo(other, from);
        break;
      }
    }
  }

  // A group and those on its device that it exchanges most with, and they with others.
  void MoveTogether(int group, int from, int to) {
    const int wanted = 2 + Pick(kMostMovedTogether - 1);
    MoveTo(group, to);
    for (size_t i = 0; i < moves_.size(); ++i) {
      for (int other : neighbours_[moves_[i].group]) {
        if (static_cast<int>(moves_.size()) >= wanted) return;
        if (devices_[other] == from) MoveTo(other, to);
      }
    }
  }

  // The groups that the best placement's step waits for, and that could be elsewhere.
  void FindCritical() {
    critical_.clear();
    for (const SimulatedItem& item : simulator_.CriticalPath()) {
      const int k = item.node >= 0
                        ? item.node
                        : step_.output(simulator_.transfers()[item.transfer].output).producer;
      if (k < 0 || item.end_s <= item.start_s) continue;
      const int g = group_of_[k];
      if (groups_.allowed[g].size() > 1) critical_.push_back(g);
    }
  }

  bool IsOver() const {
    if (evaluations_ >= options_.evaluations) return true;
    if (options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed)) return true;
    if (best_score_.missing_bytes == 0 && best_score_.step_s <= bound_) return true;
    if (options_.budget_s <= 0) return false;
    const std::chrono::duration<double> gone = std::chrono::steady_clock::now() - begin_;
    return gone.count() >= options_.budget_s;
  }

  void Climb() {
    bound_ = step_.LowerBoundSeconds(machine_);
    const int64_t patience = kPatience + 4 * static_cast<int64_t>(movable_.size());
    SetAll(best_);
    Score current = best_score_;
    int64_t idle = 0;
    FindCritical();
    while (!IsOver()) {
      if (idle > patience) {
        SetAll(best_);
        Shake();
        current = Evaluate();
        idle = 0;
        continue;
      }
      Change();
      const Score score = Evaluate();
      ++idle;
      if (current < score) {
        TakeBack();
        continue;
      }
      if (score < current) idle = 0;
      current = score;
      if (score < best_score_) {
        best_score_ = score;
        best_ = devices_;
        FindCritical();
      }
    }
  }

  void Shake() {
    const size_t count = 1 + movable_.size() / 20;
    for (size_t i = 0; i < count; ++i) {
      const int group = movable_[Pick(movable_.size())];
      Set(group, PickDevice(group));
    }
  }

  Status DoesNotFit() const {
    std::string needs;
    for (int m = 0; m < machine_.num_devices(); ++m) {
      const int64_t bytes = machine_.device(m).memory_bytes;
      if (bytes == 0 || simulator_.memories()[m].peak_bytes <= Limit(m)) continue;
      absl::StrAppend(&needs, "; '", machine_.device(m).name.ToString(), "' would need ",
                      BytesText(static_cast<int64_t>(simulator_.memories()[m].peak_bytes)), " of ",
                      BytesText(static_cast<int64_t>(Limit(m))));
    }
    return ResourceExhausted("no placement was found that fits into the memories", needs);
  }

  const StepGraph& step_;
  const Machine& machine_;
  const MovableGroups& groups_;
  const SearchOptions options_;
  std::vector<StartPlacement> more_starts_;
  Simulator simulator_;
  std::mt19937_64 random_;
  std::vector<int> movable_;  // groups
  std::vector<std::vector<int>> neighbours_;
  std::vector<int> group_of_;  // by node of the step
  std::vector<int> critical_;  // groups, as often as the path comes by
  std::vector<int> devices_;   // by group, now
  std::vector<int> node_devices_;
  std::vector<Move> moves_;  // of the last change
  Score best_score_;
  std::vector<int> best_;
  double bound_ = 0;
  int64_t evaluations_ = 0;
  const std::chrono::steady_clock::time_point begin_;
};

}  // namespace

std::vector<Site> FoundPlacement::Sites(const MovableGroups& groups) const {
  std::vector<Site> sites;
  sites.reserve(groups.group_of.size());
  for (int group : groups.group_of) sites.push_back(devices[group]);
  return sites;
}

StatusOr<FoundPlacement> SearchPlacement(const StepGraph& step, const Machine& machine,
                                         const MovableGroups& groups,
                                         const SearchOptions& options) {
  if (CoarseGroups::CountMovable(step, groups) <= kMostAtOnce) {
    return Searcher(step, machine, groups, options).Run();
  }
  const auto begin = std::chrono::steady_clock::now();
  const CoarseGroups coarse = CoarseGroups::Of(step, groups, kMostAtOnce);
  SearchOptions half = options;
  half.evaluations = options.evaluations / 2;
  half.budget_s = options.budget_s / 2;
  SearchOptions rest = options;
  std::vector<StartPlacement> starts;
  int64_t evaluations = 0;
  const auto found = Searcher(step, machine, coarse.groups, half).Run();
  // What does not fit in large pieces may fit in small ones.
  if (found.ok()) {
    starts.push_back(
        {absl::StrCat("large groups, from ", found->start), coarse.Fine(found->devices)});
    evaluations = found->evaluations;
  }
  rest.evaluations -= evaluations;
  const std::chrono::duration<double> gone = std::chrono::steady_clock::now() - begin;
  // No time left is not the same as no limit.
  if (options.budget_s > 0) rest.budget_s = std::max(1e-9, options.budget_s - gone.count());
  WB_ASSIGN_OR_RETURN(FoundPlacement fine,
                      Searcher(step, machine, groups, rest, std::move(starts)).Run());
  fine.evaluations += evaluations;
  return fine;
}

}  // namespace warpbeam
