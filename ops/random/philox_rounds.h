// The arithmetic of Philox 4x32-10 (ops/random/philox.h), for the host and for GPUs.
//
//   PhiloxState state = {{1, 2}, {3, 4, 5, 6}};
//   SkipBlocks(state.counter, 5);
//   uint32_t numbers[4];
//   PhiloxRounds(state.key, state.counter, numbers);         // the block at the counter
//
// Thread safety: pure. Errors: none.
#ifndef WARPBEAM_OPS_RANDOM_PHILOX_ROUNDS_H_
#define WARPBEAM_OPS_RANDOM_PHILOX_ROUNDS_H_

#include <cstdint>

#include "ops/launch/pass.h"

namespace warpbeam {

struct PhiloxState {
  uint32_t key[2];
  uint32_t counter[4];
};

// Constants of the paper: two multipliers, and the Weyl sequence that the key walks along.
struct PhiloxConstants {
  static constexpr uint32_t kMultiplier0 = 0xD2511F53;
  static constexpr uint32_t kMultiplier1 = 0xCD9E8D57;
  static constexpr uint32_t kWeyl0 = 0x9E3779B9;
  static constexpr uint32_t kWeyl1 = 0xBB67AE85;
  static constexpr int kRounds = 10;
};

// Moves `counter` so many blocks ahead; it wraps around.
WB_HD inline void SkipBlocks(uint32_t* counter, uint64_t blocks) {
  const uint64_t low = uint64_t{counter[1]} << 32 | counter[0];
  const uint64_t sum = low + blocks;
  counter[0] = static_cast<uint32_t>(sum);
  counter[1] = static_cast<uint32_t>(sum >> 32);
  if (sum < low && ++counter[2] == 0) ++counter[3];
}

WB_HD inline void PhiloxRounds(const uint32_t* key, const uint32_t* counter, uint32_t* out) {
  using C = PhiloxConstants;
  uint32_t x0 = counter[0], x1 = counter[1], x2 = counter[2], x3 = counter[3];
  uint32_t k0 = key[0], k1 = key[1];
  for (int r = 0; r < C::kRounds; ++r) {
    const uint64_t p0 = uint64_t{C::kMultiplier0} * x0;
    const uint64_t p1 = uint64_t{C::kMultiplier1} * x2;
    x0 = static_cast<uint32_t>(p1 >> 32) ^ x1 ^ k0;
    x1 = static_cast<uint32_t>(p1);
    x2 = static_cast<uint32_t>(p0 >> 32) ^ x3 ^ k1;
    x3 = static_cast<uint32_t>(p0);
    k0 += C::kWeyl0;
    k1 += C::kWeyl1;
  }
  out[0] = x0;
  out[1] = x1;
  out[2] = x2;
  out[3] = x3;
}

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_RANDOM_PHILOX_ROUNDS_H_
