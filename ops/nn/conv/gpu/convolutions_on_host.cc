// The convolutions of simulated GPUs: the CPU's, on the thread of the stream alone.

#include <cstring>

#include "ops/math/gemm.h"
#include "ops/nn/conv/convolution.h"
#include "ops/nn/conv/gpu_convolutions.h"
#include "ops/nn/window/channels.h"

namespace warpbeam {
namespace {

// One of a convolution's two images: the input or the output, or its gradient.
struct Images {
  int64_t batch, pixels, channels;

  int64_t elements() const { return batch * pixels * channels; }
};

// Copies that have their channels last, as the CPU's convolution wants them.
class ChannelsLastCopies {
 public:
  ChannelsLastCopies(const KernelContext& host, DType dtype) : host_(host), dtype_(dtype) {}

  StatusOr<Tensor> Room(const Images& x) const {
    return host_.AllocateTemp(dtype_, Shape({x.elements()}));
  }
  StatusOr<Tensor> Of(const Images& x, const void* data) const {
    WB_ASSIGN_OR_RETURN(Tensor copy, Room(x));
    if (x.elements() == 0) return copy;
    TransposeInner(host_, dtype_, x.batch, x.channels, x.pixels, data, copy.raw_data());
    return copy;
  }
  void PutBack(const Images& x, const Tensor& copy, void* data) const {
    TransposeInner(host_, dtype_, x.batch, x.pixels, x.channels, copy.raw_data(), data);
  }

 private:
  const KernelContext& host_;
  const DType dtype_;
};

class ConvolutionsOnHost final : public GpuConvolutions {
 public:
  bool Has(DType dtype) const override {
    return (kFloatingTypes | TypeSet{DType::kInt32}).contains(dtype);
  }
  StatusOr<int64_t> WorkspaceBytes(GpuStream&, const GpuConvolution& convolution) override {
    if (convolution.bias != nullptr && !kFloatingTypes.contains(convolution.dtype)) {
      return Unimplemented("convolutions of ", DTypeName(convolution.dtype), " with a bias");
    }
    return 0;
  }
  Status Enqueue(GpuStream& stream, const GpuConvolution& convolution, void*, int64_t) override {
    if (!Has(convolution.dtype)) {
      return Unimplemented("convolutions of ", DTypeName(convolution.dtype), " on a simulated GPU");
    }
    return stream.RunOnHost([this, convolution] {
      if (Convolve(convolution).ok()) return Finish(convolution);
      // All bits set are no number in any of the floating types.
      memset(convolution.result, 0xff, ResultElements(convolution) * DTypeSize(convolution.dtype));
    });
  }

 private:
  static int64_t ResultElements(const GpuConvolution& x) {
    const ConvGeometry& g = x.geometry;
    if (x.pass == ConvPass::kForward) return g.output_elements();
    return x.pass == ConvPass::kBackwardInput ? g.input_elements() : g.filter_elements();
  }
  static void Finish(const GpuConvolution& x) {
    if (x.bias == nullptr) return;
    const ConvGeometry& g = x.geometry;
    BiasedExtents extents = {g.batch * g.output_pixels(), g.out_channels, 1};
    if (x.channels_first) extents = {g.batch, g.out_channels, g.output_pixels()};
    AddBias(x.dtype, extents, x.bias, x.relu, x.result);
  }
  Convolution& Of(ConvPass pass) {
    if (pass == ConvPass::kForward) return forward_;
    return pass == ConvPass::kBackwardInput ? to_input_ : to_filter_;
  }

  // A context without device and step: memory comes from the host, nothing is shared out.
  Status Convolve(const GpuConvolution& x) {
    static constexpr KernelContext::NodeInfo kNoNode = {};
    KernelContext host(nullptr, kNoNode, nullptr, nullptr);
    const ConvGeometry& g = x.geometry;
    if (!x.channels_first) return Of(x.pass).Run(host, x.dtype, g, x.a, x.b, x.result);
    const ChannelsLastCopies copies(host, x.dtype);
    const Images input = {g.batch, g.input_pixels(), g.in_channels};
    const Images output = {g.batch, g.output_pixels(), g.out_channels};
    WB_ASSIGN_OR_RETURN(const Tensor a,
                        copies.Of(x.pass == ConvPass::kBackwardInput ? output : input, x.a));
    if (x.pass == ConvPass::kBackwardFilter) {
      WB_ASSIGN_OR_RETURN(const Tensor b, copies.Of(output, x.b));
      return to_filter_.Run(host, x.dtype, g, a.raw_data(), b.raw_data(), x.result);
    }
    const Images& images = x.pass == ConvPass::kForward ? output : input;
    WB_ASSIGN_OR_RETURN(Tensor result, copies.Room(images));
    WB_RETURN_IF_ERROR(Of(x.pass).Run(host, x.dtype, g, a.raw_data(), x.b, result.raw_data()));
    copies.PutBack(images, result, x.result);
    return OkStatus();
  }

  Convolution forward_{ConvPass::kForward};
  Convolution to_input_{ConvPass::kBackwardInput};
  Convolution to_filter_{ConvPass::kBackwardFilter};
};

// Never destroyed: streams may still be at work when the process's static objects end.
const GpuConvolutionsRegistration registration(GpuSide::kSimulated, new ConvolutionsOnHost);

}  // namespace
}  // namespace warpbeam
