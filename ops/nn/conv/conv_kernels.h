// The kernels behind the convolution ops: what differs between them is data.
//
//   WB_KERNEL("Conv2D", ConvForward<2>).Cpu().Gpu();
//   using DepthwiseBackpropInput = ConvBackpropInput<2, true>;
//   WB_KERNEL("DepthwiseConv2dNativeBackpropInput", DepthwiseBackpropInput).Cpu().Gpu();
//
// Inputs are checked against each other before anything is allocated. On the CPU, what TensorFlow's
// kernels refuse there is refused with its codes; elsewhere it is computed. TensorFlow has two sets
// of them. Channels last: no groups in gradients, no dilations of depthwise ones. Channels first:
// floats of 32 and 16 bits only, and no explicit paddings in gradients.
//
// Thread safety: Compute may be called from several threads. Errors: INVALID_ARGUMENT for shapes
// that do not go together, UNIMPLEMENTED for data formats of other devices.
#ifndef WARPBEAM_OPS_NN_CONV_CONV_KERNELS_H_
#define WARPBEAM_OPS_NN_CONV_CONV_KERNELS_H_

#include <memory>

#include "ops/nn/conv/conv_geometry.h"
#include "ops/nn/conv/convolution.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {

// input, filter -> output
class ConvForwardKernel final : public Kernel, public ProductKernel {
 public:
  ConvForwardKernel(const ConvAttrs& attrs, bool on_cpu) : attrs_(attrs), on_cpu_(on_cpu) {}
  Status Compute(KernelContext& ctx) override { return ComputeWith(ctx, nullptr); }
  Status ComputeWith(KernelContext& ctx, ProductEpilogue* epilogue) override;

 private:
  const ConvAttrs attrs_;
  const bool on_cpu_;
  Convolution convolution_{ConvPass::kForward};
};

// input's sizes, filter, output's gradient -> input's gradient. Old forms of the op have the input
// itself in place of its sizes.
class ConvBackpropInputKernel final : public Kernel {
 public:
  ConvBackpropInputKernel(const ConvAttrs& attrs, bool on_cpu, bool has_sizes)
      : attrs_(attrs), on_cpu_(on_cpu), has_sizes_(has_sizes) {}
  Status Compute(KernelContext& ctx) override;

 private:
  const ConvAttrs attrs_;
  const bool on_cpu_;
  const bool has_sizes_;
  Convolution convolution_{ConvPass::kBackwardInput};
};

// input, filter's sizes, output's gradient -> filter's gradient; old forms have the filter itself.
class ConvBackpropFilterKernel final : public Kernel {
 public:
  ConvBackpropFilterKernel(const ConvAttrs& attrs, bool on_cpu, bool has_sizes)
      : attrs_(attrs), on_cpu_(on_cpu), has_sizes_(has_sizes) {}
  Status Compute(KernelContext& ctx) override;

 private:
  const ConvAttrs attrs_;
  const bool on_cpu_;
  const bool has_sizes_;
  Convolution convolution_{ConvPass::kBackwardFilter};
};

// Reads the attributes for a kernel on a device, with the codes for what it does not do.
StatusOr<ConvAttrs> ConvKernelAttrs(const KernelInit& init, int spatial, bool depthwise,
                                    ConvPass pass);

// What a kernel's call computes: its inputs have been checked against each other.
struct ConvCall {
  ConvGeometry geometry;
  Shape result;  // channels last; the filter's for its gradient
};
StatusOr<ConvCall> CheckConvCall(const KernelContext& ctx, const ConvAttrs& attrs, ConvPass pass,
                                 bool on_cpu, bool has_sizes = true);

// Factories for WB_KERNEL.
template <int kSpatial, bool kDepthwise = false>
struct ConvForward {
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const ConvAttrs attrs,
                        ConvKernelAttrs(init, kSpatial, kDepthwise, ConvPass::kForward));
    return std::make_unique<ConvForwardKernel>(attrs, init.device_type == DeviceType::kCpu);
  }
};
template <int kSpatial, bool kDepthwise = false, bool kHasSizes = true>
struct ConvBackpropInput {
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const ConvAttrs attrs,
                        ConvKernelAttrs(init, kSpatial, kDepthwise, ConvPass::kBackwardInput));
    return std::make_unique<ConvBackpropInputKernel>(attrs, init.device_type == DeviceType::kCpu,
                                                     kHasSizes);
  }
};
template <int kSpatial, bool kDepthwise = false, bool kHasSizes = true>
struct ConvBackpropFilter {
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const ConvAttrs attrs,
                        ConvKernelAttrs(init, kSpatial, kDepthwise, ConvPass::kBackwardFilter));
    return std::make_unique<ConvBackpropFilterKernel>(attrs, init.device_type == DeviceType::kCpu,
                                                      kHasSizes);
  }
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_NN_CONV_CONV_KERNELS_H_
