// BatchMatMul, BatchMatMulV2 and BatchMatMulV3: products of the last two dimensions. From V2 on the
// leading dimensions broadcast; V3 may widen the result. `adj_x` and `adj_y` take the conjugate
// transpose.

#include <algorithm>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/math/batch_problem.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

class BatchMatMulKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const BatchMatMulAttrs attrs, ReadBatchMatMulAttrs(init));
    return std::make_unique<BatchMatMulKernel>(attrs);
  }
  explicit BatchMatMulKernel(const BatchMatMulAttrs& attrs) : attrs_(attrs) {}

  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const BatchProblem p,
                        BatchMatMulProblem(attrs_, ctx.input(0).shape(), ctx.input(1).shape()));
    WB_ASSIGN_OR_RETURN(Tensor * product, ctx.Allocate(0, p.result));
    return Multiply(ctx, p.product, p.batches, product);
  }

 private:
  // Operands of another type than the result (V3) are converted first.
  static StatusOr<Tensor> As(const KernelContext& ctx, const Tensor& t, DType to) {
    if (t.dtype() == to) return t;
    if (to != DType::kInt32 && to != DType::kBFloat16) {
      return Unimplemented("a product of ", DTypeName(t.dtype()), " into ", DTypeName(to));
    }
    WB_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(to, t.shape()));
    for (int64_t i = 0; i < t.num_elements(); ++i) {
      const int value = t.dtype() == DType::kInt8 ? t.data<int8_t>()[i] : t.data<uint8_t>()[i];
      if (to == DType::kInt32) {
        out.data<int32_t>()[i] = value;
      } else {
        out.data<BFloat16>()[i] = BFloat16(static_cast<float>(value));
      }
    }
    return out;
  }

  static Status Multiply(const KernelContext& ctx, const GemmProblem& p, const Broadcast& plan,
                         Tensor* product) {
    WB_ASSIGN_OR_RETURN(const Tensor x, As(ctx, ctx.input(0), product->dtype()));
    WB_ASSIGN_OR_RETURN(const Tensor y, As(ctx, ctx.input(1), product->dtype()));
    const auto offsets = [&](int64_t i, int64_t* a, int64_t* b) {
      int64_t at[Broadcast::kMaxInputs];
      plan.Locate(i, at);
      *a = at[0] * p.m * p.k;
      *b = at[1] * p.k * p.n;
    };
    return BatchGemm(ctx, product->dtype(), p, plan.count, offsets, x.raw_data(), y.raw_data(),
                     product->raw_data());
  }

  const BatchMatMulAttrs attrs_;
};

PartialShape Leading(const PartialShape& s) {
  return PartialShape(std::vector<int64_t>(s.dims().begin(), s.dims().end() - 2));
}

Status BatchShape(ShapeContext& c, bool broadcasts) {
  WB_ASSIGN_OR_RETURN(const PartialShape x, c.WithRankAtLeast(0, 2));
  WB_ASSIGN_OR_RETURN(const PartialShape y, c.WithRankAtLeast(1, 2));
  WB_ASSIGN_OR_RETURN(const bool adj_x, c.attr<bool>("adj_x"));
  WB_ASSIGN_OR_RETURN(const bool adj_y, c.attr<bool>("adj_y"));
  if (!x.has_rank() || !y.has_rank()) {
    c.set_output(0, PartialShape::Unknown());
    return OkStatus();
  }
  const int64_t inner_x = x.dim(x.rank() - (adj_x ? 2 : 1));
  const int64_t inner_y = y.dim(y.rank() - (adj_y ? 1 : 2));
  if (inner_x >= 0 && inner_y >= 0 && inner_x != inner_y) {
    return InvalidArgument("Matrix size-incompatible: In[0]: ", x.ToString(),
                           ", In[1]: ", y.ToString(), "; the inner dimensions must be equal");
  }
  WB_ASSIGN_OR_RETURN(const PartialShape batch,
                      broadcasts ? ShapeContext::Broadcast(Leading(x), Leading(y))
                                 : PartialShape::Merge(Leading(x), Leading(y)));
  std::vector<int64_t> dims = batch.dims();
  dims.push_back(x.dim(x.rank() - (adj_x ? 1 : 2)));
  dims.push_back(y.dim(y.rank() - (adj_y ? 2 : 1)));
  c.set_output(0, PartialShape(dims));
  return OkStatus();
}
Status BatchMatMulShape(ShapeContext& c) { return BatchShape(c, false); }
Status BatchMatMulV2Shape(ShapeContext& c) { return BatchShape(c, true); }

// The gradients before leading dimensions that were spread are summed up.
std::pair<OutputRef, OutputRef> Products(GradContext& c) {
  const bool ax = c.attr_or<bool>("adj_x", false), ay = c.attr_or<bool>("adj_y", false);
  const OutputRef x = c.x(0), y = c.x(1), dy = c.dy(0);
  const std::string op =
      c.node().op_name() == "BatchMatMulV3" ? "BatchMatMulV2" : c.node().op_name();
  const auto product = [&](OutputRef a, OutputRef b, bool adj_a, bool adj_b, const char* which) {
    return c.Emit(op, {a, b}, {{"adj_x", adj_a}, {"adj_y", adj_b}, {which, true}});
  };
  return {ax ? product(y, dy, ay, true, "grad_x") : product(dy, y, false, !ay, "grad_x"),
          ay ? product(dy, x, true, ax, "grad_y") : product(x, dy, !ax, false, "grad_y")};
}

