// FunctionRunner: how kernels call library functions (PartitionedCall, dataset maps, If and While).
//
// Instantiate compiles a function with its attributes into a plan, once per distinct request; Run
// executes it as a part of the caller's step: cancellation and resources are the caller's.
//
//   WB_ASSIGN_OR_RETURN(FunctionRunner::Handle f, runner->Instantiate(ref, {.device = "/cpu:0"}));
//   runner->Run(f, step, args, [](Status s, std::vector<Tensor> results) { … });
//
// Ownership: a runner keeps a counted snapshot of its library and every plan it compiled; iterators
// hold one of their own (`Clone`) that outlives the step that made them. Thread safety: any thread.
// Errors: NOT_FOUND for an unknown function, INVALID_ARGUMENT for arguments that do not fit,
// RESOURCE_EXHAUSTED beyond the depth limit.
#ifndef WARPBEAM_RUNTIME_KERNEL_FUNCTION_RUNNER_H_
#define WARPBEAM_RUNTIME_KERNEL_FUNCTION_RUNNER_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "graph/functions/function_library.h"
#include "graph/op/op_schema.h"
#include "graph/types/tensor.h"

namespace warpbeam {

class StepContext;

class FunctionRunner {
 public:
  using Handle = int64_t;
  using Done = std::function<void(Status, std::vector<Tensor>)>;

  virtual ~FunctionRunner() = default;
  // `device`: where nodes of the body go that ask for nothing else.
  virtual StatusOr<Handle> Instantiate(const FunctionRef& function, const std::string& device) = 0;
  // Calls `done` exactly once, possibly before Run returns and possibly on another thread.
  // `step` is the caller's step, or null for a caller outside any step.
  virtual void Run(Handle function, StepContext* step, std::vector<Tensor> args, Done done) = 0;
  // Run, waiting for the result; for threads that may block (dataset workers).
  StatusOr<std::vector<Tensor>> RunSync(Handle function, StepContext* step,
                                        std::vector<Tensor> args);
  // An independent runner with the same library, resources and devices. Its functions run in the
  // thread that calls them, as far as they can: a pipeline has threads of its own.
  virtual std::shared_ptr<FunctionRunner> Clone() = 0;
  // As it is now; functions may be added meanwhile.
  virtual FunctionLibrary library() const = 0;
  // Whether this session's ops may do more than compute, for ops that do so only where an input
  // asks for it; what an op always does its schema says. PERMISSION_DENIED saying how to allow it.
  virtual Status CheckAllowed(Capability capability) const = 0;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_KERNEL_FUNCTION_RUNNER_H_
