// LazyAdam (tf.contrib.opt.LazyAdamOptimizer): Adam whose moments move, of rows with a sparse
// gradient, only where the gradient has a row. With large embeddings it is much faster, and not
// quite the same: AdamOptimizer lets the moments of all rows decay.
//
//   contrib::opt::LazyAdamOptimizer opt(0.001);
//   Operation step = opt.Minimize(scope, loss);
//
// Slots and names are AdamOptimizer's, and checkpoints go both ways.
//
// Ownership, thread safety, errors: as Optimizer. An optimizer builds for one graph.
#ifndef WARPBEAM_FRONTEND_CONTRIB_LAZY_ADAM_H_
#define WARPBEAM_FRONTEND_CONTRIB_LAZY_ADAM_H_

#include "frontend/training/adam.h"

namespace warpbeam {
namespace frontend {
namespace contrib {
namespace opt {

class LazyAdamOptimizer final : public train::AdamOptimizer {
 public:
  using train::AdamOptimizer::AdamOptimizer;

 protected:
  Operation ApplySparse(const Scope& scope, const IndexedSlices& gradient,
                        const Variable& variable) override;
};

}  // namespace opt
}  // namespace contrib
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_CONTRIB_LAZY_ADAM_H_
