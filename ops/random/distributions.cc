#include "ops/random/distributions.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "ops/launch/dispatch.h"
#include "ops/launch/math.h"
#include "ops/random/int_range.h"
#include "ops/random/random_stream.h"
#include "ops/random/random_values.h"
#include "runtime/kernel/stoppable_loop.h"

namespace warpbeam {
namespace {

using host_pass::NormalConstants;
using host_pass::NormalPairOf;
using host_pass::UniformOf;

// Blocks computed at a time; their numbers stay in the first-level cache.
constexpr int64_t kChunkBlocks = 64;
constexpr int64_t kChunkNumbers = kChunkBlocks * Philox::kBlockNumbers;

// Values that one block gives.
template <typename T>
inline constexpr int kBlockValues = sizeof(T) == 8 ? 2 : 4;

template <typename T>
struct UniformValues {
  void operator()(const uint32_t* numbers, T* out) const {
    for (int64_t i = 0; i < kChunkBlocks * kBlockValues<T>; ++i) {
      out[i] = UniformOf<T>(numbers + i * (Philox::kBlockNumbers / kBlockValues<T>));
    }
  }
};

template <typename T>
struct AllBitsValues {
  void operator()(const uint32_t* numbers, T* out) const {
    memcpy(out, numbers, kChunkNumbers * sizeof(uint32_t));
  }
};

template <typename T>
struct RangeValues {
  T low;
  std::make_unsigned_t<T> range;
  void operator()(const uint32_t* numbers, T* out) const {
    using U = std::make_unsigned_t<T>;
    for (int64_t i = 0; i < kChunkBlocks * kBlockValues<T>; ++i) {
      U number;
      memcpy(&number, numbers + i * (Philox::kBlockNumbers / kBlockValues<T>), sizeof(U));
      out[i] = static_cast<T>(static_cast<U>(low) + number % range);
    }
  }
};

// Box-Muller over whole vectors; C is what T computes in.
template <typename T>
struct NormalValues {
  using C = ComputeType<T>;
  void operator()(const uint32_t* numbers, T* out) const {
    using V = host_pass::Vec<C>;
    constexpr int64_t kPairs = kChunkBlocks * kBlockValues<T> / 2;
    constexpr int kStep = sizeof(C) / sizeof(uint32_t);
    alignas(32) C u[kPairs], v[kPairs];
    for (int64_t i = 0; i < kPairs; ++i) {
      u[i] = UniformOf<C>(numbers + 2 * i * kStep);
      v[i] = UniformOf<C>(numbers + (2 * i + 1) * kStep);
    }
    for (int64_t i = 0; i < kPairs; i += V::kLanes) {
      const V small(NormalConstants::kSmallestUniform);
      V x = host_pass::LoadVec(u + i);
      x = Where(x < small, small, x);
      const V radius = Sqrt(V(-2) * Log(x));
      const V angle = V(NormalConstants::kTwoPi) * host_pass::LoadVec(v + i);
      host_pass::StoreVec(Sin(angle) * radius, u + i);
      host_pass::StoreVec(Cos(angle) * radius, v + i);
    }
    for (int64_t i = 0; i < kPairs; ++i) {
      out[2 * i] = static_cast<T>(u[i]);
      out[2 * i + 1] = static_cast<T>(v[i]);
    }
  }
};

template <typename T, typename Values>
void FillChunks(KernelContext& ctx, const Philox& stream, int64_t ns_per_chunk,
                const Values& values, Tensor* y) {
  constexpr int64_t kChunkValues = kChunkBlocks * kBlockValues<T>;
  const int64_t count = y->num_elements();
  T* out = y->data<T>();
  const int64_t chunks = (count + kChunkValues - 1) / kChunkValues;
  StoppableFor(ctx, chunks, ns_per_chunk, [&](int64_t begin, int64_t end) {
    Philox p = stream.After(static_cast<uint64_t>(begin) * kChunkBlocks);
    uint32_t numbers[kChunkNumbers];
    for (int64_t c = begin; c < end; ++c) {
      p.Generate(kChunkBlocks, numbers);
      const int64_t at = c * kChunkValues;
      if (count - at >= kChunkValues) {
        values(numbers, out + at);
      } else {
        T last[kChunkValues];
        values(numbers, last);
        std::copy(last, last + (count - at), out + at);
      }
    }
  });
}

// Normal values until `wanted` of them lie within (-2, 2).
template <typename T>
void TruncatedGroup(const Philox& stream, T* out, int wanted) {
  using C = ComputeType<T>;
  PhiloxNumbers numbers(stream);
  int got = 0;
  while (true) {
    uint32_t number[4] = {};
    constexpr int kNumbers = sizeof(C) / 2;
    for (int i = 0; i < kNumbers; ++i) number[i] = numbers.Next();
    C pair[2];
    NormalPair(UniformOf<C>(number), UniformOf<C>(number + kNumbers / 2), &pair[0], &pair[1]);
    for (C value : pair) {
      if (!(std::abs(value) < C(2))) continue;
      out[got] = static_cast<T>(value);
      if (++got == wanted) return;
    }
  }
}

template <typename T>
void FillTruncated(KernelContext& ctx, const Philox& stream, Tensor* y) {
  constexpr int kGroup = kBlockValues<T>;
  constexpr uint64_t kGroupBlocks = kGroup * kBlocksPerElement / Philox::kBlockNumbers;
  const int64_t count = y->num_elements();
  T* out = y->data<T>();
  StoppableFor(ctx, (count + kGroup - 1) / kGroup, 120, [&](int64_t begin, int64_t end) {
    Philox p = stream.After(static_cast<uint64_t>(begin) * kGroupBlocks);
    for (int64_t g = begin; g < end; ++g, p.Skip(kGroupBlocks)) {
      TruncatedGroup(p, out + g * kGroup,
                     static_cast<int>(std::min<int64_t>(kGroup, count - g * kGroup)));
    }
  });
}

}  // namespace

float UniformFloat(uint32_t number) { return UniformOf<float>(&number); }

double UniformDouble(uint32_t upper, uint32_t lower) {
  const uint32_t numbers[] = {upper, lower};
  return UniformOf<double>(numbers);
}

void NormalPair(double u, double v, double* first, double* second) {
  NormalPairOf(u, v, first, second);
}
void NormalPair(float u, float v, float* first, float* second) {
  NormalPairOf(u, v, first, second);
}

template <typename T>
BlockValues<T> UniformBlock(Philox& stream) {
  const Philox::Block numbers = stream.Next();
  BlockValues<T> values;
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = UniformOf<T>(numbers.data() + i * (numbers.size() / values.size()));
  }
  return values;
}

