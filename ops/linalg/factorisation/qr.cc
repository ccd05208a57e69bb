// Qr: Q with orthonormal columns and R upper triangular (trapezoidal), whose product is the matrix.
#include <algorithm>
#include <vector>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/launch/dispatch.h"
#include "ops/linalg/matrix_batch.h"
#include "ops/linalg/wide_matrix.h"
#include "runtime/kernel/kernel_registry.h"
// After the settings in eigen_matrix.h.
#include <Eigen/QR>

namespace warpbeam {
namespace {

Status QrShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape in, MatrixInput(c, 0));
  if (!in.has_rank()) return OkStatus();
  WB_ASSIGN_OR_RETURN(const bool full, c.attr<bool>("full_matrices"));
  const int64_t rows = in.dim(in.rank() - 2), cols = in.dims().back();
  const int64_t between = full ? rows : LeastDim(rows, cols);
  c.set_output(0, BatchShape(in, {rows, between}));
  c.set_output(1, BatchShape(in, {between, cols}));
  return OkStatus();
}

template <class T>
void Factor(const RowMatrix<T>& a, int64_t between, RowMatrix<T>* q, RowMatrix<T>* r) {
  q->setIdentity(a.rows(), between);
  r->setZero(between, a.cols());
  if (a.size() == 0) return;
  const Eigen::HouseholderQR<RowMatrix<T>> qr(a);
  q->applyOnTheLeft(qr.householderQ());
  const int64_t rank = std::min(a.rows(), a.cols());
  r->topRows(rank) = qr.matrixQR().topRows(rank);
  for (int64_t i = 1; i < rank; ++i) r->row(i).head(i).setZero();
}

class QrKernel final : public Kernel {
 public:
  explicit QrKernel(bool full) : full_(full) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const bool full, init.attr<bool>("full_matrices"));
    return std::make_unique<QrKernel>(full);
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(const MatrixBatch batch, MatricesOf(x, "input"));
    const int64_t m = batch.rows, n = batch.cols, between = full_ ? m : std::min(m, n);
    WB_ASSIGN_OR_RETURN(const Shape q_shape, BatchShape(x, {m, between}));
    WB_ASSIGN_OR_RETURN(const Shape r_shape, BatchShape(x, {between, n}));
    WB_ASSIGN_OR_RETURN(Tensor * q, ctx.Allocate(0, q_shape));
    WB_ASSIGN_OR_RETURN(Tensor * r, ctx.Allocate(1, r_shape));
    if (q->num_elements() == 0 && r->num_elements() == 0) return OkStatus();
    const double flops = 4.0 * m * n * std::min(m, n) + 4.0 * m * m * (full_ ? m : 0);
    return DispatchTypes<Half, float, double, std::complex<float>, std::complex<double>>(
        x.dtype(), [&](auto tag) -> Status {
          using T = typename decltype(tag)::type;
          return ForEachMatrix(ctx, batch.count, flops, [&](int64_t i) {
            RowMatrix<WideType<T>> q_one, r_one;
            Factor(LoadWide(x.data<T>() + i * m * n, m, n), between, &q_one, &r_one);
            StoreWide(q_one, q->data<T>() + i * m * between);
            StoreWide(r_one, r->data<T>() + i * between * n);
            return OkStatus();
          });
        });
  }

 private:
  const bool full_;
};

