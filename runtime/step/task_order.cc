#include "runtime/step/task_order.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/types/shown_name.h"

namespace warpbeam {
namespace {

// Whose threads or stream it is. Those of copies follow a device's kernels, as in a DeviceSet.
std::string LaneName(const Program& program, int32_t lane) {
  constexpr const char* kKinds[] = {"", "/memcpy_in", "/memcpy_out"};
  const Device* device = program.lanes[lane].device;
  size_t kind = 0;
  for (int32_t other = 0; other < lane; ++other) kind += program.lanes[other].device == device;
  return device->name().ToString() + kKinds[std::min(kind, std::size(kKinds) - 1)];
}

std::string ItemName(const Plan& plan, const PlanItem& item) {
  const std::string node = ShownName(plan.facts.graph->node(item.node).name());
  if (item.kind == ItemKind::kFeed) return "feed of " + node;
  if (item.kind == ItemKind::kFetch) return "fetch of " + node;
  if (!item.is_copy()) return node;
  const Device* to = plan.program.copy_ends[item.copy].second;
  return absl::StrCat("copy of ", node, " to ", to == nullptr ? "the host" : to->name().ToString());
}

Schedule::Task Named(const Plan& plan, int32_t task) {
  const PlanTask& t = plan.program.tasks[task];
  Schedule::Task named;
  named.lane = LaneName(plan.program, t.lane);
  for (int32_t i = t.items.begin; i < t.items.end; ++i) {
    named.items.push_back(ItemName(plan, plan.program.items[i]));
  }
  return named;
}

std::string Key(const Schedule::Task& task) {
  return absl::StrCat(task.lane, "\t", absl::StrJoin(task.items, "\t"));
}

std::string Text(const Schedule::Task& task) {
  const std::string first = absl::StrCat("'", task.items[0], "'");
  return absl::StrCat(task.items.size() == 1 ? first
                                             : absl::StrCat(first, " … '", task.items.back(), "', ",
                                                            task.items.size(), " in one task,"),
                      " on ", task.lane);
}

// Whether each task comes after all that it waits for. An order of the lanes and the dependencies
// together must not go round in a circle.
Status CheckOrder(const Plan& plan, const TaskOrder& order, const std::vector<int32_t>& recorded) {
  const Program& program = plan.program;
  std::vector<int32_t> waits(program.tasks.size(), 0), next_on_lane(program.tasks.size(), -1);
  for (size_t t = 0; t < program.tasks.size(); ++t) waits[t] = program.tasks[t].num_predecessors;
  for (const std::vector<int32_t>& lane : order.tasks) {
    for (size_t i = 1; i < lane.size(); ++i) {
      next_on_lane[lane[i - 1]] = lane[i];
      ++waits[lane[i]];
    }
  }
  std::vector<int32_t> free;
  for (size_t t = 0; t < waits.size(); ++t) {
    if (waits[t] == 0) free.push_back(static_cast<int32_t>(t));
  }
  for (size_t i = 0; i < free.size(); ++i) {
    const PlanTask& task = program.tasks[free[i]];
    const auto count_down = [&](int32_t other) {
      if (--waits[other] == 0) free.push_back(other);
    };
    for (int32_t s = task.successors.begin; s < task.successors.end; ++s) {
      count_down(program.task_lists[s]);
    }
    if (next_on_lane[free[i]] >= 0) count_down(next_on_lane[free[i]]);
  }
  if (free.size() == waits.size()) return OkStatus();
  for (const int32_t task : recorded) {
    if (waits[task] == 0) continue;
    return FailedPrecondition("the schedule cannot be followed: ", Text(Named(plan, task)),
                              " would begin before something that it waits for");
  }
  return Internal("a schedule that cannot be followed has no task that cannot begin");
}

}  // namespace

Schedule ScheduleOf(const Plan& plan, const std::vector<int32_t>& begun) {
  Schedule schedule;
  for (const int32_t task : begun) schedule.tasks.push_back(Named(plan, task));
  return schedule;
}

StatusOr<TaskOrder> TaskOrder::Of(const Schedule& schedule, const Plan& plan) {
  // Tasks of one description, in the plan's order; the next one that a schedule means is the last.
  std::map<std::string, std::vector<int32_t>> left;
  TaskOrder order;
  order.tasks.resize(plan.program.lanes.size());
  for (size_t t = plan.program.tasks.size(); t-- > 0;) {
    left[Key(Named(plan, static_cast<int32_t>(t)))].push_back(static_cast<int32_t>(t));
  }
  for (const PlanTask& task : plan.program.tasks) order.lane_of.push_back(task.lane);
  std::vector<int32_t> recorded;
  for (const Schedule::Task& task : schedule.tasks) {
    const auto found = left.find(Key(task));
    if (found == left.end() || found->second.empty()) {
      return FailedPrecondition(
          "the schedule is of another step: it has ", Text(task),
          found == left.end() ? ", which this step does not run" : " more often than this step",
          " (", schedule.tasks.size(), " tasks there, ", plan.program.tasks.size(), " here)");
    }
    recorded.push_back(found->second.back());
    found->second.pop_back();
    order.tasks[order.lane_of[recorded.back()]].push_back(recorded.back());
  }
  for (size_t t = 0; t < plan.program.tasks.size(); ++t) {
    const Schedule::Task named = Named(plan, static_cast<int32_t>(t));
    if (left[Key(named)].empty()) continue;
    return FailedPrecondition("the schedule is of another step: it lacks ", Text(named), " (",
                              schedule.tasks.size(), " tasks there, ", plan.program.tasks.size(),
                              " here)");
  }
  WB_RETURN_IF_ERROR(CheckOrder(plan, order, recorded));
  return order;
}

void TaskGate::Reset(std::shared_ptr<const TaskOrder> order) {
  order_ = std::move(order);
  if (order_ == nullptr) return;
  lanes_.assign(order_->tasks.size(), LaneState());
  ready_.assign(order_->lane_of.size(), false);
}

int32_t TaskGate::Ready(int32_t task) {
  std::lock_guard<std::mutex> lock(mutex_);
  ready_[task] = true;
  return LetGo(order_->lane_of[task]);
}

int32_t TaskGate::Begun(int32_t task) {
  std::lock_guard<std::mutex> lock(mutex_);
  const int32_t lane = order_->lane_of[task];
  lanes_[lane].is_open = true;
  return LetGo(lane);
}

int32_t TaskGate::LetGo(int32_t lane) {
  LaneState& state = lanes_[lane];
  const std::vector<int32_t>& tasks = order_->tasks[lane];
  if (!state.is_open || state.next == tasks.size() || !ready_[tasks[state.next]]) return -1;
  state.is_open = false;
  return tasks[state.next++];
}

}  // namespace warpbeam
