// PNG files. A changed chunk mostly gets its checksum anew: libpng stops at a wrong one.
#include <zlib.h>

#include <cstring>
#include <string>

#include "tests/fuzz/byte_mutator.h"
#include "tests/fuzz/pixel_memory.h"
#include "tests/fuzz/target.h"

namespace warpbeam {
namespace fuzz {
namespace {

constexpr size_t kSignature = 8;
constexpr size_t kChunkHead = 8;  // length, type

uint32_t LoadBig32(const char* p) {
  uint32_t v;
  memcpy(&v, p, 4);
  return __builtin_bswap32(v);
}

void SetChecksums(std::string* file) {
  size_t at = kSignature;
  while (at + kChunkHead + 4 <= file->size()) {
    const size_t length = LoadBig32(&(*file)[at]);
    if (length > file->size() - at - kChunkHead - 4) return;
    const auto* const begin = reinterpret_cast<const Bytef*>(&(*file)[at + 4]);
    const auto sum = static_cast<uint32_t>(crc32(0, begin, static_cast<uInt>(length + 4)));
    const uint32_t big = __builtin_bswap32(sum);
    memcpy(&(*file)[at + kChunkHead + length], &big, 4);
    at += kChunkHead + length + 4;
  }
}

}  // namespace
}  // namespace fuzz
}  // namespace warpbeam

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view file(reinterpret_cast<const char*>(data), size);
  warpbeam::fuzz::PixelMemory memory;
  warpbeam::DecodePng(file, 0, 8, memory.ForBytesPerValue(1)).IgnoreError();
  warpbeam::DecodePng(file, 1, 16, memory.ForBytesPerValue(2)).IgnoreError();
  warpbeam::DecodePng(file, 4, 16, memory.ForBytesPerValue(2)).IgnoreError();
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  warpbeam::fuzz::RandomSource random(seed);
  std::string file(reinterpret_cast<const char*>(data), size);
  warpbeam::fuzz::MutateBytes(random, max_size, &file);
  if (!random.OneIn(8)) warpbeam::fuzz::SetChecksums(&file);
  memcpy(data, file.data(), file.size());
  return file.size();
}
