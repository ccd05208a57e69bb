#include "frontend/model/unset_variables.h"

#include <map>

#include "absl/strings/match.h"
#include "frontend/model/object_restore.h"

namespace warpbeam {
namespace frontend {
namespace {

bool IsVariable(const Node& node) {
  const std::string& op = node.op_name();
  return op == "VarHandleOp" || op == "VariableV2" || op == "Variable";
}

bool Assigns(absl::string_view op) { return op == "Assign" || op == "AssignVariableOp"; }

bool OnlyAsks(absl::string_view op) {
  return op == "VarIsInitializedOp" || op == "IsVariableInitialized";
}

// How many inputs stand before the arguments of the functions that an op calls; -1 where it is not
// known which argument an input becomes.
int ArgumentsBegin(absl::string_view op) {
  if (op == "PartitionedCall" || op == "StatefulPartitionedCall" || op == "While" ||
      op == "StatelessWhile") {
    return 0;
  }
  if (op == "If" || op == "StatelessIf" || op == "Case" || op == "StatelessCase") return 1;
  return -1;
}

std::vector<std::string> FunctionsOf(const AttrMap& attrs) {
  std::vector<std::string> names;
  for (const AttrMap::Entry& entry : attrs) {
    if (entry.second.kind() == AttrValue::Kind::kFunction) {
      names.push_back(entry.second.func().name);
    }
    for (const FunctionRef& f : entry.second.list<FunctionRef>()) names.push_back(f.name);
  }
  return names;
}

// What use the functions of a library make of the variables that they are given.
class FunctionUses {
 public:
  explicit FunctionUses(const FunctionLibrary& library) : library_(library) {}

  // Whether a node may give the variable in its input `input` a value before anything reads it. An
  // Identity passes a handle on, but reads a reference.
  bool MaySet(const std::string& op, const AttrMap& attrs, int input, bool is_handle) {
    if (Assigns(op)) return input == 0;
    if (is_handle && (op == "Identity" || op == "Enter" || op == "Switch")) return true;
    if (op == "RefIdentity" || op == "RefEnter" || op == "RefSwitch") return true;
    const std::vector<std::string> functions = FunctionsOf(attrs);
    if (functions.empty()) return library_.Find(op) != nullptr;
    const int begin = ArgumentsBegin(op);
    if (begin < 0) return true;
    bool sets = false;
    for (const std::string& name : functions) sets |= SetsArgument(name, input - begin);
    return sets;
  }

 private:
  bool SetsArgument(const std::string& name, int argument) {
    const auto [known, added] = known_.emplace(std::make_pair(name, argument), false);
    if (!added) return known->second;
    const auto function = library_.Find(name);
    const bool is_known = function != nullptr && argument >= 0 &&
                          argument < static_cast<int>(function->signature.inputs.size());
    // Functions that call each other deeply are left to be found out by running.
    if (!is_known || depth_ >= kDeepest) return known->second = true;
    ++depth_;
    const std::string& own = function->signature.inputs[static_cast<size_t>(argument)].name;
    bool sets = false;
    for (const NodeSpec& node : function->nodes) {
      for (size_t i = 0; i < node.inputs.size() && !sets; ++i) {
        const std::string& given = node.inputs[i];
        if (given != own && !absl::StartsWith(given, own + ":")) continue;
        sets = MaySet(node.op, node.attrs, static_cast<int>(i), /*is_handle=*/true);
      }
    }
    --depth_;
    return known_[std::make_pair(name, argument)] = sets;
  }

  static constexpr int kDeepest = 100;
  const FunctionLibrary& library_;
  std::map<std::pair<std::string, int>, bool> known_;
  int depth_ = 0;
};

}  // namespace

std::vector<std::string> UnsetVariables(const MetaGraph& meta) {
  const Graph& graph = *meta.graph;
  std::vector<std::string> setters = meta.initializers;
  for (const std::string& op :
       {meta.saver.restore_op, meta.object_saver.restore_op, meta.init_op}) {
    setters.push_back(op);
  }
  const std::vector<bool> set = NodesBehind(graph, setters);
  FunctionUses uses(graph.functions());
  std::vector<std::string> lines;
  for (const auto& [name, signature] : meta.signatures) {
    std::vector<std::string> outputs;
    for (const auto& [unused, port] : signature.outputs) outputs.push_back(port.tensor);
    const std::vector<bool> runs = NodesBehind(graph, outputs);
    std::map<NodeId, bool> read;  // whether it is only read
    for (const Node& node : graph.nodes()) {
      if (!runs[static_cast<size_t>(node.id())] || OnlyAsks(node.op_name())) continue;
      for (int i = 0; i < node.num_inputs(); ++i) {
        const NodeId from = node.input(i).node;
        if (from == kNoNode || !IsVariable(graph.node(from)) || set[static_cast<size_t>(from)]) {
          continue;
        }
        const bool is_handle = graph.node(from).op_name() == "VarHandleOp";
        const bool only_read = !uses.MaySet(node.op_name(), node.attrs(), i, is_handle);
        const auto [known, added] = read.emplace(from, only_read);
        if (!added) known->second &= only_read;
      }
    }
    for (const auto& [id, only_read] : read) {
      if (!only_read) continue;
      lines.push_back(absl::StrCat("the signature '", name, "' reads the variable '",
                                   graph.node(id).name(),
                                   "', which nothing restores or initialises"));
    }
  }
  return lines;
}

}  // namespace frontend
}  // namespace warpbeam
