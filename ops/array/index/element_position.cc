#include "ops/array/index/element_position.h"

#include <vector>

#include "absl/strings/str_join.h"

namespace warpbeam {

std::string PositionText(Span<const int64_t> dims, int64_t i) {
  std::vector<int64_t> at(dims.size());
  for (size_t d = dims.size(); d-- > 0;) {
    at[d] = i % dims[d];
    i /= dims[d];
  }
  return absl::StrJoin(at, ",");
}

}  // namespace warpbeam
