// RegionWalk: the backward walk over the nodes of one loop frame, or over those outside of all
// loops. A loop inside the region counts as one node, whose gradient loop_gradient.h makes.
//
//   RegionWalk body(&walk, &backward_loop);
//   body.Seed(y, gradient);
//   WB_RETURN_IF_ERROR(body.Run());
//   … walk.Arrived(x) …
//
// Ownership: the state outlives its walks. Thread safety: that of the graph. Errors: as
// gradients.h.
#ifndef WARPBEAM_GRAPH_GRADIENTS_BACKWARD_WALK_H_
#define WARPBEAM_GRAPH_GRADIENTS_BACKWARD_WALK_H_

#include <deque>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "graph/gradients/aggregate.h"
#include "graph/gradients/gradients.h"
#include "graph/gradients/loop_structure.h"

namespace warpbeam {

class BackwardLoop;

// Types through which a gradient can flow. Resources and variants carry one on behalf of what they
// refer to (a variable's value, a list of tensors).
bool CarriesGradient(DType type);

// What all regions of one call of AddGradients share.
struct WalkState {
  WalkState(Graph& graph, const GradientOptions& options, LoopStructure loops);

  // Where nodes go that belong to a forward node (kNoNode: to none).
  AggregateScope ScopeOf(NodeId forward) const;
  // The unit that a node belongs to in the frame `region`: itself, or a loop (from num_forward on);
  // -1 where it is outside of the region.
  int32_t UnitOf(NodeId node, int32_t region) const;
  int32_t UnitOfLoop(int32_t frame) const { return num_forward + frame; }
  // What has arrived at a tensor: none, or the sum once its node has been visited.
  GradientValue Arrived(OutputRef ref) const;

  // From `xs` forwards and from `ys` backwards.
  void Mark(const std::vector<OutputRef>& ys, const std::vector<OutputRef>& xs);

  Graph& graph;
  const GradientOptions& options;
  const GradientRegistry& registry;
  const int num_forward;
  LoopStructure loops;
  std::string prefix;
  std::vector<char> between;     // on a path from an x to a y, or the maker of an x
  std::vector<char> stopped;     // nothing flows on from here
  std::vector<int32_t> pending;  // by unit: edges to units of its region not yet visited
  absl::flat_hash_map<OutputRef, std::vector<GradientValue>> arrived;

 private:
  std::vector<char> MarkReached(const std::vector<OutputRef>& xs) const;
  void CountEdges();
};

class RegionWalk {
 public:
  // `loop` is null outside of all loops.
  RegionWalk(WalkState* walk, BackwardLoop* loop);

  // `gradient` flows into `y`, which is in the region.
  void Seed(OutputRef y, GradientValue gradient);
  Status Run();

 private:
  Status Visit(int32_t unit);
  Status VisitNode(NodeId id);
  Status VisitLoop(int32_t frame);
  StatusOr<bool> SumArrived(OutputRef ref);
  Status Differentiate(NodeId id, std::vector<GradientValue> out);
  void NoteNewInputs(NodeId id, NodeId first);
  // As GradientOptions::gate says.
  Status Gate(NodeId id, std::vector<GradientValue>* dx);
  Status Deliver(NodeId id, std::vector<GradientValue> dx);
  Status MoveIn(NodeId first, GradientValue* value);
  Status CheckResult(const Node& node, int input, const GradientValue& dx);
  void Release(NodeId producer);
  bool HasOpenInput(const Node& node) const;
  bool IsTerminal(const Node& node) const;

  WalkState& walk_;
  Graph& graph_;
  BackwardLoop* const loop_;
  const int32_t frame_;
  std::vector<NodeId> seeded_;
  std::deque<int32_t> ready_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_GRADIENTS_BACKWARD_WALK_H_
