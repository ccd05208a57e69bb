// AudioSpectrogram: how much there is of each frequency in windows that slide over a sound.
#include <cmath>
#include <complex>
#include <memory>
#include <vector>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/signal/fourier_transform.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/stoppable_loop.h"

namespace warpbeam {
namespace {

struct Windows {
  int64_t size, stride;

  int64_t FftLength() const {
    int64_t length = 1;
    while (length < size) length *= 2;
    return length;
  }
  int64_t Frequencies() const { return FftLength() / 2 + 1; }
  int64_t Count(int64_t samples) const {
    return samples < size ? 0 : (samples - size) / stride + 1;
  }
};

StatusOr<Windows> ReadWindows(const AttrMap& attrs) {
  WB_ASSIGN_OR_RETURN(const int64_t size, attrs.Get<int64_t>("window_size"));
  WB_ASSIGN_OR_RETURN(const int64_t stride, attrs.Get<int64_t>("stride"));
  if (size < 2 || stride < 1 || size > 0x7fffffff) {
    return InvalidArgument("Spectrogram initialization failed for window size ", size,
                           " and stride ", stride);
  }
  return Windows{size, stride};
}

class AudioSpectrogramKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const Windows windows, ReadWindows(init.attrs));
    WB_ASSIGN_OR_RETURN(const bool squared, init.attr<bool>("magnitude_squared"));
    return std::make_unique<AudioSpectrogramKernel>(windows, squared);
  }
  AudioSpectrogramKernel(const Windows& windows, bool squared)
      : windows_(windows), squared_(squared) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    if (x.rank() != 2) {
      return InvalidArgument("input must be 2-dimensional", x.shape().ToString());
    }
    const int64_t channels = x.dim(1), count = windows_.Count(x.dim(0));
    const int64_t frequencies = windows_.Frequencies();
    WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make({channels, count, frequencies}));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    if (y->num_elements() == 0) return OkStatus();
    const int64_t length = windows_.FftLength();
    if (length > FourierTransform::kMostLength) {
      return InvalidArgument("windows of ", windows_.size, " samples are too long");
    }
    const std::vector<double> hann = Hann(windows_.size);
    StoppableFor(ctx, channels * count, 20 * length, [&](int64_t begin, int64_t end) {
      FourierTransform transform(length, /*inverse=*/false);
      std::vector<std::complex<double>> line(static_cast<size_t>(length));
      for (int64_t i = begin; i < end; ++i) {
        const float* from = x.data<float>() + i % count * windows_.stride * channels + i / count;
        std::fill(line.begin(), line.end(), 0.0);
        for (size_t k = 0; k < hann.size(); ++k) {
          line[k] = static_cast<double>(from[static_cast<int64_t>(k) * channels]) * hann[k];
        }
        transform.Run(line.data());
        float* to = y->data<float>() + i * frequencies;
        for (int64_t f = 0; f < frequencies; ++f) {
          const std::complex<double> v = line[static_cast<size_t>(f)];
          const float power = static_cast<float>(v.real() * v.real() + v.imag() * v.imag());
          to[f] = squared_ ? power : std::sqrt(power);
        }
      }
    });
    return OkStatus();
  }

 private:
  static std::vector<double> Hann(int64_t size) {
    std::vector<double> window(static_cast<size_t>(size));
    for (int64_t i = 0; i < size; ++i) {
      window[static_cast<size_t>(i)] =
          0.5 - 0.5 * std::cos(2 * M_PI * static_cast<double>(i) / static_cast<double>(size));
    }
    return window;
  }

  const Windows windows_;
  const bool squared_;
};

Status AudioSpectrogramShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape x, c.WithRank(0, 2));
  WB_ASSIGN_OR_RETURN(const Windows windows, ReadWindows(c.attrs()));
  const int64_t samples = x.dim(0);
  c.set_output(0, PartialShape({x.dim(1), samples < 0 ? -1 : windows.Count(samples),
                                windows.Frequencies()}));
  return OkStatus();
}

WB_OP("AudioSpectrogram")
    .Input("input: float")
    .Output("spectrogram: float")
    .Attr("window_size: int")
    .Attr("stride: int")
    .Attr("magnitude_squared: bool = false")
    .Shape(AudioSpectrogramShape);
WB_KERNEL("AudioSpectrogram", AudioSpectrogramKernel).Cpu();

}  // namespace
}  // namespace warpbeam
