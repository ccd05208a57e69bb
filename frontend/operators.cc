#include "frontend/operators.h"

#include "frontend/build.h"
#include "frontend/control_flow/control_flow_context.h"
#include "frontend/graph_state.h"
#include "frontend/math.h"

namespace warpbeam {
namespace frontend {
namespace {

// The scope of an operand; none when it is a number or was never built.
std::shared_ptr<const ScopeContext> UsedIn(const Operand& operand) {
  return operand.input().is_value() ? nullptr : operand.input().output().used_in();
}

// How many loops and branches the operand is used in.
int Depth(const Operand& operand) {
  const auto context = UsedIn(operand);
  if (context == nullptr || context->control_flow == nullptr) return 0;
  return context->control_flow->depth();
}

template <typename BuildFn>
Output BuildBeside(const Operand& a, const Operand& b, const char* name, const BuildFn& build) {
  // A tensor from outside of a loop can be read inside, never the other way round.
  const bool left = UsedIn(a) != nullptr && Depth(a) >= Depth(b);
  const Output& side = left ? a.input().output() : b.input().output();
  std::shared_ptr<const ScopeContext> context = left ? UsedIn(a) : UsedIn(b);
  if (!side.valid()) return Output();
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

}  // namespace

Output operator+(const Operand& a, const Operand& b) { return BuildBinary(a, b, "AddV2", "add"); }
Output operator-(const Operand& a, const Operand& b) { return BuildBinary(a, b, "Sub", "sub"); }
Output operator*(const Operand& a, const Operand& b) { return BuildBinary(a, b, "Mul", "mul"); }

Output operator/(const Operand& a, const Operand& b) {
  return BuildBeside(a, b, "truediv",
                     [&](const Scope& scope) { return Divide(scope, a.input(), b.input()); });
}

Output operator-(const Operand& a) {
  return BuildBeside(a, a, "Neg",
                     [&](const Scope& scope) { return BuildOutput(scope, "Neg", {a.input()}); });
}

}  // namespace frontend
}  // namespace warpbeam
