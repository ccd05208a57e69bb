#include "ops/data/random_samples.h"

#include <random>

namespace warpbeam {

SeedPair ResolveSeeds(int64_t seed, int64_t seed2) {
  if (seed != 0 || seed2 != 0) return {seed, seed2};
  std::random_device device;
  const auto draw = [&device] {
    return static_cast<int64_t>((static_cast<uint64_t>(device()) << 32) | device());
  };
  const int64_t first = draw();
  return {first, draw()};
}

RandomSamples::RandomSamples(SeedPair seeds, uint64_t passed) {
  const uint64_t low = static_cast<uint64_t>(seeds.seed);
  const uint64_t high = static_cast<uint64_t>(seeds.seed2);
  key_[0] = static_cast<uint32_t>(low);
  key_[1] = static_cast<uint32_t>(low >> 32);
  counter_[0] = static_cast<uint32_t>(passed / 4);
  counter_[1] = static_cast<uint32_t>(passed / 4 >> 32);
  counter_[2] = static_cast<uint32_t>(high);
  counter_[3] = static_cast<uint32_t>(high >> 32);
  for (uint64_t i = 0; i < passed % 4; ++i) Next();
}

void RandomSamples::Refill() {
  uint32_t c[4] = {counter_[0], counter_[1], counter_[2], counter_[3]};
  uint32_t k[2] = {key_[0], key_[1]};
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = uint64_t{0xD2511F53} * c[0];
    const uint64_t p1 = uint64_t{0xCD9E8D57} * c[2];
    const uint32_t next[4] = {
        static_cast<uint32_t>(p1 >> 32) ^ c[1] ^ k[0], static_cast<uint32_t>(p1),
        static_cast<uint32_t>(p0 >> 32) ^ c[3] ^ k[1], static_cast<uint32_t>(p0)};
    for (int i = 0; i < 4; ++i) c[i] = next[i];
    k[0] += 0x9E3779B9;
    k[1] += 0xBB67AE85;
  }
  for (int i = 0; i < 4; ++i) block_[i] = c[i];
  // The counter is one number of 128 bits.
  for (int i = 0; i < 4 && ++counter_[i] == 0; ++i) {
  }
  used_ = 0;
}

SeedPair SeedGenerator::Next() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!reseed_) return state_.seeds;
  ++state_.given;
  const uint32_t first = samples_.Next();
  return {static_cast<int64_t>(first), static_cast<int64_t>(samples_.Next())};
}

SeedGenerator::State SeedGenerator::state() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return state_;
}

void SeedGenerator::set_state(State state) {
  std::lock_guard<std::mutex> lock(mutex_);
  state_ = state;
  samples_ = RandomSamples(state.seeds, 2 * static_cast<uint64_t>(state.given));
}

}  // namespace warpbeam
