// FunctionFromGraph of instantiate.h.
#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "graph/functions/instantiate.h"
#include "graph/node_roles.h"
#include "graph/op/node_types.h"

namespace warpbeam {
namespace {

// An argument's name: lower case letters, digits and '_', the first one a letter.
std::string ArgName(absl::string_view name, absl::flat_hash_set<std::string>* taken) {
  std::string clean;
  for (char c : name) {
    clean.push_back(absl::ascii_isalnum(c) ? absl::ascii_tolower(c) : '_');
  }
  if (clean.empty() || !absl::ascii_isalpha(clean[0])) clean.insert(0, "x");
  std::string unique = clean;
  for (int i = 1; !taken->insert(unique).second; ++i) unique = absl::StrCat(clean, "_", i);
  return unique;
}

class FunctionWriter {
 public:
  FunctionWriter(const Graph& graph, absl::string_view name) : graph_(graph) {
    function_.signature.name = std::string(name);
  }

  StatusOr<std::shared_ptr<const Function>> Write() {
    WB_RETURN_IF_ERROR(FindArgs());
    for (const Node& node : graph_.nodes()) {
      if (!IsArgument(node) && !IsResult(node)) {
        WB_RETURN_IF_ERROR(AddNode(node));
      }
    }
    return std::make_shared<const Function>(std::move(function_));
  }

 private:
  Status FindArgs() {
    absl::flat_hash_set<std::string> taken;
    arg_names_.resize(graph_.num_nodes());
    std::vector<const Node*> args, results;
    for (const Node& node : graph_.nodes()) {
      if (IsArgument(node)) {
        args.push_back(&node);
      } else if (IsResult(node)) {
        results.push_back(&node);
      } else {
        taken.insert(node.name());
      }
      function_.signature.is_stateful |=
          node.op().is_stateful && !IsArgument(node) && !IsResult(node);
    }
    WB_RETURN_IF_ERROR(SortByIndex(&args));
    WB_RETURN_IF_ERROR(SortByIndex(&results));
    for (const Node* node : args) {
      ArgSpec arg;
      arg.name = ArgName(node->name(), &taken);
      arg.type = node->output_type(0);
      arg_names_[node->id()] = arg.name;
      function_.signature.inputs.push_back(std::move(arg));
    }
    absl::flat_hash_set<std::string> results_taken;
    for (const Node* node : results) {
      ArgSpec arg;
      arg.name = ArgName(node->name(), &results_taken);
      arg.type = node->input_type(0);
      WB_ASSIGN_OR_RETURN(std::string source, Name(node->input(0)));
      function_.returns.emplace_back(arg.name, std::move(source));
      function_.signature.outputs.push_back(std::move(arg));
    }
    return OkStatus();
  }

  static Status SortByIndex(std::vector<const Node*>* nodes) {
    const auto index = [](const Node* node) { return node->attrs().GetOr<int64_t>("index", -1); };
    std::sort(nodes->begin(), nodes->end(),
              [&](const Node* a, const Node* b) { return index(a) < index(b); });
    for (size_t i = 0; i < nodes->size(); ++i) {
      if (index((*nodes)[i]) != static_cast<int64_t>(i)) {
        return InvalidArgument(DescribeNode(*(*nodes)[i]), ": the indices of the ",
                               (*nodes)[i]->op_name(), " nodes are not 0, 1, 2…");
      }
    }
    return OkStatus();
  }

  // A tensor as function bodies name it: "arg", or "node:output:index".
  StatusOr<std::string> Name(OutputRef ref) const {
    const Node& node = graph_.node(ref.node);
    if (!arg_names_[ref.node].empty()) return arg_names_[ref.node];
    WB_ASSIGN_OR_RETURN(std::vector<int> sizes, ArgSizes(node.op().outputs, node.attrs()));
    int index = ref.index;
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (index < sizes[i]) {
        return absl::StrCat(node.name(), ":", node.op().outputs[i].name, ":", index);
      }
      index -= sizes[i];
    }
    return Internal(DescribeNode(node), " has no output ", ref.index);
  }

  Status AddNode(const Node& node) {
    NodeSpec spec;
    spec.name = node.name();
    spec.op = node.op_name();
    spec.device = node.device();
    spec.attrs = node.attrs();
    spec.location = node.location();
    for (OutputRef in : node.inputs()) {
      if (in.node == kNoNode) {
        return FailedPrecondition(DescribeNode(node), " has an input that is not connected");
      }
      WB_ASSIGN_OR_RETURN(std::string name, Name(in));
      spec.inputs.push_back(std::move(name));
    }
    for (NodeId in : node.control_inputs()) {
      const std::string& arg = arg_names_[in];
      spec.inputs.push_back(absl::StrCat("^", arg.empty() ? graph_.node(in).name() : arg));
    }
    function_.nodes.push_back(std::move(spec));
    return OkStatus();
  }

  const Graph& graph_;
  Function function_;
  std::vector<std::string> arg_names_;  // by node; "" for nodes that are no arguments
};

}  // namespace

StatusOr<std::shared_ptr<const Function>> FunctionFromGraph(const Graph& graph,
                                                            absl::string_view name) {
  return FunctionWriter(graph, name).Write();
}

}  // namespace warpbeam
