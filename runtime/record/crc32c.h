// CRC-32C (Castagnoli polynomial), the checksum of TFRecord files, checkpoints and event files.
//
// Uses the processor's crc32 instruction (part of the x86-64-v3 baseline), three streams at a time,
// since one instruction takes three cycles but a new one can start each cycle. Thread safety: pure
// functions. Errors: none.
//
//   uint32_t crc = Crc32c("123456789", 9);               // 0xe3069283
//   crc = ExtendCrc32c(crc, more.data(), more.size());   // as if both had been passed at once
//   uint32_t stored = MaskCrc32c(crc);                   // what a TFRecord file holds

#ifndef WARPBEAM_RUNTIME_RECORD_CRC32C_H_
#define WARPBEAM_RUNTIME_RECORD_CRC32C_H_

#include <cstddef>
#include <cstdint>

namespace warpbeam {

// The CRC of A followed by B, given the CRC of A. The CRC of nothing is 0.
uint32_t ExtendCrc32c(uint32_t crc, const char* data, size_t size);

inline uint32_t Crc32c(const char* data, size_t size) { return ExtendCrc32c(0, data, size); }

// Files store the CRC rotated and shifted by a constant: the CRC of bytes that hold their own CRC
// is a fixed number, which would make nested files look intact whatever they hold.
constexpr uint32_t kCrc32cMaskDelta = 0xa282ead8u;

constexpr uint32_t MaskCrc32c(uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + kCrc32cMaskDelta;
}

constexpr uint32_t UnmaskCrc32c(uint32_t masked) {
  const uint32_t rotated = masked - kCrc32cMaskDelta;
  return (rotated >> 17) | (rotated << 15);
}

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_RECORD_CRC32C_H_
