// QueueDequeue, QueueDequeueMany, QueueDequeueUpTo and their V2: one row, n rows as a batch, or in
// a closed queue what is left of n. They wait without a thread while the queue has too little.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/queue/named_resource.h"
#include "ops/queue/queue_rows.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/takings.h"

namespace warpbeam {
namespace {

void SetOutputs(KernelContext& ctx, Queue::Row row) {
  for (size_t i = 0; i < row.size(); ++i) {
    ctx.set_output(static_cast<int>(i), std::move(row[i]));
  }
}

// For a step that its deadline ends: it has taken nothing.
void Keep(const StepContext* step, const std::shared_ptr<Queue>& queue, const Queue::Rows& rows) {
  if (const auto takings = Takings::Of(step)) {
    takings->Add([queue, rows] { queue->Return(rows); });
  }
}

Status CheckOutputTypes(const KernelContext& ctx, const Queue& queue) {
  const std::vector<DType>& types = queue.spec().types;
  bool same = static_cast<int>(types.size()) == ctx.num_outputs();
  for (int i = 0; same && i < ctx.num_outputs(); ++i) same = types[i] == ctx.output_type(i);
  if (same) return OkStatus();
  std::vector<DType> asked;
  for (int i = 0; i < ctx.num_outputs(); ++i) asked.push_back(ctx.output_type(i));
  return queue.CheckTypes(asked.data(), ctx.num_outputs());
}

class DequeueKernel final : public AsyncKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    // TensorFlow refuses what it would not keep to; a step's deadline is RunOptions' affair.
    if (init.attrs.GetOr<int64_t>("timeout_ms", -1) != -1) {
      return InvalidArgument("Timeout not supported yet.");
    }
    return std::make_unique<DequeueKernel>();
  }
  void ComputeAsync(KernelContext& ctx, Done done) override {
    const StatusOr<std::shared_ptr<Queue>> queue = finder_.Find(ctx, 0);
    if (!queue.ok()) return done(queue.status());
    if (Status s = CheckOutputTypes(ctx, **queue); !s.ok()) return done(s);
    Queue::Row row;
    if ((*queue)->TryTake(&row)) {
      Keep(ctx.step(), *queue, {row});
      SetOutputs(ctx, std::move(row));
      return done(OkStatus());
    }
    (*queue)->Take(ctx.step(), 1, /*up_to=*/false,
                   [&ctx, queue = *queue, done = std::move(done)](Status s, Queue::Rows rows) {
                     if (s.ok()) {
                       Keep(ctx.step(), queue, rows);
                       SetOutputs(ctx, std::move(rows[0]));
                     }
                     done(std::move(s));
                   });
  }

 private:
  ResourceFinder<Queue> finder_;
};

template <bool kUpTo>
class DequeueManyKernel final : public AsyncKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    // TensorFlow refuses what it would not keep to; a step's deadline is RunOptions' affair.
    if (init.attrs.GetOr<int64_t>("timeout_ms", -1) != -1) {
      return InvalidArgument("Timeout not supported yet.");
    }
    return std::make_unique<DequeueManyKernel>();
  }
  void ComputeAsync(KernelContext& ctx, Done done) override {
    Status s = Start(ctx, &done);
    // `done` is gone when the queue has taken it over.
    if (done) done(std::move(s));
  }

 private:
  Status Start(KernelContext& ctx, Done* done) {
    WB_ASSIGN_OR_RETURN(const std::shared_ptr<Queue> queue, finder_.Find(ctx, 0));
    WB_RETURN_IF_ERROR(CheckOutputTypes(ctx, *queue));
    if (ctx.input(1).num_elements() != 1) {
      return InvalidArgument("'n' must be a scalar, not of shape ",
                             ctx.input(1).shape().ToString());
    }
    const int32_t n = *ctx.input(1).data<int32_t>();
    if (n < 0) return InvalidArgument("the op asks for ", n, " < 0 elements");
    const QueueSpec& spec = queue->spec();
    if (spec.shapes.empty()) {
      return InvalidArgument(spec.kind,
                             "'s DequeueMany and DequeueUpTo require the components to have "
                             "specified shapes.");
    }
    if (n == 0) return JoinRows(ctx, spec, {});
    queue->Take(ctx.step(), n, kUpTo,
                [&ctx, queue, done = std::exchange(*done, nullptr)](Status s, Queue::Rows rows) {
                  if (s.ok()) Keep(ctx.step(), queue, rows);
                  if (s.ok()) s = JoinRows(ctx, queue->spec(), std::move(rows));
                  done(std::move(s));
                });
    return OkStatus();
  }

  ResourceFinder<Queue> finder_;
};

