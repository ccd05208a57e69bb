// GpuFiller: values of the streams of the CPU. A thread computes the values of a block of numbers,
// for truncated ones those of a group, which has its own stretch of the stream.
#include "ops/launch/gpu_function.h"
#include "ops/random/philox_rounds.h"
#include "ops/random/random_values.h"

#if WB_HOST_PASS
#include <algorithm>

#include "ops/launch/dispatch.h"
#include "ops/random/int_range.h"
#include "ops/random/random_filler.h"
#include "ops/random/random_stream.h"
#endif

namespace warpbeam::WB_PASS {

template <class T>
struct UniformValuesOnGpu {
  static constexpr int kSkip = 1;  // blocks of numbers from one group of values to the next
  template <int kValues>
  WB_BLOCK void operator()(const PhiloxState& state, T (&out)[kValues]) const {
    uint32_t numbers[4];
    PhiloxRounds(state.key, state.counter, numbers);
    for (int i = 0; i < kValues; ++i) out[i] = UniformOf<T>(numbers + i * (4 / kValues));
  }
};

template <class T>
struct NormalValuesOnGpu {
  static constexpr int kSkip = 1;
  template <int kValues>
  WB_BLOCK void operator()(const PhiloxState& state, T (&out)[kValues]) const {
    using C = ComputeType<T>;
    uint32_t numbers[4];
    PhiloxRounds(state.key, state.counter, numbers);
    constexpr int kStep = 4 / kValues;
    for (int i = 0; i < kValues; i += 2) {
      C first, second;
      NormalPairOf(UniformOf<C>(numbers + i * kStep), UniformOf<C>(numbers + (i + 1) * kStep),
                   &first, &second);
      out[i] = static_cast<T>(first);
      out[i + 1] = static_cast<T>(second);
    }
  }
};

template <class T>
struct TruncatedValuesOnGpu {
  static constexpr int kSkip = (sizeof(T) == 8 ? 2 : 4) * 256 / 4;
  template <int kValues>
  WB_BLOCK void operator()(PhiloxState state, T (&out)[kValues]) const {
    using C = ComputeType<T>;
    constexpr int kPairs = sizeof(C) == 8 ? 1 : 2;  // of one block of numbers
    int got = 0;
    while (got < kValues) {
      uint32_t numbers[4];
      PhiloxRounds(state.key, state.counter, numbers);
      SkipBlocks(state.counter, 1);
      for (int p = 0; p < kPairs; ++p) {
        const uint32_t* const at = numbers + p * 2;
        C pair[2];
        NormalPairOf(UniformOf<C>(at), UniformOf<C>(at + 2 / kPairs), &pair[0], &pair[1]);
        for (int i = 0; i < 2; ++i) {
          if (Abs(pair[i]) < C(2) && got < kValues) out[got++] = static_cast<T>(pair[i]);
        }
      }
    }
  }
};

// Integers of [low, low + width), of which a width of 0 stands for all: the numbers as they are.
template <class U>
struct IntegersOnGpu {
  static constexpr int kSkip = 1;
  U low, width;
  template <int kValues>
  WB_BLOCK void operator()(const PhiloxState& state, U (&out)[kValues]) const {
    uint32_t numbers[4];
    PhiloxRounds(state.key, state.counter, numbers);
    memcpy(out, numbers, sizeof(numbers));
    for (int i = 0; i < kValues; ++i) {
      if (width != 0) out[i] = low + out[i] % width;
    }
  }
};

template <class T, class Values>
struct RandomFillBlock {
  static constexpr int kValues = sizeof(T) == 8 ? 2 : 4;
  struct alignas(sizeof(T) * kValues) Group {
    T values[kValues];
  };
  T* y;
  int64_t count;
  PhiloxState state;
  const uint64_t* key;  // null where `state` is known
  const uint64_t* counter;
  Values values;

  WB_BLOCK void operator()(GpuBlock& block) const {
    block.ForEach([&](int thread) {
      PhiloxState first = state;
      if (key != nullptr) {
        Split(*key, first.key);
        Split(counter[0], first.counter);
        Split(counter[1], first.counter + 2);
      }
      const int64_t step = block.count() * block.threads();
      for (int64_t g = block.index() * block.threads() + thread; g * kValues < count; g += step) {
        PhiloxState own = first;
        SkipBlocks(own.counter, static_cast<uint64_t>(g) * Values::kSkip);
        Group group;
        values(own, group.values);
        if ((g + 1) * kValues <= count) {
          *reinterpret_cast<Group*>(y + g * kValues) = group;
        } else {
          for (int i = 0; i < kValues; ++i) {
            if (g * kValues + i < count) y[g * kValues + i] = group.values[i];
          }
        }
      }
    });
  }

