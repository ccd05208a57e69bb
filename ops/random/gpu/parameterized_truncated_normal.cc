// ParameterizedTruncatedNormal on a GPU: a thread for each element, which has a stretch of the
// stream of its own. How values are drawn is the CPU's (ops/random/truncated_sampler.h), in double.
//
// What describes no distribution, and what is never accepted, is NaN: a GPU cannot refuse values.
#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_function.h"
#include "ops/random/gpu/doubles_on_gpu.h"

#if WB_HOST_PASS
#include <algorithm>
#include <memory>
#include <utility>

#include "ops/launch/dispatch.h"
#include "ops/random/random_stream.h"
#include "ops/random/truncated_batches.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

// Normal values of one set of parameters, one after another.
class TruncatedDraw {
 public:
  WB_BLOCK TruncatedDraw(double mean, double stdev, double low, double high)
      : mean_(mean), scale_(stdev) {
    is_valid_ = stdev > 0 && IsFinite(mean) && low < high && (IsFinite(low) || IsFinite(high));
    // The half that holds more of the interval is made the right one.
    if (!IsFinite(low) || high < mean) {
      const double other = low;
      low = high;
      high = other;
      scale_ = -stdev;
    }
    low_ = (low - mean) / scale_;
    high_ = (high - mean) / scale_;
    root_ = Sqrt(low_ * low_ + 4);
  }

  WB_BLOCK double Sample(DoublesOnGpu& numbers) const {
    constexpr int kMostTries = 1000;
    for (int i = 0; is_valid_ && i < kMostTries; ++i) {
      double z = 0;
      if (Try(numbers, &z)) return z * scale_ + mean_;
    }
    return NAN;
  }

 private:
  WB_BLOCK static bool IsFinite(double x) { return x - x == 0; }

  WB_BLOCK bool Try(DoublesOnGpu& numbers, double* z) const {
    constexpr double kWide = 1.3;
    if ((low_ < -kWide && high_ >= 0) || (high_ > kWide && low_ <= 0)) {
      *z = numbers.Normal();
      return *z >= low_ && *z <= high_;
    }
    const double range = high_ - low_;
    const double cutoff = 2 * Exp(0.5 + low_ * (low_ - root_) / 4) / (low_ + root_);
    const double first = numbers.Uniform(), second = numbers.Uniform();
    if (range < cutoff) {
      // The density where it is highest in the interval.
      const double highest = low_ < 0 ? 0 : low_ * low_;
      *z = first * range + low_;
      return second <= Exp((highest - *z * *z) / 2);
    }
    const double rate = (low_ + root_) / 2;
    *z = -Log(first) / rate + low_;
    const double x = low_ < rate ? rate - *z : low_ - rate;
    return second <= Exp(-x * x / 2) && *z < high_;
  }

  double mean_, scale_, low_, high_, root_;
  bool is_valid_;
};

template <class T>
struct TruncatedNormalBlock {
  struct Parameter {
    const T* values;
    int64_t step;  // 0: one for all batches

    WB_BLOCK double At(int64_t batch) const { return static_cast<double>(values[batch * step]); }
  };
  Parameter mean, stdev, low, high;
  T* y;
  int64_t count, per_batch, blocks_per_element;
  PhiloxState state;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count, [&](int64_t i) {
      const int64_t batch = i / per_batch;
      PhiloxState own = state;
      SkipBlocks(own.counter, static_cast<uint64_t>(i * blocks_per_element));
      DoublesOnGpu numbers(own);
      const TruncatedDraw draw(mean.At(batch), stdev.At(batch), low.At(batch), high.At(batch));
      y[i] = static_cast<T>(draw.Sample(numbers));
    });
  }
};
WB_GPU_FUNCTION(TruncatedNormalBlock<Half>);
WB_GPU_FUNCTION(TruncatedNormalBlock<float>);
WB_GPU_FUNCTION(TruncatedNormalBlock<double>);

#if WB_HOST_PASS
namespace {

class TruncatedNormalOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(std::unique_ptr<RandomStream> stream, RandomStream::FromAttrs(init));
    return std::make_unique<TruncatedNormalOnGpu>(std::move(stream));
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<TruncatedNormalBlock<float>>(); }
  explicit TruncatedNormalOnGpu(std::unique_ptr<RandomStream> stream)
      : stream_(std::move(stream)) {}
  bool is_replayable() const override { return false; }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    WB_ASSIGN_OR_RETURN(const TruncatedBatches batches, TruncatedBatches::Of(ctx));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, batches.shape));
    const int64_t count = y->num_elements();
    if (count == 0) return OkStatus();
    const Philox own = stream_->ReserveForElements(count);
    return DispatchTypes<Half, float, double>(y->dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      const auto parameter = [&](int input) {
        const Tensor& t = ctx.input(input);
        return
            typename TruncatedNormalBlock<T>::Parameter{t.data<T>(), t.num_elements() == 1 ? 0 : 1};
      };
      TruncatedNormalBlock<T> fill = {parameter(1),      parameter(2),      parameter(3),
                                      parameter(4),      y->data<T>(),      count,
                                      batches.per_batch, kBlocksPerElement, {}};
      std::copy_n(own.key().begin(), 2, fill.state.key);
      std::copy_n(own.counter().begin(), 4, fill.state.counter);
      return Launch(stream, ElementGrid(count), fill);
    });
  }

 private:
  const std::unique_ptr<RandomStream> stream_;
};

}  // namespace

WB_GPU_KERNEL("ParameterizedTruncatedNormal", TruncatedNormalOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
