// DepthwiseConv2dNative and its gradients on a GPU: each result gathers its own products, and the
// filter's gradients are added up by threads that stay with their elements.
#include "ops/launch/math.h"
#include "ops/nn/gpu_loops/channel_walk.h"

#if WB_HOST_PASS
#include <algorithm>
#include <memory>

#include "ops/launch/dispatch.h"
#include "ops/nn/conv/conv_kernels.h"
#include "ops/nn/window/channels.h"
#include "runtime/kernel/gpu_kernel.h"
#endif

namespace warpbeam::WB_PASS {

// Images of height and width, their channels first or last. `groups`: of as many channels as an
// item, of which there are several with channels last only.
struct DepthwiseImages {
  Divisor extent[2], groups;
  int32_t channels;
  bool channels_first;

  struct Item {
    int64_t image;
    int32_t at[2], channel;
  };
  WB_HD Item Find(int64_t index, int width) const {
    Item item;
    int64_t rest = index;
    if (!channels_first) item.channel = static_cast<int32_t>(groups.Split(&rest)) * width;
    item.at[1] = static_cast<int32_t>(extent[1].Split(&rest));
    item.at[0] = static_cast<int32_t>(extent[0].Split(&rest));
    if (channels_first) item.channel = static_cast<int32_t>(groups.Split(&rest));
    item.image = rest;
    return item;
  }
  WB_HD int32_t height() const { return static_cast<int32_t>(extent[0].value); }
  WB_HD int32_t width() const { return static_cast<int32_t>(extent[1].value); }
  // Where the first pixel of an image's channel stands, and how far apart its pixels are.
  WB_HD int64_t Base(int64_t image, int32_t channel) const {
    const int32_t pixels = height() * width();
    return image * (pixels * channels) + channel * (channels_first ? pixels : 1);
  }
  WB_HD int32_t step() const { return channels_first ? 1 : channels; }
};

// The filter is [taps, channels of the output], those of an input's channel beside each other.
struct DepthwiseGeometry {
  DepthwiseImages input, output;
  int32_t filter[2], dilation[2], before[2];
  Divisor stride[2], multiplier;

  // fn(tap, pixel) for the taps of a place that lie in the image.
  template <class Fn>
  WB_BLOCK void ForEachTap(const DepthwiseImages::Item& place, const Fn& fn) const {
    const int32_t y0 = place.at[0] * static_cast<int32_t>(stride[0].value) - before[0];
    const int32_t x0 = place.at[1] * static_cast<int32_t>(stride[1].value) - before[1];
    for (int32_t i = 0; i < filter[0]; ++i) {
      const int32_t y = y0 + i * dilation[0];
      if (y < 0 || y >= input.height()) continue;
      for (int32_t j = 0; j < filter[1]; ++j) {
        const int32_t x = x0 + j * dilation[1];
        if (x >= 0 && x < input.width()) fn(i * filter[1] + j, y * input.width() + x);
      }
    }
  }
  // fn(tap, place) for the places that have a tap at the pixel.
  template <class Fn>
  WB_BLOCK void ForEachPlace(const DepthwiseImages::Item& pixel, const Fn& fn) const {
    for (int32_t i = 0; i < filter[0]; ++i) {
      const int32_t y = PlaceOf(0, pixel.at[0] + before[0] - i * dilation[0]);
      if (y < 0) continue;
      for (int32_t j = 0; j < filter[1]; ++j) {
        const int32_t x = PlaceOf(1, pixel.at[1] + before[1] - j * dilation[1]);
        if (x >= 0) fn(i * filter[1] + j, y * output.width() + x);
      }
    }
  }

 private:
  // The place whose window begins at `from`, counted with the padding; -1 if there is none.
  WB_BLOCK int32_t PlaceOf(int axis, int32_t from) const {
    if (from < 0) return -1;
    const int32_t place = stride[axis].Small(from);
    const bool hits = place * stride[axis].value == from && place < output.extent[axis].value;
    return hits ? place : -1;
  }
};

// Several channels are one item where each has one filter.
template <class T, int kWidth>
struct DepthwiseBlock {
  DepthwiseGeometry g;
  int64_t items;
  const T *x, *filter;
  T* y;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, items, [&](int64_t index) {
      const auto place = g.output.Find(index, kWidth);
      const T* const image = x + g.input.Base(place.image, g.multiplier.Small(place.channel));
      const T* const weights = filter + place.channel;
      ComputeType<T> sum[kWidth] = {};
      g.ForEachTap(place, [&](int32_t tap, int32_t pixel) {
        const Pack<T, kWidth> v = LoadPack<kWidth>(image + pixel * g.input.step());
        const Pack<T, kWidth> w = LoadPack<kWidth>(weights + tap * g.output.channels);
        for (int i = 0; i < kWidth; ++i) {
          sum[i] += ComputeType<T>(v.at[i]) * ComputeType<T>(w.at[i]);
        }
      });
      Pack<T, kWidth> result;
      for (int i = 0; i < kWidth; ++i) result.at[i] = T(sum[i]);
      StorePack(result, y + index * kWidth);
    });
  }
};

