// Max-pooling of plain tensors: the computations behind the MaxPool ops of images and volumes.
//
//   WB_RETURN_IF_ERROR(MaxPoolForward(ctx, DType::kFloat, geometry, x.raw_data(), y->raw_data()));
//
// All data has its channels last. Of equal elements the first in the window is its maximum.
//
// Thread safety: pure but for the output. Errors: UNIMPLEMENTED for an element type without order.
#ifndef WARPBEAM_OPS_NN_POOL_MAX_POOL_H_
#define WARPBEAM_OPS_NN_POOL_MAX_POOL_H_

#include "ops/nn/pool/pool_geometry.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

// The checks of a gradient's arguments: the data, what was pooled, and a gradient like the latter,
// or with `select` like the data. The result, like the other of the two, has its channels last.
StatusOr<Shape> MakeMaxPoolGradGeometry(const KernelContext& ctx, const PoolAttrs& attrs,
                                        bool select, PoolGeometry* geometry);

// The same of MaxPoolWithArgmax, whose result has the shape, and of its gradients: the data's, or
// with `to_input` false that of the gradient's own gradient.
StatusOr<Shape> MakeArgmaxGeometry(const KernelContext& ctx, const PoolAttrs& attrs,
                                   PoolGeometry* geometry);
StatusOr<Shape> MakeArgmaxGradGeometry(const KernelContext& ctx, const PoolAttrs& attrs,
                                       bool to_input, PoolGeometry* geometry);

// Which elements of a window its gradient goes to.
enum class MaxRule {
  kFirst,     // the first that is the greatest
  kAllEqual,  // all that equal the given maximum
};

// Which places of a volume's window have a part differs between TensorFlow's two sets of kernels.
inline MaxRule MaxRuleOf(const DataFormat& format) {
  return format.spatial == 3 && !format.channels_first ? MaxRule::kAllEqual : MaxRule::kFirst;
}

Status MaxPoolForward(const KernelContext& ctx, DType dtype, const PoolGeometry& g, const void* x,
                      void* y);
// dx = each window's dy at its maximum; `y` counts with kAllEqual only.
Status MaxPoolBackward(const KernelContext& ctx, DType dtype, MaxRule rule, const PoolGeometry& g,
                       const void* x, const void* y, const void* dy, void* dx);
// to = the element of `from` (shaped like x) at the first place of the window where x equals y, or
// 0.
Status MaxPoolSelect(const KernelContext& ctx, DType dtype, const PoolGeometry& g, const void* x,
                     const void* y, const void* from, void* to);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_NN_POOL_MAX_POOL_H_
