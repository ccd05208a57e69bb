#include "graph/node_spec.h"

#include "absl/strings/str_cat.h"

namespace warpbeam {

std::string SourceLocation::ToString() const {
  if (!known()) return "";
  return absl::StrCat(file, ":", line);
}

}  // namespace warpbeam
