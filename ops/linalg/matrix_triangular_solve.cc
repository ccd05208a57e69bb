// MatrixTriangularSolve and BatchMatrixTriangularSolve: X such that A X = B, or with `adjoint`
// A^H X = B, A triangular; the other triangle is not read. Leading dimensions broadcast. A zero on
// the diagonal gives infinities and NaN.
// BandedTriangularSolve: the same for a triangle that is stored by its diagonals, the main one
// first of a lower and last of an upper triangle; there a zero is refused.
#include <algorithm>
#include <vector>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/launch/dispatch.h"
#include "ops/linalg/matrix_batch.h"
#include "ops/linalg/refusals.h"
#include "ops/linalg/triangular_systems.h"
#include "ops/linalg/wide_matrix.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

// As long as the diagonals, or the matrix, and as wide as there are right-hand sides.
Status SetSolutionShape(ShapeContext& c, const PartialShape& matrix, const PartialShape& rhs) {
  if (!matrix.has_rank() || !rhs.has_rank()) return OkStatus();
  WB_ASSIGN_OR_RETURN(const PartialShape leading,
                      ShapeContext::Broadcast(LeadingDims(matrix), LeadingDims(rhs)));
  WB_ASSIGN_OR_RETURN(const PartialShape rows,
                      PartialShape::Merge(PartialShape({matrix.dims().back()}),
                                          PartialShape({rhs.dim(rhs.rank() - 2)})));
  std::vector<int64_t> dims = leading.dims();
  dims.push_back(rows.dim(0));
  dims.push_back(rhs.dims().back());
  c.set_output(0, PartialShape(std::move(dims)));
  return OkStatus();
}

Status TriangularSolveShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape matrix, SquareInput(c, 0));
  WB_ASSIGN_OR_RETURN(const PartialShape rhs, MatrixInput(c, 1));
  return SetSolutionShape(c, matrix, rhs);
}

class MatrixTriangularSolveKernel final : public Kernel {
 public:
  MatrixTriangularSolveKernel(bool lower, bool adjoint) : lower_(lower), adjoint_(adjoint) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const bool lower, init.attr<bool>("lower"));
    WB_ASSIGN_OR_RETURN(const bool adjoint, init.attr<bool>("adjoint"));
    return std::make_unique<MatrixTriangularSolveKernel>(lower, adjoint);
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor &matrix = ctx.input(0), &rhs = ctx.input(1);
    WB_ASSIGN_OR_RETURN(const TriangularSystems systems, TriangularSystems::Of(matrix, rhs));
    const MatrixBatch &a = systems.a, &b = systems.b;
    WB_ASSIGN_OR_RETURN(Tensor * x, ctx.Allocate(0, systems.solution));
    if (x->num_elements() == 0) return OkStatus();
    const double flops = static_cast<double>(a.size()) * static_cast<double>(b.cols);
    return DispatchTypes(FieldTypes{}, rhs.dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      return ForEachMatrix(ctx, systems.count(), flops, [&](int64_t i) {
        SolveTriangularSystem(
            a.rows, b.cols, lower_, adjoint_, matrix.data<T>() + systems.matrix_at(i) * a.size(),
            rhs.data<T>() + systems.rhs_at(i) * b.size(), x->data<T>() + i * b.size());
        return OkStatus();
      });
    });
  }

 private:
  const bool lower_, adjoint_;
};

Status BandedSolveShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape matrix, MatrixInput(c, 0));
  WB_ASSIGN_OR_RETURN(const PartialShape rhs, MatrixInput(c, 1));
  return SetSolutionShape(c, matrix, rhs);
}

// The elements of a triangle, or of its adjoint, that is stored by its diagonals.
template <class T>
struct Bands {
  const T* data;
  int64_t bands, n;
  bool lower, adjoint;

  // The element of row i that stands k places from the diagonal.
  WideType<T> At(int64_t i, int64_t k) const {
    const bool solves_lower = lower != adjoint;
    const int64_t row = adjoint ? (solves_lower ? i - k : i + k) : i;
    const T value = data[(lower ? k : bands - 1 - k) * n + row];
    if constexpr (Eigen::NumTraits<T>::IsComplex) {
      return static_cast<WideType<T>>(adjoint ? std::conj(value) : value);
    } else {
      return static_cast<WideType<T>>(value);
    }
  }
  bool IsInvertible() const {
    const T* diagonal = data + (lower ? 0 : bands - 1) * n;
    return std::find(diagonal, diagonal + n, T(0)) == diagonal + n;
  }
  // `x` holds the right-hand sides, and then the solutions.
  void SolveInPlace(RowMatrix<WideType<T>>* x) const {
    const bool forward = lower != adjoint;
    for (int64_t step = 0; step < n; ++step) {
      const int64_t i = forward ? step : n - 1 - step;
      for (int64_t k = std::min(step, bands - 1); k > 0; --k) {
        x->row(i) -= At(i, k) * x->row(forward ? i - k : i + k);
      }
      x->row(i) /= At(i, 0);
    }
  }
};

