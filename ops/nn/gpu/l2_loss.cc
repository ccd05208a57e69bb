// L2Loss on a GPU: all elements are those of one channel.
#include "ops/launch/math.h"
#include "ops/nn/gpu_loops/channel_walk.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/launch/dispatch.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

template <class T>
struct SquaresTerm {
  using Element = T;
  using Running = ComputeType<T>;
  using Sum = ComputeType<T>;
  const T* x;

  WB_BLOCK Running Start(int64_t) const { return 0; }
  template <int kWidth>
  WB_BLOCK void Take(int64_t at, Running* running) const {
    const Pack<T, kWidth> v = LoadPack<kWidth>(x + at);
    for (int i = 0; i < kWidth; ++i) running[i] += Sum(v.at[i]) * Sum(v.at[i]);
  }
  static WB_BLOCK Sum Result(Running running) { return running; }
  static WB_BLOCK Sum Join(Sum a, Sum b) { return a + b; }
};

template <class T>
struct KeepHalf {
  T* loss;
  WB_BLOCK void operator()(int64_t, ComputeType<T> sum) const { *loss = T(sum / 2); }
};

WB_CHANNEL_SUMS(SquaresTerm<Half>, KeepHalf<Half>);
WB_CHANNEL_SUMS(SquaresTerm<BFloat16>, KeepHalf<BFloat16>);
WB_CHANNEL_SUMS(SquaresTerm<float>, KeepHalf<float>);
WB_CHANNEL_SUMS(SquaresTerm<double>, KeepHalf<double>);

#if WB_HOST_PASS
namespace {

class L2LossOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<L2LossOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) {
    return HasGpuFunction<ChannelPartsBlock<SquaresTerm<float>, 1>>();
  }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(Tensor * loss, ctx.Allocate(0, Shape()));
    return DispatchTypes(FloatTypeList{}, x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      const ChannelExtents data{1, 1, x.num_elements()};
      return LaunchChannelSums(ctx, stream, data, HasWideItems(data, x.dtype(), {x.raw_data()}),
                               SquaresTerm<T>{x.data<T>()}, KeepHalf<T>{loss->data<T>()});
    });
  }
};

}  // namespace

WB_GPU_KERNEL("L2Loss", L2LossOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
