// AtomicJoin: joins a number to one in the GPU's memory that other threads, of other blocks too,
// join to as well.
//
//   float most = 1;
//   AtomicJoin<Join::kMax>(&most, 2.0f);
//
// The order is nobody's: sums and products of floats may differ in their last bits from run to run.
//
// Thread safety: of block functions, any thread. Errors: none.
#ifndef WARPBEAM_OPS_MATH_GPU_ATOMIC_JOIN_H_
#define WARPBEAM_OPS_MATH_GPU_ATOMIC_JOIN_H_

#include "ops/launch/gpu_block.h"
#include "ops/math/segment_join.h"

namespace warpbeam::WB_PASS {

// T has 4 or 8 bytes.
template <Join kJoin, class T>
WB_BLOCK void AtomicJoin(T* at, T value) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  if constexpr (kJoin == Join::kSum || kJoin == Join::kMean) {
    AtomicAdd(at, value);
  } else {
#if WB_HOST_PASS
    AtomicReplace(at, [value](T seen) { return Joined<kJoin>(seen, value); });
#else
    using Word = std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>;
    auto* const word = reinterpret_cast<Word*>(at);
    Word seen = *word, before;
    do {
      before = seen;
      T number;
      memcpy(&number, &before, sizeof(T));
      number = Joined<kJoin>(number, value);
      Word after;
      memcpy(&after, &number, sizeof(T));
      if (after == before) return;
      seen = atomicCAS(word, before, after);
    } while (seen != before);
#endif
  }
}

}  // namespace warpbeam::WB_PASS

#endif  // WARPBEAM_OPS_MATH_GPU_ATOMIC_JOIN_H_
