// CollectiveAssignGroupV2: the group of a device, where each row of a matrix is a group of devices:
// its size, and a key that is counted from `base_key`.
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

StatusOr<int32_t> ScalarAt(const KernelContext& ctx, int input, const char* name) {
  const Tensor& value = ctx.input(input);
  if (value.rank() == 0) return value.scalar<int32_t>();
  return InvalidArgument(
      name, " must be a scalar, but received tensor of shape: ", value.shape().ToString());
}

StatusOr<int32_t> KeyOf(const Tensor& groups, int32_t device, int32_t base_key) {
  const int32_t* index = groups.data<int32_t>();
  for (int64_t group = 0; group < groups.dim(0); ++group) {
    // Keys go round after the last one.
    const auto key =
        static_cast<int32_t>(static_cast<uint32_t>(base_key) + static_cast<uint32_t>(group));
    if (key == 0) {
      return InvalidArgument("Using the reserved group_key = 0 is not allowed: group_id = ", group,
                             ", base_key = ", base_key);
    }
    for (int64_t i = 0; i < groups.dim(1); ++i, ++index) {
      if (*index < 0 || *index >= groups.num_elements()) {
        return InvalidArgument("Not all items in group_assignment ", groups.ToString(),
                               " is within [0, number of devices)");
      }
      if (*index == device) return key;
    }
  }
  return InvalidArgument("device_index ", device, " is not found in group_assignment ",
                         groups.ToString());
}

Status AssignGroup(KernelContext& ctx) {
  const Tensor& groups = ctx.input(0);
  WB_ASSIGN_OR_RETURN(const int32_t device, ScalarAt(ctx, 1, "device_index"));
  if (groups.rank() != 2) {
    return InvalidArgument("group_assignment must be a 2-d Tensor, but received tensor of shape: ",
                           groups.shape().ToString());
  }
  WB_ASSIGN_OR_RETURN(const int32_t base_key, ScalarAt(ctx, 2, "base_key"));
  WB_ASSIGN_OR_RETURN(const int32_t key, KeyOf(groups, device, base_key));
  ctx.set_output(0, Tensor::Scalar(static_cast<int32_t>(groups.dim(1))));
  ctx.set_output(1, Tensor::Scalar(key));
  return OkStatus();
}

WB_OP("CollectiveAssignGroupV2")
    .Input("group_assignment: int32")
    .Input("device_index: int32")
    .Input("base_key: int32")
    .Output("group_size: int32")
    .Output("group_key: int32")
    .Stateful()
    .DistributedCommunication()
    .Shape(shapes::Scalar);
WB_KERNEL("CollectiveAssignGroupV2", FunctionKernel<AssignGroup>)
    .Cpu()
    .Gpu()
    .HostMemory({"group_assignment", "device_index", "base_key", "group_size", "group_key"})
    .Cheap();

}  // namespace
}  // namespace warpbeam
