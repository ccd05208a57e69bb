#include "frontend/function_graph.h"

#include <map>

#include "frontend/build.h"
#include "frontend/graph_state.h"
#include "graph/build/node_builder.h"
#include "graph/functions/instantiate.h"

namespace warpbeam {
namespace frontend {
namespace {

// `name` and the first number that makes a name the library does not have.
std::string UniqueFunctionName(const Graph& graph, const std::string& name) {
  int number = static_cast<int>(graph.functions().size());
  while (graph.functions().Find(absl::StrCat(name, "_", number)) != nullptr) ++number;
  return absl::StrCat(name, "_", number);
}

Status AddResult(Graph* graph, OutputRef value, int index) {
  const std::string name =
      graph->UniqueName(index == 0 ? "identity" : absl::StrCat("identity_", index));
  return NodeBuilder(graph, "_Retval")
      .ExactName(name)
      .Input(value)
      .Attr("index", index)
      .Build()
      .status();
}

StatusOr<FunctionRef> AddToLibrary(const Graph& body, const std::string& name, Graph* outer) {
  const std::string unique = UniqueFunctionName(*outer, name);
  WB_ASSIGN_OR_RETURN(const std::shared_ptr<const Function> function,
                      FunctionFromGraph(body, unique));
  WB_RETURN_IF_ERROR(outer->functions().AddAll(body.functions()));
  WB_RETURN_IF_ERROR(outer->functions().Add(function));
  FunctionRef ref;
  ref.name = unique;
  return ref;
}

Scope NewBody(const Scope& outer) {
  const Scope scope = Scope::NewRoot(outer.graph()->ops());
  scope.state().TakeFrom(outer.state());
  // Functions that the body calls are those of the outer graph.
  const Status added = scope.graph()->functions().AddAll(outer.graph()->functions());
  if (!added.ok()) scope.Fail(added);
  return scope;
}

}  // namespace

FunctionGraph::FunctionGraph(const Scope& outer) : outer_(outer), scope_(NewBody(outer)) {
  scope_.state().set_capture([this](const Output& tensor) { return Capture(tensor); });
}

FunctionGraph::~FunctionGraph() { scope_.state().set_capture(nullptr); }

StatusOr<Output> FunctionGraph::AddArgNode(const std::string& name, DType dtype,
                                           const PartialShape& shape) {
  const int index = num_args_ + static_cast<int>(captures_.size());
  Graph* graph = scope_.graph().get();
  WB_ASSIGN_OR_RETURN(const Node* node, NodeBuilder(graph, "_Arg")
                                            .ExactName(scope_.state().UniqueName(name))
                                            .Attr("T", dtype)
                                            .Attr("index", index)
                                            .Build());
  WB_RETURN_IF_ERROR(graph->MergeOutputShape(node->id(), 0, shape));
  return scope_(Output(&scope_.state(), node->id(), 0));
}

Output FunctionGraph::AddArg(DType dtype, const PartialShape& shape) {
  if (!scope_.ok()) return Output();
  StatusOr<Output> arg = captures_.empty()
                             ? AddArgNode(absl::StrCat("args_", num_args_), dtype, shape)
                             : Internal("an argument after the body has captured a tensor");
  if (!arg.ok()) {
    scope_.Fail(arg.status());
    return Output();
  }
  ++num_args_;
  return *std::move(arg);
}

StatusOr<Output> FunctionGraph::Capture(const Output& outer) {
  for (size_t i = 0; i < captures_.size(); ++i) {
    if (SameOutput(captures_[i], outer)) return captured_args_[i];
  }
  Output source = outer;
  if (outer.graph() != &outer_.state()) {
    // A function in a function: the outer one captures first.
    if (outer_.state().capture() == nullptr) {
      return InvalidArgument("'", outer.name(), "' is in another graph");
    }
    WB_ASSIGN_OR_RETURN(source, outer_.state().capture()(outer));
  }
  WB_ASSIGN_OR_RETURN(const Output arg, AddArgNode(absl::StrCat("captured_", captures_.size()),
                                                   source.dtype(), source.shape()));
  captures_.push_back(source);
  captured_args_.push_back(arg);
  return arg;
}

StatusOr<FunctionRef> FunctionGraph::Finish(const std::vector<Output>& results,
                                            const std::string& name) {
  WB_RETURN_IF_ERROR(scope_.status());
  std::vector<OutputRef> returned;
  for (const Output& result : results) {
    const Output copy = BuildOutput(scope_, "Identity", {result});
    WB_RETURN_IF_ERROR(scope_.status());
    returned.push_back({copy.node(), copy.index()});
  }
  for (size_t i = 0; i < returned.size(); ++i) {
    WB_RETURN_IF_ERROR(AddResult(scope_.graph().get(), returned[i], static_cast<int>(i)));
  }
  outer_.state().KeepAllOf(scope_.state());
  return AddToLibrary(*scope_.graph(), name, outer_.graph().get());
}

namespace {

// Copies nodes and what they are computed from into another graph.
class NodeCopier {
 public:
  NodeCopier(const Graph& from, Graph* to) : from_(from), to_(to) {}

