// ConcatOffset: where each input of a concatenation begins in the output.
#include "absl/strings/str_join.h"
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "ops/array/index/index_argument.h"
#include "ops/array/kernel_types.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status ConcatOffsetShape(ShapeContext& c) {
  for (int i = 1; i < c.num_inputs(); ++i) {
    PartialShape shape = c.input(i);
    if (shape.has_rank() && shape.rank() != 1) {
      return InvalidArgument("input ", i, " should be a vector, not of shape ", shape.ToString());
    }
    if (!shape.has_rank()) shape = PartialShape::UnknownOfRank(1);
    c.set_output(i - 1, std::move(shape));
  }
  return OkStatus();
}

Status RunConcatOffset(KernelContext& ctx) {
  if (ctx.input(0).rank() != 0) {
    return InvalidArgument("Concat dim tensor should be a scalar integer, but got shape ",
                           ctx.input(0).shape().ToString());
  }
  WB_ASSIGN_OR_RETURN(int64_t axis, ReadIndex(ctx.input(0), "concat_dim"));
  WB_ASSIGN_OR_RETURN(Dims first, ReadIndices(ctx.input(1), "shape"));
  const auto rank = static_cast<int>(first.size());
  if (axis < -rank || axis >= rank) {
    return InvalidArgument("Concat dim is out of range: ", axis, " vs. ", rank);
  }
  const auto a = static_cast<int>(axis < 0 ? axis + rank : axis);
  int64_t offset = 0;
  for (int i = 1; i < ctx.num_inputs(); ++i) {
    const Tensor& input = ctx.input(i);
    if (input.rank() != 1) {
      return InvalidArgument("input ", i, " should be a vector, not of shape ",
                             input.shape().ToString());
    }
    WB_ASSIGN_OR_RETURN(Dims shape, ReadIndices(input, "shape"));
    if (shape.size() != first.size()) {
      return InvalidArgument("input ", i, " should contain ", first.size(), " elements, not ",
                             shape.size());
    }
    for (size_t d = 0; d < shape.size(); ++d) {
      if (d == static_cast<size_t>(a) || shape[d] == first[d]) continue;
      return InvalidArgument("All dimensions except ", a, " must match. Input ", i - 1,
                             " has shape [", absl::StrJoin(shape, " "),
                             "] and doesn't match input 0 with shape [", absl::StrJoin(first, " "),
                             "].");
    }
    Dims offsets(shape.size(), 0);
    offsets[static_cast<size_t>(a)] = offset;
    offset += shape[static_cast<size_t>(a)];
    WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(i - 1, input.shape()));
    WB_RETURN_IF_ERROR(WriteIndices(offsets, out));
  }
  return OkStatus();
}

WB_OP("ConcatOffset")
    .Input("concat_dim: int32")
    .Input("shape: N * shape_type")
    .Output("offset: N * shape_type")
    .Attr("N: int >= 2")
    .Attr("shape_type: {int32, int64} = int32")
    .Shape(ConcatOffsetShape);
WB_KERNEL("ConcatOffset", FunctionKernel<RunConcatOffset>)
    .Cpu({{"shape_type", kIndexTypes}})
    .Gpu({{"shape_type", kIndexTypes}})
    .HostMemory({"concat_dim", "shape", "offset"})
    .Cheap();

WB_NO_GRADIENT("ConcatOffset");

}  // namespace
}  // namespace warpbeam
