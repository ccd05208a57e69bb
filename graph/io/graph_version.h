// The version of the graph format that this program reads and writes.
//
// A graph names the version of its producer and the oldest consumer that may read it. The numbers
// are TensorFlow's: this program stands at the version of the release whose behaviour it follows.
// Frontends put kGraphVersion into `graph.versions().producer` of the graphs that they build.
//
// Thread safety: pure. Errors: INVALID_ARGUMENT saying which bound is broken.
#ifndef WARPBEAM_GRAPH_IO_GRAPH_VERSION_H_
#define WARPBEAM_GRAPH_IO_GRAPH_VERSION_H_

#include "graph/graph.h"

namespace warpbeam {

inline constexpr int kGraphVersion = 2474;

// Whether a graph of these versions may be read here.
Status CheckVersions(const GraphVersions& versions);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_IO_GRAPH_VERSION_H_
