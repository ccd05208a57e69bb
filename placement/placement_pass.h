// PlacementPass: one run of the placement rules over the nodes of a graph that are not yet placed.
//
//   PlacementPass pass(graph, &state);
//   WB_RETURN_IF_ERROR(pass.Run(nullptr));  // state.decisions covers the graph, or is unchanged
//
// Internal to placement/. Thread safety: none. Errors: INVALID_ARGUMENT telling all problems at
// once.
#ifndef WARPBEAM_PLACEMENT_PLACEMENT_PASS_H_
#define WARPBEAM_PLACEMENT_PLACEMENT_PASS_H_

#include <string>
#include <vector>

#include "graph/graph.h"
#include "placement/colocation.h"
#include "placement/placement_messages.h"
#include "placement/placer_state.h"

namespace warpbeam {

class PlacementPass {
 public:
  PlacementPass(const Graph& graph, PlacerState* state);
  Status Run(const Reconsider& reconsider);

 private:
  Status ReadNodes();
  bool Has(NodeId node, NodeTraits trait) const { return (traits_[node - first_] & trait) != 0; }
  Status Decide(ColocationGroups* groups);
  // The two heuristics move nodes that are alone in their group and may be on several devices.
  void PlaceMetadata();
  void PlaceGenerators();
  bool AnyGeneratorMayMove();
  void MoveBeside(NodeId node, NodeId other, PlacementRule rule);
  Status CheckStrict() const;
  Status AskAgain(const Reconsider& reconsider);

  int device_of(NodeId node) const {
    return node < first_ ? state_->decisions[node].device : decisions_[node - first_].device;
  }

  const Graph& graph_;
  PlacerState* const state_;
  const NodeId first_;
  const PlacementMessages messages_;
  std::vector<int32_t> requests_;  // of the nodes from first_ on, as all below
  std::vector<NodeTraits> traits_;
  std::vector<DeviceTypes> types_;
  std::vector<Decision> decisions_;
  std::vector<NodeId> metadata_;
  std::vector<NodeId> generators_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_PLACEMENT_PLACEMENT_PASS_H_
