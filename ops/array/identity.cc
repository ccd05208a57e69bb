// Ops that hand their inputs on: Identity and its kin. They share buffers, all but DeepCopy.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "ops/array/kernel_types.h"
#include "ops/array/moving_kernel.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status PassAllShape(ShapeContext& c) {
  for (int i = 0; i < c.num_inputs(); ++i) {
    c.set_output(i, c.input(i));
    c.set_output_handle(i, c.input_handle(i));
  }
  return OkStatus();
}

Status PassAll(KernelContext& ctx) {
  for (int i = 0; i < ctx.num_inputs(); ++i) ctx.set_output(i, ctx.input(i));
  return OkStatus();
}

Status PassConstant(KernelContext& ctx) {
  if (ctx.input(0).dtype() == DType::kResource) {
    return InvalidArgument(
        "Input tensor cannot be a resource variable handle: what it names may change");
  }
  return PassAll(ctx);
}

Status CopyInput(KernelContext& ctx, StridedCopier& copier) {
  const Tensor& x = ctx.input(0);
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
  return copier.Copy(x.dtype(), y->raw_data(), x.raw_data(), {{x.num_elements(), 1, 1}});
}

WB_OP("Identity")
    .PassesOn(PassOn::kValue)
    .Role(OpRole::kHandOn)
    .Input("input: T")
    .Output("output: T")
    .Attr("T: type")
    .Shape(PassAllShape);
WB_KERNEL("Identity", FunctionKernel<PassAll>)
    .Cpu()
    .Gpu({{"T", kHostedTypes}})
    .HostMemory({"input", "output"})
    .Cheap();
WB_KERNEL("Identity", FunctionKernel<PassAll>)
    .Gpu({{"T", kPlainTypesButInt32 | TypeSet{DType::kVariant}}})
    .Cheap();

WB_OP("IdentityN")
    .PassesOn(PassOn::kEach)
    .Input("input: T")
    .Output("output: T")
    .Attr("T: list(type) >= 1")
    .Shape(PassAllShape);
WB_KERNEL("IdentityN", FunctionKernel<PassAll>).Cpu().Gpu().Cheap();

WB_OP("StopGradient")
    .PassesOn(PassOn::kValue)
    .Input("input: T")
    .Output("output: T")
    .Attr("T: type")
    .Shape(PassAllShape);
WB_KERNEL("StopGradient", FunctionKernel<PassAll>)
    .Cpu()
    .Gpu({{"T", kHostedTypes}})
    .HostMemory({"input", "output"})
    .Cheap();
WB_KERNEL("StopGradient", FunctionKernel<PassAll>)
    .Gpu({{"T", kPlainTypesButInt32 | TypeSet{DType::kVariant}}})
    .Cheap();

WB_OP("PreventGradient")
    .PassesOn(PassOn::kValue)
    .Input("input: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("message: string = ''")
    .Shape(PassAllShape);
WB_KERNEL("PreventGradient", FunctionKernel<PassAll>)
    .Cpu()
    .Gpu({{"T", kPlainTypesButInt32 | TypeSet{DType::kVariant}}})
    .Cheap();

WB_OP("Snapshot")
    .PassesOn(PassOn::kValue)
    .Input("input: T")
    .Output("output: T")
    .Attr("T: type")
    .Shape(PassAllShape);
WB_KERNEL("Snapshot", FunctionKernel<PassAll>)
    .Cpu({{"T", kPlainTypes}})
    .Gpu({{"T", kPlainTypes}})
    .Cheap();

WB_OP("GuaranteeConst")
    .PassesOn(PassOn::kValue)
    .Input("input: T")
    .Output("output: T")
    .Attr("T: type")
    .Stateful()
    .Shape(PassAllShape);
WB_KERNEL("GuaranteeConst", FunctionKernel<PassConstant>).Cpu().Cheap();

WB_OP("DeepCopy").Input("x: T").Output("y: T").Attr("T: type").Stateful().Shape(PassAllShape);
WB_KERNEL("DeepCopy", MovingKernel<FunctionOp<CopyInput>>)
    .Cpu()
    .Gpu({{"T",
           kFloatingTypes | TypeSet{DType::kInt64, DType::kInt8, DType::kUInt64, DType::kUInt8}}});
WB_KERNEL("DeepCopy", MovingKernel<FunctionOp<CopyInput>>)
    .Gpu({{"T", TypeSet{DType::kInt32}}})
    .HostMemory({"x", "y"});
WB_GPU_KERNEL("DeepCopy", MovingKernelOnGpu<FunctionOp<CopyInput>>);

// Slices stay slices.
Status HandBackAll(GradContext& c) {
  for (int i = 0; i < c.num_outputs(); ++i) c.set_dx(i, c.dy_value(i));
  return OkStatus();
}
WB_GRADIENT("Identity", HandBackAll);
WB_GRADIENT("IdentityN", HandBackAll);
WB_NO_GRADIENT("StopGradient");

Status RefuseGradient(GradContext& c) {
  return InvalidArgument("the graph forbids gradients here: ",
                         c.attr_or<std::string>("message", "no reason is given"));
}
WB_GRADIENT("PreventGradient", RefuseGradient);

}  // namespace
}  // namespace warpbeam
