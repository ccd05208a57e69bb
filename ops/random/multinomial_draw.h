// MultinomialDraw: the arguments of Multinomial and StatelessMultinomial, read and checked, for the
// CPU and for GPUs.
//
//   WB_ASSIGN_OR_RETURN(const MultinomialDraw draw, MultinomialDraw::Read(ctx));
//
// Sample s of row r is made of the stream's numbers 2 (r samples + s) and the one after. Thread
// safety: values. Errors: INVALID_ARGUMENT for logits that are no matrix or have no classes, and
// for a number of samples that is no scalar or negative.
#ifndef WARPBEAM_OPS_RANDOM_MULTINOMIAL_DRAW_H_
#define WARPBEAM_OPS_RANDOM_MULTINOMIAL_DRAW_H_

#include <cstdint>
#include <limits>

#include "graph/types/errors.h"
#include "graph/types/tensor.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

struct MultinomialDraw {
  int64_t rows, classes, samples;

  // Elements for which the op's stream goes on: two numbers for each sample; rows count as whole
  // blocks of samples.
  int64_t reserved() const { return rows * 2 * ((samples + 3) / 4 * 4); }

  static StatusOr<MultinomialDraw> Read(const KernelContext& ctx) {
    const Tensor &logits = ctx.input(0), &num_samples = ctx.input(1);
    if (logits.rank() != 2) {
      return InvalidArgument("logits must be a matrix, not of shape ", logits.shape().ToString());
    }
    if (num_samples.rank() != 0) {
      return InvalidArgument("num_samples must be a scalar, not of shape ",
                             num_samples.shape().ToString());
    }
    const MultinomialDraw d = {logits.dim(0), logits.dim(1), num_samples.scalar<int32_t>()};
    if (d.samples < 0) return InvalidArgument("num_samples must not be negative: ", d.samples);
    if (d.classes <= 0) return InvalidArgument("num_classes should be positive, but there is none");
    if (d.classes > std::numeric_limits<int32_t>::max()) {
      return InvalidArgument("num_classes cannot exceed max int, but is ", d.classes);
    }
    return d;
  }
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_RANDOM_MULTINOMIAL_DRAW_H_
