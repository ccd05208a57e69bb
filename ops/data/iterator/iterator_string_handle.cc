// IteratorToStringHandle, IteratorFromStringHandle and V2: a handle as a string that a placeholder
// can carry, and back.

#include "ops/data/anonymous_resource.h"
#include "ops/data/dataset_kernel.h"
#include "ops/data/iterator/iterator_resource.h"

namespace warpbeam {
namespace {

class IteratorToStringHandleKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<IteratorToStringHandleKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    WB_RETURN_IF_ERROR(FindIterator(ctx, 0).status());
    WB_ASSIGN_OR_RETURN(const ResourceHandle handle, HandleFromTensor(ctx.input(0)));
    ctx.set_output(0, Tensor::Scalar<std::string>(EncodeHandle(handle)));
    return OkStatus();
  }
};

class IteratorFromStringHandleKernel final : public Kernel {
 public:
  Status Init(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(spec_, ReadElementSpec(init));
    return OkStatus();
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const std::string text, ScalarInput<std::string>(ctx, 0, "string_handle"));
    WB_ASSIGN_OR_RETURN(const ResourceHandle handle, DecodeHandle(text));
    WB_ASSIGN_OR_RETURN(std::shared_ptr<IteratorResource> iterator,
                        ctx.resources()->Lookup<IteratorResource>(handle));
    if (!spec_.types.empty()) WB_RETURN_IF_ERROR(spec_.CheckCompatible(iterator->spec()));
    ctx.set_output(0, HandleTensor(handle));
    return OkStatus();
  }

 private:
  ElementSpec spec_;
};

WB_OP("IteratorToStringHandle")
    .Effect(StateEffect::kNone)
    .PassesOn(PassOn::kHandle)
    .Input("resource_handle: resource")
    .Output("string_handle: string")
    .Stateful()
    .Shape(shapes::Scalar);
WB_OP("IteratorFromStringHandle")
    .PassesOn(PassOn::kHandle)
    .Input("string_handle: string")
    .Output("resource_handle: resource")
    .Attr("output_types: list(type) >= 0 = []")
    .Attr("output_shapes: list(shape) >= 0 = []")
    .Stateful()
    .Shape(shapes::Scalar);
WB_OP("IteratorFromStringHandleV2")
    .PassesOn(PassOn::kHandle)
    .Input("string_handle: string")
    .Output("resource_handle: resource")
    .Attr("output_types: list(type) >= 0 = []")
    .Attr("output_shapes: list(shape) >= 0 = []")
    .Stateful()
    .Shape(shapes::Scalar);
WB_KERNEL("IteratorToStringHandle", IteratorToStringHandleKernel).Cpu().Cheap();
WB_KERNEL("IteratorFromStringHandle", KernelOf<IteratorFromStringHandleKernel>).Cpu().Cheap();
WB_KERNEL("IteratorFromStringHandleV2", KernelOf<IteratorFromStringHandleKernel>).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
