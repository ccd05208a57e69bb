// FakeQuantWithMinMaxArgs, …Vars, …VarsPerChannel and their gradients on a GPU. The gradients of a
// range's ends are added up in double, in no order.
#include "ops/array/fake_quant.h"

#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_function.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/array/gpu_copier.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

// Ranges repeat along the elements.
struct FakeQuantBlock {
  const float* x;
  float* y;
  const FakeQuantRange* ranges;  // [channels]
  int64_t count, channels;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count, [&](int64_t i) { y[i] = ranges[i % channels].Quantised(x[i]); });
  }
};

struct FakeQuantGradBlock {
  const float* dy;
  const float* x;
  float* dx;
  const FakeQuantRange* ranges;  // [channels]
  int64_t count, channels;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count,
                   [&](int64_t i) { dx[i] = ranges[i % channels].IsInside(x[i]) ? dy[i] : 0.0f; });
  }
};

// Adds up the gradients below and above each channel's range. A block takes a piece of a channel.
struct FakeQuantEndsBlock {
  const float* dy;
  const float* x;
  double* sums;                  // [2, channels]
  const FakeQuantRange* ranges;  // [channels]
  int64_t rows, channels, pieces;

  WB_BLOCK void operator()(GpuBlock& block) const {
    for (int64_t item = block.index(); item < channels * pieces; item += block.count()) {
      const int64_t channel = item % channels, piece = item / channels;
      const FakeQuantRange range = ranges[channel];
      if (range.is_empty) continue;
      for (int side = 0; side < 2; ++side) {
        const double sum = block.Reduce(
            [&](int thread) {
              double part = 0;
              for (int64_t row = piece * block.threads() + thread; row < rows;
                   row += pieces * block.threads()) {
                const int64_t i = row * channels + channel;
                if (side == 0 ? x[i] < range.min : x[i] > range.max) part += dy[i];
              }
              return part;
            },
            [](double a, double b) { return a + b; });
        block.ForEach([&](int thread) {
          if (thread == 0) AtomicAdd(sums + side * channels + channel, sum);
        });
      }
    }
  }
};

struct FakeQuantRoundBlock {
  const double* sums;
  float* below;
  float* above;
  int64_t channels;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, channels, [&](int64_t i) {
      below[i] = static_cast<float>(sums[i]);
      above[i] = static_cast<float>(sums[channels + i]);
    });
  }
};

WB_GPU_FUNCTION(FakeQuantBlock);
WB_GPU_FUNCTION(FakeQuantGradBlock);
WB_GPU_FUNCTION(FakeQuantEndsBlock);
WB_GPU_FUNCTION(FakeQuantRoundBlock);

