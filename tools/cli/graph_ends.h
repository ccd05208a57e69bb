// GraphEnds: what can be asked of a graph by somebody who does not know it: what it takes, what it
// computes for no one else, and what is run for its effect.
//
//   return InvalidArgument("there is nothing to run: give --fetch or --target. ",
//                          GraphEnds(graph));
//   // "It takes x: float [?,2]. What could be fetched: loss (Mean). Targets: train (NoOp)."
//
// Thread safety: as Graph. Errors: none.
#ifndef WARPBEAM_TOOLS_CLI_GRAPH_ENDS_H_
#define WARPBEAM_TOOLS_CLI_GRAPH_ENDS_H_

#include <string>

#include "graph/graph.h"

namespace warpbeam {
namespace cli {

std::string GraphEnds(const Graph& graph);

}  // namespace cli
}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_CLI_GRAPH_ENDS_H_
