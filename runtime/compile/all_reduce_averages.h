// AllReduceAverages: the averages that towers write, between the GPUs of the towers.
//
// The pass `average` makes one node of each average, `_Average`, which has to have all gradients on
// one device. Where each of them lies on a GPU of its own and these GPUs are connected, they are
// added up between the GPUs instead, from memory to memory, in buckets: those that are ready first
// fill the first bucket. On each GPU a bucket is one flat tensor and an `NcclAllReduce`; one of the
// sums is scaled, on the average's own GPU where it has one, and cut into the averages. Who reads
// averages on another tower's GPU gets those of the sum that is there.
//
//   _Average(a0, a1), _Average(b0, b1) ->
//     on GPU i:  sum_i = NcclAllReduce(ConcatV2(Reshape(a_i, [-1]), Reshape(b_i, [-1])))
//     on one:    scaled = _Average(sum_0, ^sum_1)
//     as before: Reshape(part, shape) of SplitV(scaled)
//
//   const auto connects = [](Span<const Site> sites, DType dtype) { return …; };
//   WB_RETURN_IF_ERROR(AllReduceAverages(connects, &part));
//
// Left alone are averages of other types than float and double (NCCL rounds after each addition),
// those whose shapes are not known, and parts that a step may run several times, of which the sums
// of one might meet those of another (bodies of functions). Sums of more than two may differ in
// their last bits from those of `_Average`, as NCCL adds up in an order of its own.
//
// Ownership: the part's graph owns what is added. Thread safety: a pure function. Errors: none that
// a graph can cause.
#ifndef WARPBEAM_RUNTIME_COMPILE_ALL_REDUCE_AVERAGES_H_
#define WARPBEAM_RUNTIME_COMPILE_ALL_REDUCE_AVERAGES_H_

#include "absl/functional/function_ref.h"
#include "graph/passes/pass_pipeline.h"
#include "graph/types/span.h"

namespace warpbeam {

// Whether there is a communicator of the GPUs at these sites, which are different, that adds up
// elements of the type.
using ConnectsSites = absl::FunctionRef<bool(Span<const Site> sites, DType dtype)>;

Status AllReduceAverages(ConnectsSites connects, GraphPart* part);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_COMPILE_ALL_REDUCE_AVERAGES_H_
