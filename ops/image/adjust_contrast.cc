// AdjustContrastv2: every channel of every image moved away from its mean, or towards it.
// AdjustContrast: its first version, clipped and always of floats.
#include <algorithm>

#include "graph/op/op_registry.h"
#include "ops/image/pixels.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

// `Out` is float for the first version.
template <class T, class Out>
class AdjustContrastKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<AdjustContrastKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor images = ctx.input(0);
    if (images.rank() < 3) {
      return InvalidArgument("input must be at least 3-D, got shape", images.shape().ToString());
    }
    WB_RETURN_IF_ERROR(CheckScalar(ctx.input(1), "contrast_factor"));
    const float factor = ctx.input(1).scalar<float>();
    Clip clip;
    if (ctx.num_inputs() > 2) {
      WB_RETURN_IF_ERROR(CheckScalar(ctx.input(2), "min_value"));
      WB_RETURN_IF_ERROR(CheckScalar(ctx.input(3), "max_value"));
      clip = {true, ctx.input(2).scalar<float>(), ctx.input(3).scalar<float>()};
    }
    WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, images.shape()));
    const int64_t channels = images.dim(images.rank() - 1);
    const int64_t pixels = images.dim(images.rank() - 2) * images.dim(images.rank() - 3);
    const int64_t size = pixels * channels;
    if (images.num_elements() == 0) return OkStatus();
    ctx.ParallelFor(images.num_elements() / size, 4 * size, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        Adjust(images.data<T>() + i * size, pixels, channels, factor, clip,
               out->data<Out>() + i * size);
      }
    });
    return OkStatus();
  }

 private:
  struct Clip {
    bool wanted = false;
    float low = 0, high = 0;
  };
  static void Adjust(const T* image, int64_t pixels, int64_t channels, float factor,
                     const Clip& clip, Out* out) {
    for (int64_t c = 0; c < channels; ++c) {
      double sum = 0;
      for (int64_t i = 0; i < pixels; ++i) sum += static_cast<float>(image[i * channels + c]);
      const float mean = static_cast<float>(sum / static_cast<double>(pixels));
      for (int64_t i = 0; i < pixels; ++i) {
        const float x = static_cast<float>(image[i * channels + c]);
        float y = (x - mean) * factor + mean;
        if (clip.wanted) y = std::max(std::min(y, clip.high), clip.low);
        out[i * channels + c] = static_cast<Out>(y);
      }
    }
  }
};

template <class T>
using ContrastV2 = AdjustContrastKernel<T, T>;
template <class T>
using ContrastV1 = AdjustContrastKernel<T, float>;

WB_OP("AdjustContrastv2")
    .Input("images: T")
    .Input("contrast_factor: float")
    .Output("output: T")
    .Attr("T: {half, float} = DT_FLOAT")
    .Shape(AdjustedShape);
WB_KERNEL("AdjustContrastv2", ContrastV2<float>)
    .Cpu({{"T", {DType::kFloat}}})
    .Gpu({{"T", {DType::kFloat}}});
WB_KERNEL("AdjustContrastv2", ContrastV2<Half>).Gpu({{"T", {DType::kHalf}}});

WB_OP("AdjustContrast")
    .Input("images: T")
    .Input("contrast_factor: float")
    .Input("min_value: float")
    .Input("max_value: float")
    .Output("output: float")
    .Attr("T: {uint8, int8, int16, int32, int64, float, double}")
    .Deprecated(2, "use AdjustContrastv2")
    .Shape(AdjustedShape);
#define WB_ADJUST_CONTRAST(T, dtype) \
  WB_KERNEL("AdjustContrast", ContrastV1<T>).Cpu({{"T", {dtype}}}).Gpu({{"T", {dtype}}})
WB_ADJUST_CONTRAST(uint8_t, DType::kUInt8);
WB_ADJUST_CONTRAST(int8_t, DType::kInt8);
WB_ADJUST_CONTRAST(int16_t, DType::kInt16);
WB_ADJUST_CONTRAST(int32_t, DType::kInt32);
WB_ADJUST_CONTRAST(float, DType::kFloat);
WB_ADJUST_CONTRAST(double, DType::kDouble);
#undef WB_ADJUST_CONTRAST

}  // namespace
}  // namespace warpbeam
