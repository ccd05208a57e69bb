// Gather, GatherV2: slices of a tensor picked by index along one axis.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/index/gather_gradient.h"
#include "ops/array/index/gather_plan.h"
#include "ops/array/index/gather_slices.h"
#include "ops/array/index/index_argument.h"
#include "ops/array/kernel_types.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status GatherOpShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRankAtLeast(0, 1).status());
  WB_ASSIGN_OR_RETURN(PartialShape out, GatherPartialShape(c.input(0), c.input(1), 0, 0));
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status GatherV2Shape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRankAtLeast(0, 1).status());
  WB_RETURN_IF_ERROR(c.WithRank(2, 0).status());
  WB_ASSIGN_OR_RETURN(int64_t batch_dims, c.attr<int64_t>("batch_dims"));
  WB_ASSIGN_OR_RETURN(PartialShape out,
                      GatherPartialShape(c.input(0), c.input(1), c.ConstantScalar(2), batch_dims));
  c.set_output(0, std::move(out));
  return OkStatus();
}

class GatherKernel final : public Kernel {
 public:
  explicit GatherKernel(int64_t batch_dims) : batch_dims_(batch_dims) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    return std::make_unique<GatherKernel>(init.attrs.GetOr<int64_t>("batch_dims", 0));
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor &params = ctx.input(0), &indices = ctx.input(1);
    WB_ASSIGN_OR_RETURN(const int64_t axis, GatherAxis(ctx));
    WB_ASSIGN_OR_RETURN(const GatherPlan plan,
                        GatherPlan::Make(params, indices, axis, batch_dims_));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, plan.shape));
    return GatherSlices(ctx, params, indices, plan.axis, plan.batch_dims, y);
  }

 private:
  const int64_t batch_dims_;
};

WB_OP("Gather")
    .Input("params: Tparams")
    .Input("indices: Tindices")
    .Output("output: Tparams")
    .Attr("validate_indices: bool = true")
    .Attr("Tparams: type")
    .Attr("Tindices: {int32, int64}")
    .Shape(GatherOpShape);
WB_KERNEL("Gather", GatherKernel)
    .Cpu({{"Tparams", kMovableTypes | kQuantizedTypes},
          {"Tindices", kIndexTypes | TypeSet{DType::kInt16}}})
    .Gpu({{"Tparams",
           kFloatingTypes | kComplexTypes | kIndexTypes | kFloat8Types | TypeSet{DType::kBool}},
          {"Tindices", kIndexTypes}});

WB_OP("GatherV2")
    .Input("params: Tparams")
    .Input("indices: Tindices")
    .Input("axis: Taxis")
    .Output("output: Tparams")
    .Attr("batch_dims: int = 0")
    .Attr("Tparams: type")
    .Attr("Tindices: {int16, int32, int64}")
    .Attr("Taxis: {int32, int64}")
    .Shape(GatherV2Shape);
WB_KERNEL("GatherV2", GatherKernel)
    .Cpu({{"Tparams", kMovableTypes | kQuantizedTypes},
          {"Tindices", kIndexTypes | TypeSet{DType::kInt16}}})
    .Gpu({{"Tparams",
           kFloatingTypes | kComplexTypes | kIndexTypes | kFloat8Types | TypeSet{DType::kBool}},
          {"Tindices", kIndexTypes}})
    .HostMemory({"axis"});

Status GatherGradient(GradContext& c) {
  c.set_dx(0, RowSlices(c, c.dy(0), c.x(1), c.shape(c.x(0)), c.ShapeOf(c.x(0))));
  return OkStatus();
}
WB_GRADIENT("Gather", GatherGradient);

constexpr int kToTheEnd = -1;

// The product of the extents [begin, end) of `shape`, an int32 vector.
OutputRef Extent(GradContext& c, OutputRef shape, int begin, int end) {
  const int64_t end_mask = end == kToTheEnd ? 1 : 0;
  const OutputRef part =
      c.Emit("StridedSlice", {shape, c.Ints({begin}), c.Ints({std::max(end, 0)}), c.Ints({1})},
             {{"end_mask", end_mask}});
  return c.Folded(c.Emit("Prod", {part, c.Scalar<int32_t>(0)}));
}

OutputRef SwapMiddle(GradContext& c, OutputRef x) {
  return c.Emit("Transpose", {x, c.Ints({0, 2, 1, 3})});
}

// With params [B, O, G, I], indices [B, N] and dy [B, O, N, I], every index becomes the number of
// one of B * G rows of O * I elements.
Status GatherAlongGradient(GradContext& c, int axis, int batch) {
  const OutputRef shape = c.ShapeOf(c.x(0));
  const OutputRef b = Extent(c, shape, 0, batch), o = Extent(c, shape, batch, axis);
  const OutputRef g = Extent(c, shape, axis, axis + 1), i = Extent(c, shape, axis + 1, kToTheEnd);
  const OutputRef indices_shape = c.ShapeOf(c.x(1));
  const OutputRef n = Extent(c, indices_shape, batch, kToTheEnd);
  const auto dims = [&](std::vector<OutputRef> extents) {
    return c.Folded(c.Emit("Pack", {NodeInput(std::move(extents))}));
  };
  const OutputRef rows = c.Reshape(SwapMiddle(c, c.Reshape(c.dy(0), dims({b, o, n, i}))),
                                   dims({c.Mul(b, n), c.Mul(o, i)}));
  const OutputRef firsts =
      c.Mul(c.Emit("Range", {c.Scalar<int32_t>(0), b, c.Scalar<int32_t>(1)}), g);
  const OutputRef indices = c.Reshape(c.Cast(c.x(1), DType::kInt32), dims({b, n}));
  const OutputRef numbers =
      c.Reshape(c.Add(indices, c.Reshape(firsts, c.Ints({-1, 1}))), c.Ints({-1}));
  const OutputRef sums = c.Emit("UnsortedSegmentSum", {rows, numbers, c.Mul(b, g)});
  c.set_dx(0, c.Reshape(SwapMiddle(c, c.Reshape(sums, dims({b, g, o, i}))), shape));
  return OkStatus();
}

Status GatherV2Gradient(GradContext& c) {
  const std::optional<Tensor> constant = c.constant(c.x(2));
  const int rank = c.shape(c.x(0)).rank();
  const int indices_rank = c.shape(c.x(1)).rank();
  if (!constant) return Unimplemented("the gradient needs an axis that is a constant");
  WB_ASSIGN_OR_RETURN(int64_t axis, ReadIndex(*constant, "axis"));
  int64_t batch = c.attr_or<int64_t>("batch_dims", 0);
  if (axis == 0 && batch == 0) return GatherGradient(c);
  if ((axis < 0 && rank < 0) || (batch < 0 && indices_rank < 0)) {
    return Unimplemented("the gradient along an axis counted from the end needs a known rank");
  }
  if (rank >= 0) {
    WB_ASSIGN_OR_RETURN(axis, ResolveAxis(axis, rank));
  }
  const int a = static_cast<int>(axis);
  if (batch < 0) batch += indices_rank;
  if (a == 0 && batch == 0) return GatherGradient(c);
  return GatherAlongGradient(c, a, static_cast<int>(batch));
}
WB_GRADIENT("GatherV2", GatherV2Gradient);

}  // namespace
}  // namespace warpbeam
