// What programs ask of shapes and types beyond PartialShape and DType themselves
// (tf.TensorShape, tf.DType).
//
//   WB_RETURN_IF_ERROR(AssertHasRank(x.shape(), 2));
//   WB_ASSIGN_OR_RETURN(const PartialShape both, MergeShapes(a.shape(), b.shape()));
//   WB_ASSIGN_OR_RETURN(const Tensor most, MaxOf(DType::kUInt8));          // 255
//
// Ownership: values. Thread safety: pure functions. Errors: INVALID_ARGUMENT naming both shapes.
#ifndef WARPBEAM_FRONTEND_HOST_TENSOR_TENSOR_SHAPE_H_
#define WARPBEAM_FRONTEND_HOST_TENSOR_TENSOR_SHAPE_H_

#include "frontend/types.h"

namespace warpbeam {
namespace frontend {

Status AssertHasRank(const PartialShape& shape, int rank);
Status AssertSameRank(const PartialShape& a, const PartialShape& b);
Status AssertIsFullyDefined(const PartialShape& shape);
Status AssertIsCompatibleWith(const PartialShape& a, const PartialShape& b);

// What both say.
StatusOr<PartialShape> MergeShapes(const PartialShape& a, const PartialShape& b);
// What a shape of that rank, or of at least or most it, can be.
StatusOr<PartialShape> WithRank(const PartialShape& shape, int rank);
StatusOr<PartialShape> WithRankAtLeast(const PartialShape& shape, int rank);
StatusOr<PartialShape> WithRankAtMost(const PartialShape& shape, int rank);
// The dimensions of one after those of the other; unknown where either is.
PartialShape ConcatenateShapes(const PartialShape& a, const PartialShape& b);
// The shape that says most of those that both fit.
PartialShape MostSpecificCompatibleShape(const PartialShape& a, const PartialShape& b);

bool IsBool(DType dtype);
bool IsUnsigned(DType dtype);
bool IsQuantized(DType dtype);
inline constexpr DType kQuantizedDTypes[] = {DType::kQInt8, DType::kQUInt8, DType::kQInt16,
                                             DType::kQUInt16, DType::kQInt32};
// Of integers, fractions, complex and quantized numbers; not of truth values.
bool IsNumeric(DType dtype);
// The type of the real part: float of complex64, else the type itself.
DType RealType(DType dtype);
// The greatest and the least number that the type has, as scalars of it; INVALID_ARGUMENT for types
// that are no real numbers.
StatusOr<Tensor> MaxOf(DType dtype);
StatusOr<Tensor> MinOf(DType dtype);

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_HOST_TENSOR_TENSOR_SHAPE_H_
