#include "frontend/check/assertions.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/control.h"
#include "frontend/math.h"
#include "frontend/math/elementwise.h"
#include "frontend/math/reductions.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace {

using Comparison = Output (*)(ScopeRef scope, const Input& a, const Input& b);

// A comparison under a name of its own; `sign` is that of the message.
Operation AssertCompared(ScopeRef scope_ref, const char* name, Comparison compare, const char* sign,
                         const Input& x, const Input& y, const std::string& message) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope(name);
  const bool x_adapts = x.is_value() && x.adapts(), y_adapts = y.is_value() && y.adapts();
  const Output left =
      AsOutput(inside.Named("x"), x, x_adapts && !y_adapts ? y.dtype() : DType::kInvalid);
  const Output right = AsOutput(inside.Named("y"), y, y_adapts ? left.dtype() : DType::kInvalid);
  if (!scope.ok()) return Operation();
  const Output holds = ReduceAll(inside, compare(inside, left, right));
  std::vector<Input> data;
  if (!message.empty()) data.push_back(message);
  data.push_back(absl::StrCat("Condition x ", sign, " y did not hold element-wise:"));
  data.push_back(absl::StrCat("x (", left.name(), ") = "));
  data.push_back(left);
  data.push_back(absl::StrCat("y (", right.name(), ") = "));
  data.push_back(right);
  return Assert(inside, holds, data);
}

// A comparison with 0; `zero_first` says on which side it stands.
Operation AssertSign(ScopeRef scope_ref, const char* name, const Input& x,
                     const std::string& message,
                     Operation (*assertion)(ScopeRef, const Input&, const Input&,
                                            const std::string&),
                     bool zero_first) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope(name);
  const Output number = AsOutput(inside.Named("x"), x);
  if (!scope.ok()) return Operation();
  const Output zero = Constant(inside, 0, number.dtype());
  return zero_first ? assertion(inside, zero, number, message)
                    : assertion(inside, number, zero, message);
}

std::string With(const std::string& message) { return message.empty() ? "" : message + "; "; }

// `allowed` as a rule of the rank; `what` says it.
Operation AssertRanks(ScopeRef scope_ref, const char* name, const Input& x,
                      const std::function<bool(int)>& allowed,
                      const std::function<Output(const Scope&, const Output&)>& condition,
                      const std::string& what, const std::string& message) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope(name);
  const Output tensor = AsOutput(inside.Named("x"), x);
  if (!scope.ok()) return Operation();
  const int rank = Input(tensor).rank();
  if (rank >= 0) {
    if (!allowed(rank)) {
      scope.Fail(InvalidArgument(With(message), "the tensor ", tensor.name(), " must have ", what,
                                 "; its rank is ", rank));
      return Operation();
    }
    return NoOp(inside.Named("static_checks_determined_all_ok"));
  }
  const Output known = BuildOutput(inside, "Rank", {tensor});
  std::vector<Input> data;
  if (!message.empty()) data.push_back(message);
  data.push_back(absl::StrCat("Tensor ", tensor.name(), " must have ", what));
  data.push_back("Received shape: ");
  data.push_back(BuildOutput(inside, "Shape", {tensor}));
  return Assert(inside, condition(inside, known), data);
}

Output OrderOfNeighbours(const Scope& scope, const char* name, Comparison compare, const Input& x) {
  const Scope inside = scope.OpenScope(name);
  const Output list = Reshape(inside, x, {-1});
  const Output count = BuildOutput(inside, "Size", {list});
  const Output pairs = Maximum(inside, BuildOutput(inside, "Sub", {count, 1}), 0);
  const Output number = Reshape(inside, pairs, {1});
  // Of one element or none there are no pairs: nothing to compare, and so it holds.
  const Output last = BuildOutput(inside, "Sub", {count, pairs});
  const Output second = Reshape(inside, Minimum(inside, count, 1), {1});
  const Output later = BuildOutput(inside, "Slice", {list, second, number});
  const Output earlier = BuildOutput(inside, "Slice", {list, std::vector<int32_t>{0}, number});
  return scope(ReduceAll(inside, compare(inside, later, earlier)));
}

}  // namespace

Operation Assert(ScopeRef scope_ref, const Input& condition, const std::vector<Input>& data,
                 int summarize) {
  const Scope scope = scope_ref.scope();
  const Scope check = scope.OpenScope("Assert");
  // The texts among the data are constants here, and once more inputs of the operation.
  for (const Input& item : data) {
    if (item.is_value()) Constant(check.Named("Const"), item);
  }
  return BuildOp(check.Named("Assert"), "Assert", {condition, InputList(data)},
                 OpAttrs().Set("summarize", summarize));
}

#define WB_COMPARISON(Name, name, compare, sign)                                               \
  Operation Name(ScopeRef scope, const Input& x, const Input& y, const std::string& message) { \
    return AssertCompared(scope, name, compare, sign, x, y, message);                          \
  }
WB_COMPARISON(AssertEqual, "assert_equal", Equal, "==")
WB_COMPARISON(AssertNoneEqual, "assert_none_equal", NotEqual, "!=")
WB_COMPARISON(AssertLess, "assert_less", Less, "<")
WB_COMPARISON(AssertLessEqual, "assert_less_equal", LessEqual, "<=")
WB_COMPARISON(AssertGreater, "assert_greater", Greater, ">")
WB_COMPARISON(AssertGreaterEqual, "assert_greater_equal", GreaterEqual, ">=")
#undef WB_COMPARISON