Status BatchMatMulGradient(GradContext& c) {
  const auto [dx, dy] = Products(c);
  c.set_dx(0, dx);
  c.set_dx(1, dy);
  return OkStatus();
}

// All but the last two entries of a shape.
OutputRef LeadingOf(GradContext& c, OutputRef shape) {
  return c.Emit("StridedSlice", {shape, c.Ints({0}), c.Ints({-2}), c.Ints({1})},
                {{"begin_mask", int64_t{1}}});
}

Status BatchMatMulV2Gradient(GradContext& c) {
  const auto [dx, dy] = Products(c);
  const PartialShape &x = c.shape(c.x(0)), &y = c.shape(c.x(1));
  const bool alike = x.IsFullyDefined() && y.IsFullyDefined() && Leading(x) == Leading(y);
  if (alike) {
    c.set_dx(0, dx);
    c.set_dx(1, dy);
    return OkStatus();
  }
  const OutputRef sx = c.ShapeOf(c.x(0)), sy = c.ShapeOf(c.x(1));
  const std::vector<OutputRef> axes =
      c.EmitAll("BroadcastGradientArgs", {LeadingOf(c, sx), LeadingOf(c, sy)});
  if (axes.size() != 2) return OkStatus();  // the walk reports the first error
  c.set_dx(0, c.Reshape(c.Emit("Sum", {dx, axes[0]}), sx));
  c.set_dx(1, c.Reshape(c.Emit("Sum", {dy, axes[1]}), sy));
  return OkStatus();
}

constexpr TypeSet kBatchCpu =
    kFloatingTypes | kComplexTypes | TypeSet{DType::kInt16, DType::kInt32, DType::kInt64};
constexpr TypeSet kBatchGpu = kFloatingTypes | kComplexTypes;
constexpr TypeSet kBytes = {DType::kInt8, DType::kUInt8};

// V3 with all types equal, on both devices, and the mixtures that a CPU multiplies.
KernelDeclBuilder SameTypes(DType t) {
  KernelDeclBuilder decl("BatchMatMulV3", &BatchMatMulKernel::Create);
  const TypeConstraints types = {{"Ta", {t}}, {"Tb", {t}}, {"Tout", {t}}};
  if (t != DType::kHalf) decl.Cpu(types);  // as TensorFlow has it
  if (kBatchGpu.contains(t)) decl.Gpu(types);
  return decl;
}
const KernelRegistration same_types[] = {
    SameTypes(DType::kFloat),    SameTypes(DType::kDouble),    SameTypes(DType::kHalf),
    SameTypes(DType::kBFloat16), SameTypes(DType::kInt16),     SameTypes(DType::kInt32),
    SameTypes(DType::kInt64),    SameTypes(DType::kComplex64), SameTypes(DType::kComplex128)};

}  // namespace

#define WB_BATCH_ATTRS              \
  Attr("adj_x: bool = false")       \
      .Attr("adj_y: bool = false")  \
      .Attr("grad_x: bool = false") \
      .Attr("grad_y: bool = false")

WB_OP("BatchMatMul")
    .Costs(CostClass::kProduct)
    .Input("x: T")
    .Input("y: T")
    .Output("output: T")
    .Attr("T: {bfloat16, half, float, double, int32, int64, complex64, complex128}")
    .WB_BATCH_ATTRS.Shape(BatchMatMulShape);
WB_OP("BatchMatMulV2")
    .Costs(CostClass::kProduct)
    .Input("x: T")
    .Input("y: T")
    .Output("output: T")
    .Attr(
        "T: {bfloat16, half, float, double, int16, int32, int64, uint8, uint16, uint32, uint64, "
        "complex64, complex128}")
    .WB_BATCH_ATTRS.Shape(BatchMatMulV2Shape);
WB_OP("BatchMatMulV3")
    .Costs(CostClass::kProduct)
    .Input("x: Ta")
    .Input("y: Tb")
    .Output("output: Tout")
    .Attr(
        "Ta: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, "
        "complex128}")
    .Attr(
        "Tb: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, "
        "complex128}")
    .Attr("Tout: {bfloat16, half, float, double, int16, int32, int64, complex64, complex128}")
    .WB_BATCH_ATTRS.Shape(BatchMatMulV2Shape);
WB_KERNEL("BatchMatMul", BatchMatMulKernel)
    .Cpu({{"T", kBatchCpu}})
    .Gpu({{"T", kBatchGpu}})
    .WarmUp(WarmUpGemm);
WB_KERNEL("BatchMatMulV2", BatchMatMulKernel)
    .Cpu({{"T", kBatchCpu}})
    .Gpu({{"T", kBatchGpu}})
    .WarmUp(WarmUpGemm);
WB_KERNEL("BatchMatMulV3", BatchMatMulKernel)
    .Cpu({{"Ta", kBytes}, {"Tb", kBytes}, {"Tout", {DType::kInt32}}});
WB_KERNEL("BatchMatMulV3", BatchMatMulKernel)
    .Cpu({{"Ta", kBytes}, {"Tb", {DType::kBFloat16}}, {"Tout", {DType::kBFloat16}}});
WB_KERNEL("BatchMatMulV3", BatchMatMulKernel)
    .Cpu({{"Ta", {DType::kBFloat16}}, {"Tb", kBytes}, {"Tout", {DType::kBFloat16}}});
WB_GRADIENT("BatchMatMul", BatchMatMulGradient);
WB_GRADIENT("BatchMatMulV2", BatchMatMulV2Gradient);
WB_GRADIENT("BatchMatMulV3", BatchMatMulV2Gradient);

}  // namespace warpbeam
