// FoldBatchNorm: batch normalisation by constants goes into the filter of the convolution before.
//
//   y = FusedBatchNorm(Conv2D(x, filter), scale, offset, mean, variance)       not in training
//   y = BiasAdd(Conv2D(x, filter * factor), offset - mean * factor)
//                                            factor = scale / sqrt(variance + epsilon)
//
// For float Conv2D, Conv3D and DepthwiseConv2dNative with their channels last, whose result only
// the normalisation reads. All four vectors and the filter are constants that are not fed, the
// filter and the offset are read by these two nodes alone, and of the normalisation's results only
// the first is needed.
//
//   pipeline.Add("batch_norm", [](GraphPart* part) { return FoldBatchNorm(part); });
//
// Results differ in rounding: each element of the filter is rounded once more, so that a result
// moves by at most 2^-23 of the sum of |x * filter * factor| besides the unit in the last place of
// the factor's own rounding. Thread safety: a pure function of the part. Errors: none of its own.
#ifndef WARPBEAM_GRAPH_PASSES_FOLD_BATCH_NORM_H_
#define WARPBEAM_GRAPH_PASSES_FOLD_BATCH_NORM_H_

#include "graph/passes/pass_pipeline.h"

namespace warpbeam {

Status FoldBatchNorm(GraphPart* part);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_PASSES_FOLD_BATCH_NORM_H_
