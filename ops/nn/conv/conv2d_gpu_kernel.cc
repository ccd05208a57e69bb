// Conv2D, Conv3D and their gradients on a GPU: by the library of convolutions, with a bias where
// the plan asks for one.

#include "ops/nn/conv/conv_kernels.h"
#include "ops/nn/conv/gpu_convolutions.h"
#include "ops/nn/window/channels.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/product/product_kernel.h"
#include "runtime/kernel/product/tensor_float_32.h"

namespace warpbeam {
namespace {

// Old forms of gradients have in the place of sizes what they are the gradient of.
template <int kSpatial, ConvPass kPass, bool kHasSizes = true>
class ConvOnGpu : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const ConvAttrs attrs,
                        ConvKernelAttrs(init, kSpatial, /*depthwise=*/false, kPass));
    return std::make_unique<ConvOnGpu>(attrs);
  }
  static bool HasGpuCode(const AttrMap& attrs) {
    return HasGpuConvolutions(attrs.GetOr<DType>("T", DType::kInvalid));
  }
  explicit ConvOnGpu(const ConvAttrs& attrs) : attrs_(attrs) {}

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    return Launch(ctx, stream, GpuEpilogue::kNone);
  }

 protected:
  Status Launch(KernelContext& ctx, GpuStream& stream, GpuEpilogue epilogue) {
    WB_ASSIGN_OR_RETURN(const ConvCall call,
                        CheckConvCall(ctx, attrs_, kPass, /*on_cpu=*/false, kHasSizes));
    constexpr bool kToFilter = kPass == ConvPass::kBackwardFilter;
    WB_ASSIGN_OR_RETURN(
        Tensor * result,
        ctx.Allocate(0, kToFilter ? call.result : FromChannelsLast(call.result, attrs_.format)));
    const bool is_empty = result->num_elements() == 0;
    if (is_empty && epilogue == GpuEpilogue::kNone) return OkStatus();
    GpuConvolution convolution;
    if (epilogue != GpuEpilogue::kNone) {
      const Tensor& bias = ctx.input(2);
      if (is_empty || ctx.input(0).num_elements() == 0 || ctx.input(1).num_elements() == 0 ||
          bias.dtype() != result->dtype() || bias.shape() != Shape({call.geometry.out_channels})) {
        return Unimplemented("nothing is convolved, or the bias has no element for each channel");
      }
      convolution.bias = bias.raw_data();
      convolution.relu = epilogue == GpuEpilogue::kBiasRelu;
    }
    convolution.pass = kPass;
    convolution.dtype = result->dtype();
    convolution.geometry = call.geometry;
    convolution.channels_first = attrs_.format.channels_first;
    convolution.tensor_float_32 = TensorFloat32();
    // The gradients have sizes in the place of what they are the gradient of.
    convolution.a = ctx.input(kPass == ConvPass::kBackwardInput ? 2 : 0).raw_data();
    convolution.b = ctx.input(kToFilter ? 2 : 1).raw_data();
    convolution.result = result->raw_data();
    WB_ASSIGN_OR_RETURN(GpuConvolutions * convolutions, GpuConvolutionsOf(stream));
    WB_ASSIGN_OR_RETURN(const int64_t bytes, convolutions->WorkspaceBytes(stream, convolution));
    WB_ASSIGN_OR_RETURN(Tensor workspace, ctx.AllocateTemp(DType::kUInt8, Shape({bytes})));
    return convolutions->Enqueue(stream, convolution, workspace.raw_data(), bytes);
  }

 private:
  const ConvAttrs attrs_;
};

class Forward2D final : public ConvOnGpu<2, ConvPass::kForward>, public GpuProductKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const ConvAttrs attrs,
                        ConvKernelAttrs(init, 2, /*depthwise=*/false, ConvPass::kForward));
    return std::make_unique<Forward2D>(attrs);
  }
  using ConvOnGpu::ConvOnGpu;
  Status EnqueueWith(KernelContext& ctx, GpuStream& stream, GpuEpilogue epilogue) override {
    return Launch(ctx, stream, epilogue);
  }
};
using ToInput2D = ConvOnGpu<2, ConvPass::kBackwardInput>;
using ToFilter2D = ConvOnGpu<2, ConvPass::kBackwardFilter>;
using Forward3D = ConvOnGpu<3, ConvPass::kForward>;
using ToInput3D = ConvOnGpu<3, ConvPass::kBackwardInput>;
using ToFilter3D = ConvOnGpu<3, ConvPass::kBackwardFilter>;
using OldToInput3D = ConvOnGpu<3, ConvPass::kBackwardInput, false>;
using OldToFilter3D = ConvOnGpu<3, ConvPass::kBackwardFilter, false>;

}  // namespace

WB_GPU_KERNEL("Conv2D", Forward2D);
WB_GPU_KERNEL("Conv2DBackpropInput", ToInput2D);
WB_GPU_KERNEL("Conv2DBackpropFilter", ToFilter2D);
WB_GPU_KERNEL("Conv3D", Forward3D);
WB_GPU_KERNEL("Conv3DBackpropInputV2", ToInput3D);
WB_GPU_KERNEL("Conv3DBackpropFilterV2", ToFilter3D);
WB_GPU_KERNEL("Conv3DBackpropInput", OldToInput3D);
WB_GPU_KERNEL("Conv3DBackpropFilter", OldToFilter3D);

}  // namespace warpbeam
