// QueueEnqueue, QueueEnqueueMany and their V2: one row, or the rows of a batch, into a queue; they
// wait without a thread while it is full. A timeout_ms is refused, as in TensorFlow.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/queue/named_resource.h"
#include "ops/queue/queue_rows.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/takings.h"

namespace warpbeam {
namespace {

// What a step has put where others see it, it does not give back besides.
void HandOn(const StepContext* step) {
  if (const auto takings = Takings::Of(step)) takings->HandOn();
}

template <bool kMany>
class EnqueueKernel final : public AsyncKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    // TensorFlow refuses what it would not keep to; a step's deadline is RunOptions' affair.
    if (init.attrs.GetOr<int64_t>("timeout_ms", -1) != -1) {
      return InvalidArgument("Timeout not supported yet.");
    }
    return std::make_unique<EnqueueKernel>();
  }
  void ComputeAsync(KernelContext& ctx, Done done) override {
    Status s = Start(ctx, &done);
    // `done` is gone when the queue has taken it over.
    if (done) done(std::move(s));
  }

 private:
  Status Start(KernelContext& ctx, Done* done) {
    WB_ASSIGN_OR_RETURN(const std::shared_ptr<Queue> queue, finder_.Find(ctx, 0));
    Queue::Row row;
    for (int i = 1; i < ctx.num_inputs(); ++i) {
      if (kMany) {
        row.push_back(ctx.input(i));
      } else {
        WB_ASSIGN_OR_RETURN(Tensor value, ValueForQueue(ctx, ctx.input(i)));
        row.push_back(std::move(value));
      }
    }
    Queue::Rows rows;
    if (kMany) {
      WB_RETURN_IF_ERROR(queue->CheckBatch(row));
      WB_ASSIGN_OR_RETURN(rows, SplitBatch(row, queue->KeepsRows()));
    } else {
      WB_RETURN_IF_ERROR(queue->CheckRow(row));
      if (queue->TryPut(&row)) {
        HandOn(ctx.step());
        return OkStatus();
      }
      rows.push_back(std::move(row));
    }
    queue->Put(ctx.step(), std::move(rows),
               [step = ctx.step(), done = std::exchange(*done, nullptr)](Status s, Queue::Rows) {
                 if (s.ok()) HandOn(step);
                 done(std::move(s));
               });
    return OkStatus();
  }

  ResourceFinder<Queue> finder_;
};

WB_OP("QueueEnqueue")
    .Effect(StateEffect::kFill)
    .Input("handle: Ref(string)")
    .Input("components: Tcomponents")
    .Attr("Tcomponents: list(type) >= 1")
    .Attr("timeout_ms: int = -1")
    .Shape(shapes::NoOutputs);
WB_OP("QueueEnqueueV2")
    .Effect(StateEffect::kFill)
    .Input("handle: resource")
    .Input("components: Tcomponents")
    .Attr("Tcomponents: list(type) >= 1")
    .Attr("timeout_ms: int = -1")
    .Stateful()
    .Shape(shapes::NoOutputs);
WB_KERNEL("QueueEnqueue", EnqueueKernel<false>).Cpu().Async();
WB_KERNEL("QueueEnqueueV2", EnqueueKernel<false>).Cpu().Gpu().HostMemory({"handle"}).Async();

WB_OP("QueueEnqueueMany")
    .Effect(StateEffect::kFill)
    .Input("handle: Ref(string)")
    .Input("components: Tcomponents")
    .Attr("Tcomponents: list(type) >= 1")
    .Attr("timeout_ms: int = -1")
    .Shape(shapes::NoOutputs);
WB_OP("QueueEnqueueManyV2")
    .Effect(StateEffect::kFill)
    .Input("handle: resource")
    .Input("components: Tcomponents")
    .Attr("Tcomponents: list(type) >= 1")
    .Attr("timeout_ms: int = -1")
    .Stateful()
    .Shape(shapes::NoOutputs);
WB_KERNEL("QueueEnqueueMany", EnqueueKernel<true>).Cpu().Async();
WB_KERNEL("QueueEnqueueManyV2", EnqueueKernel<true>).Cpu().Async();

WB_NO_GRADIENT("QueueEnqueue");
WB_NO_GRADIENT("QueueEnqueueMany");

}  // namespace
}  // namespace warpbeam
