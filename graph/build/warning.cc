#include "graph/build/warning.h"

#include <cstdio>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace warpbeam {

void Warn(absl::string_view text) {
  const bool cut = text.size() > kMostWarningBytes;
  std::string line =
      absl::StrCat("warning: ", text.substr(0, kMostWarningBytes), cut ? "…\n" : "\n");
  for (size_t i = 0; i + 1 < line.size(); ++i) {
    if (absl::ascii_iscntrl(static_cast<unsigned char>(line[i]))) line[i] = '?';
  }
  // One call, so that another thread's line stands before or behind it.
  std::fputs(line.c_str(), stderr);
}

}  // namespace warpbeam
