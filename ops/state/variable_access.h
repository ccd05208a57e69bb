// How kernels of state ops reach variables: by handle, with a memory of what they found, and for
// changing them in place.
//
//   class AddKernel : public Kernel {
//     Status Compute(KernelContext& ctx) override {
//       WB_ASSIGN_OR_RETURN(std::shared_ptr<Variable> v, finder_.Find(ctx, 0));
//       return ModifyVariable(ctx, *v, [&](Tensor& value) { … value's bytes are ours … });
//     }
//     VariableFinder finder_;
//   };
//
// Looking a resource up by name takes a lock and compares strings. A node's handle is nearly always
// the same tensor, so the finder keeps what it found for as long as the store has dropped nothing.
//
// Ownership: the pointer may refer to what the finder keeps: it is good during Compute. Thread
// safety: Find may run from several threads at once. Errors: NOT_FOUND for a handle without a
// variable, FAILED_PRECONDITION for a variable without a value.
#ifndef WARPBEAM_OPS_STATE_VARIABLE_ACCESS_H_
#define WARPBEAM_OPS_STATE_VARIABLE_ACCESS_H_

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/functional/function_ref.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/state/variable.h"

namespace warpbeam {

// The handle in a resource input.
StatusOr<const ResourceHandle*> HandleInput(const KernelContext& ctx, int input);

class VariableFinder {
 public:
  StatusOr<std::shared_ptr<Variable>> Find(const KernelContext& ctx, int input);

 private:
  struct Entry {
    Tensor handle;  // kept, so that its address names nothing else
    const ResourceStore* store;
    uint64_t generation;
    std::shared_ptr<Variable> variable;
  };
  void Remember(std::unique_ptr<Entry> entry);

  std::atomic<const Entry*> latest_{nullptr};
  std::mutex mutex_;
  std::vector<std::unique_ptr<Entry>> entries_;  // all that `latest_` ever was
};

// The variable behind a reference input.
StatusOr<RefVariable*> RefInput(const KernelContext& ctx, int input);

// The variable's value at an address that this kernel may read.
StatusOr<Tensor> ReadForKernel(const KernelContext& ctx, const Variable& variable);

// FAILED_PRECONDITION naming the variable if `value`, which is its value, is none.
Status CheckInitialized(const Variable& variable, const Tensor& value);

// Runs `change` under the variable's lock with the value's bytes writable and nobody else's.
Status ModifyVariable(KernelContext& ctx, Variable& variable,
                      absl::FunctionRef<Status(Tensor& value)> change);

// Whether `value` is a small part of a large buffer, which it would keep alive.
bool WastesItsBuffer(const Tensor& value);
// The tensor to keep in a variable: `value` itself, or a copy when it would waste its buffer.
StatusOr<Tensor> ValueToKeep(KernelContext& ctx, const Tensor& value);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_STATE_VARIABLE_ACCESS_H_
