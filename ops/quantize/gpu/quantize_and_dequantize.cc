// QuantizeAndDequantize and its versions 2, 3 and 4 on a GPU, and the gradient of version 4. Ranges
// that are those of the numbers stay there.
#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_function.h"
#include "ops/quantize/round_levels.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/array/gpu_copier.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

template <class T>
struct RoundRange {
  T low, high;
};

// The range of each channel of x[outer, channels, inner]; with pieces > 1 those of its pieces,
// [channels, pieces]. A block takes a piece.
template <class T>
struct FindRangesBlock {
  const T* x;
  RoundRange<T>* ranges;
  int64_t outer, channels, inner, pieces;

  WB_BLOCK void operator()(GpuBlock& block) const {
    for (int64_t item = block.index(); item < channels * pieces; item += block.count()) {
      const int64_t channel = item / pieces, piece = item - channel * pieces;
      const RoundRange<T> all = block.Reduce(
          [&](int thread) {
            constexpr T kInfinity = std::numeric_limits<T>::infinity();
            RoundRange<T> part = {kInfinity, -kInfinity};
            for (int64_t i = piece * block.threads() + thread; i < outer * inner;
                 i += pieces * block.threads()) {
              const int64_t row = i / inner;
              const T value = x[(row * channels + channel) * inner + (i - row * inner)];
              if (value < part.low) part.low = value;
              if (value > part.high) part.high = value;
            }
            return part;
          },
          [](RoundRange<T> a, RoundRange<T> b) { return Both(a, b); });
      block.ForEach([&](int thread) {
        if (thread == 0) ranges[item] = all;
      });
    }
  }
  WB_HD static RoundRange<T> Both(RoundRange<T> a, RoundRange<T> b) {
    return {b.low < a.low ? b.low : a.low, b.high > a.high ? b.high : a.high};
  }
};

// The levels of each channel, whose range is that of all its pieces.
template <class T>
struct MakeLevelsBlock {
  const RoundRange<T>* ranges;  // [channels, pieces]
  RoundLevels<T>* levels;
  int64_t channels, pieces, bits;
  RoundOptions options;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, channels, [&](int64_t i) {
      RoundRange<T> range = ranges[i * pieces];
      for (int64_t p = 1; p < pieces; ++p) {
        range = FindRangesBlock<T>::Both(range, ranges[i * pieces + p]);
      }
      levels[i] = RoundLevels<T>(range.low, range.high, bits, options);
    });
  }
};

template <class T>
struct RoundToLevelsBlock {
  const T* x;
  T* y;
  const RoundLevels<T>* levels;  // [channels]
  int64_t count, channels, inner;
  bool half_up;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count,
                   [&](int64_t i) { y[i] = levels[i / inner % channels].Rounded(x[i], half_up); });
  }
};

template <class T>
struct RoundGradBlock {
  const T* dy;
  const T* x;
  T* dx;
  const T* low;  // [channels]
  const T* high;
  int64_t count, channels, inner;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count, [&](int64_t i) {
      const int64_t channel = i / inner % channels;
      dx[i] = x[i] >= low[channel] && x[i] <= high[channel] ? dy[i] : T(0);
    });
  }
};

#define WB_ROUND_BLOCKS(T)                \
  WB_GPU_FUNCTION(FindRangesBlock<T>);    \
  WB_GPU_FUNCTION(MakeLevelsBlock<T>);    \
  WB_GPU_FUNCTION(RoundToLevelsBlock<T>); \
  WB_GPU_FUNCTION(RoundGradBlock<T>)
WB_ROUND_BLOCKS(float);
WB_ROUND_BLOCKS(double);

