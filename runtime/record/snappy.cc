#include "runtime/record/snappy.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "graph/types/status.h"

namespace warpbeam {
namespace {

// The low two bits of an element's first byte.
enum Tag : uint8_t { kLiteral = 0, kCopy1 = 1, kCopy2 = 2, kCopy4 = 3 };

// What is compressed at a time: copies reach back within it, so that two bytes hold each offset.
constexpr size_t kWindow = size_t{1} << 16;
constexpr int kHashBits = 14;
constexpr size_t kMostCopied = 64;  // by one element
constexpr size_t kLeastCopied = 4;

uint32_t Load32(const char* p) {
  uint32_t value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

uint32_t HashOf(uint32_t four_bytes) { return (four_bytes * 0x1e35a7bdu) >> (32 - kHashBits); }

void AppendVarint(uint64_t value, std::string* out) {
  for (; value >= 0x80; value >>= 7) out->push_back(static_cast<char>(value | 0x80));
  out->push_back(static_cast<char>(value));
}

void AppendLiteral(absl::string_view bytes, std::string* out) {
  if (bytes.empty()) return;
  const size_t n = bytes.size() - 1;
  if (n < 60) {
    out->push_back(static_cast<char>(n << 2 | kLiteral));
  } else {
    const int extra = n < 256 ? 1 : 2;  // bytes of the length; a window needs no more
    out->push_back(static_cast<char>((59 + extra) << 2 | kLiteral));
    for (int i = 0; i < extra; ++i) out->push_back(static_cast<char>(n >> (8 * i)));
  }
  out->append(bytes.data(), bytes.size());
}

void AppendCopy(size_t offset, size_t length, std::string* out) {
  while (length > 0) {
    const size_t part = std::min(length, kMostCopied);
    out->push_back(static_cast<char>((part - 1) << 2 | kCopy2));
    out->push_back(static_cast<char>(offset));
    out->push_back(static_cast<char>(offset >> 8));
    length -= part;
  }
}

void CompressWindow(absl::string_view bytes, std::vector<uint16_t>* table, std::string* out) {
  std::fill(table->begin(), table->end(), uint16_t{0});
  const char* const begin = bytes.data();
  size_t literal = 0, at = 1;  // position 0 is what an empty entry of the table says
  while (at + kLeastCopied <= bytes.size()) {
    const uint32_t four = Load32(begin + at);
    uint16_t& entry = (*table)[HashOf(four)];
    const size_t earlier = entry;
    entry = static_cast<uint16_t>(at);
    if (Load32(begin + earlier) != four) {
      at += 1 + ((at - literal) >> 5);  // faster through what does not compress
      continue;
    }
    size_t length = kLeastCopied;
    while (at + length < bytes.size() && begin[earlier + length] == begin[at + length]) ++length;
    AppendLiteral(bytes.substr(literal, at - literal), out);
    AppendCopy(at - earlier, length, out);
    at += length;
    literal = at;
  }
  AppendLiteral(bytes.substr(literal), out);
}

class Uncompressor {
 public:
  explicit Uncompressor(absl::string_view block) : in_(block) {}

  absl::StatusOr<std::string> Run() {
    uint64_t size = 0;
    if (!ReadSize(&size)) return Damaged("it has no length");
    // A copy of 64 bytes takes three.
    if (size > in_.size() * 22 + 1) return Damaged("its length cannot be true");
    out_.reserve(static_cast<size_t>(size));
    while (!in_.empty()) {
      if (!ReadElement(size)) return Damaged("an element does not fit");
    }
    if (out_.size() != size) return Damaged("it ends early");
    return std::move(out_);
  }

 private:
  static absl::Status Damaged(const char* why) {
    return DataLoss("this is no block of Snappy data: ", why);
  }

  bool ReadSize(uint64_t* size) {
    for (int shift = 0; shift < 35 && !in_.empty(); shift += 7) {
      const uint8_t byte = static_cast<uint8_t>(in_.front());
      in_.remove_prefix(1);
      *size |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return *size <= UINT32_MAX;
    }
    return false;
  }

  // A number of `count` bytes, the least first.
  bool ReadNumber(size_t count, size_t* value) {
    if (in_.size() < count) return false;
    *value = 0;
    for (size_t i = 0; i < count; ++i) {
      *value |= static_cast<size_t>(static_cast<uint8_t>(in_[i])) << (8 * i);
    }
    in_.remove_prefix(count);
    return true;
  }

  bool ReadElement(uint64_t size) {
    const uint8_t tag = static_cast<uint8_t>(in_.front());
    in_.remove_prefix(1);
    size_t length = tag >> 2, offset = 0;
    const auto kind = static_cast<Tag>(tag & 3);
    if (kind == kLiteral) {
      if (length >= 60 && !ReadNumber(length - 59, &length)) return false;
      ++length;
      if (length > in_.size() || length > size - out_.size()) return false;
      out_.append(in_.data(), length);
      in_.remove_prefix(length);
      return true;
    }
    if (kind == kCopy1) {
      if (!ReadNumber(1, &offset)) return false;
      offset |= static_cast<size_t>(tag >> 5) << 8;
      length = 4 + (length & 7);
    } else {
      if (!ReadNumber(kind == kCopy2 ? 2 : 4, &offset)) return false;
      ++length;
    }
    if (offset == 0 || offset > out_.size() || length > size - out_.size()) return false;
    // What is copied may reach into what the copy makes.
    for (size_t i = 0; i < length; ++i) out_.push_back(out_[out_.size() - offset]);
    return true;
  }

  absl::string_view in_;
  std::string out_;
};

}  // namespace

std::string SnappyCompress(absl::string_view bytes) {
  std::string out;
  AppendVarint(bytes.size(), &out);
  std::vector<uint16_t> table(size_t{1} << kHashBits);
  for (; !bytes.empty(); bytes.remove_prefix(std::min(kWindow, bytes.size()))) {
    CompressWindow(bytes.substr(0, kWindow), &table, &out);
  }
  return out;
}

absl::StatusOr<std::string> SnappyUncompress(absl::string_view block) {
  return Uncompressor(block).Run();
}

}  // namespace warpbeam
