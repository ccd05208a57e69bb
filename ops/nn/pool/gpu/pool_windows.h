// PoolWindows: the geometry of a pooling, as a GPU's threads need it: where an element stands,
// which elements lie below a place of the window, and which places of the window an element lies
// below.
//
//   WB_ASSIGN_OR_RETURN(const PoolWindows windows, PoolWindowsOf(geometry, channels_first));
//   const PoolWindows::Item place = windows.Output(item, kWidth);           // on the device
//   windows.Taps(place).ForEach(windows.input, [&](int pixel, int z, int y, int x) {
//     sum += image[pixel * windows.channels];
//   });
//
// Data lies as [images, depth, height, width, channels]. With channels first each channel is an
// image of its own with one channel.
//
// Thread safety: pure. Errors: UNIMPLEMENTED for images of 2^30 elements and more.
#ifndef WARPBEAM_OPS_NN_POOL_GPU_POOL_WINDOWS_H_
#define WARPBEAM_OPS_NN_POOL_GPU_POOL_WINDOWS_H_

#include "ops/nn/gpu_loops/items.h"
#if WB_HOST_PASS
#include "ops/nn/pool/pool_geometry.h"
#endif

namespace warpbeam::WB_PASS {

struct PoolWindows {
  int64_t images;
  int32_t channels;
  int32_t input[3], size[3], before[3], output[3];
  Divisor stride[3], groups, by_input[3], by_output[3];  // groups: of as many channels as an item

  // `width` neighbouring channels of one pixel.
  struct Item {
    int64_t image;
    int32_t at[3], channel;
  };
  // Elements of all three axes, from begin to before end.
  struct Box {
    int32_t begin[3], end[3];
    WB_HD int32_t count() const {
      return (end[0] - begin[0]) * (end[1] - begin[1]) * (end[2] - begin[2]);
    }
    // fn(number in an image of the extent, z, y, x)
    template <class Fn>
    WB_BLOCK void ForEach(const int32_t extent[3], const Fn& fn) const {
      for (int32_t z = begin[0]; z < end[0]; ++z) {
        for (int32_t y = begin[1]; y < end[1]; ++y) {
          const int32_t row = (z * extent[1] + y) * extent[2];
          for (int32_t x = begin[2]; x < end[2]; ++x) fn(row + x, z, y, x);
        }
      }
    }
  };

  WB_HD int64_t InputItems() const {
    return images * input[0] * input[1] * input[2] * groups.value;
  }
  WB_HD int64_t OutputItems() const {
    return images * output[0] * output[1] * output[2] * groups.value;
  }
  WB_HD Item Input(int64_t item, int width) const { return At(item, by_input, width); }
  WB_HD Item Output(int64_t item, int width) const { return At(item, by_output, width); }
  // Where an image's first element of a channel stands; pixels stand `channels` apart from there.
  WB_HD int64_t InputBase(const Item& item) const {
    return item.image * (input[0] * input[1] * input[2] * channels) + item.channel;
  }
  WB_HD int64_t OutputBase(const Item& item) const {
    return item.image * (output[0] * output[1] * output[2] * channels) + item.channel;
  }
  WB_HD int32_t Pixel(const Item& item) const {
    return (item.at[0] * input[1] + item.at[1]) * input[2] + item.at[2];
  }

  // The pixels of the image below the window's place.
  WB_HD Box Taps(const Item& place) const { return Taps(place.at[0], place.at[1], place.at[2]); }
  WB_HD Box Taps(int32_t z, int32_t y, int32_t x) const {
    const int32_t at[3] = {z, y, x};
    Box box;
    for (int i = 0; i < 3; ++i) {
      const int32_t from = at[i] * static_cast<int32_t>(stride[i].value) - before[i];
      const int32_t to = from + size[i];
      box.begin[i] = from < 0 ? 0 : from;
      const int32_t end = to < input[i] ? to : input[i];
      box.end[i] = end < box.begin[i] ? box.begin[i] : end;
    }
    return box;
  }
  // The places of the window that the pixel lies below.
  WB_HD Box Places(const Item& pixel) const {
    Box box;
    for (int i = 0; i < 3; ++i) {
      const int32_t at = pixel.at[i] + before[i], first = at - size[i];
      box.begin[i] = first < 0 ? 0 : stride[i].Small(first) + 1;
      const int32_t end = stride[i].Small(at) + 1;
      box.end[i] = end < output[i] ? end : output[i];
    }
    return box;
  }

