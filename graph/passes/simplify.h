// Simplify: nodes whose result is one of their inputs, and NoOps that only gather, go away.
//
//   Identity, StopGradient, Snapshot …                   what they hand on
//   regroupings, one after another (regrouping.h):       the tensor in front of them, where it
//   Reshape, Squeeze, StridedSlice, Pad, Transpose of    has the shape of the last one
//   dimensions of 1, Split into one, Tile by ones, a
//   sum over ones …
//   two Transposes that undo each other; Pack of what    the tensor in front of them
//   Unpack gave, Unpack of a Pack
//   -(-x), not not x, ~~x, conj conj x                   x
//   Cast to the same type, or there and back             x, if the type between holds all values
//   x + 0, x - 0, x * 1, x / 1, x ^ 1, x and true …      x; floats are kept by + -0 and - 0
//   Select by a constant                                 the side that is taken
//   x ^ 2                                                Square(x)
//   NoOp with one input or one waiter                    the edges through it
//
// Results are the same bit for bit, with three exceptions: a sum over one element would make 0 of
// -0; a signalling NaN that is cast there and back would be quiet; x ^ 2 is rounded once and so at
// most one unit in the last place away from what Pow gives.
//
// An Identity that reads a reference stays: it is the moment of the reading; one behind a Switch or
// at the border of a loop stays, since others may wait for its branch. Where a shape decides, it
// must not follow from a feed, which may have any shape.
//
//   pipeline.Add("simplify", [](GraphPart* part) { return Simplify(part); });
//
// Thread safety: a pure function of the part. Errors: none of its own.
#ifndef WARPBEAM_GRAPH_PASSES_SIMPLIFY_H_
#define WARPBEAM_GRAPH_PASSES_SIMPLIFY_H_

#include "graph/passes/pass_pipeline.h"

namespace warpbeam {

Status Simplify(GraphPart* part);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_PASSES_SIMPLIFY_H_
