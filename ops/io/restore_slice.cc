// Restore, RestoreSlice: a tensor, or a part of one, from the files of a version 1 checkpoint. All
// files that the pattern matches are looked at: preferred_shard only hints where to look first.
#include "graph/op/op_registry.h"
#include "ops/array/function_kernel.h"
#include "ops/io/checkpoint_arguments.h"
#include "ops/io/restored_tensor.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

template <bool kHasSlice>
Status RunRestore(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(const CheckpointArguments arguments,
                      ReadCheckpointArguments(ctx, kHasSlice, 1));
  return RestoreFromSliceFiles(ctx, arguments);
}

template <bool kHasSlice>
Status RestoreShape(ShapeContext& c) {
  for (int i = 0; i < c.num_inputs(); ++i) WB_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  if (kHasSlice) return SetRestoredShape(c, 2, 0);
  return shapes::Unknown(c);
}

WB_OP("Restore")
    .Input("file_pattern: string")
    .Input("tensor_name: string")
    .Output("tensor: dt")
    .Attr("dt: type")
    .Attr("preferred_shard: int = -1")
    .Stateful()
    .Needs(Capability::kReadFile)
    .Shape(RestoreShape<false>);
WB_KERNEL("Restore", FunctionKernel<RunRestore<false>>).Cpu();

WB_OP("RestoreSlice")
    .Input("file_pattern: string")
    .Input("tensor_name: string")
    .Input("shape_and_slice: string")
    .Output("tensor: dt")
    .Attr("dt: type")
    .Attr("preferred_shard: int = -1")
    .Stateful()
    .Needs(Capability::kReadFile)
    .Shape(RestoreShape<true>);
WB_KERNEL("RestoreSlice", FunctionKernel<RunRestore<true>>).Cpu();

}  // namespace
}  // namespace warpbeam
