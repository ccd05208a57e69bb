// ReadVariableOp, VariableShape: a resource variable's value, or its shape.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/index/index_argument.h"
#include "ops/array/kernel_types.h"
#include "ops/state/same_on_gpu.h"
#include "ops/state/variable_access.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status ReadShape(ShapeContext& c) {
  if (c.input_handle(0).empty()) return OkStatus();
  const HandleShape& handle = c.input_handle(0)[0];
  WB_ASSIGN_OR_RETURN(DType dtype, c.attr<DType>("dtype"));
  if (handle.dtype != dtype) {
    return InvalidArgument("a variable of ", DTypeName(handle.dtype), " cannot be read as ",
                           DTypeName(dtype));
  }
  c.set_output(0, handle.shape);
  return OkStatus();
}

Status VariableShapeShape(ShapeContext& c) {
  const HandleShapes& handle = c.input_handle(0);
  c.set_output(0, PartialShape({handle.empty() ? -1 : handle[0].shape.rank()}));
  return OkStatus();
}

class ReadVariableKernel final : public Kernel {
 public:
  explicit ReadVariableKernel(DType dtype) : dtype_(dtype) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(DType dtype, init.attr<DType>("dtype"));
    return std::make_unique<ReadVariableKernel>(dtype);
  }
  Status Compute(KernelContext& ctx) override {
    auto v = finder_.Find(ctx, 0);
    if (IsNotFound(v.status())) {
      WB_ASSIGN_OR_RETURN(const ResourceHandle* h, HandleInput(ctx, 0));
      return FailedPrecondition("Could not find variable ", h->name,
                                ": it is uninitialized or has been destroyed, Resource ",
                                h->container.empty() ? "localhost" : h->container, "/", h->name,
                                "/variable does not exist; run its initializer first");
    }
    WB_RETURN_IF_ERROR(v.status());
    WB_ASSIGN_OR_RETURN(Tensor value, (*v)->ReadInitialized());
    if (value.dtype() != dtype_) {
      return InvalidArgument("the variable '", (*v)->name(), "' holds ", DTypeName(value.dtype()),
                             ", not ", DTypeName(dtype_));
    }
    ctx.set_output(0, std::move(value));
    return OkStatus();
  }

 private:
  const DType dtype_;
  VariableFinder finder_;
};

class VariableShapeKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<VariableShapeKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(std::shared_ptr<Variable> v, finder_.Find(ctx, 0));
    WB_ASSIGN_OR_RETURN(Tensor value, v->ReadInitialized());
    WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, Shape({value.rank()})));
    return WriteIndices(value.shape().dims(), out);
  }

 private:
  VariableFinder finder_;
};

WB_OP("ReadVariableOp")
    .Effect(StateEffect::kRead)
    .Input("resource: resource")
    .Output("value: dtype")
    .Attr("dtype: type")
    .Stateful()
    .Shape(ReadShape);
WB_KERNEL("ReadVariableOp", ReadVariableKernel).Cpu().Gpu().HostMemory({"resource"}).Cheap();
WB_GPU_KERNEL("ReadVariableOp", ReplayedOnGpu<ReadVariableKernel>);

WB_OP("VariableShape")
    .Effect(StateEffect::kNone)
    .Input("input: resource")
    .Output("output: out_type")
    .Attr("out_type: {int32, int64} = int32")
    .Stateful()
    .Shape(VariableShapeShape);
WB_KERNEL("VariableShape", VariableShapeKernel)
    .Cpu({{"out_type", kIndexTypes}})
    .Gpu({{"out_type", kIndexTypes}})
    .HostMemory({"output", "input"})
    .Cheap();

Status HandBack(GradContext& c) {
  c.set_dx(0, c.dy_value(0));
  return OkStatus();
}
WB_GRADIENT("ReadVariableOp", HandBack);
WB_NO_GRADIENT("VariableShape");

}  // namespace
}  // namespace warpbeam
