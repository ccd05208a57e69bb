// Save, SaveSlices: tensors, or parts of tensors, into one file, a version 1 checkpoint.
#include "graph/op/op_registry.h"
#include "ops/array/function_kernel.h"
#include "ops/io/checkpoint_arguments.h"
#include "runtime/checkpoint/slice_file_writer.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

template <bool kHasSlices>
Status RunSave(KernelContext& ctx) {
  constexpr int kFirstTensor = kHasSlices ? 3 : 2;
  const int count = ctx.num_inputs() - kFirstTensor;
  WB_ASSIGN_OR_RETURN(const CheckpointArguments arguments,
                      ReadCheckpointArguments(ctx, kHasSlices, count));
  SliceFileWriter writer;
  for (int i = 0; i < count; ++i) {
    const Tensor& tensor = ctx.input(kFirstTensor + i);
    const ShapeAndSlice& part = arguments.parts[i];
    WB_RETURN_IF_ERROR(CheckSavedShape(arguments.names[i], part, tensor));
    WB_RETURN_IF_ERROR(part.is_given ? writer.Add(arguments.names[i], part.full, part.slice, tensor)
                                     : writer.Add(arguments.names[i], tensor.shape(),
                                                  TensorSlice::Whole(tensor.rank()), tensor));
  }
  return writer.Write(arguments.path);
}

template <bool kHasSlices>
Status SaveShape(ShapeContext& c) {
  constexpr int kFirstTensor = kHasSlices ? 3 : 2;
  WB_RETURN_IF_ERROR(c.WithRank(0, 0).status());
  for (int input = 1; input < kFirstTensor; ++input) {
    WB_RETURN_IF_ERROR(CheckVectorOf(c, input, c.num_inputs() - kFirstTensor));
  }
  return OkStatus();
}

WB_OP("Save")
    .Input("filename: string")
    .Input("tensor_names: string")
    .Input("data: T")
    .Attr("T: list(type) >= 1")
    .Stateful()
    .Needs(Capability::kWriteFile)
    .Shape(SaveShape<false>);
WB_KERNEL("Save", FunctionKernel<RunSave<false>>).Cpu();

WB_OP("SaveSlices")
    .Input("filename: string")
    .Input("tensor_names: string")
    .Input("shapes_and_slices: string")
    .Input("data: T")
    .Attr("T: list(type) >= 1")
    .Stateful()
    .Needs(Capability::kWriteFile)
    .Shape(SaveShape<true>);
WB_KERNEL("SaveSlices", FunctionKernel<RunSave<true>>).Cpu();

}  // namespace
}  // namespace warpbeam
