// Concat, ConcatV2: tensors joined along one dimension.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/index/index_argument.h"
#include "ops/array/kernel_types.h"
#include "ops/array/moving_kernel.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status Concatenated(ShapeContext& c, int axis_input, int first, int count) {
  WB_RETURN_IF_ERROR(c.WithRank(axis_input, 0).status());
  int rank = -1;
  for (int i = first; i < first + count; ++i) {
    if (!c.input(i).has_rank()) continue;
    if (rank >= 0 && rank != c.input(i).rank()) {
      return InvalidArgument("inputs ", c.input(first).ToString(), " and ", c.input(i).ToString(),
                             " differ in rank");
    }
    rank = c.input(i).rank();
  }
  if (rank < 0) return OkStatus();
  PartialShape out = PartialShape::UnknownOfRank(rank);
  const std::optional<int64_t> axis = c.ConstantScalar(axis_input);
  if (!axis) {
    c.set_output(0, std::move(out));
    return OkStatus();
  }
  WB_ASSIGN_OR_RETURN(int a, ResolveAxis(*axis, rank));
  int64_t total = 0;
  for (int i = first; i < first + count; ++i) {
    const PartialShape in = c.input(i).has_rank() ? c.input(i) : PartialShape::UnknownOfRank(rank);
    total = AddExtents(total, in.dim(a));
    for (int d = 0; d < rank; ++d) {
      if (d == a) continue;
      auto merged = MergeExtents(out.dim(d), in.dim(d));
      if (!merged.ok()) {
        return InvalidArgument("dimension ", d, " in both shapes must be equal: ", out.dim(d),
                               " and ", in.dim(d));
      }
      out.set_dim(d, *merged);
    }
  }
  out.set_dim(a, total);
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status ConcatShape(ShapeContext& c) { return Concatenated(c, 0, 1, c.num_inputs() - 1); }
Status ConcatV2Shape(ShapeContext& c) {
  return Concatenated(c, c.num_inputs() - 1, 0, c.num_inputs() - 1);
}

StatusOr<Shape> OutputShape(KernelContext& ctx, int axis, int first, int count) {
  const Shape& shape = ctx.input(first).shape();
  int64_t total = 0;
  for (int i = first; i < first + count; ++i) {
    const Shape& in = ctx.input(i).shape();
    bool fits = in.rank() == shape.rank();
    for (int d = 0; fits && d < in.rank(); ++d) fits = d == axis || in.dim(d) == shape.dim(d);
    if (!fits) {
      return InvalidArgument("inputs must have one shape but for dimension ", axis, ": input 0 is ",
                             shape.ToString(), ", input ", i - first, " is ", in.ToString());
    }
    total += in.dim(axis);
  }
  return shape.WithDim(axis, total);
}

Status Concatenate(KernelContext& ctx, StridedCopier& copier, int axis_input, int first,
                   int count) {
  // As TensorFlow's old graphs have it, a vector of one is a scalar too.
  if (ctx.input(axis_input).rank() > 1 || ctx.input(axis_input).num_elements() != 1) {
    return InvalidArgument("the axis must be a scalar, not of shape ",
                           ctx.input(axis_input).shape().ToString());
  }
  WB_ASSIGN_OR_RETURN(int64_t axis, ReadIndex(ctx.input(axis_input), "axis"));
  WB_ASSIGN_OR_RETURN(int a, ResolveAxis(axis, ctx.input(first).rank()));
  WB_ASSIGN_OR_RETURN(Shape shape, OutputShape(ctx, a, first, count));
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
  const int64_t outer = ElementsOf(shape, 0, a);
  const int64_t row = ElementsOf(shape, a, shape.rank());
  int64_t at = 0;
  for (int i = first; i < first + count; ++i) {
    const Tensor& x = ctx.input(i);
    const int64_t width = ElementsOf(x.shape(), a, x.rank());
    WB_RETURN_IF_ERROR(copier.Copy(x.dtype(), Advance(y->raw_data(), x.dtype(), at), x.raw_data(),
                                   {{outer, width, row}, {width, 1, 1}}));
    at += width;
  }
  return OkStatus();
}

Status RunConcat(KernelContext& ctx, StridedCopier& copier) {
  return Concatenate(ctx, copier, 0, 1, ctx.num_inputs() - 1);
}
Status RunConcatV2(KernelContext& ctx, StridedCopier& copier) {
  return Concatenate(ctx, copier, ctx.num_inputs() - 1, 0, ctx.num_inputs() - 1);
}

WB_OP("Concat")
    .Input("concat_dim: int32")
    .Input("values: N * T")
    .Output("output: T")
    .Attr("N: int >= 2")
    .Attr("T: type")
    .Shape(ConcatShape);
