// MaskFirst: where a Relu's result x is max-pooled to y, the gradient that comes back is masked
// before it is spread over the windows, not after:
//
//   ReluGrad(MaxPoolGrad(x, y, dy), x)   becomes   MaxPoolGrad(x, y, ReluGrad(dy, y))
//
// A window's gradient goes to its greatest element, which is y, so that both ask whether the same
// number is above 0; y is several times smaller than x. Results are the same bit for bit, but that
// a negative gradient that is masked leaves 0, not -0, and that windows that begin with NaN have
// their gradient (MaxPoolGrad takes NaN for the greatest element there, MaxPool does not).
//
// Done where nothing else reads the spread gradient or waits for it, and y is the result of a
// MaxPool of x with the same window.
//
//   pipeline.Add("mask_first", MaskFirst);
//
// The two nodes keep their names and must be of one device. Thread safety: a pure function of the
// part. Errors: none of its own.
#ifndef WARPBEAM_GRAPH_PASSES_MASK_FIRST_H_
#define WARPBEAM_GRAPH_PASSES_MASK_FIRST_H_

#include "graph/passes/pass_pipeline.h"

namespace warpbeam {

Status MaskFirst(GraphPart* part);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_PASSES_MASK_FIRST_H_
