// Eig: eigenvalues and right eigenvectors, in no particular order, of matrices of any kind. They
// are complex whatever the matrices are.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/launch/dispatch.h"
#include "ops/linalg/matrix_batch.h"
#include "ops/linalg/wide_matrix.h"
#include "runtime/kernel/kernel_registry.h"
// After the settings in eigen_matrix.h.
#include <Eigen/Eigenvalues>

namespace warpbeam {
namespace {

Status EigShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape in, SquareInput(c, 0));
  WB_ASSIGN_OR_RETURN(const bool with_vectors, c.attr<bool>("compute_v"));
  if (in.has_rank()) c.set_output(0, BatchShape(in, {in.dims().back()}));
  c.set_output(1, with_vectors ? in : PartialShape({0}));
  return OkStatus();
}

using Columns = Eigen::Matrix<Complex128, Eigen::Dynamic, Eigen::Dynamic>;

// The library has one solver for real matrices and another for complex ones.
template <class Wide>
bool Solve(const RowMatrix<Wide>& a, bool with_vectors, Columns* values, Columns* vectors) {
  using Matrix = Eigen::Matrix<Wide, Eigen::Dynamic, Eigen::Dynamic>;
  using Solver = std::conditional_t<std::is_same_v<Wide, double>, Eigen::EigenSolver<Matrix>,
                                    Eigen::ComplexEigenSolver<Matrix>>;
  if (!a.allFinite()) return false;
  const Solver solver(a, with_vectors);
  if (solver.info() != Eigen::Success) return false;
  *values = solver.eigenvalues();
  if (with_vectors) *vectors = solver.eigenvectors();
  return true;
}

// `vectors` may be null.
template <class T, class Out>
Status Decompose(const T* from, int64_t n, Out* values, Out* vectors) {
  Columns e, v;
  if (!Solve<WideType<T>>(LoadWide(from, n, n), vectors != nullptr, &e, &v)) {
    return InvalidArgument("Eigen decomposition was not successful. The input might not be valid.");
  }
  for (int64_t i = 0; i < n; ++i) values[i] = static_cast<Out>(e(i));
  if (vectors != nullptr) StoreWide<Out>(v, vectors);
  return OkStatus();
}

class EigKernel final : public Kernel {
 public:
  explicit EigKernel(bool with_vectors) : with_vectors_(with_vectors) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const bool with_vectors, init.attr<bool>("compute_v"));
    WB_ASSIGN_OR_RETURN(const DType in, init.attr<DType>("T"));
    WB_ASSIGN_OR_RETURN(const DType out, init.attr<DType>("Tout"));
    const bool is_single = in == DType::kFloat || in == DType::kComplex64;
    if (is_single != (out == DType::kComplex64)) {
      return InvalidArgument("Invalid output dtype ", DTypeName(out), " for an input of ",
                             DTypeName(in));
    }
    return std::make_unique<EigKernel>(with_vectors);
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(const MatrixBatch batch, SquareMatricesOf(x, "input"));
    const int64_t n = batch.rows;
    WB_ASSIGN_OR_RETURN(const Shape values_shape, BatchShape(x, {n}));
    WB_ASSIGN_OR_RETURN(Tensor * e, ctx.Allocate(0, values_shape));
    WB_ASSIGN_OR_RETURN(Tensor * v, ctx.Allocate(1, with_vectors_ ? x.shape() : Shape({0})));
    if (batch.empty()) return OkStatus();
    const double flops = 25.0 * static_cast<double>(n) * n * n;
    return DispatchTypes(FieldTypes{}, x.dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      using Out = std::complex<typename Eigen::NumTraits<T>::Real>;
      return ForEachMatrix(ctx, batch.count, flops, [&](int64_t i) {
        return Decompose<T, Out>(x.data<T>() + i * n * n, n, e->data<Out>() + i * n,
                                 with_vectors_ ? v->data<Out>() + i * n * n : nullptr);
      });
    });
  }

 private:
  const bool with_vectors_;
};

// V^-H (diag(de) + F o (V^H dV - V^H V diag(re(V^H dV)))) V^H with F[i, j] = 1 / conj(e[j] - e[i])
// (Boeddeker et al., On the computation of complex-valued gradients, 2017); of real matrices the
// real part.
Status EigGradient(GradContext& c) {
  const DType complex = c.type(c.y(0));
  OutputRef e = c.y(0), v = c.y(1);
  const bool with_vectors = c.attr_or<bool>("compute_v", true);
  if (!with_vectors) {
    AttrMap attrs;
    attrs.Set("Tout", complex);
    const std::vector<OutputRef> again = c.EmitAll("Eig", {c.x(0)}, attrs);
    if (again.size() != 2) return OkStatus();  // the walk reports the first error
    e = again[0];
    v = again[1];
  }
  const auto times = [&](OutputRef a, OutputRef b, bool adj_a, bool adj_b) {
    return c.Emit("BatchMatMulV2", {a, b}, {{"adj_x", adj_a}, {"adj_y", adj_b}});
  };
  OutputRef inner = c.Emit("MatrixDiag", {c.dy(0)});
  if (with_vectors && c.has_dy(1)) {
    const OutputRef differences = c.Sub(c.Emit("ExpandDims", {e, c.Scalar<int32_t>(-2)}),
                                        c.Emit("ExpandDims", {e, c.Scalar<int32_t>(-1)}));
    const OutputRef flow = times(v, c.dy(1), true, false);
    const DType real = complex == DType::kComplex64 ? DType::kFloat : DType::kDouble;
    // Eigenvectors have length 1 and keep it.
    const OutputRef lengths = c.Emit(
        "MatrixDiag",
        {c.Cast(c.Emit("Real", {c.Emit("MatrixDiagPart", {flow})}, {{"Tout", real}}), complex)});
    const OutputRef turned = c.Sub(flow, times(times(v, v, true, false), lengths, false, false));
    inner = c.Add(inner, c.Emit("DivNoNan", {turned, c.Conj(differences)}));
  }
  const OutputRef dx =
      c.Emit("MatrixSolve", {v, times(inner, v, false, true)}, {{"adjoint", true}});
  c.set_dx(0, c.Cast(dx, c.type(c.x(0))));
  return OkStatus();
}

WB_OP("Eig")
    .Input("input: T")
    .Output("e: Tout")
    .Output("v: Tout")
    .Attr("compute_v: bool = true")
    .Attr("T: {float, double, complex64, complex128}")
    .Attr("Tout: {complex64, complex128}")
    .Shape(EigShape);
WB_KERNEL("Eig", EigKernel).Cpu({{"T", kFieldTypes}});
WB_GRADIENT("Eig", EigGradient);

}  // namespace
}  // namespace warpbeam
