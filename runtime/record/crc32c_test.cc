#include "runtime/record/crc32c.h"

#include <numeric>
#include <random>
#include <string>

#include "gtest/gtest.h"

namespace warpbeam {
namespace {

// Bit by bit, from the definition.
uint32_t SlowCrc32c(const std::string& data) {
  uint32_t crc = 0xffffffffu;
  for (unsigned char byte : data) {
    crc ^= byte;
    for (int i = 0; i < 8; ++i) crc = (crc >> 1) ^ ((crc & 1) ? 0x82f63b78u : 0);
  }
  return crc ^ 0xffffffffu;
}

std::string RandomBytes(size_t size) {
  std::mt19937 random(7);
  std::string bytes(size, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  return bytes;
}

uint32_t Crc32cOf(const std::string& s) { return Crc32c(s.data(), s.size()); }

TEST(Crc32cTest, KnownValues) {
  EXPECT_EQ(Crc32cOf(""), 0u);
  EXPECT_EQ(Crc32cOf("123456789"), 0xe3069283u);
  // RFC 3720, appendix B.4.
  EXPECT_EQ(Crc32cOf(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(Crc32cOf(std::string(32, '\xff')), 0x62a8ab43u);
  std::string ascending(32, '\0');
  std::iota(ascending.begin(), ascending.end(), 0);
  EXPECT_EQ(Crc32cOf(ascending), 0x46dd794eu);
}

TEST(Crc32cTest, EveryLengthAndAlignment) {
  const std::string bytes = RandomBytes(2000);
  for (size_t size = 0; size <= 1800; size += size < 64 ? 1 : 37) {
    for (size_t start : {0, 1, 3, 7}) {
      EXPECT_EQ(Crc32c(bytes.data() + start, size), SlowCrc32c(bytes.substr(start, size)))
          << start << "+" << size;
    }
  }
}

TEST(Crc32cTest, LongBlocks) {
  const std::string bytes = RandomBytes(3 * 8192 * 2 + 3 * 256 + 13);
  EXPECT_EQ(Crc32cOf(bytes), SlowCrc32c(bytes));
}

TEST(Crc32cTest, ExtendEqualsOneCall) {
  const std::string bytes = RandomBytes(30000);
  for (size_t cut : {0, 1, 8, 767, 768, 25000, 30000}) {
    EXPECT_EQ(ExtendCrc32c(Crc32c(bytes.data(), cut), bytes.data() + cut, bytes.size() - cut),
              Crc32cOf(bytes))
        << cut;
  }
}

TEST(Crc32cTest, MaskIsUndoneAndDiffers) {
  EXPECT_EQ(MaskCrc32c(0), 0xa282ead8u);
  for (uint32_t crc : {0u, 1u, 0xe3069283u, 0xffffffffu, 0x80000000u}) {
    EXPECT_EQ(UnmaskCrc32c(MaskCrc32c(crc)), crc);
    EXPECT_NE(MaskCrc32c(crc), crc);
    EXPECT_NE(MaskCrc32c(MaskCrc32c(crc)), crc);
  }
}

}  // namespace
}  // namespace warpbeam
