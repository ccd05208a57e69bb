// SerializeTensor, ParseTensor: tensors as strings that hold TensorProto messages, and back.
#include "graph/gradients/gradient_registry.h"
#include "graph/io/tensor_io.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "ops/array/kernel_types.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status RunParseTensor(KernelContext& ctx) {
  const Tensor& serialized = ctx.input(0);
  if (serialized.rank() != 0) {
    return InvalidArgument("one serialized tensor must be a scalar, not of shape ",
                           serialized.shape().ToString());
  }
  WB_ASSIGN_OR_RETURN(Tensor value, ParseTensor(serialized.scalar<std::string>()));
  if (value.dtype() != ctx.output_type(0)) {
    return InvalidArgument("Type mismatch between parsed tensor (", DTypeName(value.dtype()),
                           ") and dtype (", DTypeName(ctx.output_type(0)), ")");
  }
  ctx.set_output(0, std::move(value));
  return OkStatus();
}

Status RunSerializeTensor(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(std::string bytes, SerializeTensor(ctx.input(0)));
  ctx.set_output(0, Tensor::Scalar<std::string>(std::move(bytes)));
  return OkStatus();
}

WB_OP("ParseTensor")
    .Input("serialized: string")
    .Output("output: out_type")
    .Attr("out_type: type")
    .Shape(shapes::Unknown);
WB_KERNEL("ParseTensor", FunctionKernel<RunParseTensor>).Cpu();
WB_NO_GRADIENT("ParseTensor");

WB_OP("SerializeTensor")
    .Input("tensor: T")
    .Output("serialized: string")
    .Attr("T: type")
    .Shape(shapes::Scalar);
WB_KERNEL("SerializeTensor", FunctionKernel<RunSerializeTensor>)
    .Cpu({{"T", kPlainTypes | kObjectTypes}});
WB_NO_GRADIENT("SerializeTensor");

}  // namespace
}  // namespace warpbeam
