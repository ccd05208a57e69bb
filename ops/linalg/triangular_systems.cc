#include "ops/linalg/triangular_systems.h"

#include <utility>

#include "ops/linalg/wide_matrix.h"

namespace warpbeam {

PartialShape LeadingDims(const PartialShape& shape) {
  if (!shape.has_rank()) return shape;
  return PartialShape(std::vector<int64_t>(shape.dims().begin(), shape.dims().end() - 2));
}

BatchIndex::BatchIndex(Span<const int64_t> leading, const Tensor& operand) {
  const Span<const int64_t> own = operand.shape().dims().subspan(0, operand.rank() - 2);
  strides_.resize(leading.size(), 0);
  int64_t stride = 1;
  for (size_t i = 1; i <= own.size(); ++i) {
    const int64_t extent = own[own.size() - i];
    if (extent > 1) strides_[leading.size() - i] = stride;
    stride *= extent;
  }
  extents_.assign(leading.begin(), leading.end());
}

int64_t BatchIndex::operator()(int64_t index) const {
  int64_t result = 0;
  for (size_t i = extents_.size(); i-- > 0; index /= extents_[i]) {
    result += index % extents_[i] * strides_[i];
  }
  return result;
}

StatusOr<TriangularSystems> TriangularSystems::Of(const Tensor& matrix, const Tensor& rhs) {
  WB_ASSIGN_OR_RETURN(const MatrixBatch a, SquareMatricesOf(matrix, "matrix"));
  WB_ASSIGN_OR_RETURN(const MatrixBatch b, MatricesOf(rhs, "rhs"));
  WB_ASSIGN_OR_RETURN(
      const PartialShape leading,
      ShapeContext::Broadcast(LeadingDims(matrix.shape()), LeadingDims(rhs.shape())));
  if (a.rows != b.rows) {
    return InvalidArgument("'matrix' and 'rhs' must have as many rows; they are of shapes ",
                           matrix.shape().ToString(), " and ", rhs.shape().ToString());
  }
  std::vector<int64_t> dims = leading.dims();
  BatchIndex matrix_at(dims, matrix), rhs_at(dims, rhs);
  dims.push_back(b.rows);
  dims.push_back(b.cols);
  WB_ASSIGN_OR_RETURN(Shape solution, Shape::Make(dims));
  return TriangularSystems{a, b, std::move(solution), std::move(matrix_at), std::move(rhs_at)};
}

template <class T>
void SolveTriangularSystem(int64_t n, int64_t columns, bool lower, bool adjoint, const T* triangle,
                           const T* rhs, T* x) {
  auto a = LoadWide(triangle, n, n);
  auto out = LoadWide(rhs, n, columns);
  if (adjoint) a = a.adjoint().eval();
  if (lower != adjoint) {
    a.template triangularView<Eigen::Lower>().solveInPlace(out);
  } else {
    a.template triangularView<Eigen::Upper>().solveInPlace(out);
  }
  StoreWide(out, x);
}

#define WB_TRIANGULAR_SYSTEM(T) \
  template void SolveTriangularSystem<T>(int64_t, int64_t, bool, bool, const T*, const T*, T*);
WB_TRIANGULAR_SYSTEM(float)
WB_TRIANGULAR_SYSTEM(double)
WB_TRIANGULAR_SYSTEM(std::complex<float>)
WB_TRIANGULAR_SYSTEM(std::complex<double>)
#undef WB_TRIANGULAR_SYSTEM

}  // namespace warpbeam
