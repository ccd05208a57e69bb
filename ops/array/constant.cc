// Const: a value that the graph carries.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/kernel_types.h"
#include "runtime/device/device.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status ConstShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(Tensor value, c.attr<Tensor>("value"));
  WB_ASSIGN_OR_RETURN(DType dtype, c.attr<DType>("dtype"));
  if (value.dtype() != dtype) {
    return InvalidArgument("'dtype' is ", DTypeName(dtype), " but 'value' holds ",
                           DTypeName(value.dtype()));
  }
  c.set_output(0, value.shape());
  return OkStatus();
}

// The value is copied to the kernel's device once, and every step shares it.
class ConstKernel final : public Kernel {
 public:
  explicit ConstKernel(Tensor value) : value_(std::move(value)) {}

  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(Tensor value, init.attr<Tensor>("value"));
    WB_ASSIGN_OR_RETURN(DType dtype, init.attr<DType>("dtype"));
    if (value.dtype() != dtype) {
      return InvalidArgument("'dtype' is ", DTypeName(dtype), " but 'value' holds ",
                             DTypeName(value.dtype()));
    }
    const bool on_host = IsHostOnly(dtype) || dtype == DType::kInt32;
    if (init.device != nullptr && init.device->compute_stream() != nullptr && !on_host) {
      WB_ASSIGN_OR_RETURN(Tensor copy,
                          Tensor::Allocate(dtype, value.shape(), init.device->allocator()));
      Stream* stream = init.device->compute_stream();
      WB_RETURN_IF_ERROR(stream->Copy(copy.raw_data(), value.raw_data(), value.bytes()));
      WB_RETURN_IF_ERROR(stream->Synchronize());
      value = std::move(copy);
    }
    return std::make_unique<ConstKernel>(std::move(value));
  }

  Status Compute(KernelContext& ctx) override {
    ctx.set_output(0, value_);
    return OkStatus();
  }

 private:
  const Tensor value_;
};

WB_OP("Const")
    .Role(OpRole::kConstant)
    .Output("output: dtype")
    .Attr("value: tensor")
    .Attr("dtype: type")
    .Shape(ConstShape);
WB_KERNEL("Const", ConstKernel)
    .Cpu()
    .Gpu({{"dtype", kPlainTypesButInt32 | kQuantizedTypes | TypeSet{DType::kVariant}}})
    .Cheap();
WB_KERNEL("Const", ConstKernel)
    .Gpu({{"dtype", TypeSet{DType::kInt32}}})
    .HostMemory({"output"})
    .Cheap();

WB_NO_GRADIENT("Const");

}  // namespace
}  // namespace warpbeam
