// SelfAdjointEigV2, the older SelfAdjointEig, and both with Batch before: eigenvalues in ascending
// order and eigenvectors of matrices that are their own adjoint. Only the lower triangle is read.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/launch/dispatch.h"
#include "ops/linalg/factorisation/wide_factors.h"
#include "ops/linalg/matrix_batch.h"
#include "ops/linalg/refusals.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

// `values` may be null, `vectors` too.
template <class T>
Status Decompose(const T* from, int64_t n, T* values, T* vectors) {
  using Wide = WideType<T>;
  const WideMatrix<Wide> a = LoadWide(from, n, n);
  const Eigenpairs<Wide> pairs = FindEigenpairs(a, vectors != nullptr);
  if (!pairs.found) return EigenvaluesNotFound();
  for (int64_t i = 0; i < n; ++i) values[i] = static_cast<T>(Wide(pairs.values(i)));
  if (vectors != nullptr) StoreWide<T>(pairs.vectors, vectors);
  return OkStatus();
}

double Flops(int64_t n, bool with_vectors) {
  return (with_vectors ? 10.0 : 3.0) * static_cast<double>(n) * n * n;
}

Status EigV2Shape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape in, SquareInput(c, 0));
  WB_ASSIGN_OR_RETURN(const bool with_vectors, c.attr<bool>("compute_v"));
  if (in.has_rank()) c.set_output(0, BatchShape(in, {in.dims().back()}));
  c.set_output(1, with_vectors ? in : PartialShape({0}));
  return OkStatus();
}

class SelfAdjointEigV2Kernel final : public Kernel {
 public:
  explicit SelfAdjointEigV2Kernel(bool with_vectors) : with_vectors_(with_vectors) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const bool with_vectors, init.attr<bool>("compute_v"));
    return std::make_unique<SelfAdjointEigV2Kernel>(with_vectors);
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(const MatrixBatch batch, SquareMatricesOf(x, "input"));
    const int64_t n = batch.rows;
    WB_ASSIGN_OR_RETURN(const Shape values_shape, BatchShape(x, {n}));
    WB_ASSIGN_OR_RETURN(Tensor * e, ctx.Allocate(0, values_shape));
    WB_ASSIGN_OR_RETURN(Tensor * v, ctx.Allocate(1, with_vectors_ ? x.shape() : Shape({0})));
    if (batch.empty()) return OkStatus();
    return DispatchTypes(FieldTypes{}, x.dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      return ForEachMatrix(ctx, batch.count, Flops(n, with_vectors_), [&](int64_t i) {
        return Decompose<T>(x.data<T>() + i * n * n, n, e->data<T>() + i * n,
                            with_vectors_ ? v->data<T>() + i * n * n : nullptr);
      });
    });
  }

 private:
  const bool with_vectors_;
};

Status EigShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape in, SquareInput(c, 0));
  if (!in.has_rank()) return OkStatus();
  const int64_t n = in.dims().back();
  c.set_output(0, BatchShape(in, {n < 0 ? n : n + 1, n}));
  return OkStatus();
}

// One output: a row of eigenvalues above the eigenvectors.
class SelfAdjointEigKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<SelfAdjointEigKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(const MatrixBatch batch, SquareMatricesOf(x, "input"));
    const int64_t n = batch.rows;
    WB_ASSIGN_OR_RETURN(const Shape shape, BatchShape(x, {n + 1, n}));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    if (batch.empty()) return OkStatus();
    return DispatchTypes<float, double>(x.dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      return ForEachMatrix(ctx, batch.count, Flops(n, true), [&](int64_t i) {
        T* out = y->data<T>() + i * (n + 1) * n;
        return Decompose<T>(x.data<T>() + i * n * n, n, out, out + n);
      });
    });
  }
};

// V (diag(de) + F o (V^H dV)) V^H with F[i, j] = 1 / (e[j] - e[i]), then folded into the lower
// triangle, which alone was read.
Status SelfAdjointEigV2Gradient(GradContext& c) {
  OutputRef e = c.y(0), v = c.y(1);
  const bool with_vectors = c.attr_or<bool>("compute_v", true);
  if (!with_vectors) {
    const std::vector<OutputRef> again = c.EmitAll("SelfAdjointEigV2", {c.x(0)});
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
    inner = c.Add(inner, c.Emit("DivNoNan", {times(v, c.dy(1), true, false), differences}));
  }
  const OutputRef both = c.Add(times(times(v, inner, false, false), v, false, true),
                               times(times(v, inner, false, true), v, false, true));
  const OutputRef lower =
      c.Emit("MatrixBandPart", {both, c.Scalar<int64_t>(-1), c.Scalar<int64_t>(0)});
  const OutputRef half = c.Mul(c.Emit("MatrixDiagPart", {both}), c.ScalarLike(both, 0.5));
  c.set_dx(0, c.Emit("MatrixSetDiag", {lower, half}));
  return OkStatus();
}

WB_OP("SelfAdjointEigV2")
    .Input("input: T")
    .Output("e: T")
    .Output("v: T")
    .Attr("compute_v: bool = true")
    .Attr("T: {double, float, half, complex64, complex128}")
    .Shape(EigV2Shape);
WB_KERNEL("SelfAdjointEigV2", SelfAdjointEigV2Kernel)
    .Cpu({{"T", kFieldTypes}})
    .Gpu({{"T", kFieldTypes}});
WB_GRADIENT("SelfAdjointEigV2", SelfAdjointEigV2Gradient);

WB_OP("BatchSelfAdjointEigV2")
    .Input("input: T")
    .Output("e: T")
    .Output("v: T")
    .Attr("compute_v: bool = true")
    .Attr("T: {double, float}")
    .Deprecated(13, "Use SelfAdjointEigV2 instead.")
    .Shape(EigV2Shape);
WB_KERNEL("BatchSelfAdjointEigV2", SelfAdjointEigV2Kernel).Cpu({{"T", kRealFieldTypes}});

WB_OP("SelfAdjointEig")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: {double, float, half}")
    .Deprecated(11, "Use SelfAdjointEigV2 instead.")
    .Shape(EigShape);
WB_KERNEL("SelfAdjointEig", SelfAdjointEigKernel).Cpu({{"T", kRealFieldTypes}});
WB_OP("BatchSelfAdjointEig")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: {double, float}")
    .Deprecated(11, "Use SelfAdjointEigV2 instead.")
    .Shape(EigShape);
WB_KERNEL("BatchSelfAdjointEig", SelfAdjointEigKernel).Cpu({{"T", kRealFieldTypes}});

}  // namespace
}  // namespace warpbeam
