#include "frontend/variables/variable_builder.h"

#include <algorithm>
#include <functional>
#include <set>

#include "frontend/build.h"
#include "frontend/graph_state.h"
#include "graph/build/node_builder.h"

namespace warpbeam {
namespace frontend {

VariableBuilder& VariableBuilder::beside(const Variable& variable) {
  const VariableSlice* whole = variable.slice();
  if (whole == nullptr) return *this;
  const std::string own = name_.substr(std::min(name_.size(), variable.name().size()));
  return slice(VariableSlice{whole->full_name + own, whole->full_shape, whole->offset});
}

Variable VariableBuilder::FromInitializer(const Initializer& initializer, const Shape& shape,
                                          DType dtype) {
  return FromInitializer(initializer, VariablePart::Whole(shape), dtype);
}

Variable VariableBuilder::FromInitializer(const Initializer& initializer, const VariablePart& part,
                                          DType dtype) {
  const Shape& shape = part.shape;
  // The initial value stands beside the variable whatever the scope's device.
  const Scope inside = scope_.NameScope(name_);
  const std::string full = inside.context().name_scope;
  const Scope beside =
      inside.WithAttr("_class", std::vector<std::string>{absl::StrCat("loc:@", full)});
  const Output value = initializer(beside.NameScope("Initializer").NoDevice(), part, dtype);
  if (!scope_.ok()) return Variable();
  if (!value.valid()) {
    scope_.Fail(InvalidArgument("the initializer of the variable '", full, "' gave no value"));
    return Variable();
  }
  if (value.dtype() != dtype || !value.shape().IsCompatibleWith(PartialShape(shape))) {
    scope_.Fail(InvalidArgument("the initializer of the variable '", full, "' gave ",
                                DTypeName(value.dtype()), value.shape().ToString(), " for ",
                                DTypeName(dtype), shape.ToString()));
    return Variable();
  }
  return Finish(inside, value, shape, true);
}

Variable VariableBuilder::FromNodes(const Scope& used_in, VariableData data) {
  Variable variable;
  variable.data_ = std::make_shared<const VariableData>(std::move(data));
  variable.used_in_ = used_in.shared_context();
  return variable;
}

void VariableBuilder::ReplaceInitializer(const Variable& variable, const Operation& initializer,
                                         const Output& value) {
  if (!variable.valid()) return;
  variable.data_->initializer = initializer;
  variable.data_->initial_value = value;
}

Variable VariableBuilder::FromValue(const Input& value, DType dtype) {
  const Scope inside = scope_.NameScope(name_);
  const Output initial = AsOutput(inside.Named("initial_value"), value, dtype);
  if (!scope_.ok()) return Variable();
  const StatusOr<Shape> shape = initial.shape().AsShape();
  if (!shape.ok()) {
    scope_.Fail(InvalidArgument("the variable '", inside.context().name_scope,
                                "' needs an initial value of known shape, that of '",
                                initial.name(), "' is ", initial.shape().ToString()));
    return Variable();
  }
  return Finish(inside, initial, *shape, false);
}

void VariableBuilder::AddReference(const Scope& inside, const Scope& itself,
                                   const Output& initial_value, VariableData* data) const {
  data->ref =
      BuildOutput(itself, "VariableV2", {},
                  OpAttrs().Set("shape", PartialShape(data->shape)).Set("dtype", data->dtype));
  const Output guarded = GuardAgainstUninitialized(inside, data->name, initial_value);
  data->initializer = BuildOp(inside.Named("Assign"), "Assign", {data->ref, guarded});
  data->read =
      BuildOutput(inside.ColocateWith(data->ref.op()).Named("read"), "Identity", {data->ref});
}

void VariableBuilder::AddResource(const Scope& inside, const Scope& itself,
                                  const Output& initial_value, VariableData* data) const {
  data->ref = BuildOutput(itself, "VarHandleOp", {},
                          OpAttrs()
                              .Set("shape", PartialShape(data->shape))
                              .Set("dtype", data->dtype)
                              .Set("shared_name", data->name));
  BuildOp(inside.NameScope("IsInitialized"), "VarIsInitializedOp", {data->ref});
  const Output guarded = GuardAgainstUninitialized(inside, data->name, initial_value);
  data->initializer = BuildOp(inside.Named("Assign"), "AssignVariableOp", {data->ref, guarded});
  const Scope read = inside.NameScope("Read");
  data->read = BuildOutput(read.ColocateWith(data->ref.op()), "ReadVariableOp", {data->ref},
                           OpAttrs().Set("dtype", data->dtype));
}

Variable VariableBuilder::Finish(const Scope& inside, const Output& initial_value,
                                 const Shape& shape, bool beside_itself) {
  const std::string full = inside.context().name_scope;
  auto data = std::make_shared<VariableData>();
  data->name = full;
  data->dtype = initial_value.dtype();
  data->shape = shape;
  data->trainable = trainable_;
  data->location = inside.location();
  data->constraint = constraint_;
  // What has fewer dimensions than the whole, such as a number, is no part.
  if (slice_.has_value() && shape.rank() == slice_->full_shape.rank()) data->slice = slice_;
  data->initial_value = initial_value;
  Scope itself = inside.Named(full + "/");
  if (beside_itself) {
    itself = itself.WithAttr("_class", std::vector<std::string>{absl::StrCat("loc:@", full)});
  }
  if (use_resource_) {
    AddResource(inside, itself, initial_value, data.get());
  } else {
    AddReference(inside, itself, initial_value, data.get());
  }
  if (!scope_.ok()) return Variable();
  Variable variable;
  variable.data_ = std::move(data);
  variable.used_in_ = used_in_.shared_context();
  std::vector<std::string> keys = collections_;
  if (trainable_) keys.push_back(GraphKeys::kTrainableVariables);
  for (const std::string& key : keys) AddToCollection(scope_, key, variable);
  return variable;
}

Output BuildInitializedValue(const Scope& scope_in, const Variable& variable) {
  const Scope scope = scope_in.NoControlDependencies();
  const bool is_resource = variable.is_resource();
  const Output is_initialized = BuildOutput(
      scope, is_resource ? "VarIsInitializedOp" : "IsVariableInitialized", {variable.ref()});
  const Scope cond = scope.NameScope("cond");
  const std::vector<Output> sides =
      BuildOutputs(cond, "Switch", {is_initialized, is_initialized}, OpAttrs(), 2);
  BuildOutput(cond.Named("switch_t"), "Identity", {sides[1]});
  BuildOutput(cond.Named("switch_f"), "Identity", {sides[0]});
  const Output predicate = BuildOutput(cond.Named("pred_id"), "Identity", {is_initialized});
  const Scope read = cond.NameScope("read");
  const std::vector<Output> current =
      BuildOutputs(read.Named("Switch"), is_resource ? "Switch" : "RefSwitch",
                   {variable.ref(), predicate}, OpAttrs(), 2);
  const Output now = is_resource
                         ? BuildOutput(cond.Named(read.name_scope()), "ReadVariableOp",
                                       {current[1]}, OpAttrs().Set("dtype", variable.dtype()))
                         : BuildOutput(cond.Named(read.name_scope()), "Identity", {current[1]});
  const Output initial = variable.initial_value();
  const std::vector<Output> otherwise = BuildOutputs(cond.ColocateOnlyWith(initial.op()), "Switch",
                                                     {initial, predicate}, OpAttrs(), 2);
  return BuildOutput(cond, "Merge", {InputList({otherwise[0], now})});
}

namespace {

class InitialValueGuard {
 public:
  InitialValueGuard(const Scope& scope, const std::string& name)
      : scope_(scope), graph_(*scope.graph()), name_(name) {}

