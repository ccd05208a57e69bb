// SparseMatMul: the product of two matrices of which the graph's author expects many zeros. They
// are multiplied as dense ones, in float; the expectation changes no result but that of 0 times
// NaN.

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/math/gemm.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

StatusOr<Tensor> ToFloat(KernelContext& ctx, const Tensor& matrix) {
  if (matrix.dtype() == DType::kFloat) return matrix;
  WB_ASSIGN_OR_RETURN(Tensor converted, ctx.AllocateTemp(DType::kFloat, matrix.shape()));
  const BFloat16* from = matrix.data<BFloat16>();
  float* to = converted.data<float>();
  ctx.ParallelFor(matrix.num_elements(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) to[i] = static_cast<float>(from[i]);
  });
  return converted;
}

class SparseMatMulKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    GemmProblem problem;
    WB_ASSIGN_OR_RETURN(problem.transpose_a, init.attr<bool>("transpose_a"));
    WB_ASSIGN_OR_RETURN(problem.transpose_b, init.attr<bool>("transpose_b"));
    return std::make_unique<SparseMatMulKernel>(problem);
  }
  explicit SparseMatMulKernel(GemmProblem problem) : problem_(problem) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor &a = ctx.input(0), &b = ctx.input(1);
    if (a.rank() != 2 || b.rank() != 2) {
      return InvalidArgument("SparseMatMul takes two matrices, but 'a' has shape ",
                             a.shape().ToString(), " and 'b' has shape ", b.shape().ToString());
    }
    GemmProblem p = problem_;
    p.m = a.dim(p.transpose_a ? 1 : 0);
    p.k = a.dim(p.transpose_a ? 0 : 1);
    p.n = b.dim(p.transpose_b ? 0 : 1);
    if (b.dim(p.transpose_b ? 1 : 0) != p.k) {
      return InvalidArgument("the inner dimensions of the product differ: 'a' has shape ",
                             a.shape().ToString(), p.transpose_a ? " (transposed)" : "",
                             ", 'b' has shape ", b.shape().ToString(),
                             p.transpose_b ? " (transposed)" : "");
    }
    WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make({p.m, p.n}));
    WB_ASSIGN_OR_RETURN(const Tensor left, ToFloat(ctx, a));
    WB_ASSIGN_OR_RETURN(const Tensor right, ToFloat(ctx, b));
    WB_ASSIGN_OR_RETURN(Tensor * product, ctx.Allocate(0, shape));
    return Gemm(ctx, DType::kFloat, p, left.raw_data(), right.raw_data(), product->raw_data());
  }

 private:
  const GemmProblem problem_;
};

Status SparseMatMulShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape a, c.WithRank(0, 2));
  WB_ASSIGN_OR_RETURN(const PartialShape b, c.WithRank(1, 2));
  WB_ASSIGN_OR_RETURN(const bool transpose_a, c.attr<bool>("transpose_a"));
  WB_ASSIGN_OR_RETURN(const bool transpose_b, c.attr<bool>("transpose_b"));
  const int64_t inner_a = a.dim(transpose_a ? 0 : 1), inner_b = b.dim(transpose_b ? 1 : 0);
  if (inner_a >= 0 && inner_b >= 0 && inner_a != inner_b) {
    return InvalidArgument("the inner dimensions of the product differ: ", inner_a, " and ",
                           inner_b, ", of shapes ", a.ToString(), " and ", b.ToString());
  }
  c.set_output(0, PartialShape({a.dim(transpose_a ? 1 : 0), b.dim(transpose_b ? 0 : 1)}));
  return OkStatus();
}

// The gradients are dense.
Status SparseMatMulGradient(GradContext& c) {
  const bool ta = c.attr_or<bool>("transpose_a", false), tb = c.attr_or<bool>("transpose_b", false);
  const OutputRef a = c.Cast(c.x(0), DType::kFloat), b = c.Cast(c.x(1), DType::kFloat);
  const OutputRef dy = c.dy(0);
  const auto product = [&](OutputRef x, OutputRef y, bool tx, bool ty) {
    return c.Emit("MatMul", {x, y}, {{"transpose_a", tx}, {"transpose_b", ty}});
  };
  c.set_dx(0, c.Cast(ta ? product(b, dy, tb, true) : product(dy, b, false, !tb), c.type(c.x(0))));
  c.set_dx(1, c.Cast(tb ? product(dy, a, true, ta) : product(a, dy, !ta, false), c.type(c.x(1))));
  return OkStatus();
}

constexpr TypeSet kSparseMatMulTypes = {DType::kFloat, DType::kBFloat16};

WB_OP("SparseMatMul")
    .Input("a: Ta")
    .Input("b: Tb")
    .Output("product: float")
    .Attr("transpose_a: bool = false")
    .Attr("transpose_b: bool = false")
    .Attr("a_is_sparse: bool = false")
    .Attr("b_is_sparse: bool = false")
    .Attr("Ta: {float, bfloat16} = float")
    .Attr("Tb: {float, bfloat16} = float")
    .Shape(SparseMatMulShape);
WB_KERNEL("SparseMatMul", SparseMatMulKernel)
    .Cpu({{"Ta", kSparseMatMulTypes}, {"Tb", kSparseMatMulTypes}});
WB_GRADIENT("SparseMatMul", SparseMatMulGradient);

}  // namespace
}  // namespace warpbeam
