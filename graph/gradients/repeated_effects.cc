#include "graph/gradients/repeated_effects.h"

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"

namespace warpbeam {
namespace {

// What may run a second time without anybody noticing.
bool IsHarmless(const std::string& op) {
  return op == "ReadVariableOp" || op == "VarHandleOp" || op == "VariableShape" ||
         op == "VarIsInitializedOp" || op == "Assert" || op == "CheckNumerics" ||
         op == "CheckNumericsV2" || op == "_Arg" || op == "_Retval" ||
         absl::StartsWith(op, "TensorArray") || absl::StartsWith(op, "Stack");
}

std::vector<FunctionRef> FunctionsOf(const AttrValue& value) {
  if (value.kind() == AttrValue::Kind::kFunction) return {value.func()};
  if (value.kind() == AttrValue::Kind::kFunctionList) return value.list<FunctionRef>();
  return {};
}

// A node that a gradient would run once too often, in the function or in one that it calls. Chains
// of calls may be long.
class EffectFinder {
 public:
  EffectFinder(const FunctionLibrary& library, const OpRegistry& ops)
      : library_(library), ops_(ops) {}

  // Its description, or "".
  std::string Find(const std::string& op, const AttrMap& attrs, const std::string& description) {
    if (IsEffect(op, attrs)) return description;
    while (!next_.empty()) {
      const std::shared_ptr<const Function> function = library_.Find(next_.back());
      next_.pop_back();
      if (function == nullptr) continue;
      for (const NodeSpec& node : function->nodes) {
        if (IsEffect(node.op, node.attrs)) return DescribeNode(node);
      }
    }
    return "";
  }

 private:
  // Whether the node has one itself; the functions that it calls come next.
  bool IsEffect(const std::string& op, const AttrMap& attrs) {
    if (library_.Find(op) != nullptr) {
      Follow(op);
      return false;
    }
    const OpSchema* schema = ops_.Find(op);
    if (schema == nullptr || !schema->is_stateful || IsHarmless(op)) return false;
    bool calls = false;
    for (const AttrMap::Entry& entry : attrs) {
      for (const FunctionRef& f : FunctionsOf(entry.second)) {
        calls = true;
        Follow(f.name);
      }
    }
    return !calls;
  }
  void Follow(const std::string& name) {
    if (visited_.insert(name).second) next_.push_back(name);
  }

  const FunctionLibrary& library_;
  const OpRegistry& ops_;
  absl::flat_hash_set<std::string> visited_;
  std::vector<std::string> next_;
};

}  // namespace

std::string RepeatedEffect(const InstantiatedFunction& body) {
  const Graph& inner = *body.graph;
  EffectFinder finder(inner.functions(), inner.ops());
  for (NodeId id : body.effects) {
    const Node& node = inner.node(id);
    std::string found = finder.Find(node.op_name(), node.attrs(), DescribeNode(node));
    if (!found.empty()) return found;
  }
  return "";
}

}  // namespace warpbeam
