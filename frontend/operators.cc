#include "frontend/operators.h"

#include "frontend/build.h"
#include "frontend/control_flow/control_flow_context.h"
#include "frontend/graph_state.h"
#include "frontend/math.h"

namespace warpbeam {
namespace frontend {
namespace {

// The scope of an operand; none when it is a number or is not valid.
std::shared_ptr<const ScopeContext> UsedIn(const Operand& operand) {
  const bool is_tensor = !operand.input().is_value() && operand.input().output().valid();
  return is_tensor ? operand.input().output().used_in() : nullptr;
}

// How many loops and branches the operand is used in.
int Depth(const Operand& operand) {
  const auto context = UsedIn(operand);
  if (context == nullptr || context->control_flow == nullptr) return 0;
  return context->control_flow->depth();
}

template <typename BuildFn>
Output BuildBeside(const Operand& a, const Operand& b, const char* name, const BuildFn& build) {
  for (const Operand* side : {&a, &b}) {
    const Input& input = side->input();
    if (!input.is_value() && !input.output().valid()) return input.output();
  }
  // A tensor from outside of a loop can be read inside, never the other way round.
  const bool left = b.input().is_value() || (UsedIn(a) != nullptr && Depth(a) >= Depth(b));
  const Output& side = left ? a.input().output() : b.input().output();
  std::shared_ptr<const ScopeContext> context = left ? UsedIn(a) : UsedIn(b);
  if (context == nullptr) {
    side.graph()->Fail(InvalidArgument(
        a.where().ToString(), ": an operator on '", side.name(),
        "' does not know in which scope to build; write scope(output) on its left side"));
    return Output();
  }
  const Scope scope(side.graph()->shared_from_this(), std::move(context), a.where());
  return build(scope.Named(name));
}

Output BuildBinary(const Operand& a, const Operand& b, const char* op, const char* name) {
  return BuildBeside(a, b, name, [&](const Scope& scope) {
    return BuildOutput(scope, op, {a.input(), b.input()});
  });
}

// Python has no operator for a number on the left: it asks the tensor the other way round.
Output BuildComparison(const Operand& a, const Operand& b, const char* op, const char* reversed) {
  return a.input().is_value() ? BuildBinary(b, a, reversed, reversed) : BuildBinary(a, b, op, op);
}

bool IsLogical(const Operand& a, const Operand& b) {
  const Input& decides = a.input().is_value() ? b.input() : a.input();
  return decides.dtype() == DType::kBool;
}

Output BuildLogical(const Operand& a, const Operand& b, const char* op, const char* by_bits,
                    const char* name) {
  if (IsLogical(a, b)) return BuildBinary(a, b, op, name);
  return BuildBeside(a, b, name, [&](const Scope& scope) {
    return scope.Named("")(BuildOutput(scope.OpenScope(name), by_bits, {a.input(), b.input()}));
  });
}

Output BuildUnary(const Operand& a, const char* op) {
  return BuildBeside(a, a, op,
                     [&](const Scope& scope) { return BuildOutput(scope, op, {a.input()}); });
}

}  // namespace

Output operator+(const Operand& a, const Operand& b) { return BuildBinary(a, b, "AddV2", "add"); }
Output operator-(const Operand& a, const Operand& b) { return BuildBinary(a, b, "Sub", "sub"); }
Output operator*(const Operand& a, const Operand& b) { return BuildBinary(a, b, "Mul", "mul"); }
Output operator%(const Operand& a, const Operand& b) {
  return BuildBinary(a, b, "FloorMod", "mod");
}

Output operator/(const Operand& a, const Operand& b) {
  return BuildBeside(a, b, "truediv",
                     [&](const Scope& scope) { return Divide(scope, a.input(), b.input()); });
}

Output operator-(const Operand& a) { return BuildUnary(a, "Neg"); }
Output operator+(const Operand& a) { return a.input().output(); }

Output operator<(const Operand& a, const Operand& b) {
  return BuildComparison(a, b, "Less", "Greater");
}
Output operator<=(const Operand& a, const Operand& b) {
  return BuildComparison(a, b, "LessEqual", "GreaterEqual");
}
Output operator>(const Operand& a, const Operand& b) {
  return BuildComparison(a, b, "Greater", "Less");
}
Output operator>=(const Operand& a, const Operand& b) {
  return BuildComparison(a, b, "GreaterEqual", "LessEqual");
}

Output operator&(const Operand& a, const Operand& b) {
  return BuildLogical(a, b, "LogicalAnd", "BitwiseAnd", "and");
}

Output operator|(const Operand& a, const Operand& b) {
  return BuildLogical(a, b, "LogicalOr", "BitwiseOr", "or");
}

Output operator^(const Operand& a, const Operand& b) {
  if (!IsLogical(a, b)) return BuildLogical(a, b, "", "BitwiseXor", "xor");
  // There is no op for it: either, and not both.
  return BuildBeside(a, b, "xor", [&](const Scope& scope) {
    const Scope inside = scope.OpenScope("xor");
    const Output either = BuildOutput(inside, "LogicalOr", {a.input(), b.input()});
    const Output both = BuildOutput(inside, "LogicalAnd", {a.input(), b.input()});
    const Output not_both = BuildOutput(inside, "LogicalNot", {both});
    return scope(BuildOutput(inside.Named(inside.name_scope()), "LogicalAnd", {either, not_both}));
  });
}

Output operator~(const Operand& a) {
  return BuildUnary(a, a.input().dtype() == DType::kBool ? "LogicalNot" : "Invert");
}

Output& operator+=(Output& a, const Operand& b) { return a = Operand(a, b.where()) + b; }
Output& operator-=(Output& a, const Operand& b) { return a = Operand(a, b.where()) - b; }
Output& operator*=(Output& a, const Operand& b) { return a = Operand(a, b.where()) * b; }
Output& operator/=(Output& a, const Operand& b) { return a = Operand(a, b.where()) / b; }
Output& operator%=(Output& a, const Operand& b) { return a = Operand(a, b.where()) % b; }

}  // namespace frontend
}  // namespace warpbeam