  StatusOr<OutputRef> Copy(OutputRef ref) {
    WB_RETURN_IF_ERROR(CopyNode(ref.node));
    return OutputRef{copies_[ref.node], ref.index};
  }

 private:
  Status CheckCopyable(const Node& node) const {
    // Datasets that draw numbers or read files count as stateful but hold nothing.
    const bool dataset =
        absl::string_view(node.op_name()).find("Dataset") != absl::string_view::npos;
    const bool reference = node.num_outputs() > 0 && IsRef(node.output_type(0));
    if ((node.op().is_stateful && !dataset) || reference || node.op_name() == "Placeholder") {
      return FailedPrecondition(DescribeNode(node),
                                " cannot be part of a one-shot iterator's dataset; use an "
                                "initializable iterator");
    }
    return OkStatus();
  }

  Status CopyNode(NodeId id) {
    if (copies_.count(id) > 0) return OkStatus();
    const Node& node = from_.node(id);
    WB_RETURN_IF_ERROR(CheckCopyable(node));
    std::vector<OutputRef> inputs;
    for (OutputRef in : node.inputs()) {
      WB_ASSIGN_OR_RETURN(const OutputRef copy, Copy(in));
      inputs.push_back(copy);
    }
    NodeSpec spec;
    spec.op = node.op_name();
    spec.name = node.name();
    spec.attrs = node.attrs();
    spec.device = node.device();
    spec.location = node.location();
    // What it was colocated with may not be in the function.
    spec.attrs.Erase("_class");
    WB_ASSIGN_OR_RETURN(const Node* copy, to_->AddNode(std::move(spec), std::move(inputs), {}));
    copies_[id] = copy->id();
    return OkStatus();
  }

  const Graph& from_;
  Graph* const to_;
  std::map<NodeId, NodeId> copies_;
};

}  // namespace

StatusOr<FunctionRef> CopyIntoFunction(const Scope& scope, const Output& result,
                                       const std::string& name) {
  if (result.graph() != &scope.state()) {
    return InvalidArgument(name, ": what it is to compute is an Output that ",
                           result.valid() ? "is in another graph" : result.problem());
  }
  Graph body(scope.graph()->ops());
  WB_RETURN_IF_ERROR(body.functions().AddAll(scope.graph()->functions()));
  NodeCopier copier(*scope.graph(), &body);
  WB_ASSIGN_OR_RETURN(const OutputRef copy, copier.Copy({result.node(), result.index()}));
  WB_RETURN_IF_ERROR(AddResult(&body, copy, 0));
  return AddToLibrary(body, name, scope.graph().get());
}

}  // namespace frontend
}  // namespace warpbeam
