// SaveV2: tensors, or parts of tensors, into a version 2 checkpoint.
#include "graph/op/op_registry.h"
#include "ops/array/function_kernel.h"
#include "ops/io/checkpoint_arguments.h"
#include "runtime/checkpoint/bundle_writer.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

constexpr int kFirstTensor = 3;

Status RunSaveV2(KernelContext& ctx) {
  const int count = ctx.num_inputs() - kFirstTensor;
  WB_ASSIGN_OR_RETURN(const CheckpointArguments arguments,
                      ReadCheckpointArguments(ctx, /*has_slices=*/true, count));
  for (int i = 0; i < count; ++i) {
    WB_RETURN_IF_ERROR(
        CheckSavedShape(arguments.names[i], arguments.parts[i], ctx.input(kFirstTensor + i)));
  }
  WB_ASSIGN_OR_RETURN(const std::unique_ptr<BundleWriter> writer,
                      BundleWriter::Create(arguments.path));
  for (int i = 0; i < count; ++i) {
    const ShapeAndSlice& part = arguments.parts[i];
    const Tensor& tensor = ctx.input(kFirstTensor + i);
    WB_RETURN_IF_ERROR(part.is_given
                           ? writer->AddSlice(arguments.names[i], part.full, part.slice, tensor)
                           : writer->Add(arguments.names[i], tensor));
  }
  return writer->Finish();
}

Status SaveV2Shape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(0, 0).status());
  for (int input : {1, 2}) {
    WB_RETURN_IF_ERROR(CheckVectorOf(c, input, c.num_inputs() - kFirstTensor));
  }
  return OkStatus();
}

WB_OP("SaveV2")
    .Input("prefix: string")
    .Input("tensor_names: string")
    .Input("shape_and_slices: string")
    .Input("tensors: dtypes")
    .Attr("dtypes: list(type) >= 1")
    .Stateful()
    .Needs(Capability::kWriteFile)
    .Shape(SaveV2Shape);
WB_KERNEL("SaveV2", FunctionKernel<RunSaveV2>).Cpu();

}  // namespace
}  // namespace warpbeam
