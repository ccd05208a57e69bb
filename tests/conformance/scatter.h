// ScatterOverTasks: asks for every node of a graph to run on some task, as a seed says: what then
// goes from task to task is what a real program would hardly make go there.
//
//   ScatterOverTasks(/*tasks=*/2, /*seed=*/7, graph.get());
//
// Nodes that share a reference, a resource or a variant stay together, and so do those that are to
// be colocated: their values cannot leave a task, or are others when they have. Devices asked for
// keep their type and number.
//
// Thread safety: none. Errors: none.
#ifndef WARPBEAM_TESTS_CONFORMANCE_SCATTER_H_
#define WARPBEAM_TESTS_CONFORMANCE_SCATTER_H_

#include <cstdint>

#include "graph/graph.h"

namespace warpbeam {

void ScatterOverTasks(int tasks, uint64_t seed, Graph* graph);

}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_CONFORMANCE_SCATTER_H_
