#include "frontend/saved_model/freeze.h"

#include <map>
#include <set>

#include "absl/strings/match.h"
#include "frontend/graph_def/graph_lookup.h"
#include "frontend/graph_state.h"
#include "graph/graph.h"
#include "graph/io/graph_export.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace frontend {
namespace saved_model {
namespace {

bool IsVariable(const Node& node) {
  const std::string& op = node.op_name();
  return op == "VariableV2" || op == "Variable" || op == "VarHandleOp";
}

bool IsRead(const Node& node) { return node.op_name() == "ReadVariableOp"; }

// Copies the nodes that some outputs need into another graph, variables perhaps as constants.
class SubGraph {
 public:
  explicit SubGraph(const Graph& from) : from_(from), to_(from.ops()) {}

  Status Mark(GraphState& state, const std::vector<std::string>& names) {
    std::vector<NodeId> open;
    for (const std::string& name : names) {
      WB_ASSIGN_OR_RETURN(const Operation operation, FindOperation(state, name));
      open.push_back(operation.node());
    }
    while (!open.empty()) {
      const NodeId id = open.back();
      open.pop_back();
      if (!needed_.insert(id).second) continue;
      for (const OutputRef in : from_.node(id).inputs()) open.push_back(in.node);
      for (const NodeId control : from_.node(id).control_inputs()) open.push_back(control);
    }
    return OkStatus();
  }

  const std::set<NodeId>& needed() const { return needed_; }

  // Values by variable; variables without one stay variables.
  StatusOr<std::string> Copy(std::map<NodeId, Tensor> values) {
    values_ = std::move(values);
    WB_RETURN_IF_ERROR(to_.functions().AddAll(from_.functions()));
    to_.versions() = from_.versions();
    // Producers first but for what closes a loop.
    for (const NodeId id : needed_) WB_RETURN_IF_ERROR(CopyNode(id));
    for (const NodeId id : needed_) WB_RETURN_IF_ERROR(Connect(id));
    return ExportGraphDef(to_);
  }

 private:
  Status CopyNode(NodeId id) {
    const Node& node = from_.node(id);
    NodeSpec spec;
    spec.name = node.name();
    spec.device = node.device();
    spec.location = node.location();
    const auto value = values_.find(id);
    std::vector<OutputRef> inputs;
    std::vector<NodeId> control;
    if (value != values_.end()) {
      spec.op = "Const";
      spec.attrs.Set("dtype", value->second.dtype());
      spec.attrs.Set("value", value->second);
    } else {
      spec.op = node.op_name();
      spec.attrs = node.attrs();
      if (IsRead(node) && values_.count(node.input(0).node) > 0) {
        const DType dtype = values_[node.input(0).node].dtype();
        spec.op = "Identity";
        spec.attrs = AttrMap();
        spec.attrs.Set("T", dtype);
      } else if (ChangesVariable(node)) {
        return Unimplemented("'", node.name(), "' (", node.op_name(),
                             ") changes a variable and cannot be frozen");
      }
      for (const OutputRef in : node.inputs()) {
        const auto copy = copies_.find(in.node);
        inputs.push_back(copy == copies_.end() ? OutputRef() : OutputRef{copy->second, in.index});
      }
      for (const NodeId in : node.control_inputs()) {
        if (const auto copy = copies_.find(in); copy != copies_.end())
          control.push_back(copy->second);
      }
    }
    // Nothing needs to stand beside a constant.
    if (!values_.empty()) spec.attrs.Erase("_class");
    WB_ASSIGN_OR_RETURN(const Node* copy, to_.AddNode(std::move(spec), inputs, control));
    copies_[id] = copy->id();
    return OkStatus();
  }

  // Whether the node takes, other than to read it, a variable that is now a constant.
  bool ChangesVariable(const Node& node) const {
    if (values_.empty()) return false;
    for (int i = 0; i < node.num_inputs(); ++i) {
      const DType type = node.input_type(i);
      const bool changes = node.op_name() != "Identity" && IsRef(type);
      if ((changes || type == DType::kResource) && values_.count(node.input(i).node) > 0)
        return true;
    }
    return false;
  }

  Status Connect(NodeId id) {
    const Node& node = from_.node(id);
    if (values_.count(id) > 0) return OkStatus();
    for (int i = 0; i < node.num_inputs(); ++i) {
      const OutputRef in = node.input(i);
      if (in.node < id) continue;
      WB_RETURN_IF_ERROR(to_.SetInput(copies_[id], i, {copies_[in.node], in.index}));
    }
    for (const NodeId in : node.control_inputs()) {
      if (in > id) WB_RETURN_IF_ERROR(to_.AddControlInput(copies_[id], copies_[in]));
    }
    return OkStatus();
  }

  const Graph& from_;
  Graph to_;
  std::set<NodeId> needed_;  // in the order of their ids
  std::map<NodeId, Tensor> values_;
  std::map<NodeId, NodeId> copies_;
};

// The tensor that reads a resource variable, among the nodes that are needed; "" for none.
std::string ReadOf(const Graph& graph, const std::set<NodeId>& needed, NodeId handle) {
  for (const NodeId id : needed) {
    const Node& node = graph.node(id);
    if (IsRead(node) && node.input(0).node == handle) return node.name() + ":0";
  }
  return "";
}

}  // namespace

StatusOr<std::string> ConvertVariablesToConstants(ClientSession& session, const Scope& scope,
                                                  const std::vector<std::string>& output_names) {
  WB_RETURN_IF_ERROR(scope.status());
  WB_RETURN_IF_ERROR(session.status());
  const Graph& graph = *scope.graph();
  SubGraph sub(graph);
  WB_RETURN_IF_ERROR(sub.Mark(scope.state(), output_names));
  std::vector<NodeId> variables;
  std::vector<std::string> reads;
  for (const NodeId id : sub.needed()) {
    const Node& node = graph.node(id);
    if (!IsVariable(node)) continue;
    const std::string read =
        node.op_name() == "VarHandleOp" ? ReadOf(graph, sub.needed(), id) : node.name() + ":0";
    if (read.empty()) continue;
    variables.push_back(id);
    reads.push_back(read);
  }
  std::vector<Tensor> values;
  if (!reads.empty()) {
    WB_RETURN_IF_ERROR(session.session()->Run(RunOptions(), {}, reads, {}, &values));
  }
  std::map<NodeId, Tensor> by_variable;
  for (size_t i = 0; i < variables.size(); ++i) by_variable[variables[i]] = values[i];
  return sub.Copy(std::move(by_variable));
}

StatusOr<std::string> ExtractSubGraph(const Scope& scope,
                                      const std::vector<std::string>& output_names) {
  WB_RETURN_IF_ERROR(scope.status());
  SubGraph sub(*scope.graph());
  WB_RETURN_IF_ERROR(sub.Mark(scope.state(), output_names));
  return sub.Copy({});
}

}  // namespace saved_model
}  // namespace frontend
}  // namespace warpbeam
