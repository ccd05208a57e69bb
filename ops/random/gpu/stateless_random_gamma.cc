// StatelessRandomGammaV2 and …V3 on a GPU: a thread for each sample, from the numbers that the CPU
// draws by.
#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_function.h"
#include "ops/random/gamma_sampler.h"
#include "ops/random/gpu/doubles_on_gpu.h"

#if WB_HOST_PASS
#include <algorithm>
#include <memory>

#include "ops/launch/dispatch.h"
#include "ops/random/random_filler.h"
#include "ops/random/sample_sets.h"
#include "ops/random/stateless_seed.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

template <class T>
struct GammaSamplesBlock {
  const T* alpha;  // [sets]
  T* y;            // [per_set, sets]
  int64_t count, sets;
  PhiloxState state;
  const uint64_t* key;  // null where `state` is known
  const uint64_t* counter;
  int64_t blocks_per_element;

  WB_BLOCK void operator()(GpuBlock& block) const {
    const int64_t per_set = count / sets;
    ForEachElement(block, count, [&](int64_t i) {
      PhiloxState own = state;
      if (key != nullptr) own = StateAt(*key, counter);
      SkipBlocks(own.counter, static_cast<uint64_t>(i * blocks_per_element));
      DoublesOnGpu doubles(own);
      // Numbered set by set, stored sample by sample.
      const int64_t set = i / per_set;
      const GammaSampler sampler(static_cast<double>(alpha[set]));
      y[(i - set * per_set) * sets + set] = static_cast<T>(sampler.Sample(doubles));
    });
  }

 private:
  WB_BLOCK static PhiloxState StateAt(uint64_t key, const uint64_t* counter) {
    PhiloxState state;
    const uint64_t halves[] = {key, counter[0], counter[1]};
    uint32_t* const to[] = {state.key, state.counter, state.counter + 2};
    for (int i = 0; i < 3; ++i) {
      to[i][0] = static_cast<uint32_t>(halves[i]);
      to[i][1] = static_cast<uint32_t>(halves[i] >> 32);
    }
    return state;
  }
};
WB_GPU_FUNCTION(GammaSamplesBlock<Half>);
WB_GPU_FUNCTION(GammaSamplesBlock<BFloat16>);
WB_GPU_FUNCTION(GammaSamplesBlock<float>);
WB_GPU_FUNCTION(GammaSamplesBlock<double>);

#if WB_HOST_PASS
namespace {

// From a seed on the host, or from a generator's state.
template <bool kFromSeed>
class GammaOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<GammaOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<GammaSamplesBlock<float>>(); }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    if (kFromSeed) {
      WB_ASSIGN_OR_RETURN(const Philox first, StreamFromSeed(ctx.input(1)));
      return Fill(ctx, stream, RandomSource(first), ctx.input(2));
    }
    WB_ASSIGN_OR_RETURN(const RandomSource source,
                        GpuFiller(stream).FromState(ctx.input(1), ctx.input(2), ctx.input(3)));
    return Fill(ctx, stream, source, ctx.input(4));
  }

 private:
  static Status Fill(KernelContext& ctx, GpuStream& stream, const RandomSource& source,
                     const Tensor& alpha) {
    WB_ASSIGN_OR_RETURN(const SampleSets sets, SampleSets::Make(ctx.input(0), {&alpha.shape()}));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, sets.shape));
    const int64_t count = y->num_elements();
    if (count == 0) return OkStatus();
    return DispatchTypes(FloatTypeList{}, y->dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      GammaSamplesBlock<T> samples = {alpha.data<T>(), y->data<T>(), count, sets.count()};
      std::copy_n(source.stream.key().begin(), 2, samples.state.key);
      std::copy_n(source.stream.counter().begin(), 4, samples.state.counter);
      samples.key = source.key;
      samples.counter = source.counter;
      samples.blocks_per_element = kBlocksPerElement;
      return Launch(stream, ElementGrid(count), samples);
    });
  }
};

}  // namespace

WB_GPU_KERNEL("StatelessRandomGammaV2", GammaOnGpu<true>);
WB_GPU_KERNEL("StatelessRandomGammaV3", GammaOnGpu<false>);
#endif

}  // namespace warpbeam::WB_PASS
