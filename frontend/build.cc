#include "frontend/build.h"

#include <algorithm>
#include <set>

#include "frontend/control_flow/control_flow_context.h"
#include "frontend/device/device_functions.h"
#include "frontend/graph_state.h"
#include "frontend/variables/resource_form.h"
#include "graph/build/node_builder.h"
#include "graph/op/node_types.h"

namespace warpbeam {
namespace frontend {
namespace {

// More outputs than this are a mistaken count, and would take memory before anything can be said.
constexpr int64_t kMostOutputs = 1 << 20;

// One operation on its way into the graph.
class OpBuild {
 public:
  OpBuild(const Scope& scope, const char* op, const std::vector<ArgumentInput>& inputs,
          const AttrMap& attrs)
      : scope_(scope), op_(op), given_(inputs), attrs_(attrs) {}

  StatusOr<Operation> Run();

 private:
  Status CheckArguments();
  Status CheckOutputs() const;
  // Takes the op that does for resource variables what this one does for references.
  Status TakeResourceForm();
  Status ResolveTypes();
  Status NoteType(const ArgSpec& arg, const Input& input);
  DType TypeFor(const ArgSpec& arg, size_t item, const Input& input) const;
  static bool IsEmptyList(const Input& input);
  // The type that an attribute has by default, if it has one.
  DType DefaultOf(const std::string& type_attr, DType fallback) const;
  StatusOr<NodeInput> MakeInput(size_t index);
  StatusOr<OutputRef> MakeItem(const ArgSpec& arg, const Input& input, DType dtype,
                               const std::string& constant_name);
  std::vector<NodeId> ControlInputs(const std::vector<NodeInput>& inputs) const;
  // Whether what the node stands beside has decided its device.
  bool Colocate(NodeBuilder* builder) const;

