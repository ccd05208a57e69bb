// ProbedPlan: a compiled plan whose kernels report before they run, so that a test can interrupt a
// step at any of its nodes.
//
// It does what a session does (places, compiles, runs), but leaves the step's context to the test
// and puts a probe in front of every kernel. A node of the op TestProbe is a probe in the body of a
// function, whose kernels are out of reach otherwise; its attribute `number` counts from 0 through
// all functions of the graph.
//
//   auto plan = ProbedPlan::Compile(options, graph, {"y:0"}, {"train"});
//   (*plan)->AtProbe([&](int probe, KernelContext& ctx) { … });     // on the thread of the kernel
//   Status s = (*plan)->Run(/*timeout_ms=*/0, &fetched);
//
// Ownership: owns everything that the plan needs but the graph, which it shares. Thread safety:
// AtProbe between runs; the callback comes from any thread. Errors: those of placing and compiling.
#ifndef WARPBEAM_TESTS_RUNTIME_PROBED_PLAN_H_
#define WARPBEAM_TESTS_RUNTIME_PROBED_PLAN_H_

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "placement/placer.h"
#include "runtime/compile/plan_compiler.h"
#include "runtime/function/callable_catalog.h"
#include "runtime/function/function_plans.h"
#include "runtime/kernel/step_context.h"
#include "runtime/session/session.h"
#include "runtime/step/plan_runner.h"

namespace warpbeam {

class ProbedPlan {
 public:
  using Callback = std::function<void(int probe, KernelContext& ctx)>;
  class FunctionProbe;  // TestProbe's kernel

  static StatusOr<std::unique_ptr<ProbedPlan>> Compile(const SessionOptions& options,
                                                       std::shared_ptr<Graph> graph,
                                                       const std::vector<std::string>& fetches,
                                                       const std::vector<std::string>& targets,
                                                       const std::vector<std::string>& feeds = {});
  ~ProbedPlan();

  // Probes are numbered from 0: those of the plan's items, then those of function bodies.
  int num_probes() const { return static_cast<int>(probes_.size()) + function_probes_; }
  // "node 'x' (Add) on …"; "" for a probe in a function.
  std::string Describe(int probe) const;
  void AtProbe(Callback callback);

  Status Run(int64_t timeout_ms, std::vector<Tensor>* fetched);
  // Waits until nothing of a former run is left; false when something still is after a while.
  bool IsIdle();
  const Plan& plan() const { return runner_->plan(); }
  // For tests that run the plan in other ways than Run: the runner, and a context of a step of it.
  PlanRunner& runner() { return *runner_; }
  std::shared_ptr<StepContext> NewContext();

 private:
  class Probe;

  ProbedPlan() = default;
  void Report(int probe, KernelContext& ctx) {
    if (at_probe_) at_probe_(probe, ctx);
  }

  Callback at_probe_;
  int function_probes_ = 0;
  std::shared_ptr<Graph> graph_;
  std::shared_ptr<DeviceSet> devices_;
  std::shared_ptr<ResourceStore> resources_;
  std::shared_ptr<FunctionPlans> functions_;
  std::unique_ptr<CallableCatalog> catalog_;
  std::unique_ptr<Placer> placer_;
  KernelCache kernels_;
  std::vector<std::unique_ptr<Kernel>> probes_;  // of items
  std::unique_ptr<PlanRunner> runner_;
  std::mutex mutex_;                    // of what follows: tests run steps from several threads
  std::weak_ptr<StepContext> context_;  // of the last run
};

}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_RUNTIME_PROBED_PLAN_H_
