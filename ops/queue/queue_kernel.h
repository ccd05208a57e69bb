// What the ops that make queues share: their attributes, checks and shape functions.
//
//   struct FifoQueueKernel {
//     static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
//       WB_ASSIGN_OR_RETURN(QueueSpec spec, ReadQueueSpec(init, "FIFOQueue"));
//       return NewQueueKernel(init, std::move(spec), &MakeQueue<FifoQueue>);
//     }
//   };
//
// Ownership: the session's ResourceStore owns queues. Thread safety: any thread. Errors:
// INVALID_ARGUMENT for attributes that make no queue, or not the one that has the name already.
#ifndef WARPBEAM_OPS_QUEUE_QUEUE_KERNEL_H_
#define WARPBEAM_OPS_QUEUE_QUEUE_KERNEL_H_

#include <memory>
#include <utility>

#include "graph/op/shape_context.h"
#include "ops/queue/queue.h"
#include "runtime/kernel/kernel.h"

namespace warpbeam {

// component_types, shapes and capacity; a negative capacity means none.
StatusOr<QueueSpec> ReadQueueSpec(const KernelInit& init, const char* kind);
// Refuses shapes with unknown extents, for queues that cannot pad.
Status CheckKnownShapes(const QueueSpec& spec);

using QueueMaker = std::shared_ptr<Queue> (*)(QueueSpec spec);
template <class Q>
std::shared_ptr<Queue> MakeQueue(QueueSpec spec) {
  return std::make_shared<Q>(std::move(spec));
}
StatusOr<std::unique_ptr<Kernel>> NewQueueKernel(KernelInit& init, QueueSpec spec, QueueMaker make);

// The handle's shape, and what is known of the components behind it.
Status QueueHandleShape(ShapeContext& c);
Status PriorityQueueHandleShape(ShapeContext& c);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_QUEUE_QUEUE_KERNEL_H_
