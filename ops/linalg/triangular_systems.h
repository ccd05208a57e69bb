// What the kernels of MatrixTriangularSolve have in common, whatever device they are on: which
// matrix belongs to which right-hand side, and how the host solves one system.
//
//   WB_ASSIGN_OR_RETURN(const TriangularSystems systems, TriangularSystems::Of(matrix, rhs));
//   for (int64_t i = 0; i < systems.count(); ++i) {
//     const T* a = matrix.data<T>() + systems.matrix_at(i) * systems.a.size();
//     …
//   }
//
// Thread safety: values and pure functions. Errors: INVALID_ARGUMENT for operands that hold no
// matrices, no square ones, or do not go together.
#ifndef WARPBEAM_OPS_LINALG_TRIANGULAR_SYSTEMS_H_
#define WARPBEAM_OPS_LINALG_TRIANGULAR_SYSTEMS_H_

#include <cstdint>
#include <vector>

#include "graph/types/shape.h"
#include "ops/linalg/matrix_batch.h"

namespace warpbeam {

// The dimensions before the last two.
PartialShape LeadingDims(const PartialShape& shape);

// Which matrix of an operand belongs to a matrix of the result, whose leading dimensions the
// operand's broadcast to.
class BatchIndex {
 public:
  BatchIndex(Span<const int64_t> leading, const Tensor& operand);
  int64_t operator()(int64_t index) const;
  // By leading dimension: how far it goes, and how many of the operand's matrices a step is.
  Span<const int64_t> extents() const { return extents_; }
  Span<const int64_t> strides() const { return strides_; }

 private:
  std::vector<int64_t> extents_, strides_;
};

struct TriangularSystems {
  MatrixBatch a, b;
  Shape solution;  // the shape of all solutions
  BatchIndex matrix_at, rhs_at;

  static StatusOr<TriangularSystems> Of(const Tensor& matrix, const Tensor& rhs);
  int64_t count() const { return solution.num_elements() / b.size(); }  // where there are elements
};

// x such that (the n x n triangle, or its adjoint) x = rhs, computed in double. `x` may be `rhs`.
// Element types: float, double and both complex types.
template <class T>
void SolveTriangularSystem(int64_t n, int64_t columns, bool lower, bool adjoint, const T* triangle,
                           const T* rhs, T* x);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_LINALG_TRIANGULAR_SYSTEMS_H_
