// Svd and BatchSvd: singular values in descending order, and with `compute_uv` U and V such that
// U diag(s) V^H is the matrix. NaN and infinity in the matrix give NaN everywhere.
#include <algorithm>
#include <limits>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/launch/dispatch.h"
#include "ops/linalg/factorisation/wide_factors.h"
#include "ops/linalg/matrix_batch.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status SvdShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape in, MatrixInput(c, 0));
  WB_ASSIGN_OR_RETURN(const bool with_vectors, c.attr<bool>("compute_uv"));
  WB_ASSIGN_OR_RETURN(const bool full, c.attr<bool>("full_matrices"));
  if (!with_vectors) {
    c.set_output(1, PartialShape({0}));
    c.set_output(2, PartialShape({0}));
  }
  if (!in.has_rank()) return OkStatus();
  const int64_t rows = in.dim(in.rank() - 2), cols = in.dims().back(), least = LeastDim(rows, cols);
  c.set_output(0, BatchShape(in, {least}));
  if (with_vectors) {
    c.set_output(1, BatchShape(in, {rows, full ? rows : least}));
    c.set_output(2, BatchShape(in, {cols, full ? cols : least}));
  }
  return OkStatus();
}

class SvdKernel final : public Kernel {
 public:
  SvdKernel(bool with_vectors, bool full) : with_vectors_(with_vectors), full_(full) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const bool with_vectors, init.attr<bool>("compute_uv"));
    WB_ASSIGN_OR_RETURN(const bool full, init.attr<bool>("full_matrices"));
    return std::make_unique<SvdKernel>(with_vectors, full);
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(const MatrixBatch batch, MatricesOf(x, "input"));
    const int64_t m = batch.rows, n = batch.cols, least = std::min(m, n);
    const int64_t u_cols = full_ ? m : least, v_cols = full_ ? n : least;
    WB_ASSIGN_OR_RETURN(const Shape s_shape, BatchShape(x, {least}));
    WB_ASSIGN_OR_RETURN(Shape u_shape, BatchShape(x, {m, u_cols}));
    WB_ASSIGN_OR_RETURN(Shape v_shape, BatchShape(x, {n, v_cols}));
    if (!with_vectors_) u_shape = v_shape = Shape({0});
    WB_ASSIGN_OR_RETURN(Tensor * s, ctx.Allocate(0, s_shape));
    WB_ASSIGN_OR_RETURN(Tensor * u, ctx.Allocate(1, u_shape));
    WB_ASSIGN_OR_RETURN(Tensor * v, ctx.Allocate(2, v_shape));
    if (std::max({s->num_elements(), u->num_elements(), v->num_elements()}) == 0) {
      return OkStatus();
    }
    const double flops =
        20.0 * m * n * least + 10.0 * (full_ ? 1.0 * m * m * m + 1.0 * n * n * n : 0);
    return DispatchTypes(FieldTypes{}, x.dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      return ForEachMatrix(ctx, batch.count, flops, [&](int64_t i) {
        Decompose<T>(batch, x.data<T>() + i * m * n, s->data<T>() + i * least,
                     with_vectors_ ? u->data<T>() + i * m * u_cols : nullptr,
                     with_vectors_ ? v->data<T>() + i * n * v_cols : nullptr);
        return OkStatus();
      });
    });
  }

 private:
  template <class T>
  void Decompose(const MatrixBatch& batch, const T* from, T* s, T* u, T* v) const {
    using Wide = WideType<T>;
    const int64_t m = batch.rows, n = batch.cols, least = std::min(m, n);
    const int64_t u_cols = full_ ? m : least, v_cols = full_ ? n : least;
    const WideMatrix<Wide> a = LoadWide(from, m, n);
    if (a.size() == 0 || !a.allFinite()) {
      const Wide nan(std::numeric_limits<double>::quiet_NaN());
      std::fill_n(s, least, static_cast<T>(nan));
      if (u == nullptr) return;
      const auto fill = [&](int64_t rows, int64_t cols, T* to) {
        RowMatrix<Wide> matrix = RowMatrix<Wide>::Identity(rows, cols);
        if (a.size() != 0) matrix.setConstant(nan);
        StoreWide<T>(matrix, to);
      };
      fill(m, u_cols, u);
      fill(n, v_cols, v);
      return;
    }
    const SingularFactors<Wide> svd = FindSingularFactors(a, u == nullptr ? SingularVectors::kNone
                                                             : full_      ? SingularVectors::kFull
                                                                          : SingularVectors::kThin);
    for (int64_t i = 0; i < least; ++i) s[i] = static_cast<T>(Wide(svd.values(i)));
    if (u == nullptr) return;
    StoreWide<T>(svd.u, u);
    StoreWide<T>(svd.v, v);
  }

  const bool with_vectors_, full_;
};

