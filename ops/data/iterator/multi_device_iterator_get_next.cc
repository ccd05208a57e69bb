// MultiDeviceIteratorGetNextFromShard: the next element of one of an iterator's shards.

#include "ops/data/dataset_kernel.h"
#include "ops/data/iterator/iterator_resource.h"
#include "ops/data/iterator/multi_device_iterator_resource.h"

namespace warpbeam {
namespace {

class GetNextFromShardKernel final : public AsyncKernel {
 public:
  Status Init(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(spec_, ReadElementSpec(init));
    return OkStatus();
  }
  void ComputeAsync(KernelContext& ctx, Done done) override {
    if (Status s = Ask(ctx, done); !s.ok()) done(std::move(s));
  }

 private:
  // Calls `done` unless it returns an error.
  Status Ask(KernelContext& ctx, const Done& done) {
    WB_ASSIGN_OR_RETURN(const int32_t shard, ScalarInput<int32_t>(ctx, 1, "shard_num"));
    WB_ASSIGN_OR_RETURN(const int64_t incarnation, ScalarInput<int64_t>(ctx, 2, "incarnation_id"));
    WB_ASSIGN_OR_RETURN(auto iterator, FindMultiDeviceIterator(ctx, 0));
    iterator->GetNextFromShard(shard, incarnation, ctx.step(),
                               [this, &ctx, done](Status status, bool end, Element element) {
                                 if (status.ok()) status = GiveOut(ctx, end, std::move(element));
                                 done(std::move(status));
                               });
    return OkStatus();
  }

  Status GiveOut(KernelContext& ctx, bool end, Element element) {
    if (end) return EndOfSequence();
    WB_RETURN_IF_ERROR(spec_.CheckElement(element));
    for (size_t i = 0; i < element.size(); ++i) {
      ctx.set_output(static_cast<int>(i), std::move(element[i]));
    }
    return OkStatus();
  }

  ElementSpec spec_;
};

WB_OP("MultiDeviceIteratorGetNextFromShard")
    .Input("multi_device_iterator: resource")
    .Input("shard_num: int32")
    .Input("incarnation_id: int64")
    .Output("components: output_types")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Stateful()
    .Shape(ElementShapes);
WB_KERNEL("MultiDeviceIteratorGetNextFromShard", KernelOf<GetNextFromShardKernel>).Cpu().Async();

}  // namespace
}  // namespace warpbeam
