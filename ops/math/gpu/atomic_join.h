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
    AtomicReplace(at, [value](T seen) { return Joined<kJoin>(seen, value); });
  }
}

}  // namespace warpbeam::WB_PASS

#endif  // WARPBEAM_OPS_MATH_GPU_ATOMIC_JOIN_H_
