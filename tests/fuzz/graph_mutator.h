// Changes a GraphDef as a graph: nodes, edges, functions; and puts two graphs together.
//
//   MutateGraph(random, &graph);
//   SpliceGraph(random, donor, &graph);
//
// About half of the changes leave a graph that can be run, or the stages behind the import would
// see nothing. Thread safety: pure. Errors: none; what cannot be changed stays as it is.
#ifndef WARPBEAM_TESTS_FUZZ_GRAPH_MUTATOR_H_
#define WARPBEAM_TESTS_FUZZ_GRAPH_MUTATOR_H_

#include "tests/fuzz/random_source.h"

namespace tensorflow {
class GraphDef;
}  // namespace tensorflow

namespace warpbeam {
namespace fuzz {

// One change.
void MutateGraph(RandomSource& random, tensorflow::GraphDef* graph);

// Adds nodes of `donor` with what they need, and leads some of their outputs into the graph.
void SpliceGraph(RandomSource& random, const tensorflow::GraphDef& donor,
                 tensorflow::GraphDef* graph);

}  // namespace fuzz
}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_FUZZ_GRAPH_MUTATOR_H_