Status CheckBands(const Tensor& matrix, const Tensor& rhs) {
  for (const Tensor* t : {&matrix, &rhs}) {
    const int i = t == &rhs ? 1 : 0;
    if (t->rank() < 2) return InvalidArgument("In[", i, "] ndims must be >= 2: ", t->rank());
    if (t->num_elements() == 0) {
      return InvalidArgument("In[", i, "] must not be an empty tensor: its shape is ",
                             t->shape().ToString());
    }
  }
  if (matrix.dim(matrix.rank() - 1) != rhs.dim(rhs.rank() - 2)) {
    return InvalidArgument("In[0] mismatch In[1] shape: the diagonals have ",
                           matrix.dim(matrix.rank() - 1), " elements, but there are ",
                           rhs.dim(rhs.rank() - 2), " rows: ", matrix.shape().ToString(), " ",
                           rhs.shape().ToString());
  }
  return OkStatus();
}

class BandedTriangularSolveKernel final : public Kernel {
 public:
  BandedTriangularSolveKernel(bool lower, bool adjoint) : lower_(lower), adjoint_(adjoint) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const bool lower, init.attr<bool>("lower"));
    WB_ASSIGN_OR_RETURN(const bool adjoint, init.attr<bool>("adjoint"));
    return std::make_unique<BandedTriangularSolveKernel>(lower, adjoint);
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor &matrix = ctx.input(0), &rhs = ctx.input(1);
    WB_RETURN_IF_ERROR(CheckBands(matrix, rhs));
    WB_ASSIGN_OR_RETURN(const MatrixBatch a, MatricesOf(matrix, "matrix"));
    WB_ASSIGN_OR_RETURN(const MatrixBatch b, MatricesOf(rhs, "rhs"));
    WB_ASSIGN_OR_RETURN(
        const PartialShape leading,
        ShapeContext::Broadcast(LeadingDims(matrix.shape()), LeadingDims(rhs.shape())));
    std::vector<int64_t> dims = leading.dims();
    const BatchIndex a_index(dims, matrix), b_index(dims, rhs);
    dims.push_back(b.rows);
    dims.push_back(b.cols);
    WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
    WB_ASSIGN_OR_RETURN(Tensor * x, ctx.Allocate(0, shape));
    const double flops = 2 * static_cast<double>(a.size()) * static_cast<double>(b.cols);
    return DispatchTypes(FieldTypes{}, rhs.dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      const int64_t count = shape.num_elements() / b.size();
      return ForEachMatrix(ctx, count, flops, [&](int64_t i) -> Status {
        const Bands<T> bands{matrix.data<T>() + a_index(i) * a.size(), a.rows, a.cols, lower_,
                             adjoint_};
        if (!bands.IsInvertible()) return NotInvertible();
        auto out = LoadWide(rhs.data<T>() + b_index(i) * b.size(), b.rows, b.cols);
        bands.SolveInPlace(&out);
        StoreWide(out, x->data<T>() + i * b.size());
        return OkStatus();
      });
    });
  }

 private:
  const bool lower_, adjoint_;
};

OutputRef LeadingOf(GradContext& c, OutputRef shape) {
  return c.Emit("StridedSlice", {shape, c.Ints({0}), c.Ints({-2}), c.Ints({1})},
                {{"begin_mask", int64_t{1}}});
}

// Gradients of the two operands, each summed where it was broadcast.
Status SetUnbroadcast(GradContext& c, OutputRef da, OutputRef db) {
  const PartialShape &a = c.shape(c.x(0)), &b = c.shape(c.x(1));
  if (a.IsFullyDefined() && b.IsFullyDefined() && LeadingDims(a) == LeadingDims(b)) {
    c.set_dx(0, da);
    c.set_dx(1, db);
    return OkStatus();
  }
  const OutputRef sa = c.ShapeOf(c.x(0)), sb = c.ShapeOf(c.x(1));
  const std::vector<OutputRef> axes =
      c.EmitAll("BroadcastGradientArgs", {LeadingOf(c, sa), LeadingOf(c, sb)});
  if (axes.size() != 2) return OkStatus();  // the walk reports the first error
  c.set_dx(0, c.Reshape(c.Emit("Sum", {da, axes[0]}), sa));
  c.set_dx(1, c.Reshape(c.Emit("Sum", {db, axes[1]}), sb));
  return OkStatus();
}

