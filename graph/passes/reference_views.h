// ReferenceViews: which values of a part stand for a reference variable's memory, and who changes
// it.
//
// In TensorFlow `read = Identity(variable)` is no copy: it shares the variable's memory, and so
// does what hands `read` on: Enter, Switch, Merge, Reshape and their kin. Each of these outputs is
// a *view* of the variable. Variables whose references or views meet, in a Merge for one, are
// counted as one, as are nodes that name the same variable.
//
//   const ReferenceViews views(graph, components, fed, shares_memory);
//   for (const ReferenceViews::Update& u : views.updates()) … u.variable …
//   if (views.IsView(in, reader)) … views.VariableOf(in.node) …
//
// Ownership: keeps ids only; linear in the size of the part. Thread safety: const access from many
// threads. Errors: none.
#ifndef WARPBEAM_GRAPH_PASSES_REFERENCE_VIEWS_H_
#define WARPBEAM_GRAPH_PASSES_REFERENCE_VIEWS_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "graph/graph.h"
#include "graph/passes/components.h"
#include "graph/passes/fed_outputs.h"

namespace warpbeam {

// How an op makes a view of its first input (a Merge: of each) its first output (a Switch: both).
enum class ViewKind : uint8_t {
  kNone,
  kHandOn,  // the same tensor
  kShape,   // the same elements under another shape
  kSwitch,
  kMerge,
  kEnter,
  kExit,
  kNextIteration,
};
ViewKind ViewKindOf(const Node& node);

class ReferenceViews {
 public:
  // Whether the second node gets what the first one leaves without a copy.
  using SharesMemory = std::function<bool(NodeId from, NodeId to)>;
  struct Update {
    NodeId node;
    int32_t variable;
  };

  // The graph, the components and the feeds must outlive it.
  ReferenceViews(const Graph& graph, const Components& components, const FedOutputs& fed,
                 SharesMemory shares_memory);

  // By variable.
  const std::vector<Update>& updates() const { return updates_; }
  // Whether `in`, as `reader` gets it, is a view of a variable, not the reference itself.
  bool IsView(OutputRef in, NodeId reader) const;
  bool IsReference(OutputRef in) const;
  // The variable of a view, or of a node with references; less than num_variables().
  int32_t VariableOf(NodeId id) const { return variable_of_[id]; }
  int32_t num_variables() const { return static_cast<int32_t>(parent_.size()); }
  // Whether the view may have another shape than the variable.
  bool IsReshaped(NodeId view) const { return is_reshaped_[view]; }
  // A Merge where a loop begins: what it hands on was read elsewhere, at another time.
  bool IsLoopMerge(NodeId id) const;

 private:
  static constexpr int32_t kNone = -1;
  int32_t OwnedVariable(const Node& node);
  // How many inputs of the node, the first ones, may be what it hands on.
  int NumHandedOn(const Node& node) const;
  // Whether the node is more than it was known to be: a view, or one of another shape.
  bool Follow(const Node& node);
  void FindViews();
  void FindUpdates();
  int32_t Root(int32_t v);
  void Join(int32_t* variable, int32_t other);

  const Graph& graph_;
  const Components& components_;
  const FedOutputs& fed_;
  const SharesMemory shares_memory_;
  absl::flat_hash_map<std::string, int32_t> by_name_;
  std::vector<int32_t> parent_;       // of variables that were joined
  std::vector<int32_t> variable_of_;  // by node
  std::vector<bool> is_reshaped_;     // by node
  std::vector<Update> updates_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_PASSES_REFERENCE_VIEWS_H_
