// LoopStructure: what gradients must know of the v1 loops and branches between some ys and xs, read
// off the graph's edges alone, so that loops of imported graphs are understood as well.
//
// A v1 loop variable is a ring of nodes: Enter → Merge → Switch → (body) → NextIteration → Merge,
// and Switch → Exit. A value that stays the same in all iterations comes through a constant Enter.
//
//   WB_ASSIGN_OR_RETURN(LoopStructure loops, LoopStructure::Find(graph, ys));
//   if (loops.frame_of(node) != 0) …
//   WB_ASSIGN_OR_RETURN(ForwardLoop loop, loops.Describe(frame));
//
// Ownership: keeps a reference to the graph. Thread safety: that of the graph. Errors:
// INVALID_ARGUMENT for loops that are no such rings, naming the node and what it lacks.
#ifndef WARPBEAM_GRAPH_GRADIENTS_LOOP_STRUCTURE_H_
#define WARPBEAM_GRAPH_GRADIENTS_LOOP_STRUCTURE_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "graph/graph.h"
#include "graph/passes/loop_frames.h"

namespace warpbeam {

// Whether the nodes hold loop variables: a Merge with a back edge, a Switch whose predicate is a
// LoopCond.
bool IsLoopMerge(const Graph& graph, const Node& node);
bool IsLoopSwitch(const Graph& graph, const Node& node);

struct LoopVariable {
  NodeId enter = kNoNode;
  NodeId merge = kNoNode;
  NodeId loop_switch = kNoNode;
  NodeId next = kNoNode;
  std::vector<NodeId> exits;
};

struct ForwardLoop {
  int32_t frame = 0;
  int32_t parent = 0;
  std::string name;
  int64_t parallel_iterations = 10;
  OutputRef condition;  // the LoopCond
  std::vector<LoopVariable> variables;
  std::vector<NodeId> constants;  // the constant Enters
};

// A value is alive only where `predicate` is `branch`; one of the conditions of a branch's node.
struct AliveWhen {
  OutputRef predicate;
  int branch = 0;
  friend bool operator==(const AliveWhen& a, const AliveWhen& b) {
    return a.predicate == b.predicate && a.branch == b.branch;
  }
  friend bool operator<(const AliveWhen& a, const AliveWhen& b);
};
using Conditions = std::vector<AliveWhen>;  // sorted

class LoopStructure {
 public:
  static constexpr int32_t kNotForward = -1;

  // The loops of the nodes that `ys` are computed from.
  static StatusOr<LoopStructure> Find(const Graph& graph, const std::vector<OutputRef>& ys);

  bool has_loops() const { return frames_.size() > 1; }
  int num_frames() const { return static_cast<int>(frames_.size()); }
  int32_t parent(int32_t frame) const { return frames_[frame].parent; }
  const std::string& name(int32_t frame) const { return frames_[frame].name; }
  // Where a node's outputs are; kNotForward for nodes that the ys are not computed from.
  int32_t frame_of(NodeId node) const;
  // The frame a node belongs to: that of its outputs, of an Exit the loop that it leaves.
  int32_t owner_of(NodeId node) const;
  // `frame`, or the loop right inside it that holds it; kNotForward where there is none.
  int32_t ChildOf(int32_t frame, int32_t inner) const;
  StatusOr<ForwardLoop> Describe(int32_t frame) const;

  // Under which branches of its own frame an output is alive; of a loop as a whole, in its parent.
  Conditions ConditionsOf(OutputRef output) const;
  const Conditions& ConditionsOfLoop(int32_t frame) const { return loop_conditions_[frame]; }

  // Nodes that gradients add to the forward graph.
  void AddForward(NodeId node, int32_t frame, const Conditions& conditions);

 private:
  explicit LoopStructure(const Graph& graph) : graph_(&graph) {}
  void FindConditions(const std::vector<NodeId>& order);
  Conditions ConditionsOfInputs(const Node& node) const;
  int32_t Intern(const Conditions& conditions);
  OutputRef Canonical(OutputRef predicate) const;
  Status AddVariable(const Node& merge, ForwardLoop* loop) const;
  Status AddSwitches(const std::vector<NodeId>& switches, ForwardLoop* loop) const;
  Status AddExits(const std::vector<NodeId>& exits, ForwardLoop* loop) const;

  const Graph* graph_;
  std::vector<LoopFrames::Frame> frames_;
  std::vector<int32_t> frame_of_;
  std::vector<Conditions> loop_conditions_;  // by frame
  std::vector<int32_t> conditions_of_;       // by node, into condition_sets_
  std::vector<Conditions> condition_sets_ = {{}};
};

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_GRADIENTS_LOOP_STRUCTURE_H_
