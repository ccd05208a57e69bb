// IteratorGetNext, IteratorGetNextSync and IteratorGetNextAsOptional: the next element of an
// iterator. They wait without a thread; the last one gives an empty optional at the end of the
// sequence, where the others fail with OUT_OF_RANGE.

#include "ops/data/dataset_kernel.h"
#include "ops/data/iterator/iterator_resource.h"
#include "ops/data/optional.h"

namespace warpbeam {
namespace {

class GetNextKernel : public AsyncKernel {
 public:
  Status Init(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(spec_, ReadElementSpec(init));
    return OkStatus();
  }
  void ComputeAsync(KernelContext& ctx, Done done) override {
    StatusOr<std::shared_ptr<IteratorResource>> iterator = FindIterator(ctx, 0);
    if (!iterator.ok()) return done(iterator.status());
    (*iterator)->GetNextAsync(
        ctx.step(), [this, &ctx, done = std::move(done)](Status status, bool end, Element element) {
          if (status.ok() && !end) status = spec_.CheckElement(element);
          if (status.ok()) status = GiveOut(ctx, end, std::move(element));
          done(std::move(status));
        });
  }

 protected:
  virtual Status GiveOut(KernelContext& ctx, bool end, Element element) {
    if (end) return EndOfSequence();
    for (size_t i = 0; i < element.size(); ++i) {
      ctx.set_output(static_cast<int>(i), std::move(element[i]));
    }
    return OkStatus();
  }

 private:
  ElementSpec spec_;
};

class GetNextAsOptionalKernel final : public GetNextKernel {
  Status GiveOut(KernelContext& ctx, bool end, Element element) override {
    ctx.set_output(0, OptionalToTensor(end ? nullptr : &element));
    return OkStatus();
  }
};

WB_OP("IteratorGetNext")
    .Input("iterator: resource")
    .Output("components: output_types")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Stateful()
    .Shape(ElementShapes);
WB_OP("IteratorGetNextSync")
    .Input("iterator: resource")
    .Output("components: output_types")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Stateful()
    .Shape(ElementShapes);
WB_OP("IteratorGetNextAsOptional")
    .Input("iterator: resource")
    .Output("optional: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Stateful()
    .Shape(shapes::Scalar);
WB_KERNEL("IteratorGetNext", KernelOf<GetNextKernel>).Cpu().Async();
WB_KERNEL("IteratorGetNextSync", KernelOf<GetNextKernel>).Cpu().Async();
WB_KERNEL("IteratorGetNextAsOptional", KernelOf<GetNextAsOptionalKernel>).Cpu().Async();

}  // namespace
}  // namespace warpbeam
