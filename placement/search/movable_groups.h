// MovableGroups: which nodes of a placed graph move together when it is placed anew, and where each
// group may go.
//
//   WB_ASSIGN_OR_RETURN(MovableGroups groups, MovableGroups::Find(graph, bounds, step, catalog,
//                                                                 devices, options, sites));
//   for (int device : groups.allowed[groups.group_of[id]]) …
//
// What the placer must colocate stays together (placement/colocation.h), as does a loop. A group
// that is no work goes with what it reads or, having no inputs, with its only reader, so that there
// are fewer to move. A group may go where all its members have kernels and the requests of all are
// met, as far as the placer could meet them; where that leaves out the device that it has, it stays
// there, as does a group with a node that is before `first_free`. So the placement given is always
// one of those allowed.
//
// Ownership: a value. Thread safety: a pure function. Errors: those of finding loops; INTERNAL for
// a node without a site.
#ifndef WARPBEAM_PLACEMENT_SEARCH_MOVABLE_GROUPS_H_
#define WARPBEAM_PLACEMENT_SEARCH_MOVABLE_GROUPS_H_

#include <vector>

#include "placement/placer.h"
#include "placement/simulate/step_graph.h"

namespace warpbeam {

struct MovableGroups {
  std::vector<int> group_of;              // by node of the graph
  std::vector<std::vector<int>> allowed;  // by group: devices, ascending; at least one
  std::vector<int> device;                // by group: where it is
  std::vector<std::vector<int>> members;  // by group: nodes of the step, by their numbers there

  int size() const { return static_cast<int>(device.size()); }

  static StatusOr<MovableGroups> Find(const Graph& graph, const PlanBounds& bounds,
                                      const StepGraph& step, const KernelCatalog& catalog,
                                      const std::vector<DeviceName>& devices,
                                      const PlacerOptions& options, Span<const Site> sites,
                                      NodeId first_free = 0);
};

}  // namespace warpbeam

#endif  // WARPBEAM_PLACEMENT_SEARCH_MOVABLE_GROUPS_H_
