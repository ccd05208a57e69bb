#include "ops/random/philox.h"

#include <cstring>

namespace warpbeam {
namespace {

// Constants of the paper: two multipliers, and the Weyl sequence that the key walks along.
constexpr uint32_t kMultiplier0 = 0xD2511F53;
constexpr uint32_t kMultiplier1 = 0xCD9E8D57;
constexpr uint32_t kWeyl0 = 0x9E3779B9;
constexpr uint32_t kWeyl1 = 0xBB67AE85;
constexpr int kRounds = 10;

// As many blocks at once as a vector has 32-bit lanes; written so that the compiler vectorises it.
constexpr int kLanes = 8;
struct Lanes {
  uint32_t word[4][kLanes];
};

void Rounds(Philox::Key key, Lanes& x) {
  for (int r = 0; r < kRounds; ++r) {
    for (int i = 0; i < kLanes; ++i) {
      const uint64_t p0 = uint64_t{kMultiplier0} * x.word[0][i];
      const uint64_t p1 = uint64_t{kMultiplier1} * x.word[2][i];
      x.word[0][i] = static_cast<uint32_t>(p1 >> 32) ^ x.word[1][i] ^ key[0];
      x.word[1][i] = static_cast<uint32_t>(p1);
      x.word[2][i] = static_cast<uint32_t>(p0 >> 32) ^ x.word[3][i] ^ key[1];
      x.word[3][i] = static_cast<uint32_t>(p0);
    }
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
}

}  // namespace

void Philox::Skip(uint64_t blocks) {
  const uint64_t low = (uint64_t{counter_[1]} << 32 | counter_[0]);
  const uint64_t sum = low + blocks;
  counter_[0] = Low(sum);
  counter_[1] = High(sum);
  if (sum < low && ++counter_[2] == 0) ++counter_[3];
}

Philox::Block Philox::Next() {
  Block x = counter_;
  Key key = key_;
  for (int r = 0; r < kRounds; ++r) {
    const uint64_t p0 = uint64_t{kMultiplier0} * x[0];
    const uint64_t p1 = uint64_t{kMultiplier1} * x[2];
    x = {High(p1) ^ x[1] ^ key[0], Low(p1), High(p0) ^ x[3] ^ key[1], Low(p0)};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  Skip(1);
  return x;
}

void Philox::Generate(int64_t blocks, uint32_t* out) {
  while (blocks >= kLanes && counter_[0] <= ~uint32_t{0} - kLanes) {
    Lanes x;
    for (uint32_t i = 0; i < kLanes; ++i) {
      x.word[0][i] = counter_[0] + i;
      for (int w = 1; w < kBlockNumbers; ++w) x.word[w][i] = counter_[w];
    }
    Rounds(key_, x);
    for (int i = 0; i < kLanes; ++i) {
      for (int w = 0; w < kBlockNumbers; ++w) out[i * kBlockNumbers + w] = x.word[w][i];
    }
    counter_[0] += kLanes;
    out += kLanes * kBlockNumbers;
    blocks -= kLanes;
  }
  for (; blocks > 0; --blocks, out += kBlockNumbers) {
    const Block block = Next();
    memcpy(out, block.data(), sizeof(block));
  }
}

}  // namespace warpbeam