  // Walks what the value is made of; functions of the walk give kNoNode for "as it is".
  Output Run(const Output& value) {
    const OutputRef safe = Safe({value.node(), value.index()});
    if (safe == OutputRef{value.node(), value.index()}) return value;
    return Output(&scope_.state(), safe.node, safe.index);
  }

  bool HasLoop(NodeId root) {
    std::set<NodeId> done, open;
    std::function<bool(NodeId)> visit = [&](NodeId id) {
      if (done.count(id) > 0) return false;
      if (!open.insert(id).second) return true;
      for (OutputRef in : graph_.node(id).inputs()) {
        if (in.node != kNoNode && visit(in.node)) return true;
      }
      open.erase(id);
      done.insert(id);
      return false;
    };
    return visit(root);
  }

 private:
  OutputRef Safe(OutputRef ref) {
    auto known = copies_.find(ref.node);
    if (known == copies_.end()) known = copies_.emplace(ref.node, SafeNode(ref.node)).first;
    const OutputRef& copy = known->second;
    // A variable became one tensor; any other node keeps its outputs' numbers.
    return copy.node == ref.node || copy.index < 0 ? OutputRef{copy.node, ref.index} : copy;
  }

  // The node to use instead: index -1 for a copy, else the one output that replaces it.
  OutputRef SafeNode(NodeId id) {
    const Node& node = graph_.node(id);
    if (node.op_name() == "IsVariableInitialized") return {id, -1};
    if (node.op_name() == "VariableV2" || node.op_name() == "Variable") return Initialized(id, id);
    if (node.op_name() == "ReadVariableOp") return Initialized(id, node.input(0).node);
    std::vector<OutputRef> inputs;
    bool changed = false;
    for (OutputRef in : node.inputs()) {
      inputs.push_back(Safe(in));
      changed = changed || inputs.back() != in;
    }
    return changed ? CopyNode(id, std::move(inputs)) : OutputRef{id, -1};
  }

