// Characters of UTF-8 text, by their first bytes; malformed text counts every byte that is not a
// continuation.
//
//   int64_t n = CountCharacters("h\xc3\xa9");            // 2
//   size_t at = SkipCharacters(text, 0, 3);              // where the fourth begins, or the end
//
// Thread safety: pure.
#ifndef WARPBEAM_OPS_STRING_UTF8_H_
#define WARPBEAM_OPS_STRING_UTF8_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace warpbeam {

inline bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

inline int64_t CountCharacters(absl::string_view text) {
  int64_t count = 0;
  for (char c : text) count += IsContinuation(c) ? 0 : 1;
  return count;
}

// The position `count` characters after `at`, at most the end.
inline size_t SkipCharacters(absl::string_view text, size_t at, int64_t count) {
  for (; count > 0 && at < text.size(); --count) {
    ++at;
    while (at < text.size() && IsContinuation(text[at])) ++at;
  }
  return at;
}

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_STRING_UTF8_H_
