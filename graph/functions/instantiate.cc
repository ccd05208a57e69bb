#include "graph/functions/instantiate.h"

#include <algorithm>
#include <deque>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "graph/build/assemble.h"
#include "graph/functions/substitute.h"
#include "graph/node_roles.h"
#include "graph/op/node_types.h"

namespace warpbeam {
namespace {

// What a name in the body stands for: an argument of the function or a node, with its tensors by
// output argument.
struct Producer {
  struct Output {
    absl::string_view name;  // in the op's schema
    int begin = 0;
    int count = 0;
  };
  std::vector<std::string> tensors;  // of an argument: one name per tensor
  std::vector<Output> outputs;       // of a node
  bool is_arg = false;
  bool known = true;  // false: a node whose op is not known, so that nothing can be said
};

class BodyBuilder {
 public:
  BodyBuilder(const Function& function, const FunctionLibrary& library, const OpRegistry& ops,
              const InstantiateOptions& options)
      : function_(function), signature_(function.signature), options_(options) {
    body_.graph = std::make_unique<Graph>(ops);
    body_.graph->functions() = library;
  }

  StatusOr<InstantiatedFunction> Build(const AttrMap& attrs);

 private:
  Status SetAttrs(const AttrMap& attrs);
  Status AddArgs();
  AttrMap ArgAttrs(int signature_index, int arg) const;
  Status AddNodes();
  Status IndexNode(absl::string_view name, const NodeSpec& spec);
  Status AddResults();
  Status CollectControls();
  // The tensors that an input or return string stands for, as "node:index".
  StatusOr<std::vector<std::string>> Resolve(absl::string_view input) const;
  StatusOr<std::vector<std::string>> ResolveOfNode(const std::vector<absl::string_view>& parts,
                                                   const Producer& producer) const;

