// The order in which the host goes through the blocks of a grid and the threads of a phase, which a
// GPU does not have: another one for each seed, block and phase.
//
//   const BlockOrder order(grid.blocks);
//   for (int64_t i = 0; i < grid.blocks; ++i) Run(order.At(i));    // each block once
//
// The seed is WARPBEAM_BLOCK_ORDER of the environment, a whole number, or else 0, with which blocks
// run from the first to the last. Thread safety: any thread; the seed is set while none runs.
// Errors: none; what is no number is 0.
#ifndef WARPBEAM_OPS_LAUNCH_BLOCK_ORDER_H_
#define WARPBEAM_OPS_LAUNCH_BLOCK_ORDER_H_

#include <cstdint>
#include <cstdlib>
#include <numeric>

namespace warpbeam::internal {

inline uint64_t& BlockOrderSeed() {
  static uint64_t seed = [] {
    const char* const text = std::getenv("WARPBEAM_BLOCK_ORDER");
    return text == nullptr ? uint64_t{0} : std::strtoull(text, nullptr, 10);
  }();
  return seed;
}

class BlockOrder {
 public:
  explicit BlockOrder(int64_t blocks) : blocks_(blocks) {
    const uint64_t seed = BlockOrderSeed();
    if (seed == 0 || blocks < 2) return;
    first_ = static_cast<int64_t>(seed % static_cast<uint64_t>(blocks));
    // A step without a factor in common with the number of blocks comes to each of them.
    step_ = static_cast<int64_t>(seed / 2 % static_cast<uint64_t>(blocks));
    while (std::gcd(step_, blocks) != 1) ++step_;
  }
  int64_t At(int64_t i) const { return (first_ + i * step_) % blocks_; }

 private:
  const int64_t blocks_;
  int64_t first_ = 0, step_ = 1;
};

// An odd step goes through a power of two of threads in some order of its own.
struct PhaseOrder {
  unsigned first, step;
  unsigned At(unsigned i, unsigned threads) const { return (first + i * step) & (threads - 1); }
};

// Of the phases of a block, one after the other.
class PhaseOrders {
 public:
  explicit PhaseOrders(int64_t block)
      : phase_(static_cast<unsigned>(block) +
               static_cast<unsigned>(BlockOrderSeed()) * 2654435769u) {}
  PhaseOrder Next() {
    const PhaseOrder order = {phase_ * 13, (phase_ * 2 + 1) * 77 | 1};
    ++phase_;
    return order;
  }

 private:
  unsigned phase_;
};

}  // namespace warpbeam::internal

#endif  // WARPBEAM_OPS_LAUNCH_BLOCK_ORDER_H_