WB_KERNEL("Concat", MovingKernel<FunctionOp<RunConcat>>)
    .Cpu({{"T", kPlainTypes | kQuantizedTypes | kFloat8Types | TypeSet{DType::kString}}})
    .Gpu({{"T", kPlainTypesButInt32 | kFloat8Types}})
    .HostMemory({"concat_dim"});
WB_KERNEL("Concat", MovingKernel<FunctionOp<RunConcat>>)
    .Gpu({{"T", TypeSet{DType::kInt32}}})
    .HostMemory({"concat_dim", "values", "output"});
WB_GPU_KERNEL("Concat", MovingKernelOnGpu<FunctionOp<RunConcat>>);

WB_OP("ConcatV2")
    .Input("values: N * T")
    .Input("axis: Tidx")
    .Output("output: T")
    .Attr("N: int >= 2")
    .Attr("T: type")
    .Attr("Tidx: {int32, int64} = int32")
    .Shape(ConcatV2Shape);
WB_KERNEL("ConcatV2", MovingKernel<FunctionOp<RunConcatV2>>)
    .Cpu({{"T", kPlainTypes | kQuantizedTypes | kFloat8Types | TypeSet{DType::kString}}})
    .Gpu({{"T", kPlainTypesButInt32 | kFloat8Types}})
    .HostMemory({"axis"});
WB_KERNEL("ConcatV2", MovingKernel<FunctionOp<RunConcatV2>>)
    .Gpu({{"T", TypeSet{DType::kInt32}}})
    .HostMemory({"values", "axis", "output"});
WB_GPU_KERNEL("ConcatV2", MovingKernelOnGpu<FunctionOp<RunConcatV2>>);

// The extents along `axis` of inputs [first, first + count), when all are known.
std::optional<std::vector<int32_t>> ExtentsAlong(const GradContext& c, int axis, int first,
                                                 int count) {
  std::vector<int32_t> extents;
  for (int i = first; i < first + count; ++i) {
    const PartialShape& shape = c.shape(c.x(i));
    if (!shape.has_rank() || axis >= shape.rank() || shape.dim(axis) < 0) return std::nullopt;
    extents.push_back(static_cast<int32_t>(shape.dim(axis)));
  }
  return extents;
}

// The axis as a number of [0, rank), when both are known.
std::optional<int> KnownAxis(const GradContext& c, int axis_input) {
  const std::optional<Tensor> value = c.constant(c.x(axis_input));
  const PartialShape& shape = c.shape(c.y(0));
  if (!value || !shape.has_rank()) return std::nullopt;
  auto axis = ReadIndex(*value, "axis");
  if (!axis.ok()) return std::nullopt;
  auto resolved = ResolveAxis(*axis, shape.rank());
  if (!resolved.ok()) return std::nullopt;
  return *resolved;
}

Status SplitGradient(GradContext& c, int axis_input, int first, int count) {
  if (const std::optional<int> axis = KnownAxis(c, axis_input)) {
    if (const auto extents = ExtentsAlong(c, *axis, first, count)) {
      AttrMap attrs;
      attrs.Set("num_split", count);
      const std::vector<OutputRef> parts = c.EmitAll(
          "SplitV",
          {c.dy(0), c.Constant(Tensor::Vector<int32_t>(*extents)), c.Scalar<int32_t>(*axis)},
          attrs);
      for (size_t i = 0; i < parts.size(); ++i) c.set_dx(first + static_cast<int>(i), parts[i]);
      return OkStatus();
    }
  }
  const std::vector<OutputRef> inputs = c.xs(first, first + count);
  const std::vector<OutputRef> shapes = c.EmitAll("ShapeN", {NodeInput(inputs)});
  const OutputRef axis =
      c.Emit("FloorMod", {c.Cast(c.x(axis_input), DType::kInt32), c.RankOf(c.x(first))});
  const std::vector<OutputRef> offsets = c.EmitAll("ConcatOffset", {axis, NodeInput(shapes)});
  if (offsets.size() != shapes.size()) return c.status();
  for (size_t i = 0; i < shapes.size(); ++i) {
    c.set_dx(first + static_cast<int>(i), c.Emit("Slice", {c.dy(0), offsets[i], shapes[i]}));
  }
  return OkStatus();
}

Status ConcatGradient(GradContext& c) { return SplitGradient(c, 0, 1, c.num_inputs() - 1); }
Status ConcatV2Gradient(GradContext& c) {
  return SplitGradient(c, c.num_inputs() - 1, 0, c.num_inputs() - 1);
}
WB_GRADIENT("Concat", ConcatGradient);
WB_GRADIENT("ConcatV2", ConcatV2Gradient);

}  // namespace
}  // namespace warpbeam
