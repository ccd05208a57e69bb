// Between the rows of a queue and batches: tensors whose first dimension counts rows.
//
//   WB_ASSIGN_OR_RETURN(Queue::Rows rows, SplitBatch(batch, queue->KeepsRows()));
//   WB_RETURN_IF_ERROR(JoinRows(ctx, queue->spec(), std::move(rows)));   // sets the outputs
//
// Ownership: rows of a batch that is not copied share its memory. Thread safety: one thread.
// Errors: RESOURCE_EXHAUSTED; INVALID_ARGUMENT for rows of different shapes where the queue's
// shapes do not say that they may differ.
#ifndef WARPBEAM_OPS_QUEUE_QUEUE_ROWS_H_
#define WARPBEAM_OPS_QUEUE_QUEUE_ROWS_H_

#include "ops/queue/queue.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

// `copy` gives every row memory of its own, for queues where one row of a batch may outlive the
// others for long.
StatusOr<Queue::Rows> SplitBatch(const Queue::Row& batch, bool copy);

// One output per component, [rows, …]. Rows are padded with zeros and empty strings to the largest
// extent along dimensions that the queue's shapes leave open. Without rows open dimensions are 0.
Status JoinRows(KernelContext& ctx, const QueueSpec& spec, Queue::Rows rows);

// A tensor that is to stay in a queue: `value`, or a copy when it is a small part of a buffer that
// it would keep alive.
StatusOr<Tensor> ValueForQueue(const KernelContext& ctx, const Tensor& value);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_QUEUE_QUEUE_ROWS_H_
