#include "frontend/control_flow/while_loop.h"

#include <utility>

#include "frontend/build.h"
#include "frontend/control_flow/control_flow_context.h"
#include "frontend/graph_state.h"
#include "frontend/math.h"
#include "graph/build/node_builder.h"

namespace warpbeam {
namespace frontend {
namespace {

class LoopContext final : public ControlFlowContext {
 public:
  LoopContext(std::shared_ptr<ControlFlowContext> outer, std::string frame, int parallel_iterations)
      : ControlFlowContext(std::move(outer)),
        frame_(std::move(frame)),
        parallel_iterations_(parallel_iterations) {}

  const std::string& frame() const { return frame_; }
  OpAttrs EnterAttrs(bool is_constant) const {
    return OpAttrs()
        .Set("frame_name", frame_)
        .Set("is_constant", is_constant)
        .Set("parallel_iterations", parallel_iterations_);
  }

 protected:
  StatusOr<Output> Import(const Scope& scope, const Output& value) override {
    const Node& node = scope.graph()->node(value.node());
    const bool is_ref = IsRef(node.output_type(value.index()));
    const Scope named = scope.Named("Enter");
    return BuildOutput(named, is_ref ? "RefEnter" : "Enter", {value}, EnterAttrs(true));
  }
  bool IsInvariant(const Node& node) const override {
    return (node.op_name() == "Enter" || node.op_name() == "RefEnter") &&
           node.attrs().GetOr<bool>("is_constant", false) &&
           node.attrs().GetOr<std::string>("frame_name", "") == frame_;
  }

 private:
  const std::string frame_;
  const int64_t parallel_iterations_;
};

class LoopBuild {
 public:
  LoopBuild(const Scope& scope, const WhileLoopOptions& options)
      : outside_(scope),
        options_(options),
        context_(std::make_shared<LoopContext>(
            scope.context().control_flow,
            scope.state().UniqueName(scope.context().Join("while_context")),
            options.parallel_iterations)),
        inside_(WithControlFlow(scope, context_)) {}

  StatusOr<std::vector<Output>> Run(const LoopCondition& condition, const LoopBody& body,
                                    const std::vector<Output>& variables);

 private:
  StatusOr<Output> Enter(const Output& variable);
  Status MakeMerges(const std::vector<Output>& variables);
  Status MakeSwitches(const LoopCondition& condition);
  Status CloseLoop(const LoopBody& body);
  Status CheckNext(const Output& next, size_t i) const;
  // The loop as TensorFlow's collection has it; `def` has the exits.
  void Describe(ControlFlowDef def) const;

