// AdjustContrastv2: every channel of every image moved away from its mean, or towards it.
// AdjustContrast: its first version, clipped and always of floats.
#include "ops/image/adjust_contrast.h"

#include "graph/op/op_registry.h"
#include "ops/image/pixels.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam::host_pass {

Status CheckContrast(const KernelContext& ctx) {
  const Tensor& images = ctx.input(0);
  if (images.rank() < 3) {
    return InvalidArgument("input must be at least 3-D, got shape", images.shape().ToString());
  }
  static constexpr const char* kScalars[] = {"contrast_factor", "min_value", "max_value"};
  for (int i = 1; i < ctx.num_inputs(); ++i) {
    WB_RETURN_IF_ERROR(CheckScalar(ctx.input(i), kScalars[i - 1]));
  }
  return OkStatus();
}

namespace {

template <bool kFirstVersion>
class AdjustContrastKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<AdjustContrastKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor images = ctx.input(0);
    WB_RETURN_IF_ERROR(CheckContrast(ctx));
    WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, images.shape()));
    if (images.num_elements() == 0) return OkStatus();
    return DispatchTypes(ContrastTypes<kFirstVersion>{}, images.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      AdjustAll<T, std::conditional_t<kFirstVersion, float, T>>(ctx, images, out);
      return OkStatus();
    });
  }

 private:
  template <class T, class Out>
  static void AdjustAll(const KernelContext& ctx, const Tensor& images, Tensor* out) {
    const auto scalar = [&](int i) { return ctx.input(i).scalar<float>(); };
    ContrastChange change = {scalar(1)};
    if (kFirstVersion) change = {scalar(1), true, scalar(2), scalar(3)};
    const int64_t channels = images.dim(images.rank() - 1);
    const int64_t pixels = images.dim(images.rank() - 2) * images.dim(images.rank() - 3);
    const int64_t size = pixels * channels;
    ctx.ParallelFor(images.num_elements() / size, 4 * size, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        Adjust(images.data<T>() + i * size, pixels, channels, change, out->data<Out>() + i * size);
      }
    });
  }
  template <class T, class Out>
  static void Adjust(const T* image, int64_t pixels, int64_t channels, const ContrastChange& change,
                     Out* out) {
    for (int64_t c = 0; c < channels; ++c) {
      double sum = 0;
      for (int64_t i = 0; i < pixels; ++i) sum += static_cast<float>(image[i * channels + c]);
      const float mean = static_cast<float>(sum / static_cast<double>(pixels));
      for (int64_t i = 0; i < pixels; ++i) {
        const float x = static_cast<float>(image[i * channels + c]);
        out[i * channels + c] = static_cast<Out>(change(x, mean));
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
WB_KERNEL("AdjustContrastv2", AdjustContrastKernel<false>)
    .Cpu({{"T", {DType::kFloat}}})
    .Gpu({{"T", {DType::kFloat, DType::kHalf}}});

WB_OP("AdjustContrast")
    .Input("images: T")
    .Input("contrast_factor: float")
    .Input("min_value: float")
    .Input("max_value: float")
    .Output("output: float")
    .Attr("T: {uint8, int8, int16, int32, int64, float, double}")
    .Deprecated(2, "use AdjustContrastv2")
    .Shape(AdjustedShape);
WB_KERNEL("AdjustContrast", AdjustContrastKernel<true>)
    .Cpu({{"T", TypeSetOf(ContrastTypes<true>{})}})
    .Gpu({{"T", TypeSetOf(ContrastTypes<true>{})}});

}  // namespace
}  // namespace warpbeam::host_pass
