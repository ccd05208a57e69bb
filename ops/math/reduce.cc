// Sum, Mean, Prod, Max, Min, Any, All and EuclideanNorm over some dimensions of a tensor.

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/math/axes.h"
#include "ops/math/reduction.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

template <Reduction kReduction>
class ReduceKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const bool keep_dims, init.attr<bool>("keep_dims"));
    return std::make_unique<ReduceKernel>(keep_dims);
  }
  explicit ReduceKernel(bool keep_dims) : keep_dims_(keep_dims) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(const uint64_t axes, ReadAxes(ctx.input(1), x.rank()));
    WB_ASSIGN_OR_RETURN(const Shape shape, ReducedShape(x.shape(), axes, keep_dims_));
    // Nothing to join; a norm still takes absolute values.
    if (shape.num_elements() == x.num_elements() && kReduction != Reduction::kNorm) {
      WB_ASSIGN_OR_RETURN(Tensor y, x.Reshaped(shape));
      ctx.set_output(0, std::move(y));
      return OkStatus();
    }
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    return Reduce(ctx, kReduction, x, axes, y);
  }

 private:
  const bool keep_dims_;
};

// The shape of the forward op's result with its axes kept as extents of 1, at run time.
OutputRef KeptShape(GradContext& c, OutputRef x_shape) {
  const PartialShape& x = c.shape(c.x(0));
  const std::optional<Tensor> axes = c.constant(c.x(1));
  if (x.IsFullyDefined() && axes.has_value()) {
    const StatusOr<uint64_t> bits = ReadAxes(*axes, x.rank());
    if (!bits.ok()) {
      c.set_status(bits.status());
      return OutputRef();
    }
    std::vector<int32_t> dims(x.dims().begin(), x.dims().end());
    for (int i = 0; i < x.rank(); ++i) {
      if (((*bits >> i) & 1) != 0) dims[i] = 1;
    }
    return c.Constant(Tensor::Vector<int32_t>(dims));
  }
  const OutputRef rank = c.RankOf(c.x(0));
  const OutputRef given = c.Reshape(c.Cast(c.x(1), DType::kInt32), c.Ints({-1}));
  const OutputRef resolved = c.Emit("FloorMod", {c.Add(given, rank), rank});
  const OutputRef all = c.Emit("Range", {c.Scalar<int32_t>(0), rank, c.Scalar<int32_t>(1)});
  return c.Emit("DynamicStitch", {{all, resolved}, {x_shape, c.Emit("OnesLike", {resolved})}});
}

// A tensor of the result's shape, given the kept shape.
OutputRef Kept(GradContext& c, OutputRef t, OutputRef kept) {
  return c.attr_or<bool>("keep_dims", false) ? t : c.Reshape(t, kept);
}

// dy spread over the input's shape.
OutputRef Spread(GradContext& c) {
  const OutputRef x_shape = c.ShapeOf(c.x(0));
  const bool keep_dims = c.attr_or<bool>("keep_dims", false);
  const OutputRef dy = keep_dims ? c.dy(0) : c.Reshape(c.dy(0), KeptShape(c, x_shape));
  return c.Emit("BroadcastTo", {dy, x_shape});
}

Status SumGradient(GradContext& c) {
  c.set_dx(0, Spread(c));
  return OkStatus();
}

Status MeanGradient(GradContext& c) {
  const PartialShape &x = c.shape(c.x(0)), &y = c.shape(c.y(0));
  OutputRef count;
  if (x.IsFullyDefined() && y.IsFullyDefined()) {
    const int64_t results = std::max<int64_t>(1, y.num_elements());
    count = c.ScalarLike(c.x(0), static_cast<double>(x.num_elements() / results));
  } else {
    const OutputRef results = c.Emit("Maximum", {c.SizeOf(c.y(0)), c.Scalar<int32_t>(1)});
    count = c.Cast(c.Emit("FloorDiv", {c.SizeOf(c.x(0)), results}), c.type(c.x(0)));
  }
  c.set_dx(0, c.Div(Spread(c), count));
  return OkStatus();
}

// Elements that equal the extremum share the gradient.
Status ExtremumGradient(GradContext& c) {
  const OutputRef x = c.x(0), x_shape = c.ShapeOf(x);
  const bool keep_dims = c.attr_or<bool>("keep_dims", false);
  const OutputRef kept = keep_dims ? OutputRef() : KeptShape(c, x_shape);
  const OutputRef y = Kept(c, c.y(0), kept), dy = Kept(c, c.dy(0), kept);
  const OutputRef chosen = c.Cast(c.Emit("Equal", {y, x}), c.type(dy));
  const OutputRef count = c.Emit("Sum", {chosen, c.x(1)}, {{"keep_dims", true}});
  c.set_dx(0, c.Mul(c.Div(chosen, count), dy));
  return OkStatus();
}

