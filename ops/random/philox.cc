#include "ops/random/philox.h"

#include <cstring>

#include "ops/launch/vec.h"
#include "ops/random/philox_rounds.h"

namespace warpbeam {
namespace {

using C = PhiloxConstants;

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
  const Product p0 = Multiply(x[0], hn::Set(d, C::kMultiplier0));
  const Product p1 = Multiply(x[2], hn::Set(d, C::kMultiplier1));
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
  for (int r = 0; r < C::kRounds; ++r) {
    for (int s = 0; s < kSets; ++s) Round(key, x[s]);
    key[0] += C::kWeyl0;
    key[1] += C::kWeyl1;
  }
  for (int s = 0; s < kSets; ++s) {
    hn::StoreInterleaved4(x[s][0], x[s][1], x[s][2], x[s][3], d,
                          out + s * kLanes * Philox::kBlockNumbers);
  }
}

}  // namespace

void Philox::Skip(uint64_t blocks) { SkipBlocks(counter_.data(), blocks); }

Philox::Block Philox::Next() {
  Block x;
  PhiloxRounds(key_.data(), counter_.data(), x.data());
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
