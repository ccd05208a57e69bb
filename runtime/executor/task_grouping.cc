// Grouping of a plan's items into tasks (see plan_compiler.h).
//
// An item that is cheap joins the task of its predecessors when that closes no cycle: all its
// predecessors are in that task, or in tasks that the task waits for anyway. Everything else starts
// a task. A plan of cheap items on one lane of host threads is a single task in its original order.
#include <algorithm>
#include <utility>

#include "runtime/executor/cost_estimate.h"
#include "runtime/executor/plan_compiler.h"

namespace warpbeam {
namespace {

// A task takes on cheap items up to this much, lest it delay those who wait for its first item.
constexpr int64_t kMaxTrailingNs = 10'000;

struct Group {
  int32_t lane = 0;
  bool closed = false;  // an asynchronous item is alone in its task
  int64_t trailing_ns = 0;
  std::vector<int32_t> items;
  std::vector<int32_t> predecessors;  // tasks, sorted
};

bool WaitsFor(const Group& group, int32_t task) {
  return std::binary_search(group.predecessors.begin(), group.predecessors.end(), task);
}

class Grouper {
 public:
  Grouper(const std::vector<std::vector<int32_t>>& predecessors,
          const std::vector<int64_t>& cost_ns, Plan* plan)
      : predecessors_(predecessors), cost_ns_(cost_ns), plan_(plan) {}

  void Run() {
    if (plan_->items.empty()) return;
    if (FitsOneTask()) {
      plan_->tasks.push_back(
          {{0, static_cast<int32_t>(plan_->items.size())}, {0, 0}, 0, plan_->items[0].lane});
      plan_->initial_tasks = {0};
      plan_->home_lane = plan_->items[0].lane;
      plan_->is_serial = true;
      return;
    }
    task_of_.resize(plan_->items.size());
    for (size_t i = 0; i < plan_->items.size(); ++i) Place(static_cast<int32_t>(i));
    Permute();
    Emit();
    plan_->serial_below = SerialBelow();
  }

 private:
  bool FitsOneTask() const {
    const Lane& lane = plan_->lanes[plan_->items[0].lane];
    if (lane.pool == nullptr) return false;
    for (size_t i = 0; i < plan_->items.size(); ++i) {
      const PlanItem& item = plan_->items[i];
      if (item.lane != plan_->items[0].lane || item.is_async) return false;
      if (cost_ns_[i] > kCheapItemNs && lane.pool->width() > 1) return false;
    }
    return true;
  }

  // The tasks that item i waits for, sorted.
  std::vector<int32_t> TasksBefore(int32_t i) const {
    std::vector<int32_t> tasks;
    for (int32_t p : predecessors_[i]) tasks.push_back(task_of_[p]);
    std::sort(tasks.begin(), tasks.end());
    tasks.erase(std::unique(tasks.begin(), tasks.end()), tasks.end());
    return tasks;
  }

  bool MayJoin(int32_t i, const std::vector<int32_t>& before) const {
    const PlanItem& item = plan_->items[i];
    if (before.empty() || item.is_async || cost_ns_[i] > kCheapItemNs) return false;
    const Group& group = groups_[before.back()];
    if (group.closed || group.lane != item.lane) return false;
    if (group.trailing_ns + cost_ns_[i] > kMaxTrailingNs) return false;
    return std::all_of(before.begin(), before.end() - 1,
                       [&](int32_t t) { return WaitsFor(group, t); });
  }

  void Place(int32_t i) {
    std::vector<int32_t> before = TasksBefore(i);
    const bool joins = MayJoin(i, before);
    const int32_t task = joins ? before.back() : static_cast<int32_t>(groups_.size());
    if (!joins) {
      groups_.emplace_back();
      groups_.back().lane = plan_->items[i].lane;
      groups_.back().closed = plan_->items[i].is_async;
      groups_.back().predecessors = std::move(before);
    } else {
      groups_[task].trailing_ns += cost_ns_[i];
    }
    groups_[task].items.push_back(i);
    task_of_[i] = task;
  }