#if WB_HOST_PASS
namespace {

enum class RangesFrom { kAttributes, kScalars, kVectors };

template <RangesFrom kFrom, bool kGradient>
class FakeQuantOnGpu final : public GpuKernel {
 public:
  explicit FakeQuantOnGpu(const AttrMap& attrs) : attrs_(attrs) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_RETURN_IF_ERROR(FakeQuantLevelsOf(init.attrs).status());
    if (kFrom == RangesFrom::kAttributes) {
      WB_RETURN_IF_ERROR(FakeQuantRangeOf(init.attrs).status());
    }
    return std::make_unique<FakeQuantOnGpu>(init.attrs);
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<FakeQuantBlock>(); }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    std::vector<FakeQuantRange> ranges;
    WB_RETURN_IF_ERROR(ReadRanges(ctx, &ranges));
    if (kGradient) WB_RETURN_IF_ERROR(CheckFakeQuantGradient(ctx));
    const int64_t bytes = static_cast<int64_t>(ranges.size() * sizeof(FakeQuantRange));
    WB_ASSIGN_OR_RETURN(Tensor kept, ctx.AllocateTemp(DType::kUInt8, Shape({bytes})));
    WB_RETURN_IF_ERROR(GpuCopier(stream).CopyFromHost(kept.raw_data(), ranges.data(), bytes));
    const auto* const on_gpu = static_cast<const FakeQuantRange*>(kept.raw_data());
    const auto channels = static_cast<int64_t>(ranges.size());
    if (kGradient) return EnqueueGradient(ctx, stream, on_gpu, channels);
    const Tensor& x = ctx.input(0);
    const int64_t count = x.num_elements();
    const float* const from = x.data<float>();
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.ForwardOrAllocate({0}, 0, x.shape()));
    if (count == 0) return OkStatus();
    return Launch(stream, ElementGrid(count),
                  FakeQuantBlock{from, y->data<float>(), on_gpu, count, channels});
  }

 private:
  Status ReadRanges(const KernelContext& ctx, std::vector<FakeQuantRange>* ranges) const {
    if (kFrom == RangesFrom::kAttributes) {
      WB_ASSIGN_OR_RETURN(const FakeQuantRange range, FakeQuantRangeOf(attrs_));
      ranges->push_back(range);
      return OkStatus();
    }
    WB_ASSIGN_OR_RETURN(const FakeQuantLevels levels, FakeQuantLevelsOf(attrs_));
    WB_ASSIGN_OR_RETURN(*ranges, ReadFakeQuantRanges(ctx, kGradient ? 2 : 1,
                                                     kFrom == RangesFrom::kVectors, levels));
    return OkStatus();
  }

  static Status EnqueueGradient(KernelContext& ctx, GpuStream& stream, const FakeQuantRange* ranges,
                                int64_t channels) {
    const Tensor &dy = ctx.input(0), &x = ctx.input(1);
    const int64_t count = x.num_elements();
    WB_ASSIGN_OR_RETURN(Tensor * dx, ctx.Allocate(0, x.shape()));
    if (count > 0) {
      WB_RETURN_IF_ERROR(Launch(stream, ElementGrid(count),
                                FakeQuantGradBlock{dy.data<float>(), x.data<float>(),
                                                   dx->data<float>(), ranges, count, channels}));
    }
    if (kFrom == RangesFrom::kAttributes) return OkStatus();
    const Shape ends = ctx.input(2).shape();
    WB_ASSIGN_OR_RETURN(Tensor * below, ctx.Allocate(1, ends));
    WB_ASSIGN_OR_RETURN(Tensor * above, ctx.Allocate(2, ends));
    if (channels == 0) return OkStatus();
    WB_ASSIGN_OR_RETURN(Tensor sums, ctx.AllocateTemp(DType::kDouble, Shape({2, channels})));
    WB_RETURN_IF_ERROR(GpuCopier(stream).Zero(DType::kDouble, sums.raw_data(), 2 * channels));
    double* const at = static_cast<double*>(sums.raw_data());
    if (count > 0) {
      FakeQuantEndsBlock add = {dy.data<float>(), x.data<float>(), at, ranges, 0, channels, 1};
      add.rows = count / channels;
      GpuGrid grid;
      const int64_t most = (add.rows + grid.threads - 1) / grid.threads;
      while (add.pieces * 2 <= most && add.pieces * channels < 512) add.pieces *= 2;
      grid.blocks = GpuBlocksFor(channels * add.pieces);
      WB_RETURN_IF_ERROR(Launch(stream, grid, add));
    }
    return Launch(stream, ElementGrid(channels),
                  FakeQuantRoundBlock{at, below->data<float>(), above->data<float>(), channels});
  }

  const AttrMap attrs_;
};

using FakeQuantArgs = FakeQuantOnGpu<RangesFrom::kAttributes, false>;
using FakeQuantArgsGradient = FakeQuantOnGpu<RangesFrom::kAttributes, true>;
using FakeQuantVars = FakeQuantOnGpu<RangesFrom::kScalars, false>;
using FakeQuantVarsGradient = FakeQuantOnGpu<RangesFrom::kScalars, true>;
using FakeQuantChannels = FakeQuantOnGpu<RangesFrom::kVectors, false>;
using FakeQuantChannelsGradient = FakeQuantOnGpu<RangesFrom::kVectors, true>;

}  // namespace

WB_GPU_KERNEL("FakeQuantWithMinMaxArgs", FakeQuantArgs);
WB_GPU_KERNEL("FakeQuantWithMinMaxArgsGradient", FakeQuantArgsGradient);
WB_GPU_KERNEL("FakeQuantWithMinMaxVars", FakeQuantVars);
WB_GPU_KERNEL("FakeQuantWithMinMaxVarsGradient", FakeQuantVarsGradient);
WB_GPU_KERNEL("FakeQuantWithMinMaxVarsPerChannel", FakeQuantChannels);
WB_GPU_KERNEL("FakeQuantWithMinMaxVarsPerChannelGradient", FakeQuantChannelsGradient);
#endif

}  // namespace warpbeam::WB_PASS