  const Scope outside_;
  const WhileLoopOptions& options_;
  const std::shared_ptr<LoopContext> context_;
  const Scope inside_;
  std::vector<Output> entered_, merges_, leaving_, staying_;
  std::string condition_;  // the LoopCond's output
};

void LoopBuild::Describe(ControlFlowDef def) const {
  def.is_loop = true;
  def.name = context_->frame();
  def.parallel_iterations = options_.parallel_iterations;
  def.pivot = condition_;
  def.pivot_for_condition = merges_[0].name();
  def.pivot_for_body = staying_[0].name();
  for (const Output& enter : entered_) def.enters.push_back(enter.name());
  context_->Describe(outside_, std::move(def));
}

StatusOr<Output> LoopBuild::Enter(const Output& variable) {
  const Output entered = BuildOutput(outside_, "Enter", {variable}, context_->EnterAttrs(false));
  if (!entered.valid()) return outside_.status();
  context_->Own(entered.node());
  // Without invariants a variable keeps the shape that it enters with.
  if (options_.shape_invariants.empty()) entered.set_shape(variable.shape());
  return entered;
}

Status LoopBuild::MakeMerges(const std::vector<Output>& variables) {
  Graph& graph = *outside_.graph();
  for (const Output& variable : variables) {
    WB_ASSIGN_OR_RETURN(Output e, Enter(variable));
    entered_.push_back(std::move(e));
  }
  for (size_t i = 0; i < entered_.size(); ++i) {
    const OutputRef e{entered_[i].node(), entered_[i].index()};
    NodeBuilder builder(&graph, "Merge");
    builder.ExactName(outside_.state().UniqueName(outside_.context().Join("Merge")))
        .Input({e, e})
        .Device(graph.node(e.node).device())
        .Location(outside_.location());
    WB_ASSIGN_OR_RETURN(const Node* merge, builder.Build());
    if (!options_.shape_invariants.empty()) {
      WB_RETURN_IF_ERROR(graph.MergeOutputShape(merge->id(), 0, options_.shape_invariants[i]));
    }
    context_->Own(merge->id());
    merges_.push_back(inside_(Output(&outside_.state(), merge->id(), 0)));
  }
  return OkStatus();
}

Status LoopBuild::MakeSwitches(const LoopCondition& condition) {
  context_->set_pivot(merges_[0].node());
  const Output goes_on = condition(inside_, merges_);
  const Output loop_cond = BuildOutput(inside_, "LoopCond", {goes_on});
  condition_ = loop_cond.name();
  for (const Output& merge : merges_) {
    const Operation parts = BuildOp(inside_.ColocateOnlyWith(merge), "Switch", {merge, loop_cond});
    if (!parts.valid()) return outside_.status();
    leaving_.push_back(parts.output(0));
    staying_.push_back(BuildOutput(inside_, "Identity", {parts.output(1)}));
  }
  return outside_.status();
}

Status LoopBuild::CheckNext(const Output& next, size_t i) const {
  if (!next.valid()) {
    return outside_.ok() ? InvalidArgument("the loop's body gave no value for variable ", i)
                         : outside_.status();
  }
  const Output& merge = merges_[i];
  if (next.dtype() != merge.dtype()) {
    return InvalidArgument("variable ", i, " of the loop is ", DTypeName(merge.dtype()),
                           ", the body makes it ", DTypeName(next.dtype()));
  }
  const PartialShape before = merge.shape();
  const PartialShape after = next.shape();
  bool keeps = !before.has_rank() || (after.has_rank() && after.rank() == before.rank());
  for (int d = 0; keeps && before.has_rank() && d < before.rank(); ++d) {
    keeps = before.dim(d) < 0 || before.dim(d) == after.dim(d);
  }
  if (keeps) return OkStatus();
  return InvalidArgument("variable ", i, " of the loop has shape ", before.ToString(),
                         " at the start and ", after.ToString(),
                         " after an iteration; say what may change in shape_invariants, or use "
                         "set_shape in the body");
}

Status LoopBuild::CloseLoop(const LoopBody& body) {
  context_->set_pivot(staying_[0].node());
  const std::vector<Output> next = body(inside_, staying_);
  WB_RETURN_IF_ERROR(outside_.status());
  if (next.size() != merges_.size()) {
    return InvalidArgument("the loop has ", merges_.size(), " variables, its body returns ",
                           next.size(), " values");
  }
  for (size_t i = 0; i < next.size(); ++i) {
    WB_RETURN_IF_ERROR(CheckNext(next[i], i));
    const Output back = BuildOutput(inside_, "NextIteration", {next[i]});
    if (!back.valid()) return outside_.status();
    WB_RETURN_IF_ERROR(outside_.graph()->SetInput(merges_[i].node(), 1, {back.node(), 0}));
  }
  return OkStatus();
}

StatusOr<std::vector<Output>> LoopBuild::Run(const LoopCondition& condition, const LoopBody& body,
                                             const std::vector<Output>& variables) {
  WB_RETURN_IF_ERROR(MakeMerges(variables));
  WB_RETURN_IF_ERROR(MakeSwitches(condition));
  WB_RETURN_IF_ERROR(CloseLoop(body));
  ControlFlowDef def;
  std::vector<Output> results;
  for (const Output& last : leaving_) {
    const Output exit = BuildOutput(inside_, "Exit", {last});
    if (!exit.valid()) return outside_.status();
    if (context_->outer() != nullptr) context_->outer()->Own(exit.node());
    context_->Disown(exit.node());
    results.push_back(exit);
    def.exits.push_back(exit.name());
    def.values.insert(exit.name());
  }
  Describe(std::move(def));
  return results;
}

// The loop with a counter of iterations as its first variable.
std::vector<Output> BoundedLoop(const Scope& scope, const LoopCondition& condition,
                                const LoopBody& body, const InputList& variables,
                                const WhileLoopOptions& options) {
  const Output limit = AsOutput(scope.Named("maximum_iterations"), *options.maximum_iterations);
  if (!limit.valid()) return std::vector<Output>(variables.size());
  std::vector<Input> counted = {Constant(scope.Named("iteration_counter"), 0, limit.dtype())};
  for (const Input& v : variables.items()) counted.push_back(v);
  WhileLoopOptions unbounded = options;
  unbounded.maximum_iterations.reset();
  if (!unbounded.shape_invariants.empty()) {
    unbounded.shape_invariants.insert(unbounded.shape_invariants.begin(), PartialShape(Shape()));
  }
  const auto rest = [](const std::vector<Output>& v) {
    return std::vector<Output>(v.begin() + 1, v.end());
  };
  std::vector<Output> results = WhileLoop(
      scope.Named(scope.name_scope()),
      [&](const Scope& s, const std::vector<Output>& v) {
        const Output within = Less(s, v[0], limit);
        return BuildOutput(s, "LogicalAnd", {within, condition(s, rest(v))});
      },
      [&](const Scope& s, const std::vector<Output>& v) {
        std::vector<Output> next = {Add(s, v[0], 1)};
        for (Output& o : body(s, rest(v))) next.push_back(std::move(o));
        return next;
      },
      InputList(counted), unbounded);
  return rest(results);
}

}  // namespace

OutputList WhileLoop(ScopeRef scope_ref, const LoopCondition& condition, const LoopBody& body,
                     const InputList& variables, const WhileLoopOptions& options) {
  const Scope scope = scope_ref.scope();
  std::vector<Output> failed(variables.size());
  if (!scope.ok()) return failed;
  const Scope inside = scope.OpenScope("while");
  if (!options.shape_invariants.empty() && options.shape_invariants.size() != variables.size()) {
    scope.Fail(InvalidArgument("the loop has ", variables.size(), " variables, but ",
                               options.shape_invariants.size(), " shape_invariants"));
    return failed;
  }
  if (options.maximum_iterations.has_value()) {
    return BoundedLoop(inside, condition, body, variables, options);
  }
  if (variables.size() == 0) {
    scope.Fail(InvalidArgument("a loop needs at least one variable"));
    return failed;
  }
  std::vector<Output> starts;
  for (const Input& v : variables.items()) {
    starts.push_back(AsOutput(inside, v));
    if (!scope.ok()) return failed;
    if (!starts.back().valid()) {
      scope.Fail(InvalidArgument("a loop variable is an Output that ", starts.back().problem()));
      return failed;
    }
  }
  auto results = LoopBuild(inside, options).Run(condition, body, starts);
  if (!results.ok()) {
    scope.Fail(Annotate(results.status(),
                        absl::StrCat("building the loop '", inside.context().name_scope, "'")));
    return failed;
  }
  for (Output& r : *results) r = scope(r);
  return *std::move(results);
}

}  // namespace frontend
}  // namespace warpbeam
