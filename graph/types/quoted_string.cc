#include "graph/types/quoted_string.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace warpbeam {
namespace {

unsigned char At(absl::string_view bytes, size_t i) { return static_cast<unsigned char>(bytes[i]); }

// Code points that end what is written before them, or turn it around.
bool IsControl(uint32_t code) {
  return code < 0xa0 || (code >= 0x200e && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069);
}

// How many bytes of `bytes` are one character of several bytes that can be shown; 0: none are.
size_t ShownCharacter(absl::string_view bytes) {
  const unsigned char first = At(bytes, 0);
  size_t length = 0;
  uint32_t code = 0;
  if (first >= 0xc2 && first <= 0xdf) {
    length = 2;
    code = first & 0x1f;
  } else if ((first & 0xf0) == 0xe0) {
    length = 3;
    code = first & 0x0f;
  } else if (first >= 0xf0 && first <= 0xf4) {
    length = 4;
    code = first & 0x07;
  }
  if (length == 0 || bytes.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((At(bytes, i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (At(bytes, i) & 0x3f);
  }
  constexpr uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
  const bool is_well_formed = code >= kSmallest[length] && code <= 0x10ffff && !is_surrogate;
  return is_well_formed && !IsControl(code) ? length : 0;
}

// Appends `bytes`, each that is part of no character that can be shown as an escape sequence.
void AppendShown(absl::string_view bytes, bool keeps_ascii, std::string* out) {
  while (!bytes.empty()) {
    const bool is_ascii = At(bytes, 0) < 0x80;
    const size_t length = is_ascii ? keeps_ascii : ShownCharacter(bytes);
    if (length > 0) {
      out->append(bytes.data(), length);
    } else {
      absl::StrAppend(out, absl::CEscape(bytes.substr(0, 1)));
    }
    bytes.remove_prefix(std::max<size_t>(1, length));
  }
}

}  // namespace

std::string QuotedString(absl::string_view bytes) {
  std::string out = "\"";
  AppendShown(bytes, /*keeps_ascii=*/false, &out);
  out += '"';
  return out;
}

std::string EscapedText(absl::string_view bytes) {
  std::string out;
  AppendShown(bytes, /*keeps_ascii=*/true, &out);
  return out;
}

}  // namespace warpbeam
