// Operations on the bits of integers (tf.bitwise).
//
//   Output low = bitwise::BitwiseAnd(scope, flags, 0x0f);
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope; other types than
// integers are INVALID_ARGUMENT.
#ifndef WARPBEAM_FRONTEND_MATH_BITWISE_H_
#define WARPBEAM_FRONTEND_MATH_BITWISE_H_

#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {
namespace bitwise {

Output BitwiseAnd(ScopeRef scope, const Input& a, const Input& b);
Output BitwiseOr(ScopeRef scope, const Input& a, const Input& b);
Output BitwiseXor(ScopeRef scope, const Input& a, const Input& b);
Output Invert(ScopeRef scope, const Input& x);
Output LeftShift(ScopeRef scope, const Input& a, const Input& b);
Output RightShift(ScopeRef scope, const Input& a, const Input& b);

}  // namespace bitwise
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_MATH_BITWISE_H_
