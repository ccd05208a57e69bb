#include "ops/nn/cross_entropy.h"

#include "ops/launch/broadcast.h"

namespace warpbeam {

StatusOr<Shape> DenseEntropyShape(const Shape& logits, const Shape& labels) {
  Shape shape;
  const Status fits = MakeBroadcast({&logits, &labels}, nullptr, &shape);
  if (fits.ok() && logits.rank() == 2 && labels.rank() == 2) return shape;
  return InvalidArgument("logits and labels must be matrices that broadcast, but have shapes ",
                         logits.ToString(), " and ", labels.ToString());
}

Status CheckSparseEntropy(const Shape& logits, const Shape& labels) {
  if (logits.rank() != 2) {
    return InvalidArgument("logits must be 2-D, but got shape ", logits.ToString());
  }
  if (labels.rank() != 1) {
    return InvalidArgument("labels must be 1-D, but got shape ", labels.ToString());
  }
  if (logits.dim(0) != labels.dim(0)) {
    return InvalidArgument("logits and labels must have the same first dimension, got shapes ",
                           logits.ToString(), " and ", labels.ToString());
  }
  if (logits.dim(1) == 0) {
    return InvalidArgument("Must have at least one class, but got logits shape ",
                           logits.ToString());
  }
  return OkStatus();
}

}  // namespace warpbeam