  // What to use instead of `id`, which is or reads the variable's node `owner`.
  OutputRef Initialized(NodeId id, NodeId owner) {
    for (const char* key : {GraphKeys::kGlobalVariables, GraphKeys::kLocalVariables}) {
      for (const Variable& variable : GetVariables(scope_, key)) {
        if (variable.op().node() != owner) continue;
        const Output value = BuildInitializedValue(scope_, variable);
        if (value.valid()) return {value.node(), value.index()};
      }
    }
    return {id, -1};
  }

  // A copy is colocated as whatever is built in the scope, and as the node it is a copy of.
  void StandBeside(AttrMap* attrs) const {
    auto groups = attrs->GetOr<std::vector<std::string>>("_class", {});
    for (NodeId id : scope_.context().colocated) {
      const Node& node = graph_.node(id);
      const auto of_node = node.attrs().GetOr<std::vector<std::string>>(
          "_class", {absl::StrCat("loc:@", node.name())});
      groups.insert(groups.end(), of_node.begin(), of_node.end());
    }
    std::sort(groups.begin(), groups.end());
    groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
    if (!groups.empty()) attrs->Set("_class", std::move(groups));
  }

  OutputRef CopyNode(NodeId id, std::vector<OutputRef> inputs) {
    const Node& node = graph_.node(id);
    NodeSpec spec;
    // A reference is a plain tensor in the copy.
    spec.op = node.op_name() == "RefSwitch" ? "Switch" : node.op_name();
    spec.name = scope_.state().UniqueName(absl::StrCat(node.name(), "_", name_));
    spec.attrs = node.attrs();
    spec.device = node.device();
    spec.location = node.location();
    StandBeside(&spec.attrs);
    auto added = scope_.graph()->AddNode(std::move(spec), std::move(inputs), node.control_inputs());
    if (added.ok()) return {(*added)->id(), -1};
    scope_.Fail(added.status());
    return {id, -1};
  }

  const Scope& scope_;
  const Graph& graph_;
  const std::string& name_;
  std::map<NodeId, OutputRef> copies_;
};

}  // namespace

Output GuardAgainstUninitialized(const Scope& scope, const std::string& name, const Output& value) {
  if (!scope.ok() || !value.valid()) return Output();
  InitialValueGuard guard(scope, name);
  return guard.HasLoop(value.node()) ? value : guard.Run(value);
}

}  // namespace frontend
}  // namespace warpbeam
