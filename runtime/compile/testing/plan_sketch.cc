#include "runtime/compile/testing/plan_sketch.h"

#include <algorithm>

namespace warpbeam {

PlanSketch::PlanSketch(int threads) {
  auto team = std::make_shared<WorkerTeam>();
  for (int i = 0; i < 2; ++i) {
    pools_.push_back(std::make_unique<WorkerPool>("lane", threads, team));
    Lane lane;
    lane.pool = pools_.back().get();
    plan_.program.lanes.push_back(lane);
  }
}

int32_t PlanSketch::AddWaiting(const std::vector<int32_t>& inputs,
                               const std::vector<int32_t>& controls, ItemCost cost, int32_t lane,
                               bool is_async) {
  Program& program = plan_.program;
  PlanItem item;
  item.lane = lane;
  item.is_async = is_async;
  item.input_begin = static_cast<int32_t>(program.input_slots.size());
  item.info.num_inputs = static_cast<int32_t>(inputs.size());
  item.info.num_outputs = 1;
  item.info.output_start = program.num_slots;
  program.input_slots.insert(program.input_slots.end(), inputs.begin(), inputs.end());
  std::vector<int32_t> before = inputs;
  before.insert(before.end(), controls.begin(), controls.end());
  std::sort(before.begin(), before.end());
  before.erase(std::unique(before.begin(), before.end()), before.end());
  plan_.facts.edges.Append(before);
  program.items.push_back(item);
  costs_.push_back(cost);
  return program.num_slots++;
}

std::vector<std::vector<int32_t>> PlanSketch::Tasks() const {
  std::vector<std::vector<int32_t>> tasks;
  for (const PlanTask& task : plan_.program.tasks) {
    tasks.emplace_back();
    for (int32_t i = task.items.begin; i < task.items.end; ++i) {
      tasks.back().push_back(plan_.program.items[i].info.output_start);
    }
  }
  return tasks;
}

}  // namespace warpbeam
