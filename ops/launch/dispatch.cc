#include "ops/launch/dispatch.h"

namespace warpbeam {
namespace internal {

Status UnsupportedDType(DType dtype) {
  return Unimplemented("no implementation for elements of type ", DTypeName(dtype));
}

}  // namespace internal
}  // namespace warpbeam