// The product of all other elements is that of those before and of those after: exact even where
// one of them is zero.
Status ProdGradient(GradContext& c) {
  const OutputRef x = c.x(0), x_shape = c.ShapeOf(x), zero = c.Scalar<int32_t>(0);
  const OutputRef rank = c.RankOf(x), one = c.Scalar<int32_t>(1);
  const OutputRef given = c.Reshape(c.Cast(c.x(1), DType::kInt32), c.Ints({-1}));
  const OutputRef reduced = c.Emit("FloorMod", {c.Add(given, rank), rank});
  const OutputRef all = c.Emit("Range", {zero, rank, one});
  const OutputRef kept = c.Emit("ListDiff", {all, reduced});
  const OutputRef order = c.Emit("ConcatV2", {{reduced, kept}, zero});
  const auto size_of = [&](OutputRef dims) {
    return c.Emit("Prod", {c.Emit("GatherV2", {x_shape, dims, zero}), zero});
  };
  const OutputRef permuted = c.Emit("Transpose", {x, order});
  const OutputRef matrix_shape = c.Emit("Pack", {{size_of(reduced), size_of(kept)}});
  const OutputRef matrix = c.Reshape(permuted, matrix_shape);
  const OutputRef before = c.Emit("Cumprod", {matrix, zero}, {{"exclusive", true}});
  const OutputRef after =
      c.Emit("Cumprod", {matrix, zero}, {{"exclusive", true}, {"reverse", true}});
  const OutputRef others = c.Reshape(c.Mul(c.Conj(before), c.Conj(after)), c.ShapeOf(permuted));
  const OutputRef back = c.Emit("Transpose", {others, c.Emit("InvertPermutation", {order})});
  c.set_dx(0, c.Reshape(c.Mul(Spread(c), back), x_shape));
  return OkStatus();
}

Status NormGradient(GradContext& c) {
  const OutputRef x_shape = c.ShapeOf(c.x(0));
  const bool keep_dims = c.attr_or<bool>("keep_dims", false);
  const OutputRef kept = keep_dims ? OutputRef() : KeptShape(c, x_shape);
  const OutputRef y = Kept(c, c.y(0), kept), dy = Kept(c, c.dy(0), kept);
  c.set_dx(0, c.Div(c.x(0), c.Div(y, dy)));
  return OkStatus();
}

constexpr TypeSet kFloatComplex = kFloatingTypes | kComplexTypes;
constexpr TypeSet kHostInt = {DType::kInt32};

}  // namespace

#define WB_NUMBERS                                                                          \
  "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, " \
  "bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}"
#define WB_ORDERED                                                                                \
  "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, " \
  "qint8, quint8, qint32, qint16, quint16}"
#define WB_REDUCTION(op, types)             \
  WB_OP(op)                                 \
      .Input("input: T")                    \
      .Input("reduction_indices: Tidx")     \
      .Output("output: T")                  \
      .Attr("keep_dims: bool = false")      \
      .Attr(types)                          \
      .Attr("Tidx: {int32, int64} = int32") \
      .Shape(ReductionShape)
#define WB_LOGICAL_REDUCTION(op)            \
  WB_OP(op)                                 \
      .Input("input: bool")                 \
      .Input("reduction_indices: Tidx")     \
      .Output("output: bool")               \
      .Attr("keep_dims: bool = false")      \
      .Attr("Tidx: {int32, int64} = int32") \
      .Shape(ReductionShape)
// The kernels; int32 stays in host memory on a GPU where `on_host` says so.
#define WB_REDUCTION_KERNEL(op, kind, cpu, gpu) \
  WB_KERNEL(op, ReduceKernel<Reduction::kind>)  \
      .Cpu({{"T", cpu}, {"Tidx", kIndexTypes}}) \
      .Gpu({{"T", gpu}, {"Tidx", kIndexTypes}}) \
      .HostMemory({"reduction_indices"})
#define WB_REDUCTION_ON_HOST(op, kind)               \
  WB_KERNEL(op, ReduceKernel<Reduction::kind>)       \
      .Gpu({{"T", kHostInt}, {"Tidx", kIndexTypes}}) \
      .HostMemory({"input", "reduction_indices", "output"})

WB_REDUCTION("Sum", WB_NUMBERS);
WB_REDUCTION("Mean", WB_NUMBERS);
WB_REDUCTION("Prod", WB_NUMBERS);
WB_REDUCTION("EuclideanNorm", WB_NUMBERS);
WB_REDUCTION("Max", WB_ORDERED);
WB_REDUCTION("Min", WB_ORDERED);
WB_LOGICAL_REDUCTION("Any");
WB_LOGICAL_REDUCTION("All");

WB_REDUCTION_KERNEL("Sum", kSum, kNumberTypes, kFloatComplex | TypeSet{DType::kInt64});
WB_REDUCTION_ON_HOST("Sum", kSum);
WB_REDUCTION_KERNEL("Mean", kMean, kNumberTypes, kFloatComplex);
WB_REDUCTION_KERNEL("Prod", kProd, kNumberTypes, kFloatComplex | kIndexTypes);
WB_REDUCTION_KERNEL("EuclideanNorm", kNorm, kNumberTypes, kFloatComplex);
WB_REDUCTION_KERNEL("Max", kMax, kRealTypes, kFloatingTypes | TypeSet{DType::kInt64});
WB_REDUCTION_ON_HOST("Max", kMax);
WB_REDUCTION_KERNEL("Min", kMin, kRealTypes, kFloatingTypes);
WB_REDUCTION_ON_HOST("Min", kMin);
WB_KERNEL("Any", ReduceKernel<Reduction::kAny>)
    .Cpu({{"Tidx", kIndexTypes}})
    .Gpu({{"Tidx", kIndexTypes}})
    .HostMemory({"reduction_indices"});
WB_KERNEL("All", ReduceKernel<Reduction::kAll>)
    .Cpu({{"Tidx", kIndexTypes}})
    .Gpu({{"Tidx", kIndexTypes}})
    .HostMemory({"reduction_indices"});

WB_GRADIENT("Sum", SumGradient);
WB_GRADIENT("Mean", MeanGradient);
WB_GRADIENT("Prod", ProdGradient);
WB_GRADIENT("Max", ExtremumGradient);
WB_GRADIENT("Min", ExtremumGradient);
WB_GRADIENT("EuclideanNorm", NormGradient);

}  // namespace warpbeam
