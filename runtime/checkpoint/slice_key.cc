#include "runtime/checkpoint/slice_key.h"

namespace warpbeam {
namespace {

int SignificantBits(uint64_t x) { return x == 0 ? 0 : 64 - __builtin_clzll(x); }

// The number of bytes, then the bytes, most significant first.
void AppendUnsigned(uint64_t value, std::string* out) {
  const int bytes = (SignificantBits(value) + 7) / 8;
  out->push_back(static_cast<char>(bytes));
  for (int i = bytes - 1; i >= 0; --i) out->push_back(static_cast<char>(value >> (8 * i)));
}

// Two's complement in as few bytes as hold seven bits each, most significant first; the leading
// bits, as many ones as there are bytes, tell the length and are flipped for negative values.
void AppendSigned(int64_t value, std::string* out) {
  const uint64_t magnitude = static_cast<uint64_t>(value < 0 ? ~value : value);
  const int bytes = SignificantBits(magnitude) / 7 + 1;
  char coded[10];
  for (int i = 0; i < 10; ++i) {
    const int shift = 8 * (9 - i);
    coded[i] = static_cast<char>(shift >= 64 ? (value < 0 ? -1 : 0) : value >> shift);
  }
  char* const first = coded + 10 - bytes;
  for (int bit = 0; bit < bytes; ++bit) {
    first[bit / 8] = static_cast<char>(first[bit / 8] ^ (0x80 >> (bit % 8)));
  }
  out->append(first, static_cast<size_t>(bytes));
}

// Zero bytes and 0xff bytes are escaped; 0, 1 ends it.
void AppendText(absl::string_view text, std::string* out) {
  for (char c : text) {
    out->push_back(c);
    if (c == '\0') out->push_back('\xff');
    if (c == '\xff') out->push_back('\0');
  }
  out->append("\0\1", 2);
}

}  // namespace

std::string SliceKey(absl::string_view name, const TensorSlice& slice) {
  std::string key;
  AppendUnsigned(0, &key);
  AppendText(name, &key);
  AppendUnsigned(static_cast<uint64_t>(slice.rank()), &key);
  for (const TensorSlice::Extent& e : slice.extents()) {
    AppendSigned(e.start, &key);
    AppendSigned(e.length, &key);
  }
  return key;
}

}  // namespace warpbeam
