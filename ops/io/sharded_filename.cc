// ShardedFilename, ShardedFilespec: the name of one shard of a file, and the pattern of all.
#include "absl/strings/str_format.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status CheckScalars(const KernelContext& ctx) {
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    if (ctx.input(i).rank() != 0) {
      return InvalidArgument("input ", i, " must be a scalar, not of shape ",
                             ctx.input(i).shape().ToString());
    }
  }
  return OkStatus();
}

Status RunFilename(KernelContext& ctx) {
  WB_RETURN_IF_ERROR(CheckScalars(ctx));
  ctx.set_output(0, Tensor::Scalar<std::string>(absl::StrFormat(
                        "%s-%05d-of-%05d", ctx.input(0).scalar<std::string>(),
                        ctx.input(1).scalar<int32_t>(), ctx.input(2).scalar<int32_t>())));
  return OkStatus();
}

Status RunFilespec(KernelContext& ctx) {
  WB_RETURN_IF_ERROR(CheckScalars(ctx));
  ctx.set_output(0, Tensor::Scalar<std::string>(absl::StrFormat("%s-\?\?\?\?\?-of-%05d",
                                                                ctx.input(0).scalar<std::string>(),
                                                                ctx.input(1).scalar<int32_t>())));
  return OkStatus();
}

Status AllScalars(ShapeContext& c) {
  for (int i = 0; i < c.num_inputs(); ++i) WB_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  return shapes::Scalar(c);
}

WB_OP("ShardedFilename")
    .Input("basename: string")
    .Input("shard: int32")
    .Input("num_shards: int32")
    .Output("filename: string")
    .Shape(AllScalars);
WB_KERNEL("ShardedFilename", FunctionKernel<RunFilename>).Cpu();

WB_OP("ShardedFilespec")
    .Input("basename: string")
    .Input("num_shards: int32")
    .Output("filename: string")
    .Shape(AllScalars);
WB_KERNEL("ShardedFilespec", FunctionKernel<RunFilespec>).Cpu();

}  // namespace
}  // namespace warpbeam
