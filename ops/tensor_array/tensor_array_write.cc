// TensorArrayWrite, TensorArrayRead: one element of an array.
#include <utility>

#include "graph/op/op_registry.h"
#include "ops/array/function_kernel.h"
#include "ops/state/same_on_gpu.h"
#include "ops/tensor_array/tensor_array_op.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status RunWrite(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(std::shared_ptr<TensorArray> array, FindInStep<TensorArray>(ctx, 0));
  WB_ASSIGN_OR_RETURN(const int64_t index, ReadElementIndex(ctx.input(1)));
  WB_RETURN_IF_ERROR(array->Write(ctx, {index}, MakeConstSpan(&ctx.input(2), 1)));
  ctx.set_output(0, ctx.input(3));
  return OkStatus();
}

Status RunRead(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(std::shared_ptr<TensorArray> array, FindInStep<TensorArray>(ctx, 0));
  WB_RETURN_IF_ERROR(array->CheckReads(ctx.output_type(0)));
  WB_ASSIGN_OR_RETURN(const int64_t index, ReadElementIndex(ctx.input(1)));
  TensorArray::Elements elements;
  WB_RETURN_IF_ERROR(array->Read(ctx, {index}, &elements));
  return SetToElement(ctx, std::move(elements[0]));
}

Status WriteShape(ShapeContext& c) {
  if (!c.input_handle(0).empty()) {
    WB_RETURN_IF_ERROR(PartialShape::Merge(ElementShapeOfHandle(c), c.input(2)).status());
  }
  return FlowShape(c);
}

Status ReadShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(FlowShape(c));
  c.set_output(0, ElementShapeOfHandle(c));
  return OkStatus();
}

Status WriteGradient(GradContext& c) {
  const OutputRef dflow = c.dy(0);
  const GradientArray g = GradientArrayOf(c, dflow, dflow);
  AttrMap attrs;
  attrs.Set("dtype", c.type(c.x(2)));
  const auto value =
      c.EmitAll(SameGeneration(c, "TensorArrayRead"), {g.handle, c.x(1), g.flow}, attrs);
  if (!value.empty()) c.set_dx(2, value[0]);
  c.set_dx(3, dflow);
  return OkStatus();
}

Status ReadGradient(GradContext& c) {
  const OutputRef dvalue = c.dy(0);
  const GradientArray g = GradientArrayOf(c, c.x(2), dvalue);
  c.set_dx(2, c.Emit(SameGeneration(c, "TensorArrayWrite"), {g.handle, c.x(1), dvalue, g.flow}));
  return OkStatus();
}

#define WB_ARRAY_WRITE(op, handle) \
  WB_OP(op)                        \
      .Effect(StateEffect::kSum)   \
      .Input(handle)               \
      .Input("index: int32")       \
      .Input("value: T")           \
      .Input("flow_in: float")     \
      .Output("flow_out: float")   \
      .Attr("T: type")             \
      .Shape(WriteShape)
WB_ARRAY_WRITE("TensorArrayWrite", "handle: Ref(string)").Deprecated(16, kOldHandles);
WB_ARRAY_WRITE("TensorArrayWriteV2", "handle: string").Deprecated(26, kOldHandles);
WB_ARRAY_WRITE("TensorArrayWriteV3", "handle: resource").Stateful();
#define WB_ARRAY_WRITE_KERNEL(op)                         \
  WB_KERNEL(op, FunctionKernel<RunWrite>)                 \
      .Cpu({{"T", kArrayTypes}})                          \
      .Gpu({{"T", kArrayGpuTypes}})                       \
      .HostMemory({"handle", "index"})                    \
      .Cheap();                                           \
  WB_GPU_KERNEL(op, SameOnGpu<FunctionKernel<RunWrite>>); \
  WB_GRADIENT(op, WriteGradient)
WB_ARRAY_WRITE_KERNEL("TensorArrayWrite");
WB_ARRAY_WRITE_KERNEL("TensorArrayWriteV2");
WB_ARRAY_WRITE_KERNEL("TensorArrayWriteV3");

#define WB_ARRAY_READ(op, handle) \
  WB_OP(op)                       \
      .Effect(StateEffect::kNone) \
      .Input(handle)              \
      .Input("index: int32")      \
      .Input("flow_in: float")    \
      .Output("value: dtype")     \
      .Attr("dtype: type")        \
      .Shape(ReadShape)
WB_ARRAY_READ("TensorArrayRead", "handle: Ref(string)").Deprecated(16, kOldHandles);
WB_ARRAY_READ("TensorArrayReadV2", "handle: string").Deprecated(26, kOldHandles);
WB_ARRAY_READ("TensorArrayReadV3", "handle: resource").Stateful();
#define WB_ARRAY_READ_KERNEL(op)                                 \
  WB_KERNEL(op, FunctionKernel<RunRead>)                         \
      .Cpu({{"dtype", kArrayTypes}})                             \
      .Gpu({{"dtype", kArrayGpuTypes | TypeSet{DType::kInt64}}}) \
      .HostMemory({"handle", "index"})                           \
      .Cheap();                                                  \
  WB_GPU_KERNEL(op, SameOnGpu<FunctionKernel<RunRead>>);         \
  WB_GRADIENT(op, ReadGradient)
WB_ARRAY_READ_KERNEL("TensorArrayRead");
WB_ARRAY_READ_KERNEL("TensorArrayReadV2");
WB_ARRAY_READ_KERNEL("TensorArrayReadV3");

}  // namespace
}  // namespace warpbeam
