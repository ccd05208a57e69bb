// The loops of pooling: a window's taps, and channels as lanes of a vector.
//
// Channels are neighbours in memory, so that a vector holds several of them (float, double and,
// computed in float, 16-bit floats; of integers one at a time). For each vector of channels all
// taps are gone through with the intermediate results in registers.
//
//   ForEachTask(ctx, g, [&](const PoolTask& task) {
//     task.ForEachPlace([&](int64_t place, const Taps& taps) { … });
//   });
//
// Thread safety: tasks of one call touch different images or different channels.
#ifndef WARPBEAM_OPS_NN_POOL_POOL_LOOPS_H_
#define WARPBEAM_OPS_NN_POOL_POOL_LOOPS_H_

#include <algorithm>

#include "ops/launch/math.h"
#include "ops/nn/pool/pool_geometry.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/running_step.h"
#include "runtime/kernel/stoppable_loop.h"

namespace warpbeam::host_pass {

// As many channels as one vector holds, loaded and stored as the type it is computed in.
template <class T, bool kFloating = kIsFloat<T>>
struct ChannelLanes {
  using V = Vec<ComputeType<T>>;
  static constexpr int kCount = V::kLanes;
  static V Load(const T* p, int64_t n) {
    if (HWY_LIKELY(n >= kCount)) return LoadVec(p);
    if constexpr (std::is_same_v<T, ComputeType<T>>) {
      const typename V::Tag d;
      return V(hn::MaskedLoad(hn::FirstN(d, static_cast<size_t>(n)), d, p));
    } else {
      return LoadVecN(p, n);
    }
  }
  static void Store(V v, T* p, int64_t n) {
    if (HWY_LIKELY(n >= kCount)) return StoreVec(v, p);
    if constexpr (std::is_same_v<T, ComputeType<T>>) {
      const typename V::Tag d;
      hn::BlendedStore(v.v, hn::FirstN(d, static_cast<size_t>(n)), d, p);
    } else {
      StoreVecN(v, p, n);
    }
  }
  static auto None() { return V(1) < V(0); }
  static auto Not(Mask<ComputeType<T>> m) { return !m; }
  static V Lowest() { return V(-std::numeric_limits<ComputeType<T>>::infinity()); }
};
template <class T>
struct ChannelLanes<T, false> {
  using V = T;
  static constexpr int kCount = 1;
  static V Load(const T* p, int64_t) { return *p; }
  static void Store(V v, T* p, int64_t) { *p = v; }
  static bool None() { return false; }
  static bool Not(bool m) { return !m; }
  static V Lowest() { return std::numeric_limits<T>::lowest(); }
};

// The taps of one place of the window that lie inside the image.
struct Taps {
  const PoolGeometry& g;
  int64_t begin[3];
  int64_t end[3];

  // How many pixels, from the image's first, there are up to the end of the last row with a tap.
  int64_t LastRowEnd() const { return ((end[0] - 1) * g.input[1] + end[1]) * g.input[2]; }
  int64_t count() const { return (end[0] - begin[0]) * (end[1] - begin[1]) * (end[2] - begin[2]); }
  // fn(pixel of the image)
  template <class Fn>
  void ForEach(Fn fn) const {
    for (int64_t z = begin[0]; z < end[0]; ++z) {
      for (int64_t y = begin[1]; y < end[1]; ++y) {
        const int64_t row = (z * g.input[1] + y) * g.input[2];
        for (int64_t x = begin[2]; x < end[2]; ++x) fn(row + x);
      }
    }
  }
};

constexpr int64_t kCacheLine = 64;  // bytes

// One image, some of its channels.
struct PoolTask {
  const PoolGeometry& g;
  int64_t image;
  int64_t first_channel;
  int64_t last_channel;

  // The task's channels of all pixels of the image at `to`.
  template <class T>
  void Fill(T* to, T value) const {
    for (int64_t p = 0; p < g.input_pixels(); ++p) {
      std::fill_n(to + p * g.channels + first_channel, last_channel - first_channel, value);
    }
  }
  // Brings the rows of the image at `from` that the taps lie in into the cache, those behind the
  // first `*read` pixels, in the order in which they lie. Windows come back to a row and go on to
  // the next one, which the processor does not foresee: it would wait for each line on its own.
  template <class T>
  void ReadAhead(const T* from, const Taps& taps, int64_t* read) const {
    const int64_t end = taps.LastRowEnd();
    if (*read >= end) return;
    const bool whole = last_channel - first_channel == g.channels;
    const int64_t runs = whole ? 1 : end - *read;
    const int64_t run = whole ? (end - *read) * g.channels : last_channel - first_channel;
    const T* at = from + *read * g.channels + first_channel;
    for (int64_t i = 0; i < runs; ++i, at += g.channels) {
      for (int64_t k = 0; k < run; k += kCacheLine / sizeof(T)) {
        static_cast<void>(*reinterpret_cast<const volatile char*>(at + k));
      }
    }
    *read = end;
  }
  // fn(place within the image, its taps), in the order of places, as long as the step goes on.
  template <class Fn>
  void ForEachPlace(Fn fn) const {
    constexpr int64_t kManyTaps = 1024;  // so that one place alone takes its time
    Taps taps{g, {}, {}};
    int64_t place = 0, at[3];
    for (at[0] = 0; at[0] < g.output[0]; ++at[0]) {
      for (at[1] = 0; at[1] < g.output[1] && !RunningStep::IsOver(); ++at[1]) {
        for (at[2] = 0; at[2] < g.output[2]; ++at[2], ++place) {
          for (int i = 0; i < 3; ++i) {
            const int64_t from = at[i] * g.stride[i] - g.before[i];
            taps.begin[i] = std::max<int64_t>(0, from);
            taps.end[i] = std::max(taps.begin[i], std::min(g.input[i], from + g.size[i]));
          }
          if (taps.count() >= kManyTaps && RunningStep::IsOver()) return;
          fn(place, taps);
        }
      }
    }
  }
};

// fn(task), on the device's threads.
template <class Fn>
void ForEachTask(const KernelContext& ctx, const PoolGeometry& g, Fn fn) {
  if (g.channels == 0 || g.output_pixels() == 0) return;  // of any number of images

  constexpr int64_t kChannels = 32;  // of one task, where there are few images
  const int64_t blocks = g.batch >= 2 * ctx.width() ? 1 : (g.channels + kChannels - 1) / kChannels;
  const int64_t share = blocks <= 1 ? g.channels : kChannels;
  const int64_t cost = g.Nanoseconds(static_cast<double>(share) / 8);
  StoppableFor(ctx, g.batch * std::max<int64_t>(1, blocks), cost, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t image = i / std::max<int64_t>(1, blocks);
      const int64_t first = i % std::max<int64_t>(1, blocks) * share;
      fn(PoolTask{g, image, first, std::min(g.channels, first + share)});
    }
  });
}

}  // namespace warpbeam::host_pass

#endif  // WARPBEAM_OPS_NN_POOL_POOL_LOOPS_H_