  const Function& function_;
  const OpSchema& signature_;
  const InstantiateOptions& options_;
  AttrMap attrs_;
  InstantiatedFunction body_;
  std::vector<NodeSpec> specs_;
  std::vector<Status> problems_;
  absl::flat_hash_map<absl::string_view, Producer> producers_;  // the names are the function's…
  std::deque<std::string> retval_names_;                        // …or these
};

// How many tensors each output of a node has. Most ops say it whatever the node's attributes.
StatusOr<std::vector<int>> OutputSizes(const OpSchema& op, const AttrMap& attrs) {
  const auto is_single = [](const ArgSpec& arg) {
    return arg.number_attr.empty() && arg.type_list_attr.empty();
  };
  if (std::all_of(op.outputs.begin(), op.outputs.end(), is_single)) {
    return std::vector<int>(op.outputs.size(), 1);
  }
  AttrMap completed = attrs;
  WB_RETURN_IF_ERROR(CompleteAttrs(op, &completed));
  return ArgSizes(op.outputs, completed);
}

StatusOr<int> ParseIndex(absl::string_view text) {
  int index = 0;
  if (absl::SimpleAtoi(text, &index) && index >= 0) return index;
  return InvalidArgument("'", text, "' is no index");
}

Status BodyBuilder::SetAttrs(const AttrMap& attrs) {
  attrs_ = attrs;
  // A caller may say more than the signature knows, such as options of the call.
  return CompleteAttrs(signature_, &attrs_, /*ignore_unknown=*/true);
}

AttrMap BodyBuilder::ArgAttrs(int signature_index, int arg) const {
  AttrMap attrs;
  if (auto it = function_.arg_attrs.find(signature_index); it != function_.arg_attrs.end()) {
    for (const AttrMap::Entry& entry : it->second) {
      if (!entry.first.empty() && entry.first[0] == '_') attrs.Set(entry.first, entry.second);
    }
  }
  if (arg < static_cast<int>(options_.arg_shapes.size())) {
    attrs.Set("_output_shapes", std::vector<PartialShape>{options_.arg_shapes[arg]});
  }
  if (arg < static_cast<int>(options_.arg_handles.size()) && !options_.arg_handles[arg].empty()) {
    std::vector<DType> dtypes;
    std::vector<PartialShape> shapes;
    for (const HandleShape& handle : options_.arg_handles[arg]) {
      dtypes.push_back(handle.dtype);
      shapes.push_back(handle.shape);
    }
    attrs.Set("_handle_dtypes", std::move(dtypes));
    attrs.Set("_handle_shapes", std::move(shapes));
  }
  return attrs;
}

Status BodyBuilder::AddArgs() {
  WB_ASSIGN_OR_RETURN(body_.arg_types, InputTypes(signature_, attrs_));
  WB_ASSIGN_OR_RETURN(std::vector<int> sizes, ArgSizes(signature_.inputs, attrs_));
  int index = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const ArgSpec& arg = signature_.inputs[i];
    Producer producer;
    producer.is_arg = true;
    for (int k = 0; k < sizes[i]; ++k, ++index) {
      NodeSpec spec;
      spec.op = "_Arg";
      spec.name = sizes[i] == 1 ? arg.name : absl::StrCat(arg.name, "_", k);
      spec.attrs = ArgAttrs(static_cast<int>(i), index);
      spec.attrs.Set("T", body_.arg_types[index]);
      spec.attrs.Set("index", index);
      producer.tensors.push_back(absl::StrCat(spec.name, ":0"));
      specs_.push_back(std::move(spec));
    }
    producers_.emplace(arg.name, std::move(producer));
  }
  return OkStatus();
}

Status BodyBuilder::IndexNode(absl::string_view name, const NodeSpec& spec) {
  if (spec.op.empty()) return InvalidArgument("it names no op");
  // The signature says what the arguments and results are; these nodes are made from it.
  if (spec.op == "_Arg" || spec.op == "_Retval") {
    return InvalidArgument("the op '", spec.op, "' cannot be used in a function's body");
  }
  Producer producer;
  StatusOr<const OpSchema*> schema = body_.graph->FindSchema(spec.op);
  if (!schema.ok()) {
    producer.known = false;
  } else {
    WB_ASSIGN_OR_RETURN(const std::vector<int> sizes, OutputSizes(**schema, spec.attrs));
    int begin = 0;
    for (size_t i = 0; i < sizes.size(); ++i) {
      producer.outputs.push_back({(*schema)->outputs[i].name, begin, sizes[i]});
      begin += sizes[i];
    }
  }
  if (producers_.emplace(name, std::move(producer)).second) return OkStatus();
  return InvalidArgument("an argument or another node of the function has this name");
}

StatusOr<std::vector<std::string>> BodyBuilder::ResolveOfNode(
    const std::vector<absl::string_view>& parts, const Producer& producer) const {
  if (!producer.known) return std::vector<std::string>{std::string(parts[0])};
  if (parts.size() < 2) {
    return InvalidArgument("say which output: \"", parts[0], ":output:0\"");
  }
  if (int index = 0; parts.size() == 2 && absl::SimpleAtoi(parts[1], &index)) {
    // Old writers count outputs; whether this one is there is checked when the node is added.
    return std::vector<std::string>{absl::StrCat(parts[0], ":", parts[1])};
  }
  for (const Producer::Output& output : producer.outputs) {
    if (output.name != parts[1]) continue;
    int first = 0, last = output.count;
    if (parts.size() == 3) {
      WB_ASSIGN_OR_RETURN(first, ParseIndex(parts[2]));
      if (first >= output.count) {
        return InvalidArgument("the output '", output.name, "' has ", output.count, " tensors");
      }
      last = first + 1;
    }
    std::vector<std::string> tensors;
    for (int k = first; k < last; ++k) {
      tensors.push_back(absl::StrCat(parts[0], ":", output.begin + k));
    }
    return tensors;
  }
  return InvalidArgument("the node '", parts[0], "' has no output '", parts[1], "'");
}

StatusOr<std::vector<std::string>> BodyBuilder::Resolve(absl::string_view input) const {
  const std::vector<absl::string_view> parts = absl::StrSplit(input, ':');
  auto it = producers_.find(parts[0]);
  StatusOr<std::vector<std::string>> tensors;
  if (it == producers_.end() || parts.size() > 3) {
    tensors = InvalidArgument("neither an argument nor a node of the function");
  } else if (!it->second.is_arg) {
    tensors = ResolveOfNode(parts, it->second);
  } else if (parts.size() == 1) {
    tensors = it->second.tensors;
  } else {
    StatusOr<int> index = ParseIndex(parts.back());
    if (!index.ok() || parts.size() > 2 || *index >= static_cast<int>(it->second.tensors.size())) {
      tensors = InvalidArgument("the argument has ", it->second.tensors.size(), " tensors");
    } else {
      tensors = std::vector<std::string>{it->second.tensors[*index]};
    }
  }
  return tensors.ok() ? tensors : Annotate(tensors.status(), absl::StrCat("input '", input, "'"));
}

Status BodyBuilder::AddNodes() {
  if (static_cast<int64_t>(function_.nodes.size()) > options_.max_nodes) {
    return ResourceExhausted("it has ", function_.nodes.size(), " nodes, ", options_.max_nodes,
                             " are allowed");
  }
  const size_t first = specs_.size();
  const size_t nodes = first + function_.nodes.size();
  specs_.reserve(nodes + signature_.outputs.size());
  producers_.reserve(nodes + function_.returns.size());
  for (const NodeSpec& node : function_.nodes) {
    NodeSpec spec;  // all but the inputs
    spec.name = node.name;
    spec.op = node.op;
    spec.device = node.device;
    spec.attrs = node.attrs;
    spec.location = node.location;
    spec.unknown_fields = node.unknown_fields;
    Status fits = SubstitutePlaceholders(attrs_, &spec.attrs);
    if (fits.ok()) fits = IndexNode(node.name, spec);
    if (!fits.ok()) {
      problems_.push_back(Annotate(fits, DescribeNode(node)));
      producers_[node.name].known = false;
      spec.op.clear();
    }
    specs_.push_back(std::move(spec));
  }
  for (size_t i = 0; i < function_.nodes.size(); ++i) {
    for (const std::string& input : function_.nodes[i].inputs) {
      if (!input.empty() && input[0] == '^') {
        specs_[first + i].inputs.push_back(input);
        continue;
      }
      StatusOr<std::vector<std::string>> tensors = Resolve(input);
      if (tensors.ok()) {
        for (std::string& t : *tensors) specs_[first + i].inputs.push_back(std::move(t));
      } else {
        problems_.push_back(Annotate(tensors.status(), DescribeNode(function_.nodes[i])));
        specs_[first + i].op.clear();
      }
    }
  }
  return OkStatus();
}

Status BodyBuilder::AddResults() {
  WB_ASSIGN_OR_RETURN(body_.result_types, OutputTypes(signature_, attrs_));
  WB_ASSIGN_OR_RETURN(std::vector<int> sizes, ArgSizes(signature_.outputs, attrs_));
  int index = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const std::string& name = signature_.outputs[i].name;
    auto it = std::find_if(function_.returns.begin(), function_.returns.end(),
                           [&](const auto& entry) { return entry.first == name; });
    if (it == function_.returns.end()) {
      return InvalidArgument("its result '", name, "' is returned by no node");
    }
    StatusOr<std::vector<std::string>> tensors = Resolve(it->second);
    if (!tensors.ok()) {
      return Annotate(tensors.status(), absl::StrCat("its result '", name, "'"));
    }
    if (static_cast<int>(tensors->size()) != sizes[i]) {
      return InvalidArgument("its result '", name, "' is ", sizes[i], " tensors, '", it->second,
                             "' is ", tensors->size());
    }
    for (int k = 0; k < sizes[i]; ++k, ++index) {
      NodeSpec spec;
      spec.op = "_Retval";
      spec.name = absl::StrCat(name, sizes[i] == 1 ? "" : absl::StrCat("_", k), "_RetVal");
      while (producers_.find(spec.name) != producers_.end()) spec.name += "_";
      producers_.emplace(retval_names_.emplace_back(spec.name), Producer());
      spec.attrs.Set("T", body_.result_types[index]);
      spec.attrs.Set("index", index);
      spec.inputs.push_back((*tensors)[k]);
      specs_.push_back(std::move(spec));
    }
  }
  return OkStatus();
}

