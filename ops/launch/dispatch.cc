#include "ops/launch/dispatch.h"

namespace warpbeam {
namespace internal {

absl::Status UnsupportedDType(DType dtype) {
  return Unimplemented("no implementation for elements of type ", DTypeName(dtype));
}

}  // namespace internal
}  // namespace warpbeam
