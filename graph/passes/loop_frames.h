// CheckLoopFrames: whether every node of a graph belongs to one loop frame.
//
// An Enter opens the frame of its name inside the frame that its input is in, an Exit leaves it;
// all other nodes are where their inputs are. What a loop needs from outside comes through an
// Enter.
//
//   WB_RETURN_IF_ERROR(CheckLoopFrames(*graph));
//
// Thread safety: a pure function. Errors: INVALID_ARGUMENT for an Exit outside of all frames and
// for a node whose inputs are in different frames, naming them; for cycles as TopologicalOrder.
#ifndef WARPBEAM_GRAPH_PASSES_LOOP_FRAMES_H_
#define WARPBEAM_GRAPH_PASSES_LOOP_FRAMES_H_

#include "graph/graph.h"

namespace warpbeam {

absl::Status CheckLoopFrames(const Graph& graph);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_PASSES_LOOP_FRAMES_H_
