// FunctionCall: how kernels of control flow ops call a library function.
//
// The function is compiled at the first call, so that a branch which is never taken costs nothing
// and a function may call itself behind a condition.
//
//   FunctionCall body_{init, ref};                                     // a kernel's member
//   body_.Run(ctx.step(), {…}, [&ctx, done](Status s, std::vector<Tensor> results) { … });
//
// Ownership: the session's FunctionRunner outlives the kernel. Thread safety: Run may be called
// from several threads. Errors: those of FunctionRunner; FAILED_PRECONDITION where there are no
// functions; RESOURCE_EXHAUSTED with the chain of calls when they nest deeper than kMaxDepth on one
// thread, or when more than kMaxLive of one call have not ended, as where functions that call
// themselves change threads.
#ifndef WARPBEAM_OPS_CONTROL_FLOW_FUNCTION_CALL_H_
#define WARPBEAM_OPS_CONTROL_FLOW_FUNCTION_CALL_H_

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "graph/types/attr_value.h"
#include "runtime/kernel/function_runner.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

class FunctionCall {
 public:
  static constexpr int kMaxDepth = 200;
  static constexpr int kMaxLive = 10'000;

  FunctionCall(const KernelInit& init, FunctionRef function);
  // On another device than the kernel's: where nodes of the body go that ask for nothing else.
  FunctionCall(FunctionRunner* functions, FunctionRef function, std::string device);
  FunctionCall(const FunctionCall&) = delete;
  FunctionCall& operator=(const FunctionCall&) = delete;

  // Calls `done` exactly once, perhaps before it returns; `done` calls Ended.
  void Run(StepContext* step, std::vector<Tensor> args, FunctionRunner::Done done);
  void Ended() { live_.fetch_sub(1, std::memory_order_relaxed); }
  const std::string& name() const { return function_.name; }

 private:
  // A call on this thread's stack, and the one that it is in.
  struct Frame {
    const std::string* function;
    const Frame* caller;
    int depth;
  };

  StatusOr<FunctionRunner::Handle> Prepare();
  Status TooDeep(const Frame& innermost) const;

  static thread_local const Frame* innermost_;
  FunctionRunner* const functions_;
  const FunctionRef function_;
  std::string device_;
  std::mutex mutex_;
  std::atomic<FunctionRunner::Handle> handle_{-1};
  std::atomic<int> live_{0};  // calls that have not ended
};

// Whether a function takes what a node gives it and returns what the node expects, as far as its
// signature tells; a function that the library does not have is refused when it is called.
// INVALID_ARGUMENT with `role` (the attribute that names it) and both lists of types. `loop`: the
// op, if it is one; its errors are known by what they say of numbers of values.
Status CheckSignature(const KernelInit& init, absl::string_view role, const FunctionRef& function,
                      Span<const DType> args, Span<const DType> results,
                      absl::string_view loop = "");

// Inputs [begin, end) of an execution, as arguments of a call.
std::vector<Tensor> InputsOf(const KernelContext& ctx, int begin, int end);

// Results become the outputs in order. INVALID_ARGUMENT when number or dtypes differ.
Status SetOutputs(KernelContext& ctx, const std::string& function, std::vector<Tensor> results);

// What If and While take for true: a scalar that is not zero or not empty, or any other tensor that
// has elements.
StatusOr<bool> IsTrue(const Tensor& t);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_CONTROL_FLOW_FUNCTION_CALL_H_
