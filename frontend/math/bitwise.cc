#include "frontend/math/bitwise.h"

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace bitwise {

#define WB_BINARY(Name)                                         \
  Output Name(ScopeRef scope, const Input& a, const Input& b) { \
    return BuildOutput(scope.scope(), #Name, {a, b});           \
  }
WB_BINARY(BitwiseAnd)
WB_BINARY(BitwiseOr)
WB_BINARY(BitwiseXor)
WB_BINARY(LeftShift)
WB_BINARY(RightShift)
#undef WB_BINARY

Output Invert(ScopeRef scope, const Input& x) { return BuildOutput(scope.scope(), "Invert", {x}); }

}  // namespace bitwise
}  // namespace frontend
}  // namespace warpbeam
