// TruncatedBatches: how ParameterizedTruncatedNormal shares its result out among the parameters.
//
//   WB_ASSIGN_OR_RETURN(const TruncatedBatches batches, TruncatedBatches::Of(ctx));
//   WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, batches.shape));
//   … element i is of the batch i / batches.per_batch …
//
// Thread safety: values. Errors: INVALID_ARGUMENT for a shape without dimensions, and for
// parameters that are neither one nor one for each batch.
#ifndef WARPBEAM_OPS_RANDOM_TRUNCATED_BATCHES_H_
#define WARPBEAM_OPS_RANDOM_TRUNCATED_BATCHES_H_

#include "ops/array/index/index_argument.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

struct TruncatedBatches {
  Shape shape;            // of the result
  int64_t per_batch = 1;  // elements

  static StatusOr<TruncatedBatches> Of(const KernelContext& ctx) {
    // Where all batches have the same parameters they are cut into batches of this size.
    constexpr int64_t kSamplesPerBatch = 100;
    TruncatedBatches batches;
    WB_ASSIGN_OR_RETURN(batches.shape, ReadShape(ctx.input(0), "shape"));
    const Shape& shape = batches.shape;
    if (shape.rank() == 0) return InvalidArgument("'shape' must not be empty");
    for (int i = 1; i < 5; ++i) {
      const Tensor& t = ctx.input(i);
      if (t.rank() > 1 || (t.num_elements() != 1 && t.num_elements() != shape.dim(0))) {
        return InvalidArgument("input ", i, " must have one value or one for each of ",
                               shape.dim(0), " batches, not the shape ", t.shape().ToString());
      }
    }
    if (shape.num_elements() == 0) return batches;
    // Bounds that are vectors have a batch for each row, even where they have one element.
    const bool alike = ctx.input(1).num_elements() == 1 && ctx.input(2).num_elements() == 1 &&
                       ctx.input(3).rank() == 0 && ctx.input(4).rank() == 0;
    batches.per_batch = alike ? kSamplesPerBatch : shape.num_elements() / shape.dim(0);
    return batches;
  }
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_RANDOM_TRUNCATED_BATCHES_H_
