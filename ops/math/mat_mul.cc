// MatMul: the product of two matrices, either of them transposed.

#include "ops/math/mat_mul.h"

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {

StatusOr<MatMulAttrs> ReadMatMulAttrs(const KernelInit& init) {
  MatMulAttrs attrs;
  WB_ASSIGN_OR_RETURN(attrs.transpose_a, init.attr<bool>("transpose_a"));
  WB_ASSIGN_OR_RETURN(attrs.transpose_b, init.attr<bool>("transpose_b"));
  return attrs;
}

StatusOr<GemmProblem> MatMulProblem(const MatMulAttrs& attrs, const Shape& a, const Shape& b) {
  if (a.rank() != 2 || b.rank() != 2) {
    return InvalidArgument("MatMul takes two matrices, but 'a' has shape ", a.ToString(),
                           " and 'b' has shape ", b.ToString());
  }
  GemmProblem p;
  p.m = a.dim(attrs.transpose_a ? 1 : 0);
  p.k = a.dim(attrs.transpose_a ? 0 : 1);
  p.n = b.dim(attrs.transpose_b ? 0 : 1);
  p.transpose_a = attrs.transpose_a;
  p.transpose_b = attrs.transpose_b;
  if (b.dim(attrs.transpose_b ? 1 : 0) != p.k) {
    return InvalidArgument("Matrix size-incompatible: In[0]: ", a.ToString(),
                           attrs.transpose_a ? " (transposed)" : "", ", In[1]: ", b.ToString(),
                           attrs.transpose_b ? " (transposed)" : "",
                           "; the inner dimensions must be equal");
  }
  return p;
}

namespace {

class MatMulKernel final : public Kernel, public ProductKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const MatMulAttrs attrs, ReadMatMulAttrs(init));
    return std::make_unique<MatMulKernel>(attrs);
  }
  explicit MatMulKernel(const MatMulAttrs& attrs) : attrs_(attrs) {}

  Status Compute(KernelContext& ctx) override { return ComputeWith(ctx, nullptr); }

  Status ComputeWith(KernelContext& ctx, ProductEpilogue* epilogue) override {
    const Tensor &a = ctx.input(0), &b = ctx.input(1);
    WB_ASSIGN_OR_RETURN(const GemmProblem p, MatMulProblem(attrs_, a.shape(), b.shape()));
    WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make({p.m, p.n}));
    WB_ASSIGN_OR_RETURN(Tensor * product, ctx.Allocate(0, shape));
    if (epilogue != nullptr && !epilogue->Takes(shape)) epilogue = nullptr;
    return Gemm(ctx, a.dtype(), p, a.raw_data(), b.raw_data(), product->raw_data(), epilogue);
  }

 private:
  const MatMulAttrs attrs_;
};

Status MatMulShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape a, c.WithRank(0, 2));
  WB_ASSIGN_OR_RETURN(const PartialShape b, c.WithRank(1, 2));
  WB_ASSIGN_OR_RETURN(const bool transpose_a, c.attr<bool>("transpose_a"));
  WB_ASSIGN_OR_RETURN(const bool transpose_b, c.attr<bool>("transpose_b"));
  const int64_t inner_a = a.dim(transpose_a ? 0 : 1), inner_b = b.dim(transpose_b ? 1 : 0);
  if (inner_a >= 0 && inner_b >= 0 && inner_a != inner_b) {
    return InvalidArgument("Matrix size-incompatible: In[0]: ", a.ToString(),
                           ", In[1]: ", b.ToString(), "; the inner dimensions, ", inner_a, " and ",
                           inner_b, ", must be equal");
  }
  c.set_output(0, PartialShape({a.dim(transpose_a ? 1 : 0), b.dim(transpose_b ? 0 : 1)}));
  return OkStatus();
}

Status MatMulGradient(GradContext& c) {
  const bool ta = c.attr_or<bool>("transpose_a", false), tb = c.attr_or<bool>("transpose_b", false);
  const OutputRef a = c.Conj(c.x(0)), b = c.Conj(c.x(1)), dy = c.dy(0);
  const auto product = [&](OutputRef x, OutputRef y, bool tx, bool ty, const char* which) {
    return c.Emit("MatMul", {x, y}, {{"transpose_a", tx}, {"transpose_b", ty}, {which, true}});
  };
  if (!ta) {
    c.set_dx(0, product(dy, b, false, !tb, "grad_a"));
  } else {
    c.set_dx(0, product(b, dy, tb, true, "grad_a"));
  }
  if (!tb) {
    c.set_dx(1, product(a, dy, !ta, false, "grad_b"));
  } else {
    c.set_dx(1, product(dy, a, true, ta, "grad_b"));
  }
  return OkStatus();
}

constexpr TypeSet kMatMulCpu =
    kFloatingTypes | kComplexTypes | TypeSet{DType::kInt16, DType::kInt32, DType::kInt64};

}  // namespace

WB_OP("MatMul")
    .Costs(CostClass::kProduct)
    .Input("a: T")
    .Input("b: T")
    .Output("product: T")
    .Attr("transpose_a: bool = false")
    .Attr("transpose_b: bool = false")
    .Attr(
        "T: {bfloat16, half, float, double, int32, int64, uint8, uint16, uint32, uint64, "
        "complex64, complex128}")
    .Attr("grad_a: bool = false")
    .Attr("grad_b: bool = false")
    .Shape(MatMulShape);
WB_KERNEL("MatMul", MatMulKernel)
    .Cpu({{"T", kMatMulCpu}})
    .Gpu({{"T", kFloatingTypes | kComplexTypes}});
WB_GRADIENT("MatMul", MatMulGradient);

}  // namespace warpbeam
