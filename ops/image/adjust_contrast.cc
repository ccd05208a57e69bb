// AdjustContrastv2: every channel of every image moved away from its mean, or towards it.
#include "graph/op/op_registry.h"
#include "ops/image/pixels.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

template <class T>
class AdjustContrastKernel final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<AdjustContrastKernel>();
  }
  absl::Status Compute(KernelContext& ctx) override {
    const Tensor images = ctx.input(0);
    if (images.rank() < 3) {
      return InvalidArgument("input must be at least 3-D, got shape", images.shape().ToString());
    }
    WB_RETURN_IF_ERROR(CheckScalar(ctx.input(1), "contrast_factor"));
    const float factor = ctx.input(1).scalar<float>();
    WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, images.shape()));
    const int64_t channels = images.dim(images.rank() - 1);
    const int64_t pixels = images.dim(images.rank() - 2) * images.dim(images.rank() - 3);
    const int64_t size = pixels * channels;
    if (images.num_elements() == 0) return absl::OkStatus();
    ctx.ParallelFor(images.num_elements() / size, 4 * size, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        Adjust(images.data<T>() + i * size, pixels, channels, factor, out->data<T>() + i * size);
      }
    });
    return absl::OkStatus();
  }

 private:
  static void Adjust(const T* image, int64_t pixels, int64_t channels, float factor, T* out) {
    for (int64_t c = 0; c < channels; ++c) {
      double sum = 0;
      for (int64_t i = 0; i < pixels; ++i) sum += static_cast<float>(image[i * channels + c]);
      const float mean = static_cast<float>(sum / static_cast<double>(pixels));
      for (int64_t i = 0; i < pixels; ++i) {
        const float x = static_cast<float>(image[i * channels + c]);
        out[i * channels + c] = static_cast<T>((x - mean) * factor + mean);
      }
    }
  }
};

WB_OP("AdjustContrastv2")
    .Input("images: T")
    .Input("contrast_factor: float")
    .Output("output: T")
    .Attr("T: {half, float} = DT_FLOAT")
    .Shape(AdjustedShape);
WB_KERNEL("AdjustContrastv2", AdjustContrastKernel<float>)
    .Cpu({{"T", {DType::kFloat}}})
    .Gpu({{"T", {DType::kFloat}}});
WB_KERNEL("AdjustContrastv2", AdjustContrastKernel<Half>).Gpu({{"T", {DType::kHalf}}});

}  // namespace
}  // namespace warpbeam
