// SliceFirst: a Slice or StridedSlice of a Cast becomes the Cast of the slice, so that only what is
// read is converted (a crop of a decoded picture, for one).
//
// Done where the slice is all that is read of the Cast, other than its shape, which is then that of
// the Cast's input. Results are the same bit for bit.
//
//   pipeline.Add("slice_first", SliceFirst);
//
// The two nodes keep their names and must be of one device. Thread safety: a pure function of the
// part. Errors: none of its own.
#ifndef WARPBEAM_GRAPH_PASSES_SLICE_FIRST_H_
#define WARPBEAM_GRAPH_PASSES_SLICE_FIRST_H_

#include "graph/passes/pass_pipeline.h"

namespace warpbeam {

Status SliceFirst(GraphPart* part);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_PASSES_SLICE_FIRST_H_
