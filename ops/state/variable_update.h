// How kernels that enqueue change variables: what ops/state/variable_access.h is for kernels of
// host code. All copies go to the stream, where they are in order with what kernels enqueue.
//
//   return UpdateVariable<is_resource>(ctx, finder_, [&](Variable& v) {
//     return ModifyOnGpu(ctx, stream, v, [&](Tensor& value) { return Launch(stream, …); });
//   });
//
// The new value is there when the stream gets to it; who reads the variable on this device comes
// later on the same stream, and who reads it elsewhere waits for the stream. A value that somebody
// holds is never written to: what reads it may be enqueued on another stream.
//
// Ownership: as in variable_access.h. Thread safety: pure but for the variable, which its lock
// guards. Errors: FAILED_PRECONDITION for a variable without a value, RESOURCE_EXHAUSTED.
#ifndef WARPBEAM_OPS_STATE_VARIABLE_UPDATE_H_
#define WARPBEAM_OPS_STATE_VARIABLE_UPDATE_H_

#include "absl/functional/function_ref.h"
#include "ops/state/variable_access.h"
#include "runtime/kernel/gpu_kernel.h"

namespace warpbeam {

// Copies within the device's memory, or sets it to zero, in the order of its kernels. The addresses
// are kernels'.
Status CopyOnGpu(const KernelContext& ctx, GpuStream& stream, void* to, const void* from,
                 size_t bytes);
Status ZeroOnGpu(const KernelContext& ctx, GpuStream& stream, void* to, size_t bytes);

// As ModifyVariable: `change` launches what writes to the value.
Status ModifyOnGpu(KernelContext& ctx, GpuStream& stream, Variable& variable,
                   absl::FunctionRef<Status(Tensor& value)> change);

// For a launch that writes every element of a variable and reads none that it has written: `value`
// at the kernels' address, and where its successor goes, which is the same memory if nobody else
// holds it. The caller makes it the variable's value once the launch has succeeded.
StatusOr<Tensor> RoomForSuccessor(const KernelContext& ctx, Tensor& value);

// As ValueToKeep.
StatusOr<Tensor> ValueToKeepOnGpu(const KernelContext& ctx, GpuStream& stream, const Tensor& value);

// Calls `update` with the variable that input 0 names, by handle or by reference; a reference is
// then handed on as output 0.
template <bool is_resource>
Status UpdateVariable(KernelContext& ctx, VariableFinder& finder,
                      absl::FunctionRef<Status(Variable& variable)> update) {
  if constexpr (is_resource) {
    WB_ASSIGN_OR_RETURN(const std::shared_ptr<Variable> v, finder.Find(ctx, 0));
    return update(*v);
  } else {
    WB_ASSIGN_OR_RETURN(RefVariable* const v, RefInput(ctx, 0));
    WB_RETURN_IF_ERROR(update(*v));
    ctx.set_output_ref(0, v);
    return OkStatus();
  }
}

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_STATE_VARIABLE_UPDATE_H_