 private:
  WB_HD Item At(int64_t item, const Divisor* extent, int width) const {
    Item result;
    int64_t rest = item;
    result.channel = static_cast<int32_t>(groups.Split(&rest)) * width;
    for (int i = 2; i >= 0; --i) result.at[i] = static_cast<int32_t>(extent[i].Split(&rest));
    result.image = rest;
    return result;
  }
};

#if WB_HOST_PASS

// UNIMPLEMENTED where a number of an image does not fit 31 bits.
inline StatusOr<PoolWindows> PoolWindowsOf(const PoolGeometry& g, bool channels_first) {
  PoolWindows windows;
  windows.images = channels_first ? g.batch * g.channels : g.batch;
  const int64_t channels = channels_first ? 1 : g.channels;
  constexpr int64_t kMost = int64_t{1} << 30;
  bool fits = channels < kMost;
  int64_t input = std::max<int64_t>(1, channels), output = input;
  const auto divisor = [](int64_t extent) { return DivisorOf(std::max<int64_t>(1, extent)); };
  for (int i = 0; i < 3; ++i) {
    // What of a window lies before the image at all its places, or behind it, does not count: a
    // window may be far larger than the image.
    const int64_t stride = g.output[i] > 1 ? g.stride[i] : 1;
    const int64_t before = std::min(g.before[i], (std::max<int64_t>(1, g.output[i]) - 1) * stride);
    const int64_t below = std::max<int64_t>(0, g.size[i] - (g.before[i] - before));
    const int64_t size = std::min(below, g.input[i] + before);
    fits &= g.input[i] < kMost && before < kMost && g.output[i] < kMost && size < kMost &&
            g.output[i] * stride < kMost;
    if (!fits) break;
    input *= g.input[i];
    output *= g.output[i];
    fits &= input < kMost && output < kMost;
    windows.input[i] = static_cast<int32_t>(g.input[i]);
    windows.size[i] = static_cast<int32_t>(size);
    windows.before[i] = static_cast<int32_t>(before);
    windows.output[i] = static_cast<int32_t>(g.output[i]);
    windows.stride[i] = DivisorOf(stride);
    windows.by_input[i] = divisor(g.input[i]);
    windows.by_output[i] = divisor(g.output[i]);
  }
  windows.channels = static_cast<int32_t>(channels);
  if (!fits) return Unimplemented("pooling of images of 2^30 elements and more on a GPU");
  return windows;
}

// What of an argument has to be aligned.
inline const void* AddressIn(const void* argument) { return argument; }
inline const void* AddressIn(bool) { return nullptr; }

// Launches Block<T, kWidth>{windows, arguments…} over its items, with items as wide as the channels
// and the addresses allow.
template <template <class, int> class Block, class T, class... Arguments>
Status LaunchPool(GpuStream& stream, PoolWindows windows, bool over_output,
                  Arguments... arguments) {
  constexpr int kWide = kWidest<T>;
  const bool wide = FitsPacks(windows.channels, sizeof(T), {AddressIn(arguments)...});
  const int64_t groups = wide ? windows.channels / kWide : windows.channels;
  if (groups == 0) return OkStatus();
  windows.groups = DivisorOf(groups);
  const int64_t items = over_output ? windows.OutputItems() : windows.InputItems();
  if (items == 0) return OkStatus();
  if (wide) return Launch(stream, ElementGrid(items), Block<T, kWide>{windows, arguments...});
  return Launch(stream, ElementGrid(items), Block<T, 1>{windows, arguments...});
}

#endif  // WB_HOST_PASS

#define WB_POOL_FUNCTION_OF(Block, T) \
  WB_GPU_FUNCTION(Block<T, 1>);       \
  WB_GPU_FUNCTION(Block<T, kWidest<T>>)
#define WB_POOL_FUNCTION(Block)         \
  WB_POOL_FUNCTION_OF(Block, Half);     \
  WB_POOL_FUNCTION_OF(Block, BFloat16); \
  WB_POOL_FUNCTION_OF(Block, float);    \
  WB_POOL_FUNCTION_OF(Block, double)

}  // namespace warpbeam::WB_PASS

#endif  // WARPBEAM_OPS_NN_POOL_GPU_POOL_WINDOWS_H_
