// The shapes that the softmax cross entropies take, on every device.
//
//   WB_ASSIGN_OR_RETURN(const Shape shape, DenseEntropyShape(logits.shape(), labels.shape()));
//   WB_RETURN_IF_ERROR(CheckSparseEntropy(logits.shape(), labels.shape()));
//
// Thread safety: pure. Errors: INVALID_ARGUMENT naming the shapes that do not go together.
#ifndef WARPBEAM_OPS_NN_CROSS_ENTROPY_H_
#define WARPBEAM_OPS_NN_CROSS_ENTROPY_H_

#include "graph/types/errors.h"
#include "graph/types/shape.h"

namespace warpbeam {

// What logits and labels, each of them a probability for each class, broadcast to.
StatusOr<Shape> DenseEntropyShape(const Shape& logits, const Shape& labels);
// Labels are numbers of classes.
Status CheckSparseEntropy(const Shape& logits, const Shape& labels);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_NN_CROSS_ENTROPY_H_
