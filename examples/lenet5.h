// LeNet-5: two convolutions with pooling, two fully connected layers.
//
//   wb::Output logits = lenet5::Inference(tower, images, wb::L2Regularizer(0.0001));
//
// Images are [batch, height, width, channels] with known sizes; the logits [batch, 10]. The
// regularization losses of the fully connected layers go to GraphKeys::kLosses.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the scope.
#ifndef WARPBEAM_EXAMPLES_LENET5_H_
#define WARPBEAM_EXAMPLES_LENET5_H_

#include "frontend/scope.h"
#include "frontend/variables/regularizers.h"

namespace warpbeam {
namespace examples {
namespace lenet5 {

frontend::Output Inference(const frontend::Scope& scope, const frontend::Output& images,
                           const frontend::Regularizer& regularizer);

}  // namespace lenet5
}  // namespace examples
}  // namespace warpbeam

#endif  // WARPBEAM_EXAMPLES_LENET5_H_