// As for MatrixSolve, of which A gets its own triangle.
Status TriangularSolveGradient(GradContext& c) {
  const bool lower = c.attr_or<bool>("lower", true), adjoint = c.attr_or<bool>("adjoint", false);
  const OutputRef db =
      c.Emit("MatrixTriangularSolve", {c.x(0), c.dy(0)}, {{"lower", lower}, {"adjoint", !adjoint}});
  const OutputRef left = adjoint ? c.y(0) : db, right = adjoint ? db : c.y(0);
  const OutputRef full = c.Neg(c.Emit("BatchMatMulV2", {left, right}, {{"adj_y", true}}));
  const OutputRef da = c.Emit("MatrixBandPart", {full, c.Scalar<int64_t>(lower ? -1 : 0),
                                                 c.Scalar<int64_t>(lower ? 0 : -1)});
  return SetUnbroadcast(c, da, db);
}

// The same, of which the diagonals are kept.
Status BandedSolveGradient(GradContext& c) {
  const bool lower = c.attr_or<bool>("lower", true), adjoint = c.attr_or<bool>("adjoint", false);
  const OutputRef db =
      c.Emit("BandedTriangularSolve", {c.x(0), c.dy(0)}, {{"lower", lower}, {"adjoint", !adjoint}});
  const OutputRef left = adjoint ? c.y(0) : db, right = adjoint ? db : c.y(0);
  const OutputRef full = c.Neg(c.Emit("BatchMatMulV2", {left, right}, {{"adj_y", true}}));
  const OutputRef rows = c.Sub(c.RankOf(c.x(0)), c.Scalar<int32_t>(2));
  const OutputRef bands = c.Emit("GatherV2", {c.ShapeOf(c.x(0)), rows, c.Scalar<int32_t>(0)});
  const OutputRef zero = c.Scalar<int32_t>(0), others = c.Sub(bands, c.Scalar<int32_t>(1));
  const OutputRef first = lower ? c.Neg(others) : zero, last = lower ? zero : others;
  const OutputRef da =
      c.Emit("MatrixDiagPartV3", {full, c.Emit("Pack", {{first, last}}), c.ScalarLike(full, 0)},
             {{"align", std::string("LEFT_RIGHT")}});
  return SetUnbroadcast(c, da, db);
}

WB_OP("MatrixTriangularSolve")
    .Input("matrix: T")
    .Input("rhs: T")
    .Output("output: T")
    .Attr("lower: bool = true")
    .Attr("adjoint: bool = false")
    .Attr("T: {bfloat16, double, float, half, complex64, complex128}")
    .Shape(TriangularSolveShape);
WB_KERNEL("MatrixTriangularSolve", MatrixTriangularSolveKernel)
    .Cpu({{"T", kFieldTypes}})
    .Gpu({{"T", kFieldTypes}});
WB_GRADIENT("MatrixTriangularSolve", TriangularSolveGradient);

WB_OP("BatchMatrixTriangularSolve")
    .Input("matrix: T")
    .Input("rhs: T")
    .Output("output: T")
    .Attr("lower: bool = true")
    .Attr("adjoint: bool = false")
    .Attr("T: {double, float}")
    .Deprecated(13, "Use MatrixTriangularSolve instead.")
    .Shape(TriangularSolveShape);
WB_KERNEL("BatchMatrixTriangularSolve", MatrixTriangularSolveKernel)
    .Cpu({{"T", kRealFieldTypes}})
    .Gpu({{"T", kRealFieldTypes}});

WB_OP("BandedTriangularSolve")
    .Input("matrix: T")
    .Input("rhs: T")
    .Output("output: T")
    .Attr("lower: bool = true")
    .Attr("adjoint: bool = false")
    .Attr("T: {double, float, half, complex64, complex128}")
    .Shape(BandedSolveShape);
WB_KERNEL("BandedTriangularSolve", BandedTriangularSolveKernel).Cpu({{"T", kFieldTypes}});
WB_GRADIENT("BandedTriangularSolve", BandedSolveGradient);

}  // namespace
}  // namespace warpbeam
