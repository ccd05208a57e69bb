// FusedBatchNorm, V2 and V3 on a GPU: in training the moments of the channels first, then what a
// channel's elements are multiplied by and shifted by, then the elements.
#include "ops/launch/math.h"
#include "ops/nn/gpu_loops/channel_walk.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/launch/dispatch.h"
#include "ops/nn/norm/batch_norm.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

struct BatchMoments {
  float count, mean, square;  // the sum of squared deviations
};

// A thread adds up distances from the first element that it meets: of numbers far from zero the
// squares would leave no digits to their differences.
template <class T>
struct MomentsTerm {
  using Element = T;
  using Sum = BatchMoments;
  struct Running {
    float count, first, sum, square;
  };
  const T* x;

  WB_BLOCK Running Start(int64_t) const { return {0, 0, 0, 0}; }
  template <int kWidth>
  WB_BLOCK void Take(int64_t at, Running* running) const {
    const Pack<T, kWidth> pack = LoadPack<kWidth>(x + at);
    for (int i = 0; i < kWidth; ++i) {
      Running& r = running[i];
      const float v = static_cast<float>(pack.at[i]);
      if (r.count == 0) r.first = v;
      const float distance = v - r.first;
      r.count += 1;
      r.sum += distance;
      r.square += distance * distance;
    }
  }
  static WB_BLOCK Sum Result(const Running& r) {
    if (r.count == 0) return {0, 0, 0};
    const float mean = r.sum / r.count;
    return {r.count, r.first + mean, r.square - r.sum * mean};
  }
  static WB_BLOCK Sum Join(const Sum& a, const Sum& b) {
    const float count = a.count + b.count;
    if (count == 0) return {0, 0, 0};
    const float delta = b.mean - a.mean, weight = b.count / count;
    return {count, a.mean + delta * weight, a.square + b.square + delta * delta * a.count * weight};
  }
};

// What is given, kept and computed for each channel.
struct BatchNormChannels {
  const float *scale, *offset, *mean, *variance;
  float* kept[4];
  float* third;  // the third reserve space, which only has to be a number; or null
  float *factor, *shift;
  float epsilon, average_factor;

  // In training. Nothing has the moments of a channel without elements.
  WB_BLOCK void operator()(int64_t c, const BatchMoments& m) const {
    float batch_mean = 0, batch_variance = 0;
    kept[0][c] = kept[1][c] = NAN;
    if (m.count > 0) {
      batch_mean = m.mean;
      batch_variance = Max(m.square, 0.0f) / m.count;
      if (m.square != m.square) batch_variance = m.square;
      // What is kept is the variance of the population that the batch was drawn from.
      float kept_mean = batch_mean;
      float kept_variance = batch_variance * (m.count / Max(m.count - 1, 1.0f));
      if (average_factor != 1) {
        kept_mean = (1 - average_factor) * mean[c] + average_factor * kept_mean;
        kept_variance = (1 - average_factor) * variance[c] + average_factor * kept_variance;
      }
      kept[0][c] = kept_mean;
      kept[1][c] = kept_variance;
    }
    Prepare(c, batch_mean, batch_variance);
  }
  WB_BLOCK void Given(int64_t c) const {
    kept[0][c] = mean[c];
    kept[1][c] = variance[c];
    Prepare(c, mean[c], variance[c]);
  }

 private:
  WB_BLOCK void Prepare(int64_t c, float m, float v) const {
    kept[2][c] = m;
    kept[3][c] = v;
    factor[c] = scale[c] / Sqrt(v + epsilon);
    shift[c] = offset[c] - m * factor[c];
    if (third != nullptr && c == 0) *third = 0;
  }
};

struct GivenMomentsBlock {
  BatchNormChannels channels;
  int64_t count;
  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count, [&](int64_t c) { channels.Given(c); });
  }
};

template <class T>
struct NormalizeTerm {
  using Element = T;
  struct Running {
    float factor, shift;
  };
  const T* x;
  const float *factor, *shift;
  T* y;