// With `batch`, what leads each shape: a number of rows, perhaps unknown.
Status ComponentShapes(ShapeContext& c, const int64_t* batch) {
  const HandleShapes& components = c.input_handle(0);
  const bool known = static_cast<int>(components.size()) == c.num_outputs();
  for (int i = 0; i < c.num_outputs(); ++i) {
    PartialShape shape = known ? components[i].shape : PartialShape();
    if (batch != nullptr && shape.has_rank()) {
      std::vector<int64_t> dims = shape.dims();
      dims.insert(dims.begin(), *batch);
      shape = PartialShape(std::move(dims));
    }
    c.set_output(i, std::move(shape));
  }
  return OkStatus();
}

Status DequeueShape(ShapeContext& c) { return ComponentShapes(c, nullptr); }

Status DequeueUpToShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  const int64_t unknown = -1;
  return ComponentShapes(c, &unknown);
}

Status DequeueManyShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  const std::optional<int64_t> n = c.ConstantScalar(1);
  if (n.has_value() && *n < 0) return InvalidArgument("Input 'n' must be >= 0, but is ", *n);
  const int64_t rows = n.value_or(-1);
  return ComponentShapes(c, &rows);
}

WB_OP("QueueDequeue")
    .Effect(StateEffect::kDrain)
    .Input("handle: Ref(string)")
    .Output("components: component_types")
    .Attr("component_types: list(type) >= 1")
    .Attr("timeout_ms: int = -1")
    .Shape(DequeueShape);
WB_OP("QueueDequeueV2")
    .Effect(StateEffect::kDrain)
    .Input("handle: resource")
    .Output("components: component_types")
    .Attr("component_types: list(type) >= 1")
    .Attr("timeout_ms: int = -1")
    .Stateful()
    .Shape(DequeueShape);
WB_KERNEL("QueueDequeue", DequeueKernel).Cpu().Async();
WB_KERNEL("QueueDequeueV2", DequeueKernel).Cpu().Gpu().HostMemory({"handle"}).Async();

WB_OP("QueueDequeueMany")
    .Effect(StateEffect::kDrain)
    .Input("handle: Ref(string)")
    .Input("n: int32")
    .Output("components: component_types")
    .Attr("component_types: list(type) >= 1")
    .Attr("timeout_ms: int = -1")
    .Shape(DequeueManyShape);
WB_OP("QueueDequeueManyV2")
    .Effect(StateEffect::kDrain)
    .Input("handle: resource")
    .Input("n: int32")
    .Output("components: component_types")
    .Attr("component_types: list(type) >= 1")
    .Attr("timeout_ms: int = -1")
    .Stateful()
    .Shape(DequeueManyShape);
WB_KERNEL("QueueDequeueMany", DequeueManyKernel<false>).Cpu().Async();
WB_KERNEL("QueueDequeueManyV2", DequeueManyKernel<false>).Cpu().Async();

WB_OP("QueueDequeueUpTo")
    .Effect(StateEffect::kDrain)
    .Input("handle: Ref(string)")
    .Input("n: int32")
    .Output("components: component_types")
    .Attr("component_types: list(type) >= 1")
    .Attr("timeout_ms: int = -1")
    .Shape(DequeueUpToShape);
WB_OP("QueueDequeueUpToV2")
    .Effect(StateEffect::kDrain)
    .Input("handle: resource")
    .Input("n: int32")
    .Output("components: component_types")
    .Attr("component_types: list(type) >= 1")
    .Attr("timeout_ms: int = -1")
    .Stateful()
    .Shape(DequeueUpToShape);
WB_KERNEL("QueueDequeueUpTo", DequeueManyKernel<true>).Cpu().Async();
WB_KERNEL("QueueDequeueUpToV2", DequeueManyKernel<true>).Cpu().Async();

WB_NO_GRADIENT("QueueDequeue");
WB_NO_GRADIENT("QueueDequeueMany");
WB_NO_GRADIENT("QueueDequeueUpTo");

}  // namespace
}  // namespace warpbeam