  const Scope& scope_;
  std::string op_;
  const std::vector<ArgumentInput>& given_;
  AttrMap attrs_;
  const OpSchema* schema_ = nullptr;
  std::string name_;
  AttrMap types_;                   // type attributes decided by outputs and tensors
  std::vector<NodeId> references_;  // nodes whose references the op takes
};

Status OpBuild::CheckArguments() {
  if (given_.size() != schema_->inputs.size()) {
    return InvalidArgument("takes ", schema_->inputs.size(), " inputs, got ", given_.size());
  }
  for (size_t i = 0; i < given_.size(); ++i) {
    const ArgSpec& arg = schema_->inputs[i];
    const bool wants_list = !arg.number_attr.empty() || !arg.type_list_attr.empty();
    if (wants_list != given_[i].is_list()) {
      return InvalidArgument(
          "the input '", arg.name, "' is ",
          wants_list ? "a list of tensors, got one tensor" : "one tensor, got a list of tensors");
    }
    for (const Input& input : given_[i].items()) {
      if (!input.is_value() && !input.output().valid()) {
        return InvalidArgument("the input '", arg.name, "' is an Output that ",
                               input.output().problem());
      }
    }
  }
  return OkStatus();
}

Status OpBuild::CheckOutputs() const {
  for (const ArgSpec& arg : schema_->outputs) {
    const int64_t count = arg.number_attr.empty() ? 1 : attrs_.GetOr<int64_t>(arg.number_attr, 1);
    if (count > kMostOutputs) {
      return InvalidArgument("the attribute '", arg.number_attr, "' asks for ", count, " outputs; ",
                             kMostOutputs, " are the most");
    }
  }
  return OkStatus();
}

// What has a type of its own decides the attribute; numbers follow.
Status OpBuild::NoteType(const ArgSpec& arg, const Input& input) {
  if (arg.type_attr.empty() || input.adapts()) return OkStatus();
  if (types_.Find(arg.type_attr) == nullptr) types_.Set(arg.type_attr, input.dtype());
  return OkStatus();
}

Status OpBuild::ResolveTypes() {
  for (size_t i = 0; i < given_.size(); ++i) {
    for (const Input& input : given_[i].items()) {
      WB_RETURN_IF_ERROR(NoteType(schema_->inputs[i], input));
    }
  }
  return OkStatus();
}

DType OpBuild::TypeFor(const ArgSpec& arg, size_t item, const Input& input) const {
  if (arg.type != DType::kInvalid) return BaseType(arg.type);
  if (!arg.type_list_attr.empty()) {
    const auto list = attrs_.GetOr<std::vector<DType>>(arg.type_list_attr, {});
    return item < list.size() ? list[item] : input.dtype();
  }
  const DType given = attrs_.GetOr<DType>(arg.type_attr, DType::kInvalid);
  if (given != DType::kInvalid) return given;
  const DType decided = types_.GetOr<DType>(arg.type_attr, DType::kInvalid);
  if (decided != DType::kInvalid) return decided;
  return IsEmptyList(input) ? DefaultOf(arg.type_attr, input.dtype()) : input.dtype();
}

// A list without numbers has no type of its own: the shape of a scalar is int32.
bool OpBuild::IsEmptyList(const Input& input) {
  if (!input.is_value() || !input.adapts()) return false;
  const StatusOr<Tensor> whole = input.ValueAs(DType::kInt64);
  return whole.ok() && whole->num_elements() == 0;
}

DType OpBuild::DefaultOf(const std::string& type_attr, DType fallback) const {
  const AttrSpec* attr = schema_->FindAttr(type_attr);
  if (attr == nullptr) return fallback;
  AttrMap values;
  values.Set("default", attr->default_value);
  values.Set("allowed", attr->allowed_values);
  const DType by_default = values.GetOr<DType>("default", DType::kInvalid);
  if (by_default != DType::kInvalid) return by_default;
  const auto allowed = values.GetOr<std::vector<DType>>("allowed", {});
  const auto is_allowed = [&](DType dtype) {
    return allowed.empty() || std::find(allowed.begin(), allowed.end(), dtype) != allowed.end();
  };
  return is_allowed(fallback) || !is_allowed(DType::kInt32) ? fallback : DType::kInt32;
}

Status OpBuild::TakeResourceForm() {
  const ArgSpec* changed = nullptr;
  DType dtype = DType::kInvalid;
  for (size_t i = 0; i < given_.size() && i < schema_->inputs.size(); ++i) {
    if (!schema_->inputs[i].is_ref || given_[i].is_list()) continue;
    const Input& input = given_[i].items()[0];
    if (!IsResourceVariable(scope_, input)) continue;
    changed = &schema_->inputs[i];
    dtype = input.dtype();
  }
  if (changed == nullptr) return OkStatus();
  const std::string form = ResourceFormOf(op_);
  const auto found = scope_.graph()->FindSchema(form);
  if (!found.ok()) {
    return InvalidArgument("the input '", changed->name, "' is a resource variable, and there is ",
                           "no op '", form, "'; make the variable with use_resource(false)");
  }
  op_ = form;
  schema_ = *found;
  for (const char* name : {"T", "dtype"}) {
    if (schema_->FindAttr(name) != nullptr) types_.Set(name, dtype);
  }
  AttrMap kept;
  for (const AttrMap::Entry& entry : attrs_) {
    if (schema_->FindAttr(entry.first) != nullptr) kept.Set(entry.first, entry.second);
  }
  attrs_ = std::move(kept);
  return OkStatus();
}

StatusOr<OutputRef> OpBuild::MakeItem(const ArgSpec& arg, const Input& input, DType dtype,
                                      const std::string& constant_name) {
  const bool takes_variable = arg.is_ref || arg.type == DType::kResource;
  Output output = takes_variable && input.reference().valid() ? input.reference() : input.output();
  if (!takes_variable && IsResourceVariable(scope_, input)) {
    output = ReadResource(scope_.WithPrefix(name_), input.reference(), input.dtype());
    if (!output.valid()) return scope_.status();
  }
  if (input.is_value()) {
    auto value = input.ValueAs(dtype);
    if (!value.ok()) {
      return Annotate(value.status(), absl::StrCat("the input '", arg.name, "'"));
    }
    output = Constant(scope_.WithPrefix(name_).Named(constant_name), *std::move(value));
    if (!output.valid()) return scope_.status();
  }
  if (output.graph() != &scope_.state()) {
    if (scope_.state().capture() == nullptr) {
      return InvalidArgument("the input '", arg.name, "' ('", output.name(),
                             "') is in another graph");
    }
    WB_ASSIGN_OR_RETURN(output, scope_.state().capture()(output));
  }
  if (arg.is_ref || (takes_variable && input.reference().valid())) {
    references_.push_back(output.node());
  }
  OutputRef ref{output.node(), output.index()};
  if (const auto& control_flow = scope_.context().control_flow; control_flow != nullptr) {
    WB_ASSIGN_OR_RETURN(ref, control_flow->Bring(scope_, ref, name_));
  }
  return ref;
}

StatusOr<NodeInput> OpBuild::MakeInput(size_t index) {
  const ArgSpec& arg = schema_->inputs[index];
  const std::vector<Input>& items = given_[index].items();
  std::vector<OutputRef> refs;
  // A list given entirely as numbers takes the first one's type for all.
  for (size_t i = 0; i < items.size(); ++i) {
    const std::string name = given_[index].is_list() ? absl::StrCat(arg.name, "_", i) : arg.name;
    const Input& decides = arg.type_list_attr.empty() ? items[0] : items[i];
    WB_ASSIGN_OR_RETURN(OutputRef ref, MakeItem(arg, items[i], TypeFor(arg, i, decides), name));
    refs.push_back(ref);
  }
  if (given_[index].is_list()) return NodeInput(std::move(refs));
  if (refs.size() != 1) return Internal("one tensor expected for '", arg.name, "'");
  return NodeInput(refs[0]);
}

std::vector<NodeId> OpBuild::ControlInputs(const std::vector<NodeInput>& inputs) const {
  std::set<NodeId> data;
  for (const NodeInput& input : inputs) {
    for (OutputRef ref : input.refs) data.insert(ref.node);
  }
  std::vector<NodeId> result;
  std::set<NodeId> known = data;
  for (const auto& frame : scope_.context().control) {
    const bool ordered = std::any_of(data.begin(), data.end(),
                                     [&](NodeId id) { return frame->built.count(id) > 0; });
    if (ordered) continue;
    for (NodeId id : frame->operations) {
      if (known.insert(id).second) result.push_back(id);
    }
  }
  return result;
}

// The device of what the node is colocated with, the innermost first, and the groups of all.
bool OpBuild::Colocate(NodeBuilder* builder) const {
  std::vector<NodeId> beside = scope_.context().colocated;
  beside.insert(beside.end(), references_.begin(), references_.end());
  std::string device = references_.empty() ? scope_.context().device : std::string();
  std::set<std::string> groups;
  bool found = false;
  for (auto it = beside.rbegin(); it != beside.rend(); ++it) {
    const Node& node = scope_.graph()->node(*it);
    const auto of_node = node.attrs().GetOr<std::vector<std::string>>("_class", {});
    groups.insert(of_node.begin(), of_node.end());
    if (of_node.empty()) groups.insert("loc:@" + node.name());
    if (!found && !node.device().empty()) {
      device = node.device();
      found = true;
    }
  }
  builder->Device(device);
  for (const AttrMap::Entry& entry : scope_.context().attrs) {
    builder->Attr(entry.first, entry.second);
  }
  if (!groups.empty()) {
    builder->Attr("_class", std::vector<std::string>(groups.begin(), groups.end()));
  }
  return found || !references_.empty();
}

StatusOr<Operation> OpBuild::Run() {
  GraphState& state = scope_.state();
  const ScopeContext& context = scope_.context();
  WB_RETURN_IF_ERROR(state.CheckGrows(context.Join(scope_.OpNameOr(op_.c_str())), op_.c_str()));
  WB_ASSIGN_OR_RETURN(schema_, state.graph()->FindSchema(op_));
  WB_RETURN_IF_ERROR(CheckArguments());
  WB_RETURN_IF_ERROR(CheckOutputs());
  WB_RETURN_IF_ERROR(TakeResourceForm());
  WB_RETURN_IF_ERROR(ResolveTypes());
  const std::string wanted = scope_.OpNameOr(op_.c_str());
  name_ = wanted.back() == '/' ? wanted.substr(0, wanted.size() - 1)
                               : state.UniqueName(context.Join(wanted));
  NodeBuilder builder(state.graph().get(), op_);
  builder.ExactName(name_).Location(scope_.location());
  std::vector<NodeInput> inputs;
  for (size_t i = 0; i < given_.size(); ++i) {
    WB_ASSIGN_OR_RETURN(NodeInput input, MakeInput(i));
    inputs.push_back(input);
    builder.Input(std::move(input));
  }
  std::vector<NodeId> control = ControlInputs(inputs);
  if (context.control_flow != nullptr) {
    std::vector<OutputRef> data;
    for (const NodeInput& input : inputs) {
      data.insert(data.end(), input.refs.begin(), input.refs.end());
    }
    WB_ASSIGN_OR_RETURN(control, context.control_flow->ControlInputs(scope_, data, control, name_));
  }
  builder.ControlInputs(control);
  const bool has_device = Colocate(&builder);
  if (const auto own = context.gradients.find(op_); own != context.gradients.end()) {
    builder.Attr("_gradient_op_type", own->second);
  }
  for (const AttrMap::Entry& entry : attrs_) builder.Attr(entry.first, entry.second);
  if (!context.container.empty() && schema_->FindAttr("container") != nullptr &&
      attrs_.GetOr<std::string>("container", "").empty()) {
    builder.Attr("container", context.container);
  }
  WB_ASSIGN_OR_RETURN(const Node* node, builder.Build());
  if (!has_device) WB_RETURN_IF_ERROR(AskDeviceFunctions(scope_, node->id()));
  for (const auto& frame : context.control) frame->built.insert(node->id());
  if (context.control_flow != nullptr) context.control_flow->Own(node->id());
  return Operation(&state, node->id());
}

// What the node was to be called, for errors that happen before it exists.
std::string Describe(const Scope& scope, const char* op) {
  return absl::StrCat("building ", op, " '", scope.context().Join(scope.OpNameOr(op)), "'");
}

}  // namespace

Operation BuildOp(ScopeRef scope_ref, const char* op, const std::vector<ArgumentInput>& inputs,
                  const OpAttrs& attrs) {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return Operation();
  StatusOr<Operation> built = OpBuild(scope, op, inputs, attrs.map()).Run();
  if (built.ok()) return *built;
  scope.Fail(Annotate(built.status(), Describe(scope, op)));
  return Operation();
}

Output BuildOutput(ScopeRef scope_ref, const char* op, const std::vector<ArgumentInput>& inputs,
                   const OpAttrs& attrs) {
  const Scope scope = scope_ref.scope();
  const Operation built = BuildOp(scope, op, inputs, attrs);
  if (!built.valid()) return Output();
  if (built.num_outputs() > 0 || built.type() == op) return scope(built.output(0));
  // The op for references gives the new value; that for resources gives nothing.
  const Node& node = scope.graph()->node(built.node());
  const Output handle(&scope.state(), node.input(0).node, node.input(0).index);
  const DType dtype =
      node.attrs().GetOr<DType>("dtype", node.attrs().GetOr<DType>("T", DType::kInvalid));
  return ReadResource(scope.ControlDependencies({built}), handle, dtype);
}

OutputList BuildOutputs(ScopeRef scope_ref, const char* op,
                        const std::vector<ArgumentInput>& inputs, const OpAttrs& attrs, int count) {
  const Scope scope = scope_ref.scope();
  const Operation built = BuildOp(scope, op, inputs, attrs);
  if (!built.valid()) {
    return OutputList(static_cast<size_t>(std::clamp<int64_t>(count, 0, kMostOutputs)));
  }
  std::vector<Output> outputs;
  for (int i = 0; i < built.num_outputs(); ++i) outputs.push_back(scope(built.output(i)));
  return outputs;
}

OutputList OutputsOf(const Scope& scope, const Operation& op, const char* name) {
  std::vector<Output> outputs;
  if (!op.valid()) return outputs;
  const Node& node = scope.graph()->node(op.node());
  const auto sizes = ArgSizes(node.op().outputs, node.attrs());
  if (!sizes.ok()) return outputs;
  int next = 0;
  for (size_t i = 0; i < sizes->size(); ++i) {
    for (int j = 0; j < (*sizes)[i]; ++j, ++next) {
      if (node.op().outputs[i].name == name) outputs.push_back(scope(op.output(next)));
    }
  }
  return outputs;
}

Output OutputOf(const Scope& scope, const Operation& op, const char* name) {
  const std::vector<Output> outputs = OutputsOf(scope, op, name);
  return outputs.empty() ? Output() : outputs[0];
}

Output Constant(ScopeRef scope_ref, const Input& value, DType dtype) {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return Output();
  if (!value.is_value()) {
    scope.Fail(
        InvalidArgument("Constant takes a value, got the output '", value.output().name(), "'"));
    return Output();
  }
  const StatusOr<Tensor> tensor = value.ValueAs(dtype == DType::kInvalid ? value.dtype() : dtype);
  if (!tensor.ok()) {
    scope.Fail(Annotate(tensor.status(), Describe(scope, "Const")));
    return Output();
  }
  return BuildOutput(scope, "Const", {},
                     OpAttrs().Set("dtype", tensor->dtype()).Set("value", *tensor));
}

Output Constant(ScopeRef scope, const Input& value) {
  return Constant(scope.scope(), value, DType::kInvalid);
}

Output Constant(ScopeRef scope_ref, const Input& value, DType dtype, const Shape& shape) {
  const Scope scope = scope_ref.scope();
  StatusOr<Tensor> tensor =
      value.is_value() ? value.ValueAs(dtype) : StatusOr<Tensor>(InvalidArgument("not a value"));
  if (tensor.ok() && tensor->num_elements() == shape.num_elements()) {
    tensor = tensor->Reshaped(shape);
  } else if (tensor.ok() && tensor->num_elements() == 1) {
    const Tensor one = *tensor;
    tensor = Tensor::Allocate(dtype, shape);
    char* to = tensor.ok() ? static_cast<char*>(tensor->raw_data()) : nullptr;
    for (int64_t i = 0; tensor.ok() && i < shape.num_elements(); ++i) {
      CopyElements(dtype, to + i * DTypeSize(dtype), one.raw_data(), 1);
    }
  } else if (tensor.ok()) {
    tensor = InvalidArgument(tensor->num_elements(), " values for the shape ", shape.ToString());
  }
  if (!tensor.ok()) {
    scope.Fail(Annotate(tensor.status(), Describe(scope, "Const")));
    return Output();
  }
  return Constant(scope, *std::move(tensor));
}

Output AsOutput(ScopeRef scope_ref, const Input& value, DType dtype) {
  const Scope scope = scope_ref.scope();
  if (value.is_value()) return Constant(scope, value, dtype);
  if (IsResourceVariable(scope, value) && scope.context().control_flow == nullptr) {
    return ReadResource(scope, value.reference(), value.dtype());
  }
  return scope(value.output());
}

}  // namespace frontend
}  // namespace warpbeam
