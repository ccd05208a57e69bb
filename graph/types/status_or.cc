#include "graph/types/status_or.h"

#include <cstdio>
#include <cstdlib>

namespace warpbeam {
namespace internal_status_or {

void NoValue(const Status& error) {
  std::fprintf(stderr, "the value of a StatusOr was used that holds an error: %s\n",
               error.ToString().c_str());
  std::abort();
}

Status OkWithoutValue() {
  return Status(StatusCode::kInternal, "an OK status stands where a value or an error was meant");
}

}  // namespace internal_status_or
}  // namespace warpbeam
