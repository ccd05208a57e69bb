#include "frontend/control_flow/cond.h"

#include "frontend/build.h"
#include "frontend/control_flow/control_flow_context.h"
#include "frontend/graph_state.h"

namespace warpbeam {
namespace frontend {
namespace {

class BranchContext final : public ControlFlowContext {
 public:
  // `predicate` is a tensor of the context around; branch 1 is taken when it is true.
  BranchContext(std::shared_ptr<ControlFlowContext> outer, Output predicate, int branch)
      : ControlFlowContext(std::move(outer)), predicate_(std::move(predicate)), branch_(branch) {}

 protected:
  StatusOr<Output> Import(const Scope& scope, const Output& value) override {
    const Node& node = scope.graph()->node(value.node());
    const bool is_ref = IsRef(node.output_type(value.index()));
    const Operation made = BuildOp(scope.ColocateOnlyWith(value).Named("Switch"),
                                   is_ref ? "RefSwitch" : "Switch", {value, predicate_});
    if (!made.valid()) return scope.status();
    return made.output(branch_);
  }
  // An operation that reads anything reads it through the Switch.
  bool IsInvariant(const Node&) const override { return false; }

 private:
  const Output predicate_;
  const int branch_;
};

// One branch: its results as tensors that are alive only when it is taken.
StatusOr<std::vector<Output>> BuildBranch(const Scope& scope, const Output& predicate, int branch,
                                          const Output& pivot, const BranchFunction& function) {
  auto context = std::make_shared<BranchContext>(scope.context().control_flow, predicate, branch);
  context->Own(pivot.node());
  context->set_pivot(pivot.node());
  const Scope inside = WithControlFlow(scope, context);
  std::vector<Output> results = function(inside);
  WB_RETURN_IF_ERROR(scope.status());
  for (Output& result : results) {
    if (!result.valid()) {
      return InvalidArgument("a branch returns an Output that ", result.problem());
    }
    // What the branch did not build itself is there always; the branch's result is not.
    WB_ASSIGN_OR_RETURN(
        const OutputRef here,
        context->Bring(inside, {result.node(), result.index()}, inside.context().name_scope));
    result = Output(&scope.state(), here.node, here.index);
  }
  ControlFlowDef def;
  def.name = scope.state().UniqueName(scope.context().Join("cond_text"));
  def.predicate = predicate.name();
  def.pivot = pivot.name();
  def.branch = branch;
  def.values = {predicate.name()};
  def.externals = {{predicate.name(), predicate.name()}};
  context->Describe(scope, std::move(def));
  return results;
}

StatusOr<std::vector<Output>> BuildCond(const Scope& scope, const Output& predicate,
                                        const BranchFunction& if_true,
                                        const BranchFunction& if_false) {
  const Operation pivots = BuildOp(scope, "Switch", {predicate, predicate});
  if (!pivots.valid()) return scope.status();
  const Output on_true = BuildOutput(scope.Named("switch_t"), "Identity", {pivots.output(1)});
  const Output on_false = BuildOutput(scope.Named("switch_f"), "Identity", {pivots.output(0)});
  const Output chosen = BuildOutput(scope.Named("pred_id"), "Identity", {predicate});
  WB_RETURN_IF_ERROR(scope.status());
  WB_ASSIGN_OR_RETURN(const std::vector<Output> yes,
                      BuildBranch(scope, chosen, 1, on_true, if_true));
  WB_ASSIGN_OR_RETURN(const std::vector<Output> no,
                      BuildBranch(scope, chosen, 0, on_false, if_false));
  if (yes.size() != no.size()) {
    return InvalidArgument("one branch returns ", yes.size(), " tensors, the other ", no.size());
  }
  std::vector<Output> merged;
  const auto& around = scope.context().control_flow;
  for (size_t i = 0; i < yes.size(); ++i) {
    if (yes[i].dtype() != no[i].dtype()) {
      return InvalidArgument("result ", i, " is ", DTypeName(yes[i].dtype()), " in one branch and ",
                             DTypeName(no[i].dtype()), " in the other");
    }
    // The context around must not bring in what the branches built.
    if (around != nullptr) {
      around->Own(yes[i].node());
      around->Own(no[i].node());
    }
    merged.push_back(BuildOutput(scope.Named("Merge"), "Merge", {InputList({no[i], yes[i]})}));
  }
  WB_RETURN_IF_ERROR(scope.status());
  return merged;
}

std::vector<Output> CaseFrom(const Scope& scope,
                             const std::vector<std::pair<Output, BranchFunction>>& branches,
                             size_t first, const BranchFunction& otherwise) {
  if (first == branches.size()) return otherwise(scope);
  return Cond(scope, branches[first].first, branches[first].second, [&](const Scope& inside) {
    return CaseFrom(inside, branches, first + 1, otherwise);
  });
}

}  // namespace

OutputList Cond(ScopeRef scope_ref, const Input& predicate, const BranchFunction& if_true,
                const BranchFunction& if_false) {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return {};
  const Scope inside = scope.OpenScope("cond");
  const Output chosen = AsOutput(inside.Named("pred"), predicate, DType::kBool);
  if (!scope.ok()) return {};
  if (chosen.dtype() != DType::kBool) {
    scope.Fail(InvalidArgument("the predicate of a condition must be bool, not ",
                               DTypeName(chosen.dtype())));
    return {};
  }
  auto results = BuildCond(inside, chosen, if_true, if_false);
  if (!results.ok()) {
    scope.Fail(Annotate(results.status(), absl::StrCat("building the condition '",
                                                       inside.context().name_scope, "'")));
    return {};
  }
  for (Output& r : *results) r = scope(r);
  return *std::move(results);
}

OutputList Case(ScopeRef scope_ref, const std::vector<std::pair<Output, BranchFunction>>& branches,
                const BranchFunction& otherwise) {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return {};
  std::vector<Output> results = CaseFrom(scope.OpenScope("case"), branches, 0, otherwise);
  for (Output& r : results) r = scope(r);
  return results;
}

}  // namespace frontend
}  // namespace warpbeam
