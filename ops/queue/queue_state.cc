// QueueClose, QueueIsClosed, QueueSize and their V2; FakeQueue, which turns a V2 handle into one of
// the first generation.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/queue/named_resource.h"
#include "ops/queue/queue.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

class CloseKernel final : public AsyncKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<CloseKernel>();
    kernel->cancel_puts_ = init.attrs.GetOr<bool>("cancel_pending_enqueues", false);
    return kernel;
  }
  void ComputeAsync(KernelContext& ctx, Done done) override {
    const StatusOr<std::shared_ptr<Queue>> queue = finder_.Find(ctx, 0);
    if (!queue.ok()) return done(queue.status());
    (*queue)->Close(ctx.step(), cancel_puts_, std::move(done));
  }

 private:
  bool cancel_puts_ = false;
  ResourceFinder<Queue> finder_;
};

template <typename T, T (*Get)(const Queue&)>
class QueryKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<QueryKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const std::shared_ptr<Queue> queue, finder_.Find(ctx, 0));
    WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, Shape()));
    *out->data<T>() = Get(*queue);
    return OkStatus();
  }

 private:
  ResourceFinder<Queue> finder_;
};

int32_t SizeOf(const Queue& queue) { return static_cast<int32_t>(queue.size()); }
bool IsClosed(const Queue& queue) { return queue.is_closed(); }

class FakeQueueKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<FakeQueueKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const ResourceHandle handle, ReadHandle(ctx, 0));
    reference_.Assign(Tensor::Vector<std::string>({handle.container, handle.name}));
    ctx.set_output_ref(0, &reference_);
    return OkStatus();
  }

 private:
  RefVariable reference_{"handle", DType::kString};
};

Status FakeQueueShape(ShapeContext& c) {
  c.set_output(0, PartialShape({2}));
  c.set_output_handle(0, c.input_handle(0));
  return OkStatus();
}

WB_OP("QueueClose")
    .Effect(StateEffect::kEnd)
    .Input("handle: Ref(string)")
    .Attr("cancel_pending_enqueues: bool = false")
    .Shape(shapes::NoOutputs);
WB_OP("QueueCloseV2")
    .Effect(StateEffect::kEnd)
    .Input("handle: resource")
    .Attr("cancel_pending_enqueues: bool = false")
    .Stateful()
    .Shape(shapes::NoOutputs);
WB_KERNEL("QueueClose", CloseKernel).Cpu().Async();
WB_KERNEL("QueueCloseV2", CloseKernel).Cpu().Gpu().HostMemory({"handle"}).Async();

using SizeKernel = QueryKernel<int32_t, &SizeOf>;
WB_OP("QueueSize")
    .Effect(StateEffect::kRead)
    .DependsOn(Chance::kProgress)
    .Input("handle: Ref(string)")
    .Output("size: int32")
    .Shape(shapes::Scalar);
WB_OP("QueueSizeV2")
    .Effect(StateEffect::kRead)
    .DependsOn(Chance::kProgress)
    .Input("handle: resource")
    .Output("size: int32")
    .Stateful()
    .Shape(shapes::Scalar);
WB_KERNEL("QueueSize", SizeKernel).Cpu().Cheap();
WB_KERNEL("QueueSizeV2", SizeKernel).Cpu().Gpu().HostMemory({"handle", "size"}).Cheap();

using IsClosedKernel = QueryKernel<bool, &IsClosed>;
WB_OP("QueueIsClosed")
    .Effect(StateEffect::kRead)
    .DependsOn(Chance::kProgress)
    .Input("handle: Ref(string)")
    .Output("is_closed: bool")
    .Shape(shapes::Scalar);
WB_OP("QueueIsClosedV2")
    .Effect(StateEffect::kRead)
    .DependsOn(Chance::kProgress)
    .Input("handle: resource")
    .Output("is_closed: bool")
    .Stateful()
    .Shape(shapes::Scalar);
WB_KERNEL("QueueIsClosed", IsClosedKernel).Cpu().Cheap();
WB_KERNEL("QueueIsClosedV2", IsClosedKernel).Cpu().Gpu().HostMemory({"handle"}).Cheap();

WB_OP("FakeQueue")
    .PassesOn(PassOn::kHandle)
    .Input("resource: resource")
    .Output("handle: Ref(string)")
    .Stateful()
    .Shape(FakeQueueShape);
WB_KERNEL("FakeQueue", FakeQueueKernel).Cpu().Cheap();

WB_NO_GRADIENT("QueueClose");
WB_NO_GRADIENT("QueueSize");

}  // namespace
}  // namespace warpbeam
