// Batch normalisation of rows of channels: moments, the normalisation itself, and its gradient.
//
// Data is a matrix, one row a pixel, channels last, of T (float or a 16-bit float); what belongs to
// a channel is float. Moments are taken in one pass over memory, by blocks that stay in the cache;
// the blocks depend on the shape alone, so that results do not depend on the number of threads.
//
//   WB_RETURN_IF_ERROR(ChannelMoments(ctx, shape, x, mean, variance));  // divided by the rows
//   WB_RETURN_IF_ERROR(Normalize(ctx, shape, x, factor, shift, y));     // y = x * factor + shift
//
// Thread safety: pure but for the outputs. Errors: RESOURCE_EXHAUSTED without memory for partial
// sums, UNIMPLEMENTED for other element types.
#ifndef WARPBEAM_OPS_NN_NORM_BATCH_NORM_H_
#define WARPBEAM_OPS_NN_NORM_BATCH_NORM_H_

#include "ops/nn/window/window.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

struct ChannelRows {
  DType dtype;
  int64_t rows;
  int64_t channels;
};

Status ChannelMoments(KernelContext& ctx, const ChannelRows& shape, const void* x, float* mean,
                      float* variance);
Status Normalize(KernelContext& ctx, const ChannelRows& shape, const void* x, const float* factor,
                 const float* shift, void* y);
// sum_dy = the sum of dy; sum_dy_x = the sum of dy * (x - mean)
Status GradientSums(KernelContext& ctx, const ChannelRows& shape, const void* dy, const void* x,
                    const float* mean, float* sum_dy, float* sum_dy_x);
// dx = a * dy + b * x + c
Status CombineGradient(KernelContext& ctx, const ChannelRows& shape, const void* dy, const void* x,
                       const float* a, const float* b, const float* c, void* dx);

struct BatchNormAttrs {
  DataFormat format;  // its rank is that of the data when that is known
  float epsilon = 0;
  float average_factor = 1;
  bool is_training = true;
};
StatusOr<BatchNormAttrs> ReadBatchNormAttrs(const AttrMap& attrs);

// What is refused on every device. `channels` is the dimension of the data that they are.
Status CheckBatchNormInputs(const KernelContext& ctx, const BatchNormAttrs& attrs, int* channels);
Status CheckBatchNormGradInputs(const KernelContext& ctx, const BatchNormAttrs& attrs,
                                int* channels);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_NN_NORM_BATCH_NORM_H_
