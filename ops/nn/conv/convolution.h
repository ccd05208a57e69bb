// Convolution: computes convolutions and their gradients for all element types, on the device's own
// threads. A kernel owns one; what oneDNN compiled for the last few shapes is kept in it.
//
// float goes to oneDNN, cut into pieces for the threads (conv_pieces.h); 16-bit floats are computed
// in float and rounded once; other types, and what oneDNN cannot do, are matrix products of
// patches.
//
//   Convolution conv(ConvPass::kForward);
//   WB_RETURN_IF_ERROR(conv.Run(ctx, DType::kFloat, geometry, input, filter, output));
//
// An epilogue finishes the result of a forward convolution, a row of it being a pixel's channels.
//
// The operands by pass are those of DnnlConvolution, filters in their plain layout. Results are
// written whole; they may not overlap an operand.
//
// Thread safety: Run may be called from several threads. Errors: RESOURCE_EXHAUSTED without memory
// for patches or layouts, UNIMPLEMENTED for an element type that is no number.
#ifndef WARPBEAM_OPS_NN_CONV_CONVOLUTION_H_
#define WARPBEAM_OPS_NN_CONV_CONVOLUTION_H_

#include <list>
#include <memory>
#include <mutex>

#include "ops/nn/conv/conv_geometry.h"
#include "ops/nn/conv/dnnl_convolution.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/product/product_kernel.h"

namespace warpbeam {

class Convolution {
 public:
  explicit Convolution(ConvPass pass) : pass_(pass) {}

  Status Run(KernelContext& ctx, DType dtype, const ConvGeometry& geometry, const void* a,
             const void* b, void* result, const ProductEpilogue* epilogue = nullptr);

 private:
  struct Plan;
  struct Entry {
    ConvGeometry geometry;
    int64_t parts;
    std::shared_ptr<const Plan> plan;
  };

  StatusOr<std::shared_ptr<const Plan>> PlanFor(const ConvGeometry& geometry, int64_t parts);
  StatusOr<std::shared_ptr<const Plan>> Compile(const ConvGeometry& geometry, int64_t parts) const;
  Status RunPlan(KernelContext& ctx, const Plan& plan, const ConvGeometry& g, const float* a,
                 const float* b, float* result) const;
  Status RunPlain(KernelContext& ctx, DType dtype, const ConvGeometry& g, const void* a,
                  const void* b, void* result);
  Status RunFloat(KernelContext& ctx, const ConvGeometry& g, const float* a, const float* b,
                  float* result);
  template <class T>
  Status RunInFloat(KernelContext& ctx, const ConvGeometry& g, const T* a, const T* b, T* result);

  static constexpr size_t kMostEntries = 16;
  const ConvPass pass_;
  std::mutex mutex_;
  std::list<Entry> entries_;  // the last used first
};

// The same by patches: for any number type, without oneDNN's convolutions.
Status PatchConvolution(KernelContext& ctx, ConvPass pass, DType dtype,
                        const ConvGeometry& geometry, const void* a, const void* b, void* result);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_NN_CONV_CONVOLUTION_H_
