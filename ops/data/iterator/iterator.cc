// Iterator and IteratorV2: an iterator that steps share by its name; the AnonymousIterators: a new
// one each time; DeleteIterator ends one before the session does.

#include "ops/data/anonymous_resource.h"
#include "ops/data/dataset_kernel.h"
#include "ops/data/iterator/iterator_resource.h"

namespace warpbeam {
namespace {

class IteratorKernel final : public Kernel {
 public:
  Status Init(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(spec_, ReadElementSpec(init));
    WB_RETURN_IF_ERROR(place_.Init(init));
    handle_ = IteratorHandle(init.device, place_.container(), place_.name());
    return OkStatus();
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(std::shared_ptr<IteratorResource> iterator,
                        ctx.resources()->LookupOrCreate<IteratorResource>(
                            place_.container(), place_.name(),
                            [this]() -> StatusOr<std::shared_ptr<IteratorResource>> {
                              return std::make_shared<IteratorResource>(spec_);
                            }));
    // Another node may have made the iterator of this name.
    WB_RETURN_IF_ERROR(spec_.CheckCompatible(iterator->spec()));
    place_.Keep(iterator);
    ctx.set_output(0, handle_);
    return OkStatus();
  }

 private:
  ElementSpec spec_;
  IteratorPlace place_;
  Tensor handle_;
};

class AnonymousIteratorKernel final : public Kernel {
 public:
  Status Init(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(spec_, ReadElementSpec(init));
    return OkStatus();
  }
  Status Compute(KernelContext& ctx) override {
    const std::string name = UniqueResourceName("AnonymousIterator");
    WB_RETURN_IF_ERROR(
        ctx.resources()->Create("", name, std::make_shared<IteratorResource>(spec_)));
    ctx.set_output(0, IteratorHandle(ctx.device(), "", name));
    if (ctx.num_outputs() > 1) {
      ctx.set_output(1, Tensor::Scalar<Variant>(Variant::Of<std::string>(name)));
    }
    return OkStatus();
  }

 private:
  ElementSpec spec_;
};

class DeleteIteratorKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<DeleteIteratorKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const ResourceHandle handle, HandleFromTensor(ctx.input(0)));
    return ctx.resources()->Delete(handle);
  }
};

WB_OP("Iterator")
    .Output("handle: resource")
    .Attr("shared_name: string")
    .Attr("container: string")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Stateful()
    .Shape(shapes::Scalar);
WB_OP("IteratorV2")
    .Output("handle: resource")
    .Attr("shared_name: string")
    .Attr("container: string")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Stateful()
    .Shape(shapes::Scalar);
WB_OP("AnonymousIterator")
    .Output("handle: resource")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Stateful()
    .Shape(shapes::Scalar);
WB_OP("AnonymousIteratorV2")
    .Output("handle: resource")
    .Output("deleter: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Stateful()
    .Shape(shapes::Scalar);
WB_OP("AnonymousIteratorV3")
    .Output("handle: resource")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Stateful()
    .Shape(shapes::Scalar);
WB_OP("DeleteIterator")
    .Input("handle: resource")
    .Input("deleter: variant")
    .Stateful()
    .Shape(shapes::NoOutputs);
WB_KERNEL("Iterator", KernelOf<IteratorKernel>).Cpu().Cheap();
WB_KERNEL("IteratorV2", KernelOf<IteratorKernel>).Cpu().Cheap();
WB_KERNEL("AnonymousIterator", KernelOf<AnonymousIteratorKernel>).Cpu().Cheap();
WB_KERNEL("AnonymousIteratorV2", KernelOf<AnonymousIteratorKernel>).Cpu().Cheap();
WB_KERNEL("AnonymousIteratorV3", KernelOf<AnonymousIteratorKernel>).Cpu().Cheap();
WB_KERNEL("DeleteIterator", DeleteIteratorKernel).Cpu();

}  // namespace
}  // namespace warpbeam
