// GpuBlock: a block of threads of a GPU, for kernels that are written once and run everywhere.
//
// A kernel of our own is a functor that is called for each block of a grid. Inside, code runs in
// phases over the threads of the block, with a barrier after each; between phases there is only
// what all threads would compute alike. nvcc makes of each index a thread of the GPU, the host's
// compiler a loop, which goes through the threads in another order from phase to phase, and from
// seed to seed (ops/launch/block_order.h): who relies on one, or lacks a barrier, computes
// something else in the plain tests. To ThreadSanitizer they are threads there, too
// (ops/launch/gpu_races.h).
//
//   struct SumRows {                                   // in namespace warpbeam::WB_PASS
//     const float* x;  float* y;  int64_t rows, columns;
//     WB_BLOCK void operator()(GpuBlock& block) const {
//       for (int64_t row = block.index(); row < rows; row += block.count()) {
//         const float sum = block.Reduce(
//             [&](int thread) {
//               float part = 0;
//               for (int64_t c = thread; c < columns; c += block.threads()) {
//                 part += x[row * columns + c];
//               }
//               return part;
//             },
//             [](float a, float b) { return a + b; });
//         block.ForEach([&](int thread) { if (thread == 0) y[row] = sum; });
//       }
//     }
//   };
//
// What a thread keeps from one phase to a later one is a `Private`; what threads share within a
// block comes from `Shared`, uninitialised, in the order of the calls. Both are for the whole
// block: no phase may declare them. The number of threads is a power of two, up to 1,024.
//
// Sums are added up in the same order by both compilers: strided over the threads, and these in a
// tree. With the same functions of math.h a kernel has the same bits on both but for those.
//
// Thread safety: blocks run in any order, side by side. Errors: none; shapes are checked before.
#ifndef WARPBEAM_OPS_LAUNCH_GPU_BLOCK_H_
#define WARPBEAM_OPS_LAUNCH_GPU_BLOCK_H_

#include <cstddef>
#include <cstdint>

#include "ops/launch/pass.h"
#include "ops/launch/type_list.h"

#if WB_CUDA_PASS
#define WB_BLOCK __device__
#else
#include <cstring>
#include <memory>
#include <vector>

#include "ops/launch/block_order.h"
#include "ops/launch/gpu_races.h"
#define WB_BLOCK
#endif

namespace warpbeam {

// How many blocks of how many threads, and how much memory `Shared` hands out in each.
struct GpuGrid {
  int64_t blocks = 1;
  int threads = 256;
  size_t shared_bytes = 0;

  // What Reduce needs: an element of at most 16 bytes for each thread.
  size_t reduce_bytes() const { return size_t{16} * static_cast<size_t>(threads); }
  size_t block_bytes() const { return reduce_bytes() + shared_bytes; }
};

// So many blocks for work that goes through `items` with a stride: enough for any GPU.
inline int64_t GpuBlocksFor(int64_t items) {
  constexpr int64_t kMost = 132 * 16;
  return items < kMost ? (items > 0 ? items : 1) : kMost;
}

}  // namespace warpbeam

