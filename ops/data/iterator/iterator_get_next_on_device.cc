// _IteratorGetNextOnDevice and _MultiDeviceIteratorGetNextOnDevice: the next element of an
// iterator, in the memory of the device on which the op is placed, read ahead to there while steps
// compute.
//
// TensorFlow has no such ops: there a function on the device calls the iterator's device for each
// element (prefetch_to_device). The iterator is named by its string handle, since whoever takes a
// resource is placed where the resource is.

#include "ops/data/anonymous_resource.h"
#include "ops/data/dataset_kernel.h"
#include "ops/data/iterator/iterator_resource.h"
#include "ops/data/iterator/multi_device_iterator_resource.h"

namespace warpbeam {
namespace {

class GetNextOnDeviceKernel : public AsyncKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    return KernelOf<GetNextOnDeviceKernel>::Create(init);
  }
  // It gives out what has been copied to the device before.
  static bool HasGpuCode(const AttrMap&) { return true; }
  Status Init(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(spec_, ReadElementSpec(init));
    WB_ASSIGN_OR_RETURN(buffer_size_, init.attr<int64_t>("buffer_size"));
    if (init.schema.FindAttr("shard") == nullptr) return OkStatus();
    WB_ASSIGN_OR_RETURN(shard_, init.attr<int64_t>("shard"));
    return OkStatus();
  }

  void ComputeAsync(KernelContext& ctx, Done done) override {
    ElementBuffer::Done give_out = [this, &ctx, done](Status status, bool end, Element element) {
      if (status.ok()) status = GiveOut(ctx, end, std::move(element));
      done(std::move(status));
    };
    if (Status s = Ask(ctx, std::move(give_out)); !s.ok()) done(std::move(s));
  }

 private:
  // Calls `give_out` unless it returns an error.
  Status Ask(KernelContext& ctx, ElementBuffer::Done give_out) {
    WB_ASSIGN_OR_RETURN(const std::string text, ScalarInput<std::string>(ctx, 0, "string_handle"));
    WB_ASSIGN_OR_RETURN(const ResourceHandle handle, DecodeHandle(text));
    if (ctx.resources() == nullptr) {
      return FailedPrecondition("there is no store of resources here");
    }
    if (shard_ >= 0) {
      WB_ASSIGN_OR_RETURN(auto iterator,
                          ctx.resources()->Lookup<MultiDeviceIteratorResource>(handle));
      iterator->GetNextOnDeviceAsync(shard_, ctx.device(), buffer_size_, ctx.step(),
                                     std::move(give_out));
    } else {
      WB_ASSIGN_OR_RETURN(auto iterator, ctx.resources()->Lookup<IteratorResource>(handle));
      iterator->GetNextOnDeviceAsync(ctx.device(), buffer_size_, ctx.step(), std::move(give_out));
    }
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
  int64_t buffer_size_ = Dataset::kAutotune;
  int64_t shard_ = -1;  // there are none
};

WB_OP("_IteratorGetNextOnDevice")
    .Effect("string_handle", StateEffect::kWrite)
    .Input("string_handle: string")
    .Output("components: output_types")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("buffer_size: int >= -1 = -1")
    .Stateful()
    .Shape(ElementShapes);
WB_OP("_MultiDeviceIteratorGetNextOnDevice")
    .Effect("string_handle", StateEffect::kWrite)
    .Input("string_handle: string")
    .Output("components: output_types")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("shard: int >= 0")
    .Attr("buffer_size: int >= -1 = -1")
    .Stateful()
    .Shape(ElementShapes);
WB_KERNEL("_IteratorGetNextOnDevice", GetNextOnDeviceKernel).Cpu().Gpu().Async();
WB_GPU_KERNEL("_IteratorGetNextOnDevice", GetNextOnDeviceKernel);
WB_KERNEL("_MultiDeviceIteratorGetNextOnDevice", GetNextOnDeviceKernel).Cpu().Gpu().Async();
WB_GPU_KERNEL("_MultiDeviceIteratorGetNextOnDevice", GetNextOnDeviceKernel);

}  // namespace
}  // namespace warpbeam
