// StatefulStandardNormalV2, StatefulTruncatedNormal, StatefulUniform, …FullInt and …Int, RngSkip
// and RngReadAndSkip on a GPU. The state stays there: a launch takes it and moves it on.
#include "ops/launch/gpu_function.h"
#include "ops/random/philox_rounds.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/array/index/index_argument.h"
#include "ops/random/random_filler.h"
#include "ops/random/random_stream.h"
#include "ops/random/stateful_random.h"
#include "ops/state/variable_update.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

// taken = the state, which goes on by `blocks` blocks of numbers.
struct TakeStateBlock {
  uint64_t* state;  // the two halves of the counter, and the key
  uint64_t* taken;  // or null
  uint64_t blocks;

  WB_BLOCK void operator()(GpuBlock& block) const {
    block.ForEach([&](int thread) {
      if (thread != 0) return;
      uint32_t counter[4];
      for (int i = 0; i < 2; ++i) {
        counter[2 * i] = static_cast<uint32_t>(state[i]);
        counter[2 * i + 1] = static_cast<uint32_t>(state[i] >> 32);
      }
      for (int i = 0; i < 3; ++i) {
        if (taken != nullptr) taken[i] = state[i];
      }
      SkipBlocks(counter, blocks);
      for (int i = 0; i < 2; ++i) {
        state[i] = uint64_t{counter[2 * i + 1]} << 32 | counter[2 * i];
      }
    });
  }
};
WB_GPU_FUNCTION(TakeStateBlock);

#if WB_HOST_PASS
namespace {

class GeneratorOnGpu : public GpuKernel {
 public:
  static bool HasGpuCode(const AttrMap&) {
    return HasGpuFunction<TakeStateBlock>() && GpuFiller::HasCode();
  }

 protected:
  // Moves the state on by `values` values; what it was is written to `taken`, if not null.
  Status Take(KernelContext& ctx, GpuStream& stream, uint64_t values, void* taken) {
    GpuGrid grid;
    grid.threads = 32;
    return UpdateVariable<true>(ctx, finder_, [&](Variable& variable) {
      return ModifyOnGpu(ctx, stream, variable, [&](Tensor& state) -> Status {
        WB_RETURN_IF_ERROR(CheckGeneratorState(state, kStateSize));
        return Launch(
            stream, grid,
            TakeStateBlock{static_cast<uint64_t*>(state.raw_data()), static_cast<uint64_t*>(taken),
                           values * static_cast<uint64_t>(kBlocksPerElement)});
      });
    });
  }
  static Status CheckAlgorithmInput(const KernelContext& ctx) {
    WB_ASSIGN_OR_RETURN(const int64_t algorithm, ReadGeneratorScalar(ctx.input(1), 1));
    return CheckGeneratorAlgorithm(algorithm);
  }

 private:
  VariableFinder finder_;
};

// `fill` is given the stream's place.
template <class Fill>
Status FillFromTaken(const Tensor& taken, const Fill& fill) {
  RandomSource source(Philox(0, 0));
  source.counter = static_cast<const uint64_t*>(taken.raw_data());
  source.key = source.counter + 2;
  return fill(source);
}

template <Distribution kDistribution>
class StatefulFillOnGpu final : public GeneratorOnGpu {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<StatefulFillOnGpu>();
  }
  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    WB_RETURN_IF_ERROR(CheckAlgorithmInput(ctx));
    WB_ASSIGN_OR_RETURN(const Shape shape, ReadShape(ctx.input(2), "shape"));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    WB_ASSIGN_OR_RETURN(Tensor taken, ctx.AllocateTemp(DType::kInt64, Shape({kStateSize})));
    WB_RETURN_IF_ERROR(
        Take(ctx, stream, static_cast<uint64_t>(shape.num_elements()), taken.raw_data()));
    return FillFromTaken(taken, [&](const RandomSource& source) {
      return GpuFiller(stream).Fill(ctx, kDistribution, source, y);
    });
  }
};

class StatefulUniformIntOnGpu final : public GeneratorOnGpu {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<StatefulUniformIntOnGpu>();
  }
  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    WB_RETURN_IF_ERROR(CheckAlgorithmInput(ctx));
    WB_ASSIGN_OR_RETURN(const Shape shape, ReadUniformIntArguments(ctx));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    WB_ASSIGN_OR_RETURN(Tensor taken, ctx.AllocateTemp(DType::kInt64, Shape({kStateSize})));
    WB_RETURN_IF_ERROR(
        Take(ctx, stream, static_cast<uint64_t>(shape.num_elements()), taken.raw_data()));
    return FillFromTaken(taken, [&](const RandomSource& source) {
      return GpuFiller(stream).FillInts(ctx, source, ctx.input(3), ctx.input(4), y);
    });
  }
};

class SkipOnGpu final : public GeneratorOnGpu {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<SkipOnGpu>();
  }
  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    WB_ASSIGN_OR_RETURN(const int64_t values, ReadGeneratorScalar(ctx.input(2), 2));
    WB_RETURN_IF_ERROR(CheckAlgorithmInput(ctx));
    void* taken = nullptr;
    if (ctx.num_outputs() > 0) {
      WB_ASSIGN_OR_RETURN(Tensor * before, ctx.Allocate(0, Shape({kStateSize})));
      taken = before->raw_data();
    }
    return Take(ctx, stream, static_cast<uint64_t>(values), taken);
  }
};

}  // namespace

WB_GPU_KERNEL("StatefulStandardNormalV2", StatefulFillOnGpu<Distribution::kNormal>);
WB_GPU_KERNEL("StatefulTruncatedNormal", StatefulFillOnGpu<Distribution::kTruncatedNormal>);
WB_GPU_KERNEL("StatefulUniform", StatefulFillOnGpu<Distribution::kUniform>);
WB_GPU_KERNEL("StatefulUniformFullInt", StatefulFillOnGpu<Distribution::kAllBits>);
WB_GPU_KERNEL("StatefulUniformInt", StatefulUniformIntOnGpu);
WB_GPU_KERNEL("RngSkip", SkipOnGpu);
WB_GPU_KERNEL("RngReadAndSkip", SkipOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
