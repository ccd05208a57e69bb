// Numbers written as text, as StringToNumber and DecodeCSV read them.
//
//   float f;  if (!ParseNumber(" 1e3 ", &f)) return InvalidArgument("…");
//
// Spaces around a number are fine, a sign too; floating types take inf, nan and hexadecimal
// integers, and what lies beyond them becomes infinite; integers must fit. Thread safety: pure.
#ifndef WARPBEAM_OPS_PARSING_NUMBER_TEXT_H_
#define WARPBEAM_OPS_PARSING_NUMBER_TEXT_H_

#include <cstdlib>
#include <string>
#include <type_traits>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"

namespace warpbeam {

// "0x1f", perhaps with a sign.
inline bool IsHexInteger(absl::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  if (text.size() < 3 || text[0] != '0' || (text[1] | 0x20) != 'x') return false;
  for (char c : text.substr(2)) {
    if (!absl::ascii_isxdigit(static_cast<unsigned char>(c))) return false;
  }
  return true;
}

template <typename T>
bool ParseNumber(absl::string_view text, T* value) {
  if constexpr (std::is_floating_point_v<T>) {
    const absl::string_view bare = absl::StripAsciiWhitespace(text);
    if (IsHexInteger(bare)) {
      *value = static_cast<T>(std::strtod(std::string(bare).c_str(), nullptr));
      return true;
    }
    if constexpr (std::is_same_v<T, float>) {
      return absl::SimpleAtof(bare, value);
    } else {
      return absl::SimpleAtod(bare, value);
    }
  } else {
    return absl::SimpleAtoi(text, value);
  }
}

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_PARSING_NUMBER_TEXT_H_
