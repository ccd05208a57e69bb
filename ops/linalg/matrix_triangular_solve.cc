// MatrixTriangularSolve and BatchMatrixTriangularSolve: X such that A X = B, or with `adjoint`
// A^H X = B, A triangular; the other triangle is not read. Leading dimensions broadcast. A zero on
// the diagonal gives infinities and NaN.
#include <algorithm>
#include <vector>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/launch/dispatch.h"
#include "ops/linalg/matrix_batch.h"
#include "ops/linalg/wide_matrix.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

PartialShape Leading(const PartialShape& shape) {
  if (!shape.has_rank()) return shape;
  return PartialShape(std::vector<int64_t>(shape.dims().begin(), shape.dims().end() - 2));
}

absl::Status TriangularSolveShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape matrix, SquareInput(c, 0));
  WB_ASSIGN_OR_RETURN(const PartialShape rhs, MatrixInput(c, 1));
  if (!matrix.has_rank() || !rhs.has_rank()) return absl::OkStatus();
  WB_ASSIGN_OR_RETURN(const PartialShape leading,
                      ShapeContext::Broadcast(Leading(matrix), Leading(rhs)));
  WB_ASSIGN_OR_RETURN(const PartialShape rows,
                      PartialShape::Merge(PartialShape({matrix.dims().back()}),
                                          PartialShape({rhs.dim(rhs.rank() - 2)})));
  std::vector<int64_t> dims = leading.dims();
  dims.push_back(rows.dim(0));
  dims.push_back(rhs.dims().back());
  c.set_output(0, PartialShape(std::move(dims)));
  return absl::OkStatus();
}

// Which matrix of each operand belongs to a matrix of the result.
class BatchIndex {
 public:
  BatchIndex(absl::Span<const int64_t> leading, const Tensor& operand) {
    const absl::Span<const int64_t> own = operand.shape().dims().subspan(0, operand.rank() - 2);
    strides_.resize(leading.size(), 0);
    int64_t stride = 1;
    for (size_t i = 1; i <= own.size(); ++i) {
      const int64_t extent = own[own.size() - i];
      if (extent > 1) strides_[leading.size() - i] = stride;
      stride *= extent;
    }
    extents_.assign(leading.begin(), leading.end());
  }
  int64_t operator()(int64_t index) const {
    int64_t result = 0;
    for (size_t i = extents_.size(); i-- > 0; index /= extents_[i]) {
      result += index % extents_[i] * strides_[i];
    }
    return result;
  }

 private:
  std::vector<int64_t> extents_, strides_;
};

template <class T>
void SolveTriangular(const RowMatrix<T>& a, bool lower, RowMatrix<T>* x) {
  if (lower) {
    a.template triangularView<Eigen::Lower>().solveInPlace(*x);
  } else {
    a.template triangularView<Eigen::Upper>().solveInPlace(*x);
  }
}

class MatrixTriangularSolveKernel final : public Kernel {
 public:
  MatrixTriangularSolveKernel(bool lower, bool adjoint) : lower_(lower), adjoint_(adjoint) {}
  static absl::StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const bool lower, init.attr<bool>("lower"));
    WB_ASSIGN_OR_RETURN(const bool adjoint, init.attr<bool>("adjoint"));
    return std::make_unique<MatrixTriangularSolveKernel>(lower, adjoint);
  }
  absl::Status Compute(KernelContext& ctx) override {
    const Tensor &matrix = ctx.input(0), &rhs = ctx.input(1);
    WB_ASSIGN_OR_RETURN(const MatrixBatch a, SquareMatricesOf(matrix, "matrix"));
    WB_ASSIGN_OR_RETURN(const MatrixBatch b, MatricesOf(rhs, "rhs"));
    WB_ASSIGN_OR_RETURN(const PartialShape leading,
                        ShapeContext::Broadcast(Leading(matrix.shape()), Leading(rhs.shape())));
    if (a.rows != b.rows) {
      return InvalidArgument("'matrix' and 'rhs' must have as many rows; they are of shapes ",
                             matrix.shape().ToString(), " and ", rhs.shape().ToString());
    }
    std::vector<int64_t> dims = leading.dims();
    const BatchIndex a_index(dims, matrix), b_index(dims, rhs);
    dims.push_back(b.rows);
    dims.push_back(b.cols);
    WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
    WB_ASSIGN_OR_RETURN(Tensor * x, ctx.Allocate(0, shape));
    if (shape.num_elements() == 0) return absl::OkStatus();
    const double flops = static_cast<double>(a.size()) * static_cast<double>(b.cols);
    return DispatchTypes(FieldTypes{}, rhs.dtype(), [&](auto tag) -> absl::Status {
      using T = typename decltype(tag)::type;
      return ForEachMatrix(ctx, shape.num_elements() / b.size(), flops, [&](int64_t i) {
        auto triangle = LoadWide(matrix.data<T>() + a_index(i) * a.size(), a.rows, a.cols);
        auto out = LoadWide(rhs.data<T>() + b_index(i) * b.size(), b.rows, b.cols);
        if (adjoint_) triangle = triangle.adjoint().eval();
        SolveTriangular(triangle, lower_ != adjoint_, &out);
        StoreWide(out, x->data<T>() + i * b.size());
        return absl::OkStatus();
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

// As for MatrixSolve, of which A gets its own triangle; then summed where an operand was broadcast.
absl::Status TriangularSolveGradient(GradContext& c) {
  const bool lower = c.attr_or<bool>("lower", true), adjoint = c.attr_or<bool>("adjoint", false);
  const OutputRef db =
      c.Emit("MatrixTriangularSolve", {c.x(0), c.dy(0)}, {{"lower", lower}, {"adjoint", !adjoint}});
  const OutputRef left = adjoint ? c.y(0) : db, right = adjoint ? db : c.y(0);
  const OutputRef full = c.Neg(c.Emit("BatchMatMulV2", {left, right}, {{"adj_y", true}}));
  const OutputRef da = c.Emit("MatrixBandPart", {full, c.Scalar<int64_t>(lower ? -1 : 0),
                                                 c.Scalar<int64_t>(lower ? 0 : -1)});
  const PartialShape &a = c.shape(c.x(0)), &b = c.shape(c.x(1));
  if (a.IsFullyDefined() && b.IsFullyDefined() && Leading(a) == Leading(b)) {
    c.set_dx(0, da);
    c.set_dx(1, db);
    return absl::OkStatus();
  }
  const OutputRef sa = c.ShapeOf(c.x(0)), sb = c.ShapeOf(c.x(1));
  const std::vector<OutputRef> axes =
      c.EmitAll("BroadcastGradientArgs", {LeadingOf(c, sa), LeadingOf(c, sb)});
  if (axes.size() != 2) return absl::OkStatus();  // the walk reports the first error
  c.set_dx(0, c.Reshape(c.Emit("Sum", {da, axes[0]}), sa));
  c.set_dx(1, c.Reshape(c.Emit("Sum", {db, axes[1]}), sb));
  return absl::OkStatus();
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

}  // namespace
}  // namespace warpbeam