#if WB_HOST_PASS
namespace {

// Memory on the GPU for `count` values; it goes with the tensor.
template <class V>
StatusOr<Tensor> RoomFor(KernelContext& ctx, int64_t count) {
  return ctx.AllocateTemp(DType::kUInt8, Shape({count * static_cast<int64_t>(sizeof(V))}));
}

class RoundOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const RoundPlan plan, RoundPlan::FromAttrs(init));
    return std::make_unique<RoundOnGpu>(plan);
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<RoundToLevelsBlock<float>>(); }
  explicit RoundOnGpu(const RoundPlan& plan) : plan_(plan) {}

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    WB_ASSIGN_OR_RETURN(const int64_t bits, plan_.Bits(ctx));
    return DispatchTypes<float, double>(ctx.input(0).dtype(), [&](auto tag) {
      return Run<typename decltype(tag)::type>(ctx, stream, bits);
    });
  }

 private:
  template <class T>
  Status Run(KernelContext& ctx, GpuStream& stream, int64_t bits) const {
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(const Channels channels, Channels::Of(x.shape(), plan_.axis));
    int64_t pieces = 1;
    WB_ASSIGN_OR_RETURN(Tensor ranges, FindRanges<T>(ctx, stream, channels, &pieces));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
    const int64_t count = x.num_elements();
    if (count == 0) return OkStatus();
    WB_ASSIGN_OR_RETURN(Tensor levels, RoomFor<RoundLevels<T>>(ctx, channels.count));
    auto* const made = static_cast<RoundLevels<T>*>(levels.raw_data());
    WB_RETURN_IF_ERROR(
        Launch(stream, ElementGrid(channels.count),
               MakeLevelsBlock<T>{static_cast<const RoundRange<T>*>(ranges.raw_data()), made,
                                  channels.count, pieces, bits, plan_.options}));
    return Launch(stream, ElementGrid(count),
                  RoundToLevelsBlock<T>{x.data<T>(), y->data<T>(), made, count, channels.count,
                                        channels.inner, plan_.options.half_up});
  }

  // Those of all pieces of a channel's numbers, one after the other, or the given one.
  template <class T>
  StatusOr<Tensor> FindRanges(KernelContext& ctx, GpuStream& stream, const Channels& channels,
                              int64_t* pieces) const {
    if (plan_.options.range_given) {
      WB_ASSIGN_OR_RETURN(const auto given, plan_.GivenRanges<T>(ctx, channels));
      std::vector<RoundRange<T>> values;
      for (const auto& [low, high] : given) values.push_back({low, high});
      WB_ASSIGN_OR_RETURN(Tensor ranges, RoomFor<RoundRange<T>>(ctx, channels.count));
      WB_RETURN_IF_ERROR(
          GpuCopier(stream).CopyFromHost(ranges.raw_data(), values.data(), ranges.num_elements()));
      return ranges;
    }
    FindRangesBlock<T> find = {ctx.input(0).data<T>(), nullptr,        channels.outer,
                               channels.count,         channels.inner, 1};
    GpuGrid grid;
    const int64_t most = (channels.outer * channels.inner) / grid.threads;
    while (find.pieces * 2 <= most && find.pieces * channels.count < 512) find.pieces *= 2;
    *pieces = find.pieces;
    WB_ASSIGN_OR_RETURN(Tensor ranges, RoomFor<RoundRange<T>>(ctx, channels.count * find.pieces));
    find.ranges = static_cast<RoundRange<T>*>(ranges.raw_data());
    grid.blocks = GpuBlocksFor(channels.count * find.pieces);
    if (channels.count > 0) WB_RETURN_IF_ERROR(Launch(stream, grid, find));
    return ranges;
  }

  const RoundPlan plan_;
};

class RoundGradOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    return std::make_unique<RoundGradOnGpu>(init.attrs.GetOr<int64_t>("axis", -1));
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<RoundGradBlock<float>>(); }
  explicit RoundGradOnGpu(int64_t axis) : axis_(axis) {}

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor &dy = ctx.input(0), &x = ctx.input(1), &min = ctx.input(2), &max = ctx.input(3);
    WB_ASSIGN_OR_RETURN(const Channels channels, CheckRoundGradient(ctx, axis_));
    WB_ASSIGN_OR_RETURN(Tensor * dx, ctx.Allocate(0, x.shape()));
    GpuCopier copier(stream);
    for (const int end : {1, 2}) {
      WB_ASSIGN_OR_RETURN(Tensor * end_dx, ctx.Allocate(end, channels.EndShape()));
      WB_RETURN_IF_ERROR(copier.Zero(end_dx->dtype(), end_dx->raw_data(), channels.count));
    }
    const int64_t count = x.num_elements();
    if (count == 0) return OkStatus();
    WB_ASSIGN_OR_RETURN(Tensor ends, ctx.AllocateTemp(x.dtype(), Shape({2, channels.count})));
    return DispatchTypes<float, double>(x.dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      const auto bytes = static_cast<int64_t>(sizeof(T)) * channels.count;
      T *const low = ends.data<T>(), *const high = low + channels.count;
      WB_RETURN_IF_ERROR(copier.CopyFromHost(low, min.raw_data(), bytes));
      WB_RETURN_IF_ERROR(copier.CopyFromHost(high, max.raw_data(), bytes));
      return Launch(stream, ElementGrid(count),
                    RoundGradBlock<T>{dy.data<T>(), x.data<T>(), dx->data<T>(), low, high, count,
                                      channels.count, channels.inner});
    });
  }

 private:
  const int64_t axis_;
};

}  // namespace

WB_GPU_KERNEL("QuantizeAndDequantize", RoundOnGpu);
WB_GPU_KERNEL("QuantizeAndDequantizeV2", RoundOnGpu);
WB_GPU_KERNEL("QuantizeAndDequantizeV3", RoundOnGpu);
WB_GPU_KERNEL("QuantizeAndDequantizeV4", RoundOnGpu);
WB_GPU_KERNEL("QuantizeAndDequantizeV4Grad", RoundGradOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