template <class T, int kWidth>
struct DepthwiseToInputBlock {
  DepthwiseGeometry g;
  int64_t items;
  const T *dy, *filter;
  T* dx;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, items, [&](int64_t index) {
      const auto pixel = g.input.Find(index, kWidth);
      const auto several = static_cast<int32_t>(g.multiplier.value);
      ComputeType<T> sum[kWidth] = {};
      for (int32_t k = 0; k < several; ++k) {
        const int32_t channel = pixel.channel * several + k;
        const T* const image = dy + g.output.Base(pixel.image, channel);
        const T* const weights = filter + channel;
        g.ForEachPlace(pixel, [&](int32_t tap, int32_t place) {
          const Pack<T, kWidth> v = LoadPack<kWidth>(image + place * g.output.step());
          const Pack<T, kWidth> w = LoadPack<kWidth>(weights + tap * g.output.channels);
          for (int i = 0; i < kWidth; ++i) {
            sum[i] += ComputeType<T>(v.at[i]) * ComputeType<T>(w.at[i]);
          }
        });
      }
      Pack<T, kWidth> result;
      for (int i = 0; i < kWidth; ++i) result.at[i] = T(sum[i]);
      StorePack(result, dx + index * kWidth);
    });
  }
};

// The filter's elements are the channels of a walk whose rows are the places of all images.
template <class T>
struct DepthwiseToFilterTerm {
  using Element = T;
  using Sum = ComputeType<T>;
  struct Running {
    int32_t channel, y, x;
    Sum sum;
  };
  DepthwiseGeometry g;
  Divisor elements, channels, columns;  // of the filter, of a tap, of taps in a row
  const T *x, *dy;

  WB_BLOCK Running Start(int64_t element) const {
    int64_t tap = element;
    const auto channel = static_cast<int32_t>(channels.Split(&tap));
    const auto column = static_cast<int32_t>(columns.Split(&tap));
    return {channel, static_cast<int32_t>(tap) * g.dilation[0] - g.before[0],
            column * g.dilation[1] - g.before[1], 0};
  }
  // The elements of an item share a tap.
  template <int kWidth>
  WB_BLOCK void Take(int64_t at, Running* running) const {
    const Running& first = running[0];
    int64_t image = elements.Quotient(at);
    const auto px = static_cast<int32_t>(g.output.extent[1].Split(&image));
    const auto py = static_cast<int32_t>(g.output.extent[0].Split(&image));
    const int32_t iy = py * static_cast<int32_t>(g.stride[0].value) + first.y;
    const int32_t ix = px * static_cast<int32_t>(g.stride[1].value) + first.x;
    if (iy < 0 || ix < 0 || iy >= g.input.height() || ix >= g.input.width()) return;
    const int32_t place = py * g.output.width() + px, pixel = iy * g.input.width() + ix;
    const T* const from = dy + g.output.Base(image, first.channel) + place * g.output.step();
    const T* const data = x + g.input.Base(image, g.multiplier.Small(first.channel));
    const Pack<T, kWidth> d = LoadPack<kWidth>(from);
    const Pack<T, kWidth> v = LoadPack<kWidth>(data + pixel * g.input.step());
    for (int i = 0; i < kWidth; ++i) running[i].sum += Sum(v.at[i]) * Sum(d.at[i]);
  }
  static WB_BLOCK Sum Result(const Running& r) { return r.sum; }
  static WB_BLOCK Sum Join(Sum a, Sum b) { return a + b; }
};
template <class T>
struct KeepFilterSum {
  T* sums;
  WB_BLOCK void operator()(int64_t element, ComputeType<T> sum) const { sums[element] = T(sum); }
};

#define WB_DEPTHWISE_FUNCTIONS(T)                        \
  WB_GPU_FUNCTION(DepthwiseBlock<T, 1>);                 \
  WB_GPU_FUNCTION(DepthwiseBlock<T, kWidest<T>>);        \
  WB_GPU_FUNCTION(DepthwiseToInputBlock<T, 1>);          \
  WB_GPU_FUNCTION(DepthwiseToInputBlock<T, kWidest<T>>); \
  WB_CHANNEL_SUMS(DepthwiseToFilterTerm<T>, KeepFilterSum<T>)
WB_DEPTHWISE_FUNCTIONS(Half);
WB_DEPTHWISE_FUNCTIONS(BFloat16);
WB_DEPTHWISE_FUNCTIONS(float);
WB_DEPTHWISE_FUNCTIONS(double);

