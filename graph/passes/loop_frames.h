// LoopFrames: which loop every node of a graph belongs to.
//
// An Enter opens the frame of its name inside the frame that its input is in, an Exit leaves it;
// all other nodes are where their inputs are. What a loop needs from outside comes through an
// Enter. Frame 0 is the graph outside of all loops.
//
//   WB_RETURN_IF_ERROR(CheckLoopFrames(graph));
//   WB_ASSIGN_OR_RETURN(LoopFrames loops, FindLoopFrames(graph, kept, feeds));
//   loops.frames[loops.frame_of[node]].name …
//
// Ownership: values. Thread safety: pure functions. Errors: INVALID_ARGUMENT for an Exit or a
// NextIteration outside of all frames, for a node whose inputs are in different frames, and for
// frames that are nested deeper than kMostNesting, naming them; for cycles as TopologicalOrder.
#ifndef WARPBEAM_GRAPH_PASSES_LOOP_FRAMES_H_
#define WARPBEAM_GRAPH_PASSES_LOOP_FRAMES_H_

#include <string>
#include <vector>

#include "graph/graph.h"
#include "graph/node_roles.h"
#include "graph/passes/pass_pipeline.h"
#include "graph/types/span.h"

namespace warpbeam {

struct LoopFrames {
  // Programs nest a handful of loops; a step keeps iterations for each level.
  static constexpr int32_t kMostNesting = 1000;

  struct Frame {
    int32_t parent = 0;
    int32_t depth = 0;  // how many frames it is in
    std::string name;
    NodeId enter = kNoNode;  // the first that opens it
  };
  std::vector<Frame> frames;      // parents first
  std::vector<int32_t> frame_of;  // by node: where its outputs are; 0 for nodes not looked at
};

// Whether any of the nodes, or any node of the part, is at the border of a loop.
bool HasLoops(const Graph& graph, Span<const NodeId> nodes);
bool HasLoops(const GraphPart& part);

// The frames of `kept`, whose inputs are kept too or fed; what is fed comes from outside of all
// loops.
StatusOr<LoopFrames> FindLoopFrames(const Graph& graph, Span<const NodeId> kept,
                                    Span<const OutputRef> feeds);

// Whether every node of the graph belongs to one frame.
Status CheckLoopFrames(const Graph& graph);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_PASSES_LOOP_FRAMES_H_