Status BodyBuilder::CollectControls() {
  const Graph& graph = *body_.graph;
  body_.args.resize(body_.arg_types.size());
  body_.retvals.resize(body_.result_types.size());
  for (const Node& node : graph.nodes()) {
    if (IsArgument(node)) {
      body_.args[node.attrs().GetOr<int64_t>("index", 0)] = node.id();
    } else if (IsResult(node)) {
      body_.retvals[node.attrs().GetOr<int64_t>("index", 0)] = node.id();
    } else if (node.op().is_stateful) {
      body_.effects.push_back(node.id());
    }
  }
  for (NodeId retval : body_.retvals) body_.results.push_back(graph.node(retval).input(0));
  for (const auto& entry : function_.control_returns) {
    const Node* node = graph.Find(entry.second);
    if (node == nullptr) {
      return InvalidArgument("its control result '", entry.first, "' is the node '", entry.second,
                             "', which it does not have");
    }
    body_.control_results.push_back(node->id());
    if (!node->op().is_stateful) body_.effects.push_back(node->id());
  }
  return OkStatus();
}

StatusOr<InstantiatedFunction> BodyBuilder::Build(const AttrMap& attrs) {
  WB_RETURN_IF_ERROR(SetAttrs(attrs));
  WB_RETURN_IF_ERROR(AddArgs());
  WB_RETURN_IF_ERROR(AddNodes());
  if (Status added = AddResults(); !added.ok()) problems_.push_back(std::move(added));
  AssembleOptions options;
  options.infer_shapes = options_.infer_shapes;
  options.allow_internal_names = true;
  WB_RETURN_IF_ERROR(
      AssembleGraph(std::move(specs_), options, body_.graph.get(), std::move(problems_)));
  WB_RETURN_IF_ERROR(CollectControls());
  return std::move(body_);
}

