// WireReader: the fields of a serialized protobuf message, straight from its bytes.
//
// Input pipelines read millions of small messages; a message object for each costs several times
// what reading its bytes does. Nothing is copied: delimited fields are views of the input.
//
//   WireReader r(bytes);
//   uint32_t tag;
//   while (r.ReadTag(&tag)) {
//     if (tag == DelimitedTag(1)) { if (!r.ReadBytes(&value)) return malformed; … }
//     else if (!r.Skip(tag)) return malformed;
//   }
//   if (!r.AtEnd()) return malformed;
//
// Thread safety: one thread. Errors: every read says whether it worked; no length is believed
// before it is compared to what is left, so hostile bytes can only make a read fail.
#ifndef WARPBEAM_OPS_PARSING_WIRE_READER_H_
#define WARPBEAM_OPS_PARSING_WIRE_READER_H_

#include <cstdint>
#include <cstring>

#include "absl/strings/string_view.h"

namespace warpbeam {

constexpr uint32_t VarintTag(uint32_t field) { return field << 3; }
constexpr uint32_t DelimitedTag(uint32_t field) { return field << 3 | 2; }
constexpr uint32_t Fixed32Tag(uint32_t field) { return field << 3 | 5; }

class WireReader {
 public:
  explicit WireReader(absl::string_view bytes)
      : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  bool AtEnd() const { return at_ == end_; }
  int64_t left() const { return end_ - at_; }

  // False at the end (AtEnd() holds) and at bytes that are no tag (it does not).
  bool ReadTag(uint32_t* tag) {
    if (AtEnd()) return false;
    const char* const start = at_;
    uint64_t value;
    if (!ReadVarint(&value) || value >> 32 != 0 || value >> 3 == 0) {
      at_ = start;
      return false;
    }
    *tag = static_cast<uint32_t>(value);
    return true;
  }
  bool ReadVarint(uint64_t* value) {
    uint64_t v = 0;
    for (int shift = 0; shift < 70 && at_ != end_; shift += 7) {
      const uint8_t byte = static_cast<uint8_t>(*at_++);
      v |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) {
        *value = v;
        return true;
      }
    }
    return false;
  }
  bool ReadBytes(absl::string_view* bytes) {
    uint64_t size;
    if (!ReadVarint(&size) || size > static_cast<uint64_t>(left())) return false;
    *bytes = absl::string_view(at_, static_cast<size_t>(size));
    at_ += size;
    return true;
  }
  bool ReadFixed32(uint32_t* value) {
    if (left() < 4) return false;
    memcpy(value, at_, 4);
    at_ += 4;
    return true;
  }
  // The rest of a field whose tag has been read; groups, long out of use, are refused.
  bool Skip(uint32_t tag) {
    uint64_t number;
    absl::string_view bytes;
    switch (tag & 7) {
      case 0:
        return ReadVarint(&number);
      case 1:
        return Advance(8);
      case 2:
        return ReadBytes(&bytes);
      case 5:
        return Advance(4);
      default:
        return false;
    }
  }

 private:
  bool Advance(int64_t count) {
    if (left() < count) return false;
    at_ += count;
    return true;
  }

  const char* at_;
  const char* end_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_PARSING_WIRE_READER_H_
