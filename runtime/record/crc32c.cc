#include "runtime/record/crc32c.h"

#include <nmmintrin.h>

#include <array>
#include <cstring>

namespace warpbeam {
namespace {

// The polynomial with its bits reversed, as the instruction works.
constexpr uint32_t kPolynomial = 0x82f63b78u;

// Appending n zero bytes to a message multiplies its CRC state by x^(8n) modulo the polynomial: a
// linear map over 32 bits, kept as one table for each byte of the state. With it the CRC of a block
// is put together from CRCs of its parts that were computed side by side.
using ZerosTable = std::array<std::array<uint32_t, 256>, 4>;
using BitMatrix = std::array<uint32_t, 32>;  // column i: the image of bit i

constexpr uint32_t Apply(const BitMatrix& matrix, uint32_t vector) {
  uint32_t sum = 0;
  for (int i = 0; vector != 0; ++i, vector >>= 1) {
    if (vector & 1) sum ^= matrix[i];
  }
  return sum;
}

constexpr BitMatrix Square(const BitMatrix& matrix) {
  BitMatrix square{};
  for (int i = 0; i < 32; ++i) square[i] = Apply(matrix, matrix[i]);
  return square;
}

// `bytes` is a power of two.
constexpr ZerosTable MakeZerosTable(size_t bytes) {
  BitMatrix one_bit{};
  one_bit[0] = kPolynomial;
  for (int i = 1; i < 32; ++i) one_bit[i] = 1u << (i - 1);
  BitMatrix matrix = one_bit;
  for (size_t bits = 1; bits < bytes * 8; bits *= 2) matrix = Square(matrix);
  ZerosTable table{};
  for (int byte = 0; byte < 4; ++byte) {
    for (uint32_t value = 0; value < 256; ++value) {
      table[byte][value] = Apply(matrix, value << (8 * byte));
    }
  }
  return table;
}

// Long parts leave little to put together; short ones catch records of about a kilobyte.
constexpr size_t kLongPart = 8192;
constexpr size_t kShortPart = 256;
constexpr ZerosTable kLongZeros = MakeZerosTable(kLongPart);
constexpr ZerosTable kShortZeros = MakeZerosTable(kShortPart);

inline uint32_t AppendZeros(const ZerosTable& table, uint32_t crc) {
  return table[0][crc & 0xff] ^ table[1][(crc >> 8) & 0xff] ^ table[2][(crc >> 16) & 0xff] ^
         table[3][crc >> 24];
}

inline uint64_t Load64(const char* p) {
  uint64_t v;
  memcpy(&v, p, sizeof v);
  return v;
}

// Three consecutive parts of `kPart` bytes.
template <size_t kPart>
inline uint64_t ThreeParts(uint64_t crc0, const char* p, const ZerosTable& zeros) {
  uint64_t crc1 = 0;
  uint64_t crc2 = 0;
  for (const char* end = p + kPart; p != end; p += 8) {
    crc0 = _mm_crc32_u64(crc0, Load64(p));
    crc1 = _mm_crc32_u64(crc1, Load64(p + kPart));
    crc2 = _mm_crc32_u64(crc2, Load64(p + 2 * kPart));
  }
  crc0 = AppendZeros(zeros, static_cast<uint32_t>(crc0)) ^ crc1;
  return AppendZeros(zeros, static_cast<uint32_t>(crc0)) ^ crc2;
}

}  // namespace

uint32_t ExtendCrc32c(uint32_t crc, const char* data, size_t size) {
  uint64_t state = crc ^ 0xffffffffu;
  for (; size >= 3 * kLongPart; data += 3 * kLongPart, size -= 3 * kLongPart) {
    state = ThreeParts<kLongPart>(state, data, kLongZeros);
  }
  for (; size >= 3 * kShortPart; data += 3 * kShortPart, size -= 3 * kShortPart) {
    state = ThreeParts<kShortPart>(state, data, kShortZeros);
  }
  for (; size >= 8; data += 8, size -= 8) state = _mm_crc32_u64(state, Load64(data));
  for (; size > 0; ++data, --size) {
    state = _mm_crc32_u8(static_cast<uint32_t>(state), static_cast<unsigned char>(*data));
  }
  return static_cast<uint32_t>(state) ^ 0xffffffffu;
}

}  // namespace warpbeam