// A function whose body is one op with the attributes given.
StatusOr<Function> WrapOp(const OpSchema& op, const AttrMap& given) {
  AttrMap attrs = given;
  WB_RETURN_IF_ERROR(CompleteAttrs(op, &attrs));
  Function function;
  function.signature.name = op.name;
  NodeSpec call;
  call.name = "call";
  call.op = op.name;
  call.attrs = attrs;
  const auto add = [](const std::string& prefix, const std::vector<DType>& types,
                      std::vector<ArgSpec>* args) {
    for (size_t i = 0; i < types.size(); ++i) {
      ArgSpec arg;
      arg.name = absl::StrCat(prefix, i);
      arg.type = BaseType(types[i]);
      arg.is_ref = IsRef(types[i]);
      args->push_back(std::move(arg));
    }
  };
  WB_ASSIGN_OR_RETURN(std::vector<DType> in, InputTypes(op, attrs));
  WB_ASSIGN_OR_RETURN(std::vector<DType> out, OutputTypes(op, attrs));
  WB_ASSIGN_OR_RETURN(std::vector<int> sizes, ArgSizes(op.outputs, attrs));
  add("in_", in, &function.signature.inputs);
  add("out_", out, &function.signature.outputs);
  for (const ArgSpec& arg : function.signature.inputs) call.inputs.push_back(arg.name);
  int index = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    for (int k = 0; k < sizes[i]; ++k) {
      function.returns.emplace_back(absl::StrCat("out_", index++),
                                    absl::StrCat("call:", op.outputs[i].name, ":", k));
    }
  }
  function.nodes.push_back(std::move(call));
  return function;
}

}  // namespace

StatusOr<InstantiatedFunction> InstantiateFunction(const FunctionLibrary& library,
                                                   const FunctionRef& function,
                                                   const OpRegistry& ops,
                                                   const InstantiateOptions& options) {
  const std::string place = absl::StrCat("function '", function.name, "'");
  StatusOr<InstantiatedFunction> body;
  if (std::shared_ptr<const Function> found = library.Find(function.name)) {
    body = BodyBuilder(*found, library, ops, options).Build(function.attrs);
  } else if (const OpSchema* op = ops.Find(function.name)) {
    StatusOr<Function> wrapped = WrapOp(*op, function.attrs);
    if (!wrapped.ok()) return Annotate(wrapped.status(), place);
    body = BodyBuilder(*wrapped, library, ops, options).Build({});
  } else {
    return InvalidArgument("the function '", function.name, "' is not in the graph's library (",
                           library.size(), " functions)");
  }
  return body.ok() ? std::move(body) : Annotate(body.status(), place);
}

}  // namespace warpbeam
