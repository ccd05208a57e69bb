#include "ops/random/philox.h"

#include <cstring>

#include "ops/launch/vec.h"

namespace warpbeam {
namespace {

// Constants of the paper: two multipliers, and the Weyl sequence that the key walks along.
constexpr uint32_t kMultiplier0 = 0xD2511F53;
constexpr uint32_t kMultiplier1 = 0xCD9E8D57;
constexpr uint32_t kWeyl0 = 0x9E3779B9;
constexpr uint32_t kWeyl1 = 0xBB67AE85;
constexpr int kRounds = 10;

// Sixteen blocks at once, as two independent sets of vectors: the multiplications of one set fill
// the waits of the other. Lane i of word[w] is word w of block i.
namespace hn = host_pass::hn;
using Tag = hn::ScalableTag<uint32_t>;
using Wide = hn::ScalableTag<uint64_t>;
using Vector = hn::Vec<Tag>;
constexpr int kLanes = hn::MaxLanes(Tag());
constexpr int kSets = 2;
constexpr int kBlocksAtOnce = kSets * kLanes;

struct Product {
  Vector low, high;
};

// The 64-bit products, in halves: lanes 0, 2, 4… and lanes 1, 3, 5… are multiplied apart.
Product Multiply(Vector x, Vector multiplier) {
  const Tag d;
  const Wide wide;
  const auto even = hn::MulEven(x, multiplier);
  const auto shifted = hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(wide, x)));
  const auto odd = hn::MulEven(shifted, multiplier);
  return {hn::OddEven(hn::BitCast(d, hn::ShiftLeft<32>(odd)), hn::BitCast(d, even)),
          hn::OddEven(hn::BitCast(d, odd), hn::BitCast(d, hn::ShiftRight<32>(even)))};
}

void Round(Philox::Key key, Vector* x) {
  const Tag d;
  const Product p0 = Multiply(x[0], hn::Set(d, kMultiplier0));
  const Product p1 = Multiply(x[2], hn::Set(d, kMultiplier1));
  x[0] = hn::Xor(hn::Xor(p1.high, x[1]), hn::Set(d, key[0]));
  x[1] = p1.low;
  x[2] = hn::Xor(hn::Xor(p0.high, x[3]), hn::Set(d, key[1]));
  x[3] = p0.low;
}

// The blocks of kBlocksAtOnce counters that differ in their lowest word, which does not overflow.
void GenerateBlocks(Philox::Key key, const Philox::Block& counter, uint32_t* out) {
  const Tag d;
  Vector x[kSets][Philox::kBlockNumbers];
  for (int s = 0; s < kSets; ++s) {
    x[s][0] = hn::Iota(d, counter[0] + static_cast<uint32_t>(s * kLanes));
    for (int w = 1; w < Philox::kBlockNumbers; ++w) x[s][w] = hn::Set(d, counter[w]);
  }
  for (int r = 0; r < kRounds; ++r) {
    for (int s = 0; s < kSets; ++s) Round(key, x[s]);
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  for (int s = 0; s < kSets; ++s) {
    hn::StoreInterleaved4(x[s][0], x[s][1], x[s][2], x[s][3], d,
                          out + s * kLanes * Philox::kBlockNumbers);
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
  while (blocks >= kBlocksAtOnce && counter_[0] <= ~uint32_t{0} - kBlocksAtOnce) {
    GenerateBlocks(key_, counter_, out);
    counter_[0] += kBlocksAtOnce;
    out += kBlocksAtOnce * kBlockNumbers;
    blocks -= kBlocksAtOnce;
  }
  for (; blocks > 0; --blocks, out += kBlockNumbers) {
    const Block block = Next();
    memcpy(out, block.data(), sizeof(block));
  }
}

}  // namespace warpbeam
