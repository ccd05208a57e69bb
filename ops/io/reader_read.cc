// ReaderRead, ReaderReadUpTo and their V2: the next record, or up to num_records of one file, from
// the files that a queue names.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/io/reader.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

template <bool kUpTo>
class ReadKernel final : public AsyncKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<ReadKernel>();
  }
  void ComputeAsync(KernelContext& ctx, Done done) override {
    Status s = Start(ctx, &done);
    // `done` is gone when the reader has taken it over.
    if (done) done(std::move(s));
  }

 private:
  Status Start(KernelContext& ctx, Done* done) {
    WB_ASSIGN_OR_RETURN(const std::shared_ptr<Reader> reader, readers_.Find(ctx, 0));
    WB_ASSIGN_OR_RETURN(std::shared_ptr<Queue> queue, queues_.Find(ctx, 1));
    const QueueSpec& spec = queue->spec();
    if (spec.types.size() != 1 || spec.types[0] != DType::kString ||
        (!spec.shapes.empty() && spec.shapes[0] != PartialShape(Shape()))) {
      return InvalidArgument("a reader needs a queue of scalar strings, the names of files; ",
                             queue->DebugString(), " holds something else");
    }
    int64_t count = 1;
    if (kUpTo) {
      if (ctx.input(2).num_elements() != 1) {
        return InvalidArgument("'num_records' must be a scalar, not of shape ",
                               ctx.input(2).shape().ToString());
      }
      count = *ctx.input(2).data<int64_t>();
      if (count <= 0) return InvalidArgument("'num_records' must be positive, it is ", count);
    }
    reader->ReadAsync(
        std::move(queue), ctx.step(), count,
        [&ctx, done = std::exchange(*done, nullptr)](Status s, Reader::Records records) {
          if (s.ok()) s = GiveOut(ctx, std::move(records));
          done(std::move(s));
        });
    return OkStatus();
  }

  static Status GiveOut(KernelContext& ctx, Reader::Records records) {
    const Shape shape = kUpTo ? Shape({static_cast<int64_t>(records.size())}) : Shape();
    WB_ASSIGN_OR_RETURN(Tensor * keys, ctx.Allocate(0, shape));
    WB_ASSIGN_OR_RETURN(Tensor * values, ctx.Allocate(1, shape));
    for (size_t i = 0; i < records.size(); ++i) {
      keys->data<std::string>()[i] = std::move(records[i].key);
      values->data<std::string>()[i] = std::move(records[i].value);
    }
    return OkStatus();
  }

  ResourceFinder<Reader> readers_;
  ResourceFinder<Queue> queues_;
};

Status ReadUpToShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(2, 0).status());
  c.set_output(0, PartialShape({-1}));
  c.set_output(1, PartialShape({-1}));
  return OkStatus();
}

WB_OP("ReaderRead")
    .Effect("queue_handle", StateEffect::kDrain)
    .Input("reader_handle: Ref(string)")
    .Input("queue_handle: Ref(string)")
    .Output("key: string")
    .Output("value: string")
    .Shape(shapes::Scalar);
WB_OP("ReaderReadV2")
    .Effect("queue_handle", StateEffect::kDrain)
    .Input("reader_handle: resource")
    .Input("queue_handle: resource")
    .Output("key: string")
    .Output("value: string")
    .Stateful()
    .Shape(shapes::Scalar);
WB_KERNEL("ReaderRead", ReadKernel<false>).Cpu().Async();
WB_KERNEL("ReaderReadV2", ReadKernel<false>).Cpu().Async();
WB_NO_GRADIENT("ReaderRead");

WB_OP("ReaderReadUpTo")
    .Effect("queue_handle", StateEffect::kDrain)
    .Input("reader_handle: Ref(string)")
    .Input("queue_handle: Ref(string)")
    .Input("num_records: int64")
    .Output("keys: string")
    .Output("values: string")
    .Shape(ReadUpToShape);
WB_OP("ReaderReadUpToV2")
    .Effect("queue_handle", StateEffect::kDrain)
    .Input("reader_handle: resource")
    .Input("queue_handle: resource")
    .Input("num_records: int64")
    .Output("keys: string")
    .Output("values: string")
    .Stateful()
    .Shape(ReadUpToShape);
WB_KERNEL("ReaderReadUpTo", ReadKernel<true>).Cpu().Async();
WB_KERNEL("ReaderReadUpToV2", ReadKernel<true>).Cpu().Async();
WB_NO_GRADIENT("ReaderReadUpTo");

}  // namespace
}  // namespace warpbeam