template <typename T>
BlockValues<T> NormalBlock(Philox& stream) {
  using C = ComputeType<T>;
  const BlockValues<C> uniform = UniformBlock<C>(stream);
  BlockValues<T> values;
  for (size_t i = 0; i < values.size(); i += 2) {
    C pair[2];
    NormalPair(uniform[i], uniform[i + 1], &pair[0], &pair[1]);
    for (size_t j = 0; j < 2; ++j) values[i + j] = static_cast<T>(pair[j]);
  }
  return values;
}

template BlockValues<Half> UniformBlock<Half>(Philox&);
template BlockValues<float> UniformBlock<float>(Philox&);
template BlockValues<double> UniformBlock<double>(Philox&);
template BlockValues<Half> NormalBlock<Half>(Philox&);
template BlockValues<float> NormalBlock<float>(Philox&);
template BlockValues<double> NormalBlock<double>(Philox&);

double UniformDoubles::Next(Philox& stream) {
  if (left_ == 0) {
    const Philox::Block b = stream.Next();
    values_[0] = UniformDouble(b[0], b[1]);
    values_[1] = UniformDouble(b[2], b[3]);
    left_ = 2;
  }
  return values_[--left_];
}

double NormalDoubles::Next(Philox& stream) {
  if (left_ == 0) {
    const Philox::Block b = stream.Next();
    NormalPair(UniformDouble(b[0], b[1]), UniformDouble(b[2], b[3]), &values_[0], &values_[1]);
    left_ = 2;
  }
  return values_[--left_];
}

Status FillRandom(KernelContext& ctx, Distribution distribution, const Philox& stream, Tensor* y) {
  if (distribution == Distribution::kAllBits) {
    using Types = TypeList<int32_t, int64_t, uint32_t, uint64_t>;
    return DispatchTypes(Types{}, y->dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      FillChunks<T>(ctx, stream, 300, AllBitsValues<T>{}, y);
      return OkStatus();
    });
  }
  return DispatchTypes(FloatTypeList{}, y->dtype(), [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    if (distribution == Distribution::kUniform) {
      FillChunks<T>(ctx, stream, 400, UniformValues<T>{}, y);
    } else if (distribution == Distribution::kNormal) {
      FillChunks<T>(ctx, stream, 2000, NormalValues<T>{}, y);
    } else {
      FillTruncated<T>(ctx, stream, y);
    }
    return OkStatus();
  });
}

Status FillRandomInts(KernelContext& ctx, const Philox& stream, const Tensor& minval,
                      const Tensor& maxval, Tensor* y) {
  using Types = TypeList<int32_t, int64_t, uint32_t, uint64_t>;
  return DispatchTypes(Types{}, y->dtype(), [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    WB_ASSIGN_OR_RETURN(const IntRange<T> range, IntRange<T>::Read(minval, maxval, *y));
    if (y->num_elements() == 0) return OkStatus();
    FillChunks<T>(ctx, stream, 1000, RangeValues<T>{range.low, range.width}, y);
    return OkStatus();
  });
}

}  // namespace warpbeam
