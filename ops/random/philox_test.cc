#include "ops/random/philox.h"

#include <gtest/gtest.h>

#include <vector>

namespace warpbeam {
namespace {

// Known answers that the authors of the paper publish with their library, Random123.
TEST(PhiloxTest, KnownAnswers) {
  EXPECT_EQ(Philox({0, 0}, {0, 0, 0, 0}).Next(),
            (Philox::Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const uint32_t ones = 0xffffffff;
  EXPECT_EQ(Philox({ones, ones}, {ones, ones, ones, ones}).Next(),
            (Philox::Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(
      Philox({0xa4093822, 0x299f31d0}, {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}).Next(),
      (Philox::Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(PhiloxTest, SkipCarriesThroughAllWords) {
  const uint32_t ones = 0xffffffff;
  Philox p({1, 2}, {ones, ones, ones, 7});
  p.Skip(1);
  EXPECT_EQ(p.counter(), (Philox::Block{0, 0, 0, 8}));
  p.Skip(uint64_t{5} << 32 | 3);
  EXPECT_EQ(p.counter(), (Philox::Block{3, 5, 0, 8}));
}

// Also where the lowest word of the counter overflows in the middle of a vector.
TEST(PhiloxTest, GenerateEqualsNext) {
  for (uint32_t start : {0u, 0xffffffe8u, 0xfffffff0u, 0xfffffffcu}) {
    const Philox begin({3, 4}, {start, 0xffffffff, 5, 6});
    Philox all = begin, single = begin;
    std::vector<uint32_t> numbers(4 * 37);
    all.Generate(37, numbers.data());
    for (int i = 0; i < 37; ++i) {
      const Philox::Block block = single.Next();
      for (int k = 0; k < 4; ++k) ASSERT_EQ(numbers[4 * i + k], block[k]) << i;
    }
    EXPECT_EQ(all.counter(), single.counter());
  }
}

TEST(PhiloxTest, NumbersComeOneByOne) {
  Philox p(11, 22);
  PhiloxNumbers numbers(p);
  for (int i = 0; i < 3; ++i) {
    for (uint32_t want : p.Next()) EXPECT_EQ(numbers.Next(), want);
  }
}

}  // namespace
}  // namespace warpbeam
