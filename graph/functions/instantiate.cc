#include "graph/functions/instantiate.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "graph/op/node_types.h"
#include "graph/op/op_registry.h"

namespace warpbeam {

WB_OP("_Arg")
    .Output("output: T")
    .Attr("T: type")
    .Attr("index: int >= 0")
    .Stateful()
    .Doc("An argument of a function.");

namespace {

absl::StatusOr<AttrValue> Substitute(const AttrValue& value, const AttrMap& attrs) {
  if (value.kind() == AttrValue::Kind::kPlaceholder) {
    const AttrValue* found = attrs.Find(value.placeholder());
    if (found == nullptr) {
      return InvalidArgument("the function's attribute '", value.placeholder(), "' is not given");
    }
    return *found;
  }
  if (value.kind() == AttrValue::Kind::kFunction) {
    FunctionRef f = value.func();
    WB_ASSIGN_OR_RETURN(f.attrs, SubstitutePlaceholders(f.attrs, attrs));
    return AttrValue(std::move(f));
  }
  if (value.kind() == AttrValue::Kind::kFunctionList) {
    std::vector<FunctionRef> list = value.list<FunctionRef>();
    for (FunctionRef& f : list) {
      WB_ASSIGN_OR_RETURN(f.attrs, SubstitutePlaceholders(f.attrs, attrs));
    }
    return AttrValue(std::move(list));
  }
  return value;
}

class Instantiation {
 public:
  Instantiation(const FunctionLibrary& library, const Function& function, const OpRegistry& ops)
      : function_(function) {
    result_.graph = std::make_unique<Graph>(ops);
    result_.graph->functions() = library;
  }

  absl::StatusOr<InstantiatedFunction> Run(AttrMap attrs) {
    // Attributes that the signature does not have may still stand in the body.
    WB_RETURN_IF_ERROR(CompleteAttrs(function_.signature, &attrs, /*ignore_unknown=*/true));
    attrs_ = std::move(attrs);
    WB_RETURN_IF_ERROR(AddArgs());
    for (size_t i = 0; i < function_.nodes.size(); ++i) {
      if (!by_name_.emplace(function_.nodes[i].name, static_cast<int>(i)).second) {
        return InvalidArgument("two nodes are named '", function_.nodes[i].name, "'");
      }
    }
    ids_.assign(function_.nodes.size(), kNoNode);
    open_.assign(function_.nodes.size(), false);
    for (size_t i = 0; i < function_.nodes.size(); ++i) {
      WB_RETURN_IF_ERROR(AddWithInputs(static_cast<int>(i)));
    }
    WB_RETURN_IF_ERROR(AddResults());
    return std::move(result_);
  }

 private:
  absl::Status AddArgs();
  absl::Status AddWithInputs(int first);
  absl::Status AddNode(int index);
  absl::Status AddResults();
  absl::StatusOr<OutputRef> Resolve(absl::string_view input) const;
  // The body node that an input string names, -1 for an argument.
  absl::StatusOr<int> Producer(absl::string_view input) const;

