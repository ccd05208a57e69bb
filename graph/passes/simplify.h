// Simplify: nodes whose result is one of their inputs, and NoOps that only gather, go away.
//
//   Identity, StopGradient, Snapshot …                       what they hand on
//   Reshape, ExpandDims, Squeeze, Pack of one, AddN of one, Tile by ones, BroadcastTo, Slice and
//   reductions over dimensions of 1, one after another       the tensor in front of them, where it
//                                                            has the shape of the last one
//   x * 1, x / 1, x - 0, x ^ 1, Cast to the same type        x
//   NoOp with one input or one waiter                        the edges through it
//
// Results are the same bit for bit, but for the sign of a zero that a sum over one element would
// drop. An Identity that reads a reference stays: it is the moment of
// the reading; one behind a Switch or at the border of a loop stays, since others may wait for its
// branch. Where a shape decides, it must not follow from a feed, which may have any shape.
//
//   pipeline.Add("simplify", [](GraphPart* part) { return Simplify(part); });
//
// Thread safety: a pure function of the part. Errors: none of its own.
#ifndef WARPBEAM_GRAPH_PASSES_SIMPLIFY_H_
#define WARPBEAM_GRAPH_PASSES_SIMPLIFY_H_

#include "graph/passes/pass_pipeline.h"

namespace warpbeam {

absl::Status Simplify(GraphPart* part);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_PASSES_SIMPLIFY_H_