  // As many elements as make none of the items worth a second thread, if all of them are on one
  // lane of host threads. What a resource holds is not told by its handle.
  int64_t SerialBelow() const {
    const int32_t first_lane = plan_->items[0].lane;
    const Lane& lane = plan_->lanes[first_lane];
    if (lane.pool == nullptr || lane.perturbation != nullptr) return 0;
    int64_t ns = 1;
    for (size_t i = 0; i < plan_->items.size(); ++i) {
      const PlanItem& item = plan_->items[moved_[i]];
      if (item.lane != first_lane || item.is_async) return 0;
      if (cost_ns_[i] <= kCheapItemNs) continue;
      if (cost_ns_[i] != kUnknownCostNs) return 0;
      ns = std::max(ns, CostPerElementNs(plan_->graph->node(item.node).op_name()));
    }
    int64_t elements = kCheapItemNs / ns;
    for (const PlanFeed& feed : plan_->feeds) {
      if (feed.dtype == DType::kResource || feed.dtype == DType::kVariant) return 0;
    }
    for (const auto& [slot, constant] : plan_->constants) {
      if (constant.ref != nullptr || constant.value.dtype() == DType::kResource) return 0;
      elements -= constant.value.num_elements();
    }
    return std::max<int64_t>(elements, 0);
  }

  // Puts the items of each task side by side.
  void Permute() {
    std::vector<PlanItem> items;
    items.reserve(plan_->items.size());
    moved_.resize(plan_->items.size());
    for (const Group& g : groups_) {
      for (int32_t i : g.items) {
        moved_[i] = static_cast<int32_t>(items.size());
        items.push_back(plan_->items[i]);
      }
    }
    plan_->items = std::move(items);
    for (int32_t& i : plan_->item_lists) i = moved_[i];
  }

  // `items` of a group are numbered as before Permute.
  int32_t CostPerElement(const Group& group) const {
    int64_t ns = 0;
    for (int32_t i : group.items) {
      const PlanItem& item = plan_->items[moved_[i]];
      if (item.is_async || (cost_ns_[i] > kCheapItemNs && cost_ns_[i] != kUnknownCostNs)) return 0;
      if (cost_ns_[i] != kUnknownCostNs) continue;
      ns = std::max(ns, CostPerElementNs(plan_->graph->node(item.node).op_name()));
    }
    return static_cast<int32_t>(ns);
  }

  void Emit() {
    std::vector<std::vector<int32_t>> successors(groups_.size());
    std::vector<int64_t> lane_cost(plan_->lanes.size(), 0);
    int32_t begin = 0;
    for (size_t t = 0; t < groups_.size(); ++t) {
      const Group& g = groups_[t];
      PlanTask task;
      task.items = {begin, begin + static_cast<int32_t>(g.items.size())};
      task.num_predecessors = static_cast<int32_t>(g.predecessors.size());
      task.lane = g.lane;
      task.ns_per_element = CostPerElement(g);
      begin = task.items.end;
      for (int32_t p : g.predecessors) successors[p].push_back(static_cast<int32_t>(t));
      for (int32_t i : g.items) lane_cost[g.lane] += cost_ns_[i];
      if (g.predecessors.empty()) plan_->initial_tasks.push_back(static_cast<int32_t>(t));
      plan_->tasks.push_back(task);
    }
    for (size_t t = 0; t < groups_.size(); ++t) {
      plan_->tasks[t].successors.begin = static_cast<int32_t>(plan_->task_lists.size());
      plan_->task_lists.insert(plan_->task_lists.end(), successors[t].begin(), successors[t].end());
      plan_->tasks[t].successors.end = static_cast<int32_t>(plan_->task_lists.size());
    }
    // The caller's thread works where there is most to do for host threads.
    for (size_t l = 0; l < lane_cost.size(); ++l) {
      const bool better = lane_cost[l] > lane_cost[plan_->home_lane] ||
                          plan_->lanes[plan_->home_lane].pool == nullptr;
      if (plan_->lanes[l].pool != nullptr && better) plan_->home_lane = static_cast<int32_t>(l);
    }
  }

  const std::vector<std::vector<int32_t>>& predecessors_;
  const std::vector<int64_t>& cost_ns_;
  Plan* const plan_;
  std::vector<int32_t> task_of_;
  std::vector<int32_t> moved_;  // by item: its place among the tasks
  std::vector<Group> groups_;
};

}  // namespace

void GroupIntoTasks(const std::vector<std::vector<int32_t>>& predecessors,
                    const std::vector<int64_t>& cost_ns, Plan* plan) {
  Grouper(predecessors, cost_ns, plan).Run();
}

}  // namespace warpbeam