  WB_BLOCK Running Start(int64_t channel) const { return {factor[channel], shift[channel]}; }
  template <int kWidth>
  WB_BLOCK void Take(int64_t at, Running* running) const {
    Pack<T, kWidth> v = LoadPack<kWidth>(x + at);
    for (int i = 0; i < kWidth; ++i) {
      v.at[i] = T(static_cast<float>(v.at[i]) * running[i].factor + running[i].shift);
    }
    StorePack(v, y + at);
  }
};

WB_GPU_FUNCTION(GivenMomentsBlock);
#define WB_BATCH_NORM_FUNCTIONS(T)                    \
  WB_CHANNEL_SUMS(MomentsTerm<T>, BatchNormChannels); \
  WB_CHANNEL_TERM(NormalizeTerm<T>)
WB_BATCH_NORM_FUNCTIONS(float);
WB_BATCH_NORM_FUNCTIONS(Half);
WB_BATCH_NORM_FUNCTIONS(BFloat16);

#if WB_HOST_PASS
namespace {

class BatchNormOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const BatchNormAttrs attrs, ReadBatchNormAttrs(init.attrs));
    return std::make_unique<BatchNormOnGpu>(attrs);
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<GivenMomentsBlock>(); }
  explicit BatchNormOnGpu(const BatchNormAttrs& attrs) : attrs_(attrs) {}

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    int axis = 0;
    WB_RETURN_IF_ERROR(CheckBatchNormInputs(ctx, attrs_, &axis));
    const Tensor& x = ctx.input(0);
    const ChannelExtents data = ChannelsOf(x.shape(), axis);
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
    WB_ASSIGN_OR_RETURN(Tensor memory, ctx.AllocateTemp(DType::kFloat, Shape({2, data.channels})));
    BatchNormChannels channels;
    WB_RETURN_IF_ERROR(AllocateKept(ctx, data.channels, memory, &channels));
    return DispatchTypes<float, Half, BFloat16>(x.dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      const NormalizeTerm<T> term{x.data<T>(), channels.factor, channels.shift, y->data<T>()};
      const bool wide = HasWideItems(data, x.dtype(), {term.x, term.y});
      if (data.channels == 0) {
        return Launch(stream, GpuGrid(), GivenMomentsBlock{channels, 0});
      }
      WB_RETURN_IF_ERROR(attrs_.is_training ? LaunchChannelSums(ctx, stream, data, wide,
                                                                MomentsTerm<T>{term.x}, channels)
                                            : Launch(stream, ElementGrid(data.channels),
                                                     GivenMomentsBlock{channels, data.channels}));
      if (x.num_elements() == 0) return OkStatus();
      return LaunchChannelTerm(stream, data, wide, term);
    });
  }

 private:
  Status AllocateKept(KernelContext& ctx, int64_t count, Tensor& memory,
                      BatchNormChannels* channels) const {
    const auto input = [&](int i) { return ctx.input(i).data<float>(); };
    *channels = {input(1), input(2), input(3), input(4)};
    for (int i = 0; i < 4; ++i) {
      WB_ASSIGN_OR_RETURN(Tensor * kept, ctx.Allocate(i + 1, Shape({count})));
      channels->kept[i] = kept->data<float>();
    }
    if (ctx.num_outputs() > 5) {
      WB_ASSIGN_OR_RETURN(Tensor * third, ctx.Allocate(5, Shape()));
      channels->third = third->data<float>();
    }
    channels->factor = memory.data<float>();
    channels->shift = channels->factor + count;
    channels->epsilon = attrs_.epsilon;
    channels->average_factor = attrs_.average_factor;
    return OkStatus();
  }

  const BatchNormAttrs attrs_;
};

}  // namespace

WB_GPU_KERNEL("FusedBatchNorm", BatchNormOnGpu);
WB_GPU_KERNEL("FusedBatchNormV2", BatchNormOnGpu);
WB_GPU_KERNEL("FusedBatchNormV3", BatchNormOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