  const Function& function_;
  AttrMap attrs_;
  InstantiatedFunction result_;
  absl::flat_hash_map<std::string, int> by_name_;
  absl::flat_hash_map<std::string, std::vector<OutputRef>> args_;
  std::vector<NodeId> ids_;
  std::vector<bool> open_;
};

absl::Status Instantiation::AddArgs() {
  WB_ASSIGN_OR_RETURN(std::vector<DType> types, InputTypes(function_.signature, attrs_));
  WB_ASSIGN_OR_RETURN(std::vector<int> sizes, ArgSizes(function_.signature.inputs, attrs_));
  size_t at = 0;
  for (size_t a = 0; a < sizes.size(); ++a) {
    const std::string& name = function_.signature.inputs[a].name;
    for (int k = 0; k < sizes[a]; ++k, ++at) {
      NodeSpec spec;
      spec.name = result_.graph->UniqueName(sizes[a] == 1 ? name : absl::StrCat(name, "_", k));
      spec.op = "_Arg";
      spec.attrs.Set("T", BaseType(types[at]));
      spec.attrs.Set("index", static_cast<int64_t>(at));
      WB_ASSIGN_OR_RETURN(Node * node, result_.graph->AddNode(std::move(spec), {}, {}));
      result_.args.push_back(node->id());
      args_[name].push_back({node->id(), 0});
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<int> Instantiation::Producer(absl::string_view input) const {
  if (!input.empty() && input[0] == '^') input.remove_prefix(1);
  const absl::string_view name = input.substr(0, input.find(':'));
  auto node = by_name_.find(std::string(name));
  if (node != by_name_.end()) return node->second;
  if (args_.contains(std::string(name))) return -1;
  return InvalidArgument("the input '", input, "' names neither a node nor an argument");
}

// Depth first without recursion: bodies may be long chains.
absl::Status Instantiation::AddWithInputs(int first) {
  std::vector<std::pair<int, size_t>> stack;
  if (ids_[first] != kNoNode) return absl::OkStatus();
  stack.emplace_back(first, 0);
  open_[first] = true;
  while (!stack.empty()) {
    auto& [index, next] = stack.back();
    const NodeSpec& spec = function_.nodes[index];
    if (next == spec.inputs.size()) {
      WB_RETURN_IF_ERROR(Annotate(AddNode(index), absl::StrCat("node '", spec.name, "'")));
      stack.pop_back();
      continue;
    }
    auto producer = Producer(spec.inputs[next++]);
    if (!producer.ok()) {
      return Annotate(producer.status(), absl::StrCat("node '", spec.name, "'"));
    }
    if (*producer < 0 || ids_[*producer] != kNoNode) continue;
    if (open_[*producer]) {
      return Unimplemented("the nodes of '", spec.name, "' form a loop");
    }
    open_[*producer] = true;
    stack.emplace_back(*producer, 0);
  }
  return absl::OkStatus();
}

// "arg", "arg:2", "node:output_arg:index", or "node:index" of older writers.
absl::StatusOr<OutputRef> Instantiation::Resolve(absl::string_view input) const {
  const std::vector<std::string> parts = absl::StrSplit(input, ':');
  int last = 0;
  if (parts.size() > 1 && !absl::SimpleAtoi(parts.back(), &last)) {
    return InvalidArgument("the input '", input, "' does not end in a number");
  }
  auto arg = args_.find(parts[0]);
  auto body = by_name_.find(parts[0]);
  if (body == by_name_.end()) {
    if (arg == args_.end() || last < 0 || last >= static_cast<int>(arg->second.size())) {
      return InvalidArgument("there is no output '", input, "'");
    }
    return arg->second[last];
  }
  const Node& node = result_.graph->node(ids_[body->second]);
  int start = 0;
  if (parts.size() == 3) {
    WB_ASSIGN_OR_RETURN(std::vector<int> sizes, ArgSizes(node.op().outputs, node.attrs()));
    size_t a = 0;
    while (a < sizes.size() && node.op().outputs[a].name != parts[1]) start += sizes[a++];
    if (a == sizes.size()) {
      return InvalidArgument("'", node.op_name(), "' has no output '", parts[1], "'");
    }
  }
  if (last < 0 || start + last >= node.num_outputs()) {
    return InvalidArgument("there is no output '", input, "'");
  }
  return OutputRef{node.id(), start + last};
}

absl::Status Instantiation::AddNode(int index) {
  const NodeSpec& body = function_.nodes[index];
  NodeSpec spec = body;
  if (result_.graph->Find(spec.name) != nullptr) spec.name = result_.graph->UniqueName(spec.name);
  spec.inputs.clear();
  WB_ASSIGN_OR_RETURN(spec.attrs, SubstitutePlaceholders(body.attrs, attrs_));
  std::vector<OutputRef> inputs;
  std::vector<NodeId> controls;
  for (const std::string& input : body.inputs) {
    if (!input.empty() && input[0] == '^') {
      WB_ASSIGN_OR_RETURN(int producer, Producer(input));
      controls.push_back(producer >= 0 ? ids_[producer] : args_[input.substr(1)][0].node);
      continue;
    }
    WB_ASSIGN_OR_RETURN(OutputRef r, Resolve(input));
    inputs.push_back(r);
  }
  WB_ASSIGN_OR_RETURN(
      Node * node, result_.graph->AddNode(std::move(spec), std::move(inputs), std::move(controls)));
  ids_[index] = node->id();
  if (node->op().is_stateful) result_.effects.push_back(node->id());
  return absl::OkStatus();
}

absl::Status Instantiation::AddResults() {
  WB_ASSIGN_OR_RETURN(result_.result_types, OutputTypes(function_.signature, attrs_));
  WB_ASSIGN_OR_RETURN(std::vector<int> sizes, ArgSizes(function_.signature.outputs, attrs_));
  for (size_t a = 0; a < sizes.size(); ++a) {
    const std::string& name = function_.signature.outputs[a].name;
    const std::string* source = nullptr;
    for (const auto& r : function_.returns) {
      if (r.first == name) source = &r.second;
    }
    if (source == nullptr) return InvalidArgument("the output '", name, "' is not returned");
    WB_ASSIGN_OR_RETURN(OutputRef first, Resolve(*source));
    for (int k = 0; k < sizes[a]; ++k) {
      const OutputRef r{first.node, first.index + k};
      const Node& node = result_.graph->node(r.node);
      const DType wanted = BaseType(result_.result_types[result_.results.size()]);
      if (r.index >= node.num_outputs() || BaseType(node.output_type(r.index)) != wanted) {
        return InvalidArgument("the output '", name, "' should be ", DTypeName(wanted));
      }
      result_.results.push_back(r);
    }
  }
  for (const auto& control : function_.control_returns) {
    auto node = by_name_.find(control.second);
    if (node == by_name_.end()) {
      return InvalidArgument("the control output '", control.first, "' names no node");
    }
    result_.effects.push_back(ids_[node->second]);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<AttrMap> SubstitutePlaceholders(const AttrMap& body, const AttrMap& attrs) {
  AttrMap out;
  for (const auto& [name, value] : body) {
    WB_ASSIGN_OR_RETURN(AttrValue v, Substitute(value, attrs));
    out.Set(name, std::move(v));
  }
  return out;
}

absl::StatusOr<InstantiatedFunction> InstantiateFunction(const FunctionLibrary& library,
                                                         const FunctionRef& function,
                                                         const OpRegistry& ops) {
  std::shared_ptr<const Function> found = library.Find(function.name);
  if (found == nullptr) {
    return NotFound("the function '", function.name, "' is not in the graph's library");
  }
  auto made = Instantiation(library, *found, ops).Run(function.attrs);
  if (!made.ok()) return Annotate(made.status(), absl::StrCat("function '", function.name, "'"));
  return made;
}

}  // namespace warpbeam
