// The layout of a TFRecord file. It is a sequence of records and nothing else; each one is
//
//   uint64 length      little-endian, of the payload
//   uint32 masked CRC-32C of the length's eight bytes
//   byte   payload[length]
//   uint32 masked CRC-32C of the payload
//
// A compressed file is this sequence compressed as a whole, not record by record. Internal to the
// record reader and writer and to their tests. Thread safety: pure functions. Errors: none.
//
//   const uint64_t length = LoadLittle64(bytes);                  // then LoadLittle32(bytes + 8)
//   const size_t whole = kRecordHeaderBytes + length + kRecordFooterBytes;

#ifndef WARPBEAM_RUNTIME_RECORD_RECORD_FORMAT_H_
#define WARPBEAM_RUNTIME_RECORD_RECORD_FORMAT_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace warpbeam {

constexpr size_t kRecordLengthBytes = 8;
constexpr size_t kRecordHeaderBytes = kRecordLengthBytes + 4;
constexpr size_t kRecordFooterBytes = 4;

// The machines of the baseline (x86-64) are little-endian themselves.
inline uint64_t LoadLittle64(const char* p) {
  uint64_t v;
  memcpy(&v, p, sizeof v);
  return v;
}

inline uint32_t LoadLittle32(const char* p) {
  uint32_t v;
  memcpy(&v, p, sizeof v);
  return v;
}

inline void StoreLittle64(uint64_t v, char* p) { memcpy(p, &v, sizeof v); }
inline void StoreLittle32(uint32_t v, char* p) { memcpy(p, &v, sizeof v); }

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_RECORD_RECORD_FORMAT_H_
