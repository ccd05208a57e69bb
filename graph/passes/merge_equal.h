// MergeEqual: nodes that compute the same from the same become one (common subexpressions).
//
// Two nodes are the same when op, attributes (but those that begin with '_'), inputs, control
// inputs, requested and assigned device are equal, and the op has no state. Two towers that only
// soft placement put on one device stay two: their requested devices differ. Commutative ops are
// compared with their inputs in order of ids.
//
//   pipeline.Add("cse", MergeEqual);
//
// The first of equal nodes stays. Fed nodes are left alone. Thread safety: a pure function of the
// part. Errors: none of its own.
#ifndef WARPBEAM_GRAPH_PASSES_MERGE_EQUAL_H_
#define WARPBEAM_GRAPH_PASSES_MERGE_EQUAL_H_

#include "graph/passes/pass_pipeline.h"

namespace warpbeam {

Status MergeEqual(GraphPart* part);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_PASSES_MERGE_EQUAL_H_
