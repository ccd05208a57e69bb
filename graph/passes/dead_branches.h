// DeadBranches: what a Switch with a constant predicate never takes goes away.
//
// The Switch's live output becomes its data input, and a Merge with one live input that input, so
// that the other branch is no longer needed by anybody. Nothing is done when a fetch, a target or a
// Merge's value_index would be concerned: a dead fetch is an error of the run.
//
//   pipeline.Add("branches", [](GraphPart* part) { return DeadBranches(part); });
//
// Loops are left alone. Thread safety: a pure function of the part. Errors: none of its own.
#ifndef WARPBEAM_GRAPH_PASSES_DEAD_BRANCHES_H_
#define WARPBEAM_GRAPH_PASSES_DEAD_BRANCHES_H_

#include "graph/passes/pass_pipeline.h"

namespace warpbeam {

Status DeadBranches(GraphPart* part);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_PASSES_DEAD_BRANCHES_H_
