// Assertions in the graph: the step fails where a condition does not hold (tf.Assert,
// tf.assert_equal, tf.assert_rank…).
//
//   Operation sorted = AssertLessEqual(scope, lower, upper);
//   Output checked = Identity(scope.ControlDependencies({sorted}), upper);
//   AssertRank(scope, images, 4);              // known while building: an error of the scope
//
// An assertion runs where something depends on it. Comparisons broadcast and hold of every element;
// of nothing, everything holds. What can be decided while the graph is built is: the result is then
// an operation that does nothing, or the scope has the error.
//
// Conditions are asserted as they are, not within a branch that is only taken when they fail, which
// Python builds where the data is neither text nor int32.
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope; a condition that
// does not hold fails the step with INVALID_ARGUMENT, the message and the data.
#ifndef WARPBEAM_FRONTEND_CHECK_ASSERTIONS_H_
#define WARPBEAM_FRONTEND_CHECK_ASSERTIONS_H_

#include <string>
#include <vector>

#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {

// Fails the step with `data`, of each tensor the first `summarize` elements, unless all of
// `condition` holds.
Operation Assert(ScopeRef scope, const Input& condition, const std::vector<Input>& data,
                 int summarize = 3);

// `message` stands before the values that are compared.
Operation AssertEqual(ScopeRef scope, const Input& x, const Input& y,
                      const std::string& message = "");
Operation AssertNoneEqual(ScopeRef scope, const Input& x, const Input& y,
                          const std::string& message = "");
Operation AssertLess(ScopeRef scope, const Input& x, const Input& y,
                     const std::string& message = "");
Operation AssertLessEqual(ScopeRef scope, const Input& x, const Input& y,
                          const std::string& message = "");
Operation AssertGreater(ScopeRef scope, const Input& x, const Input& y,
                        const std::string& message = "");
Operation AssertGreaterEqual(ScopeRef scope, const Input& x, const Input& y,
                             const std::string& message = "");
// |x - y| <= absolute + relative * |y|; a tolerance below 0 is ten times the type's precision.
Operation AssertNear(ScopeRef scope, const Output& x, const Output& y, double relative = -1,
                     double absolute = -1, const std::string& message = "");
Operation AssertPositive(ScopeRef scope, const Input& x, const std::string& message = "");
Operation AssertNegative(ScopeRef scope, const Input& x, const std::string& message = "");
Operation AssertNonNegative(ScopeRef scope, const Input& x, const std::string& message = "");
Operation AssertNonPositive(ScopeRef scope, const Input& x, const std::string& message = "");

// Of ranks: as an error of the scope where the rank is known, else in the step.
Operation AssertRank(ScopeRef scope, const Input& x, int rank, const std::string& message = "");
Operation AssertRankAtLeast(ScopeRef scope, const Input& x, int rank,
                            const std::string& message = "");
Operation AssertRankIn(ScopeRef scope, const Input& x, const std::vector<int>& ranks,
                       const std::string& message = "");
// The tensor, if it is a scalar.
Output AssertScalar(ScopeRef scope, const Input& x);

// Of types, which are known: errors of the scope.
Operation AssertInteger(ScopeRef scope, const Input& x, const std::string& message = "");
Operation AssertType(ScopeRef scope, const Input& x, DType dtype, const std::string& message = "");
// The type that all of them have, which is `dtype` where that is given.
DType AssertSameFloatDtype(ScopeRef scope, const InputList& tensors, DType dtype = DType::kInvalid);

// Whether x is a number's tensor; nothing is built.
bool IsNumericTensor(const Input& x);

// Whether each element is at least the one before it, or more than it; in row-major order.
Output IsNonDecreasing(ScopeRef scope, const Input& x);
Output IsStrictlyIncreasing(ScopeRef scope, const Input& x);

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_CHECK_ASSERTIONS_H_
