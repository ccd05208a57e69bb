// RandomSamples: the stream of 32-bit numbers that TensorFlow's datasets draw from a pair of seeds;
// SeedGenerator: where each pass over a shuffled dataset gets its seeds from.
//
// The stream is Philox 4x32-10 with the first seed as key and the second as the upper half of the
// counter, one number at a time, so that seeded shuffles give TensorFlow's order.
//
//   RandomSamples samples(seeds);
//   int64_t index = samples.Next() % size;
//
// Ownership: values; a SeedGenerator is shared by the dataset and the iterators that ask it. Thread
// safety: samples belong to one thread, a SeedGenerator to any. Errors: none.
#ifndef WARPBEAM_OPS_DATA_RANDOM_SAMPLES_H_
#define WARPBEAM_OPS_DATA_RANDOM_SAMPLES_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "runtime/state/resource_store.h"

namespace warpbeam {

struct SeedPair {
  int64_t seed = 0;
  int64_t seed2 = 0;
};

// Seeds as an op is given them: two zeros ask for seeds that differ in every run.
SeedPair ResolveSeeds(int64_t seed, int64_t seed2);

class RandomSamples {
 public:
  // Begins behind the first `passed` numbers.
  explicit RandomSamples(SeedPair seeds, uint64_t passed = 0);
  uint32_t Next() {
    if (used_ == 4) Refill();
    return block_[used_++];
  }

 private:
  void Refill();

  uint32_t key_[2];
  uint32_t counter_[4];
  uint32_t block_[4];
  int used_ = 4;
};

class SeedGenerator final : public Resource {
 public:
  // With `reseed` every call of Next gives new seeds, drawn from the first ones.
  SeedGenerator(SeedPair seeds, bool reseed) : reseed_(reseed), state_{seeds, 0}, samples_(seeds) {}

  // What is to be known to go on from here in another process.
  struct State {
    SeedPair seeds;
    int64_t given = 0;  // calls of Next
  };

  SeedPair Next();
  SeedPair seeds() const { return state().seeds; }
  State state() const;
  void set_state(State state);
  std::string DebugString() const override { return "a generator of seeds"; }

 private:
  const bool reseed_;
  mutable std::mutex mutex_;  // of what follows
  State state_;
  RandomSamples samples_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_DATA_RANDOM_SAMPLES_H_