namespace warpbeam::WB_PASS {

// Writes fn(what is there) to the GPU's memory, until no other thread, of other blocks too, has
// written in between. In whose order is nobody's: sums of floats may differ in their last bits from
// run to run. T has at most 8 bytes.
template <class T, class Fn>
WB_BLOCK void AtomicReplace(T* at, const Fn& fn);
// Adds, as AtomicReplace would.
template <class T>
WB_BLOCK void AtomicAdd(T* at, T value);
// Writes `value` in the place of `expected`, if that is there; returns what was there.
WB_BLOCK uint64_t AtomicExchangeIf(uint64_t* at, uint64_t expected, uint64_t value);
// Writes where other threads may write too: what is there in the end is what one of them wrote.
template <class T>
WB_BLOCK void AtomicStore(T* at, T value);

namespace internal {
template <class T>
WB_HD T Sum(T a, T b) {
  return static_cast<T>(static_cast<ComputeType<T>>(a) + static_cast<ComputeType<T>>(b));
}
}  // namespace internal

#if !WB_CUDA_PASS

template <class T, class Fn>
void AtomicReplace(T* at, const Fn& fn) {
  T seen, after;
  __atomic_load(at, &seen, __ATOMIC_RELAXED);
  do {
    after = fn(seen);
  } while (!__atomic_compare_exchange(at, &seen, &after, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

template <class T>
void AtomicAdd(T* at, T value) {
  AtomicReplace(at, [value](T seen) { return internal::Sum(seen, value); });
}

template <class T>
void AtomicStore(T* at, T value) {
  __atomic_store(at, &value, __ATOMIC_RELAXED);
}

inline uint64_t AtomicExchangeIf(uint64_t* at, uint64_t expected, uint64_t value) {
  __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;  // what was seen
}

inline namespace WB_RACES {
class GpuBlock {
 public:
  // `memory` holds grid.block_bytes().
  GpuBlock(const GpuGrid& grid, int64_t index, char* memory)
      : grid_(grid), index_(index), memory_(memory), order_(index) {
    // What nobody has written is no number.
    memset(memory, 0xff, grid.block_bytes());
  }
  int64_t index() const { return index_; }
  int64_t count() const { return grid_.blocks; }
  int threads() const { return grid_.threads; }

  template <class Phase>
  void ForEach(const Phase& phase) {
    RunPhase(&RunGroup<Phase>, &phase);
  }
  template <class T>
  T* Shared(int count) {
    T* const at = reinterpret_cast<T*>(memory_ + grid_.reduce_bytes() + shared_);
    shared_ += (sizeof(T) * static_cast<size_t>(count) + 15) / 16 * 16;
    return at;
  }
  // All parts together, for everybody. `op` is a function of two parts.
  template <class Part, class Op>
  auto Reduce(const Part& part, const Op& op) {
    using T = decltype(part(0));
    static_assert(sizeof(T) <= 16);
    T* const parts = reinterpret_cast<T*>(memory_);
    ForEach([&](int thread) { parts[thread] = part(thread); });
    for (int half = grid_.threads / 2; half > 0; half /= 2) {
      ForEach([&](int thread) {
        if (thread < half) parts[thread] = op(parts[thread], parts[thread + half]);
      });
    }
    return parts[0];
  }

 private:
  void RunPhase(::warpbeam::internal::GpuJob job, const void* phase) {
    phase_ = phase;
    phase_order_ = order_.Next();
    ::warpbeam::internal::ForEachGroup(job, this);
  }
  // The phase of those threads that are of the group.
  template <class Phase>
  static void RunGroup(const void* of, int64_t group) {
    const auto& block = *static_cast<const GpuBlock*>(of);
    const auto& phase = *static_cast<const Phase*>(block.phase_);
    const auto order = block.phase_order_;
    const auto threads = static_cast<unsigned>(block.threads());
    for (unsigned i = 0; i < threads; ++i) {
      const unsigned thread = order.At(i, threads);
      if (::warpbeam::internal::ThreadGroup{group}.Has(thread)) phase(static_cast<int>(thread));
    }
  }

  const GpuGrid& grid_;
  const int64_t index_;
  char* const memory_;
  size_t shared_ = 0;
  ::warpbeam::internal::PhaseOrders order_;
  // Of the phase that runs.
  const void* phase_ = nullptr;
  ::warpbeam::internal::PhaseOrder phase_order_ = {};
};
}  // namespace WB_RACES

template <class T>
class Private {
 public:
  explicit Private(GpuBlock& block) : values_(static_cast<size_t>(block.threads())) {}
  T& operator[](int thread) { return values_[static_cast<size_t>(thread)]; }

 private:
  std::vector<T> values_;
};

#else

template <class T, class Fn>
__device__ void AtomicReplace(T* at, const Fn& fn) {
  using Word = std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned>;
  // A smaller number than a word is exchanged with what is around it.
  constexpr bool kIsPart = sizeof(T) < sizeof(Word);
  const auto address = reinterpret_cast<uintptr_t>(at);
  const unsigned shift = kIsPart ? static_cast<unsigned>(address % sizeof(Word)) * 8 : 0;
  const Word mask = (~Word(0) >> (sizeof(Word) - sizeof(T)) * 8) << shift;
  auto* const word = reinterpret_cast<Word*>(address - shift / 8);
  Word seen = *const_cast<volatile Word*>(word), before;
  do {
    before = seen;
    Word bits = (before & mask) >> shift;
    T number;
    memcpy(&number, &bits, sizeof(T));
    number = fn(number);
    bits = 0;
    memcpy(&bits, &number, sizeof(T));
    const Word after = (before & ~mask) | bits << shift;
    if (after == before) return;
    seen = atomicCAS(word, before, after);
  } while (seen != before);
}

template <class T>
__device__ void AtomicAdd(T* at, T value) {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    atomicAdd(at, value);
  } else if constexpr (sizeof(T) == 4) {
    atomicAdd(reinterpret_cast<unsigned*>(at), static_cast<unsigned>(value));
  } else if constexpr (sizeof(T) == 8) {
    atomicAdd(reinterpret_cast<unsigned long long*>(at), static_cast<unsigned long long>(value));
  } else {
    AtomicReplace(at, [value](T seen) { return internal::Sum(seen, value); });
  }
}

template <class T>
__device__ void AtomicStore(T* at, T value) {
  static_assert(std::is_arithmetic_v<T>);
  *const_cast<volatile T*>(at) = value;
}

__device__ inline uint64_t AtomicExchangeIf(uint64_t* at, uint64_t expected, uint64_t value) {
  static_assert(sizeof(unsigned long long) == sizeof(uint64_t));
  return atomicCAS(reinterpret_cast<unsigned long long*>(at), expected, value);
}

class GpuBlock {
 public:
  __device__ GpuBlock() {}
  __device__ int64_t index() const { return blockIdx.x; }
  __device__ int64_t count() const { return gridDim.x; }
  __device__ int threads() const { return static_cast<int>(blockDim.x); }

  template <class Phase>
  __device__ void ForEach(const Phase& phase) {
    phase(static_cast<int>(threadIdx.x));
    __syncthreads();
  }
  template <class T>
  __device__ T* Shared(int count) {
    T* const at = reinterpret_cast<T*>(Memory() + size_t{16} * blockDim.x + shared_);
    shared_ += (sizeof(T) * static_cast<size_t>(count) + 15) / 16 * 16;
    return at;
  }
  template <class Part, class Op>
  __device__ auto Reduce(const Part& part, const Op& op) {
    using T = decltype(part(0));
    static_assert(sizeof(T) <= 16);
    T* const parts = reinterpret_cast<T*>(Memory());
    const int thread = static_cast<int>(threadIdx.x);
    parts[thread] = part(thread);
    __syncthreads();
    int half = static_cast<int>(blockDim.x) / 2;
    for (; half >= 32; half /= 2) {
      if (thread < half) parts[thread] = op(parts[thread], parts[thread + half]);
      __syncthreads();
    }
    // The last levels are one warp's, whose threads need no barrier of the block.
    if (thread < 32) {
      for (; half > 0; half /= 2) {
        if (thread < half) parts[thread] = op(parts[thread], parts[thread + half]);
        __syncwarp();
      }
    }
    __syncthreads();
    const T all = parts[0];
    __syncthreads();  // the next Reduce writes there
    return all;
  }

 private:
  __device__ static char* Memory() {
    extern __shared__ __align__(16) char memory[];
    return memory;
  }
  size_t shared_ = 0;
};

template <class T>
class Private {
 public:
  __device__ explicit Private(GpuBlock&) {}
  __device__ T& operator[](int) { return value_; }

 private:
  T value_;
};

#endif

}  // namespace warpbeam::WB_PASS

#endif  // WARPBEAM_OPS_LAUNCH_GPU_BLOCK_H_
