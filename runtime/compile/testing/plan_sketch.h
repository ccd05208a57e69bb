// PlanSketch: a plan without kernels, for tests of what is done with a plan's items.
//
// Item i writes slot i; what it waits for it reads, unless it only waits.
//
//   PlanSketch sketch(/*threads=*/4);
//   const int32_t a = sketch.Add({}), b = sketch.Add({a});
//   sketch.AddWaiting({a}, {b});                     // reads a, waits for b
//   GroupIntoTasks(sketch.costs(), &sketch.plan());
//
// Ownership: owns the plan and its lanes' pools. Thread safety: none.
#ifndef WARPBEAM_RUNTIME_COMPILE_TESTING_PLAN_SKETCH_H_
#define WARPBEAM_RUNTIME_COMPILE_TESTING_PLAN_SKETCH_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/device/cpu/worker_pool.h"
#include "runtime/plan/item_cost.h"
#include "runtime/plan/plan.h"

namespace warpbeam {

class PlanSketch {
 public:
  // Lane 0 and lane 1 are pools of so many threads.
  explicit PlanSketch(int threads);

  // An item that reads what the items in `inputs` write; its number.
  int32_t Add(const std::vector<int32_t>& inputs, ItemCost cost = ItemCost::Cheap(),
              int32_t lane = 0, bool is_async = false) {
    return AddWaiting(inputs, {}, cost, lane, is_async);
  }
  int32_t AddWaiting(const std::vector<int32_t>& inputs, const std::vector<int32_t>& controls,
                     ItemCost cost = ItemCost::Cheap(), int32_t lane = 0, bool is_async = false);

  Plan& plan() { return plan_; }
  const std::vector<ItemCost>& costs() const { return costs_; }
  // The tasks as the slots that their items write, in order.
  std::vector<std::vector<int32_t>> Tasks() const;

 private:
  std::vector<std::unique_ptr<WorkerPool>> pools_;
  Plan plan_;
  std::vector<ItemCost> costs_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_COMPILE_TESTING_PLAN_SKETCH_H_