Operation AssertNear(ScopeRef scope_ref, const Output& x, const Output& y, double relative,
                     double absolute, const std::string& message) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("assert_near");
  if (!scope.ok()) return Operation();
  const double precision = x.dtype() == DType::kDouble     ? 2.220446049250313e-16
                           : x.dtype() == DType::kHalf     ? 9.765625e-4
                           : x.dtype() == DType::kBFloat16 ? 7.8125e-3
                                                           : 1.1920928955078125e-7;
  const Output allowed =
      Add(inside, Multiply(inside, Abs(inside, y), relative < 0 ? 10 * precision : relative),
          absolute < 0 ? 10 * precision : absolute);
  const Output apart = Abs(inside, Subtract(inside, x, y));
  std::vector<Input> data;
  if (!message.empty()) data.push_back(message);
  data.push_back("x and y not equal to tolerance");
  data.push_back(absl::StrCat("x (", x.name(), ") = "));
  data.push_back(x);
  data.push_back(absl::StrCat("y (", y.name(), ") = "));
  data.push_back(y);
  return Assert(inside, ReduceAll(inside, LessEqual(inside, apart, allowed)), data);
}

Operation AssertPositive(ScopeRef scope, const Input& x, const std::string& message) {
  return AssertSign(scope, "assert_positive", x, message, AssertLess, /*zero_first=*/true);
}
Operation AssertNegative(ScopeRef scope, const Input& x, const std::string& message) {
  return AssertSign(scope, "assert_negative", x, message, AssertLess, /*zero_first=*/false);
}
Operation AssertNonNegative(ScopeRef scope, const Input& x, const std::string& message) {
  return AssertSign(scope, "assert_non_negative", x, message, AssertLessEqual,
                    /*zero_first=*/true);
}
Operation AssertNonPositive(ScopeRef scope, const Input& x, const std::string& message) {
  return AssertSign(scope, "assert_non_positive", x, message, AssertLessEqual,
                    /*zero_first=*/false);
}

Operation AssertRank(ScopeRef scope, const Input& x, int rank, const std::string& message) {
  return AssertRanks(
      scope, "assert_rank", x, [=](int known) { return known == rank; },
      [=](const Scope& s, const Output& known) { return Equal(s, known, rank); },
      absl::StrCat("rank ", rank), message);
}

Operation AssertRankAtLeast(ScopeRef scope, const Input& x, int rank, const std::string& message) {
  return AssertRanks(
      scope, "assert_rank_at_least", x, [=](int known) { return known >= rank; },
      [=](const Scope& s, const Output& known) { return GreaterEqual(s, known, rank); },
      absl::StrCat("rank at least ", rank), message);
}

Operation AssertRankIn(ScopeRef scope, const Input& x, const std::vector<int>& ranks,
                       const std::string& message) {
  return AssertRanks(
      scope, "assert_rank_in", x,
      [&](int known) { return std::find(ranks.begin(), ranks.end(), known) != ranks.end(); },
      [&](const Scope& s, const Output& known) { return ReduceAny(s, Equal(s, known, ranks)); },
      absl::StrCat("rank in (", absl::StrJoin(ranks, ", "), ")"), message);
}

Output AssertScalar(ScopeRef scope_ref, const Input& x) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("assert_scalar");
  const Output tensor = AsOutput(inside.Named("tensor"), x);
  if (!scope.ok()) return Output();
  const int rank = Input(tensor).rank();
  if (rank > 0) {
    scope.Fail(InvalidArgument("a scalar is needed, but ", tensor.name(), " has rank ", rank));
    return Output();
  }
  return scope(tensor);
}

Operation AssertInteger(ScopeRef scope_ref, const Input& x, const std::string& message) {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return Operation();
  if (!IsInteger(x.dtype())) {
    scope.Fail(InvalidArgument(With(message), "a tensor of integers is needed, not of ",
                               DTypeName(x.dtype())));
    return Operation();
  }
  return NoOp(scope.OpenScope("assert_integer").Named("statically_determined_was_integer"));
}

Operation AssertType(ScopeRef scope_ref, const Input& x, DType dtype, const std::string& message) {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return Operation();
  if (x.dtype() != dtype) {
    scope.Fail(InvalidArgument(With(message), "a tensor of ", DTypeName(dtype),
                               " is needed, not of ", DTypeName(x.dtype())));
    return Operation();
  }
  return NoOp(scope.OpenScope("assert_type").Named("statically_determined_correct_type"));
}

DType AssertSameFloatDtype(ScopeRef scope_ref, const InputList& tensors, DType dtype) {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return DType::kInvalid;
  for (const Input& tensor : tensors.items()) {
    if (dtype == DType::kInvalid) dtype = tensor.dtype();
    if (tensor.dtype() == dtype) continue;
    scope.Fail(InvalidArgument("tensors must have one type, but there are ", DTypeName(dtype),
                               " and ", DTypeName(tensor.dtype())));
    return DType::kInvalid;
  }
  if (dtype == DType::kInvalid) return DType::kFloat;
  if (!IsFloating(dtype)) {
    scope.Fail(InvalidArgument("a floating point type is needed, not ", DTypeName(dtype)));
    return DType::kInvalid;
  }
  return dtype;
}

bool IsNumericTensor(const Input& x) {
  const DType dtype = x.dtype();
  return IsFloating(dtype) || IsInteger(dtype) || IsComplex(dtype);
}

Output IsNonDecreasing(ScopeRef scope, const Input& x) {
  return OrderOfNeighbours(scope.scope(), "is_non_decreasing", GreaterEqual, x);
}

Output IsStrictlyIncreasing(ScopeRef scope, const Input& x) {
  return OrderOfNeighbours(scope.scope(), "is_strictly_increasing", Greater, x);
}

}  // namespace frontend
}  // namespace warpbeam
