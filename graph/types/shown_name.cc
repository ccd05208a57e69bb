#include "graph/types/shown_name.h"

namespace warpbeam {
namespace {

std::string Cut(absl::string_view text, size_t longest) {
  if (text.size() <= longest) return std::string(text);
  size_t end = longest;
  // A byte 10xxxxxx belongs to the character before it.
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "…";
}

}  // namespace

std::string ShownName(absl::string_view name) { return Cut(name, kLongestShownName); }
std::string ShownMessage(absl::string_view message) { return Cut(message, kLongestShownMessage); }

Status ShownStatus(const Status& status) {
  if (status.message().size() <= kLongestShownMessage) return status;
  return status.WithMessage(ShownMessage(status.message()));
}

}  // namespace warpbeam
