#include "ops/launch/dispatch.h"
#include "ops/nn/pool/max_pool.h"
#include "ops/nn/pool/pool_loops.h"
#include "runtime/kernel/stoppable_loop.h"

namespace warpbeam::host_pass {
namespace {

// y[c] = the greatest of at[0 … kTaps - 1][c], for a number of taps known when it is compiled.
template <int kTaps, class T>
void GreatestOf(const T* const* at, int64_t channels, T* y) {
  using L = ChannelLanes<T>;
  for (int64_t c = 0; c < channels; c += L::kCount) {
    const int64_t n = channels - c;
    auto best = L::Lowest();
    for (int k = 0; k < kTaps; ++k) best = Max(L::Load(at[k] + c, n), best);
    L::Store(best, y + c, n);
  }
}

// The same of any number of taps.
template <class T>
void GreatestOf(const Taps& taps, const T* image, int64_t stride, int64_t channels, T* y) {
  using L = ChannelLanes<T>;
  for (int64_t c = 0; c < channels; c += L::kCount) {
    const int64_t n = channels - c;
    auto best = L::Lowest();
    taps.ForEach([&](int64_t pixel) { best = Max(L::Load(image + pixel * stride + c, n), best); });
    L::Store(best, y + c, n);
  }
}

template <class T>
void Forward(const KernelContext& ctx, const PoolGeometry& g, const T* x, T* y) {
  ForEachTask(ctx, g, [&](const PoolTask& task) {
    const int64_t first = task.first_channel, channels = task.last_channel - first;
    const T* image = x + task.image * g.input_pixels() * g.channels;
    T* result = y + task.image * g.output_pixels() * g.channels + first;
    int64_t read = 0;
    task.ForEachPlace([&](int64_t place, const Taps& taps) {
      task.ReadAhead(image, taps, &read);
      T* const to = result + place * g.channels;
      // The windows of nearly all nets, without a loop over rows and columns for each vector.
      const int64_t count = taps.count();
      if (count != 4 && count != 9) {
        return GreatestOf(taps, image + first, g.channels, channels, to);
      }
      const T* at[9];
      const T** next = at;
      taps.ForEach([&](int64_t pixel) { *next++ = image + pixel * g.channels + first; });
      count == 4 ? GreatestOf<4>(at, channels, to) : GreatestOf<9>(at, channels, to);
    });
  });
}

template <class T>
void Backward(const KernelContext& ctx, MaxRule rule, const PoolGeometry& g, const T* x, const T* y,
              const T* dy, T* dx) {
  using L = ChannelLanes<T>;
  const bool tiles = g.tiles();
  ForEachTask(ctx, g, [&](const PoolTask& task) {
    const T* image = x + task.image * g.input_pixels() * g.channels;
    T* target = dx + task.image * g.input_pixels() * g.channels;
    if (!tiles) task.Fill(target, T(0));
    int64_t read = 0;
    task.ForEachPlace([&](int64_t place, const Taps& taps) {
      task.ReadAhead(image, taps, &read);
      const int64_t at = (task.image * g.output_pixels() + place) * g.channels;
      for (int64_t c = task.first_channel; c < task.last_channel; c += L::kCount) {
        const int64_t n = task.last_channel - c;
        const auto gradient = L::Load(dy + at + c, n);
        auto taken = L::None();
        auto best = L::Lowest();
        if (rule == MaxRule::kAllEqual) {
          best = L::Load(y + at + c, n);
        } else {
          bool first = true;
          taps.ForEach([&](int64_t pixel) {
            const auto v = L::Load(image + pixel * g.channels + c, n);
            best = first ? v : Where(best < v, v, best);
            first = false;
          });
        }
        // A window that begins with NaN keeps it as its maximum, at its first place.
        const auto nan = best != best;
        taps.ForEach([&](int64_t pixel) {
          const int64_t offset = pixel * g.channels + c;
          auto here = L::Load(image + offset, n) == best;
          if (rule == MaxRule::kFirst) {
            here = (here | nan) & L::Not(taken);
            taken = taken | here;
          }
          const auto sum = tiles ? typename L::V(0) : L::Load(target + offset, n);
          L::Store(Where(here, Plus(sum, gradient), sum), target + offset, n);
        });
      }
    });
  });
}

template <class T>
void Select(const KernelContext& ctx, const PoolGeometry& g, const T* x, const T* y, const T* from,
            T* to) {
  using L = ChannelLanes<T>;
  ForEachTask(ctx, g, [&](const PoolTask& task) {
    const int64_t image = task.image * g.input_pixels() * g.channels;
    task.ForEachPlace([&](int64_t place, const Taps& taps) {
      const int64_t at = (task.image * g.output_pixels() + place) * g.channels;
      for (int64_t c = task.first_channel; c < task.last_channel; c += L::kCount) {
        const int64_t n = task.last_channel - c;
        const auto best = L::Load(y + at + c, n);
        auto taken = L::None();
        auto result = typename L::V(0);
        taps.ForEach([&](int64_t pixel) {
          const int64_t offset = image + pixel * g.channels + c;
          const auto here = (L::Load(x + offset, n) == best) & L::Not(taken);
          taken = taken | here;
          result = Where(here, L::Load(from + offset, n), result);
        });
        L::Store(result, to + at + c, n);
      }
    });
  });
}

// Runs of channels: y[i] = the greatest of x[i * window … ].
template <class T>
void OverChannels(const KernelContext& ctx, const PoolGeometry& g, const T* x, T* y) {
  const int64_t window = g.channel_window;
  const int64_t count = g.batch * g.input_pixels() * g.channels / window;
  StoppableFor(ctx, count, window, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      T best = x[i * window];
      for (int64_t k = 1; k < window; ++k) {
        const T v = x[i * window + k];
        if (best < v) best = v;
      }
      y[i] = best;
    }
  });
}

}  // namespace
}  // namespace warpbeam::host_pass

namespace warpbeam {

Status MaxPoolForward(const KernelContext& ctx, DType dtype, const PoolGeometry& g, const void* x,
                      void* y) {
  return DispatchTypes(RealTypeList{}, dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (g.channel_window != 1) {
      host_pass::OverChannels(ctx, g, static_cast<const T*>(x), static_cast<T*>(y));
    } else {
      host_pass::Forward(ctx, g, static_cast<const T*>(x), static_cast<T*>(y));
    }
    return OkStatus();
  });
}

Status MaxPoolBackward(const KernelContext& ctx, DType dtype, MaxRule rule, const PoolGeometry& g,
                       const void* x, const void* y, const void* dy, void* dx) {
  return DispatchTypes(RealTypeList{}, dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    host_pass::Backward(ctx, rule, g, static_cast<const T*>(x), static_cast<const T*>(y),
                        static_cast<const T*>(dy), static_cast<T*>(dx));
    return OkStatus();
  });
}

Status MaxPoolSelect(const KernelContext& ctx, DType dtype, const PoolGeometry& g, const void* x,
                     const void* y, const void* from, void* to) {
  return DispatchTypes(RealTypeList{}, dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    host_pass::Select(ctx, g, static_cast<const T*>(x), static_cast<const T*>(y),
                      static_cast<const T*>(from), static_cast<T*>(to));
    return OkStatus();
  });
}

}  // namespace warpbeam
