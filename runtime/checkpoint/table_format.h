// The layout of a table file: sorted keys with values, in blocks. The index file of a version 2
// checkpoint and all of a version 1 checkpoint are such tables.
//
//   block*  metaindex block  index block  footer
//
// A block is entries, then the offsets of its restart points (uint32 each) and their number
// (uint32), all of it perhaps compressed, then a trailer: a byte for the compression (0: none, 1:
// Snappy) and the masked CRC-32C (uint32) of all before it. An entry is three varints (bytes of the
// key shared with the entry before; the key's other bytes; the value's bytes), the key's other
// bytes, and the value; at a restart point nothing is shared. A handle is two varints, a block's
// offset and its size without trailer. The index block has a key not below its block's last one,
// and the block's handle. The footer is the two handles, zeros up to 40 bytes, and the magic
// number. Numbers are little-endian.
//
// Internal to the table reader and writer and to their tests. Thread safety: pure functions.
// Errors: a reader of varints returns false at the end of the input or for too long a number.
//
//   AppendVarint(300, &bytes);
//   uint64_t n;  if (!ReadVarint(&rest, &n)) …
#ifndef WARPBEAM_RUNTIME_CHECKPOINT_TABLE_FORMAT_H_
#define WARPBEAM_RUNTIME_CHECKPOINT_TABLE_FORMAT_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace warpbeam {

constexpr char kTableUncompressed = 0;
constexpr char kTableSnappy = 1;
constexpr size_t kTableTrailerBytes = 5;
constexpr size_t kTableHandlesBytes = 40;
constexpr size_t kTableFooterBytes = 48;
constexpr uint64_t kTableMagic = 0xdb4775248b80fb57ull;
constexpr size_t kTableBlockBytes = 262144;
constexpr int kTableRestartInterval = 16;

inline void AppendVarint(uint64_t value, std::string* out) {
  for (; value >= 0x80; value >>= 7) out->push_back(static_cast<char>(value | 0x80));
  out->push_back(static_cast<char>(value));
}

inline bool ReadVarint(absl::string_view* in, uint64_t* value) {
  *value = 0;
  for (size_t i = 0; i < 10 && i < in->size(); ++i) {
    const uint64_t byte = static_cast<unsigned char>((*in)[i]);
    if (i == 9 && byte > 1) return false;
    *value |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      in->remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_CHECKPOINT_TABLE_FORMAT_H_