#if WB_HOST_PASS
namespace {

// UNIMPLEMENTED where a number of an image does not fit 31 bits. Items are `width` channels wide.
StatusOr<DepthwiseGeometry> DepthwiseGeometryOf(const ConvGeometry& g, bool channels_first,
                                                int width) {
  constexpr int64_t kMost = int64_t{1} << 30;
  DepthwiseGeometry result;
  const auto fits = [&](std::initializer_list<double> factors) {
    double product = 1;
    for (const double f : factors) product *= std::max(1.0, f);
    return product < static_cast<double>(kMost);
  };
  const auto real = [](int64_t v) { return static_cast<double>(v); };
  bool all = fits({real(g.input_pixels()), real(g.in_channels)}) &&
             fits({real(g.output_pixels()), real(g.out_channels)}) &&
             fits({real(g.filter_elements())});
  for (int i = 0; i < 2; ++i) {
    all &= fits({real(g.dilation[i + 1]), real(g.filter[i + 1])}) &&
           fits({real(g.output[i + 1]), real(g.stride[i + 1])}) && g.before[i + 1] < kMost;
    if (!all) return Unimplemented("depthwise convolutions of 2^30 places and more on a GPU");
    result.input.extent[i] = DivisorOf(std::max<int64_t>(1, g.input[i + 1]));
    result.output.extent[i] = DivisorOf(std::max<int64_t>(1, g.output[i + 1]));
    result.stride[i] = DivisorOf(g.stride[i + 1]);
    result.filter[i] = static_cast<int32_t>(g.filter[i + 1]);
    result.dilation[i] = static_cast<int32_t>(g.dilation[i + 1]);
    result.before[i] = static_cast<int32_t>(g.before[i + 1]);
  }
  result.input.channels_first = result.output.channels_first = channels_first;
  result.input.channels = static_cast<int32_t>(g.in_channels);
  result.output.channels = static_cast<int32_t>(g.out_channels);
  result.input.groups = DivisorOf(std::max<int64_t>(1, g.in_channels / width));
  result.output.groups = DivisorOf(std::max<int64_t>(1, g.out_channels / width));
  result.multiplier = DivisorOf(std::max<int64_t>(1, g.group_outputs()));
  return result;
}

template <ConvPass kPass>
class DepthwiseOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const ConvAttrs attrs,
                        ConvKernelAttrs(init, /*spatial=*/2, /*depthwise=*/true, kPass));
    return std::make_unique<DepthwiseOnGpu>(attrs);
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<DepthwiseBlock<float, 1>>(); }
  explicit DepthwiseOnGpu(const ConvAttrs& attrs) : attrs_(attrs) {}

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    WB_ASSIGN_OR_RETURN(const ConvCall call, CheckConvCall(ctx, attrs_, kPass, /*on_cpu=*/false));
    constexpr bool kToFilter = kPass == ConvPass::kBackwardFilter;
    WB_ASSIGN_OR_RETURN(
        Tensor * result,
        ctx.Allocate(0, kToFilter ? call.result : FromChannelsLast(call.result, attrs_.format)));
    if (result->num_elements() == 0) return OkStatus();
    return DispatchTypes(FloatTypeList{}, result->dtype(), [&](auto tag) {
      return Run<typename decltype(tag)::type>(ctx, stream, call.geometry, result);
    });
  }

 private:
  template <class T>
  Status Run(KernelContext& ctx, GpuStream& stream, const ConvGeometry& all, Tensor* result) const {
    const int64_t count = result->num_elements();
    T* const to = result->data<T>();
    // The gradients have sizes in the place of what they are the gradient of.
    const T* const a = ctx.input(kPass == ConvPass::kBackwardInput ? 2 : 0).data<T>();
    const T* const b = ctx.input(kPass == ConvPass::kBackwardFilter ? 2 : 1).data<T>();
    const bool first = attrs_.format.channels_first;
    const bool wide =
        !first && all.group_outputs() == 1 && FitsPacks(all.out_channels, sizeof(T), {a, b, to});
    const int width = wide ? kWidest<T> : 1;
    WB_ASSIGN_OR_RETURN(const DepthwiseGeometry g, DepthwiseGeometryOf(all, first, width));
    if constexpr (kPass == ConvPass::kBackwardFilter) {
      const ChannelExtents data{all.batch * all.output_pixels(), count, 1};
      const DepthwiseToFilterTerm<T> term{
          g, DivisorOf(count), DivisorOf(all.out_channels), DivisorOf(all.filter[2]), a, b};
      return LaunchChannelSums(ctx, stream, data, wide, term, KeepFilterSum<T>{to});
    } else {
      const int64_t items = count / width;
      const auto launch = [&](auto constant) {
        constexpr int kWidth = decltype(constant)::value;
        if constexpr (kPass == ConvPass::kForward) {
          return Launch(stream, ElementGrid(items), DepthwiseBlock<T, kWidth>{g, items, a, b, to});
        } else {
          return Launch(stream, ElementGrid(items),
                        DepthwiseToInputBlock<T, kWidth>{g, items, a, b, to});
        }
      };
      return wide ? launch(std::integral_constant<int, kWidest<T>>())
                  : launch(std::integral_constant<int, 1>());
    }
  }

  const ConvAttrs attrs_;
};

}  // namespace

WB_GPU_KERNEL("DepthwiseConv2dNative", DepthwiseOnGpu<ConvPass::kForward>);
WB_GPU_KERNEL("DepthwiseConv2dNativeBackpropInput", DepthwiseOnGpu<ConvPass::kBackwardInput>);
WB_GPU_KERNEL("DepthwiseConv2dNativeBackpropFilter", DepthwiseOnGpu<ConvPass::kBackwardFilter>);
#endif

}  // namespace warpbeam::WB_PASS
