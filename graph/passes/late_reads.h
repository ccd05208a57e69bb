// RepeatLateReads: who uses the value of a reference variable after an update sees the update.
//
// `read = Identity(variable)` takes the variable's value when it runs, and whoever reads `read`
// gets that value, whatever is assigned meanwhile: gradients never see half an update. In
// TensorFlow `read` shares the variable's memory, which updates change in place, and programs count
// on what follows where the order is certain: in
//
//   x = Add(read, 1, ^assign_add)
//
// x sees the sum, although `read` may have run before. So each use that is *late* (update_order.h),
// of `read` or of any view of it (reference_views.h), gets a read of its own, which runs when all
// else that the use waits for is done:
//
//   x/late_0 = Identity(variable, ^read, ^assign_add);   x = Add(x/late_0, 1, ^assign_add)
//
// In loops and branches the reference takes the way that the value took: RefEnter beside Enter,
// RefSwitch beside Switch, RefMerge beside Merge. After the pass a value once read never changes,
// which is what all other passes and the executor take for granted.
//
//   pipeline.AddRequired("late_reads", [&](GraphPart* part) {
//     return RepeatLateReads(shares_memory, part);
//   });
//
// Nodes that are added stand on the device of the node whose value they read.
//
// Linear in the size of the part but for what update_order.h says. Thread safety: a pure function
// of the part. Errors: INVALID_ARGUMENT for a cycle that is no loop.
#ifndef WARPBEAM_GRAPH_PASSES_LATE_READS_H_
#define WARPBEAM_GRAPH_PASSES_LATE_READS_H_

#include "graph/passes/pass_pipeline.h"
#include "graph/passes/reference_views.h"

namespace warpbeam {

// `shares_memory(from, to)`: whether `to` gets what `from` leaves without a copy. Behind a copy
// nothing changes any more.
Status RepeatLateReads(ReferenceViews::SharesMemory shares_memory, GraphPart* part);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_PASSES_LATE_READS_H_
