// MultiDeviceIteratorToStringHandle and MultiDeviceIteratorFromStringHandle: a handle as a string
// that a placeholder can carry, and back.

#include "ops/data/anonymous_resource.h"
#include "ops/data/dataset_kernel.h"
#include "ops/data/iterator/multi_device_iterator_resource.h"

namespace warpbeam {
namespace {

class ToStringHandleKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<ToStringHandleKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    WB_RETURN_IF_ERROR(FindMultiDeviceIterator(ctx, 0).status());
    WB_ASSIGN_OR_RETURN(const ResourceHandle handle, HandleFromTensor(ctx.input(0)));
    ctx.set_output(0, Tensor::Scalar<std::string>(EncodeHandle(handle)));
    return OkStatus();
  }
};

class FromStringHandleKernel final : public Kernel {
 public:
  Status Init(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(spec_, ReadElementSpec(init));
    return OkStatus();
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const std::string text, ScalarInput<std::string>(ctx, 0, "string_handle"));
    WB_ASSIGN_OR_RETURN(const ResourceHandle handle, DecodeHandle(text));
    WB_ASSIGN_OR_RETURN(auto iterator,
                        ctx.resources()->Lookup<MultiDeviceIteratorResource>(handle));
    if (!spec_.types.empty()) WB_RETURN_IF_ERROR(spec_.CheckCompatible(iterator->spec()));
    ctx.set_output(0, HandleTensor(handle));
    return OkStatus();
  }

 private:
  ElementSpec spec_;
};

WB_OP("MultiDeviceIteratorToStringHandle")
    .Effect(StateEffect::kNone)
    .PassesOn(PassOn::kHandle)
    .Input("multi_device_iterator: resource")
    .Output("string_handle: string")
    .Stateful()
    .Shape(shapes::Scalar);
WB_OP("MultiDeviceIteratorFromStringHandle")
    .PassesOn(PassOn::kHandle)
    .Input("string_handle: string")
    .Output("multi_device_iterator: resource")
    .Attr("output_types: list(type) >= 0 = []")
    .Attr("output_shapes: list(shape) >= 0 = []")
    .Stateful()
    .Shape(shapes::Scalar);
WB_KERNEL("MultiDeviceIteratorToStringHandle", ToStringHandleKernel).Cpu().Cheap();
WB_KERNEL("MultiDeviceIteratorFromStringHandle", KernelOf<FromStringHandleKernel>).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