 private:
  WB_BLOCK static void Split(uint64_t number, uint32_t* halves) {
    halves[0] = static_cast<uint32_t>(number);
    halves[1] = static_cast<uint32_t>(number >> 32);
  }
};

#define WB_RANDOM_FLOATS(T)                                   \
  WB_GPU_FUNCTION(RandomFillBlock<T, UniformValuesOnGpu<T>>); \
  WB_GPU_FUNCTION(RandomFillBlock<T, NormalValuesOnGpu<T>>);  \
  WB_GPU_FUNCTION(RandomFillBlock<T, TruncatedValuesOnGpu<T>>)
WB_RANDOM_FLOATS(Half);
WB_RANDOM_FLOATS(BFloat16);
WB_RANDOM_FLOATS(float);
WB_RANDOM_FLOATS(double);
WB_GPU_FUNCTION(RandomFillBlock<uint32_t, IntegersOnGpu<uint32_t>>);
WB_GPU_FUNCTION(RandomFillBlock<uint64_t, IntegersOnGpu<uint64_t>>);
#undef WB_RANDOM_FLOATS

#if WB_HOST_PASS
namespace {

template <class T, class Values>
Status LaunchFill(GpuStream& stream, const RandomSource& source, const Values& values, Tensor* y) {
  static_assert(kBlocksPerElement == 256, "TruncatedValuesOnGpu goes by it");
  using Block = RandomFillBlock<T, Values>;
  if (y->num_elements() == 0) return OkStatus();
  Block fill{};
  fill.y = static_cast<T*>(y->raw_data());
  fill.count = y->num_elements();
  std::copy_n(source.stream.key().begin(), 2, fill.state.key);
  std::copy_n(source.stream.counter().begin(), 4, fill.state.counter);
  fill.key = source.key;
  fill.counter = source.counter;
  fill.values = values;
  const int64_t groups = (fill.count + Block::kValues - 1) / Block::kValues;
  GpuGrid grid;
  grid.blocks = GpuBlocksFor((groups + grid.threads - 1) / grid.threads);
  return Launch(stream, grid, fill);
}

Status LaunchIntegers(GpuStream& stream, const RandomSource& source, uint64_t low, uint64_t width,
                      Tensor* y) {
  if (DTypeSize(y->dtype()) == 4) {
    const auto w = static_cast<uint32_t>(width);
    return LaunchFill<uint32_t>(stream, source,
                                IntegersOnGpu<uint32_t>{static_cast<uint32_t>(low), w}, y);
  }
  return LaunchFill<uint64_t>(stream, source, IntegersOnGpu<uint64_t>{low, width}, y);
}

}  // namespace
#endif

}  // namespace warpbeam::WB_PASS

#if WB_HOST_PASS
namespace warpbeam {

bool GpuFiller::HasCode() {
  return host_pass::HasGpuFunction<
      host_pass::RandomFillBlock<float, host_pass::UniformValuesOnGpu<float>>>();
}

StatusOr<RandomSource> GpuFiller::FromState(const Tensor& key, const Tensor& counter,
                                            const Tensor& alg) const {
  WB_RETURN_IF_ERROR(CheckState(key, counter, alg));
  RandomSource source(Philox(0, 0));
  source.key = key.data<uint64_t>();
  source.counter = counter.data<uint64_t>();
  return source;
}

Status GpuFiller::Fill(KernelContext&, Distribution distribution, const RandomSource& source,
                       Tensor* y) {
  if (distribution == Distribution::kAllBits)
    return host_pass::LaunchIntegers(stream_, source, 0, 0, y);
  return DispatchTypes(FloatTypeList{}, y->dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    switch (distribution) {
      case Distribution::kNormal:
        return host_pass::LaunchFill<T>(stream_, source, host_pass::NormalValuesOnGpu<T>{}, y);
      case Distribution::kTruncatedNormal:
        return host_pass::LaunchFill<T>(stream_, source, host_pass::TruncatedValuesOnGpu<T>{}, y);
      default:
        return host_pass::LaunchFill<T>(stream_, source, host_pass::UniformValuesOnGpu<T>{}, y);
    }
  });
}

Status GpuFiller::FillInts(KernelContext&, const RandomSource& source, const Tensor& minval,
                           const Tensor& maxval, Tensor* y) {
  using Types = TypeList<int32_t, int64_t, uint32_t, uint64_t>;
  return DispatchTypes(Types{}, y->dtype(), [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    WB_ASSIGN_OR_RETURN(const IntRange<T> range, IntRange<T>::Read(minval, maxval, *y));
    return host_pass::LaunchIntegers(stream_, source, static_cast<uint64_t>(range.low), range.width,
                                     y);
  });
}

}  // namespace warpbeam
#endif