// Of a matrix at least as high as wide. With M = R dR^H - dQ^H Q, L its lower triangle without the
// diagonal, and D the real part of that: (dQ + Q (L + D + L^H)) R^-H.
OutputRef TallGradient(GradContext& c, OutputRef q, OutputRef r, OutputRef dq, OutputRef dr) {
  const auto times = [&](OutputRef a, OutputRef b, bool adj_a, bool adj_b) {
    return c.Emit("BatchMatMulV2", {a, b}, {{"adj_x", adj_a}, {"adj_y", adj_b}});
  };
  const OutputRef m = c.Sub(times(r, dr, false, true), times(dq, q, true, false));
  const OutputRef diagonal = c.Emit("MatrixDiagPart", {m});
  OutputRef real = diagonal;
  if (IsComplex(c.type(m))) {
    const DType part = c.type(m) == DType::kComplex128 ? DType::kDouble : DType::kFloat;
    real = c.Cast(c.Emit("Real", {diagonal}, {{"Tout", part}}), c.type(m));
  }
  const OutputRef triangle =
      c.Emit("MatrixBandPart", {m, c.Scalar<int64_t>(-1), c.Scalar<int64_t>(0)});
  const OutputRef lower = c.Emit("MatrixSetDiag", {triangle, real});
  const OutputRef strict = c.Emit("MatrixSetDiag", {triangle, c.ZerosLike(diagonal)});
  const OutputRef sum =
      c.Add(dq, c.Add(times(q, lower, false, false), times(q, strict, false, true)));
  const OutputRef identity = c.Emit("MatrixDiag", {c.Emit("OnesLike", {diagonal})});
  const OutputRef inverse = c.Emit("MatrixTriangularSolve", {r, identity}, {{"lower", false}});
  return times(sum, inverse, false, true);
}

// A wide matrix is [X Y] with a square X = Q U, so that R = [U V] with V = Q^H Y: dY = Q dV, and dX
// is that of the square one, into whose Q flows Y dV^H besides.
Status QrGradient(GradContext& c) {
  const PartialShape& x = c.shape(c.x(0));
  const int64_t rows = x.has_rank() ? x.dim(x.rank() - 2) : -1;
  const int64_t cols = x.has_rank() ? x.dims().back() : -1;
  if (rows < 0 || cols < 0 || (rows != cols && c.attr_or("full_matrices", false))) {
    return Unimplemented("the gradient of Qr is there for matrices of known shape, and for those ",
                         "that are not square without full_matrices; this one is of shape ",
                         x.ToString());
  }
  const OutputRef q = c.y(0), r = c.y(1), dq = c.dy(0), dr = c.dy(1);
  if (rows >= cols) {
    c.set_dx(0, TallGradient(c, q, r, dq, dr));
    return OkStatus();
  }
  AttrMap two;
  two.Set("num_split", int64_t{2});
  const OutputRef sizes = c.Constant(Tensor::Vector<int64_t>({rows, cols - rows}));
  const OutputRef axis = c.Scalar<int32_t>(-1);
  const std::vector<OutputRef> xs = c.EmitAll("SplitV", {c.x(0), sizes, axis}, two);
  const std::vector<OutputRef> rs = c.EmitAll("SplitV", {r, sizes, axis}, two);
  const std::vector<OutputRef> drs = c.EmitAll("SplitV", {dr, sizes, axis}, two);
  if (xs.size() != 2 || rs.size() != 2 || drs.size() != 2) return OkStatus();  // see Emit
  const OutputRef more = c.Emit("BatchMatMulV2", {xs[1], drs[1]}, {{"adj_y", true}});
  const OutputRef left = TallGradient(c, q, rs[0], c.Add(dq, more), drs[0]);
  const OutputRef right = c.Emit("BatchMatMulV2", {q, drs[1]});
  c.set_dx(0, c.Emit("ConcatV2", {{left, right}, axis}));
  return OkStatus();
}

WB_OP("Qr")
    .Input("input: T")
    .Output("q: T")
    .Output("r: T")
    .Attr("full_matrices: bool = false")
    .Attr("T: {double, float, half, complex64, complex128}")
    .Shape(QrShape);
WB_KERNEL("Qr", QrKernel)
    .Cpu({{"T", kFieldTypes | TypeSet{DType::kHalf}}})
    .Gpu({{"T", {DType::kHalf, DType::kFloat, DType::kDouble, DType::kComplex128}}})
    .HostMemory({"input", "q", "r"});
WB_GRADIENT("Qr", QrGradient);

}  // namespace
}  // namespace warpbeam
