#include "placement/short_names.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "graph/types/quoted_string.h"

namespace warpbeam {
namespace {

// One character of well-formed UTF-8 that begins here: its bytes and columns.
std::pair<size_t, size_t> NextCharacter(absl::string_view text) {
  const auto byte = static_cast<unsigned char>(text[0]);
  const size_t length = byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
  // From Hangul and the scripts after it on (U+1100), but not punctuation such as "…" (U+2026).
  const bool is_wide = length == 4 || byte > 0xe2 || text.substr(0, 2) == "\xe1\x84";
  return {std::min(length, text.size()), is_wide ? 2 : 1};
}

}  // namespace

size_t TextColumns(absl::string_view text) {
  const std::string clean = EscapedText(text);
  size_t columns = 0;
  for (absl::string_view rest = clean; !rest.empty();) {
    const auto [bytes, width] = NextCharacter(rest);
    columns += width;
    rest.remove_prefix(bytes);
  }
  return columns;
}

std::string CutInTheMiddle(absl::string_view text, size_t columns) {
  const std::string clean = absl::StrReplaceAll(EscapedText(text), {{"\n", " "}, {"\t", " "}});
  std::vector<std::pair<size_t, size_t>> characters;  // where each ends, in bytes and columns
  for (absl::string_view rest = clean; !rest.empty();) {
    const auto [bytes, width] = NextCharacter(rest);
    const std::pair<size_t, size_t> last =
        characters.empty() ? std::pair<size_t, size_t>() : characters.back();
    characters.emplace_back(last.first + bytes, last.second + width);
    rest.remove_prefix(bytes);
  }
  const size_t all = characters.empty() ? 0 : characters.back().second;
  if (all <= columns || columns < 3) return clean;
  const size_t head = columns / 2, tail = columns - 1 - head;
  size_t head_bytes = 0, tail_begin = clean.size();
  for (const auto& [bytes, end] : characters) {
    if (end <= head) head_bytes = bytes;
    if (all - end <= tail) {
      tail_begin = bytes;
      break;
    }
  }
  return absl::StrCat(clean.substr(0, head_bytes), "…", clean.substr(tail_begin));
}

std::string MarkupText(absl::string_view bytes) {
  std::string text = EscapedText(bytes);
  for (char& c : text) {
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f) c = '?';
  }
  return absl::StrReplaceAll(
      text, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}, {"'", "&#39;"}});
}

std::string PixelText(double pixels) { return absl::StrFormat("%.1f", pixels); }

std::string TextElement(absl::string_view style, double x, double y, absl::string_view text) {
  return absl::StrCat("<text class=\"", style, "\" x=\"", PixelText(x), "\" y=\"", PixelText(y),
                      "\">", MarkupText(text), "</text>");
}

absl::string_view LastPart(absl::string_view name) {
  const size_t slash = name.rfind('/');
  return slash == absl::string_view::npos ? name : name.substr(slash + 1);
}

}  // namespace warpbeam