// The sum of what flows through the three factors; see J. Townsend, "Differentiating the singular
// value decomposition". Every term ends in V^T but the one of dV that leaves V's range.
Status FactorsGradient(GradContext& c) {
  const OutputRef u = c.y(1), v = c.y(2), du = c.dy(1), dv = c.dy(2);
  const auto times = [&](OutputRef a, OutputRef b, bool adj_a, bool adj_b) {
    return c.Emit("BatchMatMulV2", {a, b}, {{"adj_x", adj_a}, {"adj_y", adj_b}});
  };
  const auto expanded = [&](OutputRef a, int32_t axis) {
    return c.Emit("ExpandDims", {a, c.Scalar<int32_t>(axis)});
  };
  const OutputRef s = expanded(c.y(0), -2);
  const OutputRef squares = c.Mul(c.y(0), c.y(0));
  const OutputRef gaps = c.Sub(expanded(squares, -2), expanded(squares, -1));
  const OutputRef utdu = times(u, du, true, false), vtdv = times(v, dv, true, false);
  const OutputRef f = c.Emit("DivNoNan", {utdu, gaps}), g = c.Emit("DivNoNan", {vtdv, gaps});
  const OutputRef us = c.Mul(u, s);
  const OutputRef from_u = c.Mul(c.Add(times(u, f, false, false), times(u, f, false, true)), s);
  const OutputRef from_v = c.Add(times(us, g, false, false), times(us, g, false, true));
  const OutputRef from_s = c.Mul(u, expanded(c.dy(0), -2));
  const OutputRef beyond_u = c.Emit("DivNoNan", {c.Sub(du, times(u, utdu, false, false)), s});
  const OutputRef within = c.Add(c.Add(from_u, from_v), c.Add(from_s, beyond_u));
  const OutputRef beyond_v =
      times(c.Emit("DivNoNan", {u, s}), c.Sub(dv, times(v, vtdv, false, false)), false, true);
  c.set_dx(0, c.Add(times(within, v, false, true), beyond_v));
  return OkStatus();
}

Status SvdGradient(GradContext& c) {
  const auto through_values = [&](OutputRef u, OutputRef v) {
    const OutputRef ds = c.Emit("ExpandDims", {c.dy(0), c.Scalar<int32_t>(-2)});
    c.set_dx(0, c.Emit("BatchMatMulV2", {c.Mul(u, ds), v}, {{"adj_y", true}}));
    return OkStatus();
  };
  const PartialShape& x = c.shape(c.x(0));
  const bool is_square =
      x.has_rank() && x.dims().back() >= 0 && x.dims().back() == x.dim(x.rank() - 2);
  const bool is_thin = is_square || !c.attr_or<bool>("full_matrices", false);
  const bool with_vectors = c.attr_or<bool>("compute_uv", true);
  if (!with_vectors) {
    const std::vector<OutputRef> again = c.EmitAll("Svd", {c.x(0)});
    if (again.size() != 3) return OkStatus();  // the walk reports the first error
    return through_values(again[1], again[2]);
  }
  if (is_thin && !c.has_dy(1) && !c.has_dy(2)) return through_values(c.y(1), c.y(2));
  const bool is_real = c.type(c.x(0)) == DType::kFloat || c.type(c.x(0)) == DType::kDouble;
  if (!is_thin || !is_real) {
    return Unimplemented("the gradient of Svd through U and V is there for real matrices without ",
                         "full_matrices; this one is of shape ", x.ToString());
  }
  return FactorsGradient(c);
}

WB_OP("Svd")
    .Input("input: T")
    .Output("s: T")
    .Output("u: T")
    .Output("v: T")
    .Attr("compute_uv: bool = true")
    .Attr("full_matrices: bool = false")
    .Attr("T: {double, float, half, complex64, complex128}")
    .Shape(SvdShape);
WB_KERNEL("Svd", SvdKernel).Cpu({{"T", kFieldTypes}}).Gpu({{"T", kRealFieldTypes}});
WB_GRADIENT("Svd", SvdGradient);

WB_OP("BatchSvd")
    .Input("input: T")
    .Output("s: T")
    .Output("u: T")
    .Output("v: T")
    .Attr("compute_uv: bool = true")
    .Attr("full_matrices: bool = false")
    .Attr("T: {double, float, complex64, complex128}")
    .Deprecated(13, "Use Svd instead.")
    .Shape(SvdShape);
WB_KERNEL("BatchSvd", SvdKernel).Cpu({{"T", kFieldTypes}}).Gpu({{"T", kRealFieldTypes}});

}  // namespace
}  // namespace warpbeam
