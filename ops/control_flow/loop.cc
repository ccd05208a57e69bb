// Enter, Exit, NextIteration, LoopCond and their reference forms: the frames of v1 loops.
//
// Outside a loop they hand their input on; what makes a loop of them is the executor's business.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "ops/array/kernel_types.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

// Only what stays the same in every iteration keeps its shape for certain.
Status EnterShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(bool is_constant, c.attr<bool>("is_constant"));
  if (!c.input_handle(0).empty()) c.set_output_handle(0, c.input_handle(0));
  if (is_constant) c.set_output(0, c.input(0));
  return OkStatus();
}

Status LoopCondShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(0, 0).status());
  c.set_output(0, PartialShape(Shape()));
  return OkStatus();
}

Status HandOn(KernelContext& ctx) {
  if (ctx.input_is_ref(0)) {
    ctx.set_output_ref(0, ctx.input_ref(0));
  } else {
    ctx.set_output(0, ctx.input(0));
  }
  return OkStatus();
}

WB_OP("Enter")
    .Role(OpRole::kEnter)
    .Input("data: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("frame_name: string")
    .Attr("is_constant: bool = false")
    .Attr("parallel_iterations: int = 10")
    .Shape(EnterShape);
WB_KERNEL("Enter", FunctionKernel<HandOn>)
    .Cpu()
    .Gpu({{"T", kHostedTypes}})
    .HostMemory({"data", "output"})
    .Cheap();
WB_KERNEL("Enter", FunctionKernel<HandOn>)
    .Gpu({{"T", kPlainTypesButInt32 |
                    TypeSet{DType::kQInt32, DType::kQInt8, DType::kQUInt8, DType::kVariant}}})
    .Cheap();

WB_OP("RefEnter")
    .Role(OpRole::kEnter)
    .Input("data: Ref(T)")
    .Output("output: Ref(T)")
    .Attr("T: type")
    .Attr("frame_name: string")
    .Attr("is_constant: bool = false")
    .Attr("parallel_iterations: int = 10")
    .Shape(EnterShape);
WB_KERNEL("RefEnter", FunctionKernel<HandOn>)
    .Cpu()
    .Gpu({{"T", TypeSet{DType::kInt32, DType::kString}}})
    .HostMemory({"data", "output"})
    .Cheap();
WB_KERNEL("RefEnter", FunctionKernel<HandOn>)
    .Gpu({{"T", kPlainTypesButInt32 | TypeSet{DType::kQInt32, DType::kQInt8, DType::kQUInt8}}})
    .Cheap();

WB_OP("Exit")
    .Role(OpRole::kExit)
    .Input("data: T")
    .Output("output: T")
    .Attr("T: type")
    .Shape(shapes::Unchanged);
WB_KERNEL("Exit", FunctionKernel<HandOn>)
    .Cpu()
    .Gpu({{"T", kHostedTypes}})
    .HostMemory({"data", "output"})
    .Cheap();
WB_KERNEL("Exit", FunctionKernel<HandOn>)
    .Gpu({{"T", kPlainTypesButInt32 |
                    TypeSet{DType::kQInt32, DType::kQInt8, DType::kQUInt8, DType::kVariant}}})
    .Cheap();

WB_OP("RefExit")
    .Role(OpRole::kExit)
    .Input("data: Ref(T)")
    .Output("output: Ref(T)")
    .Attr("T: type")
    .Shape(shapes::Unchanged);
WB_KERNEL("RefExit", FunctionKernel<HandOn>)
    .Cpu()
    .Gpu({{"T", kHostedTypes}})
    .HostMemory({"data", "output"})
    .Cheap();
WB_KERNEL("RefExit", FunctionKernel<HandOn>)
    .Gpu({{"T", kPlainTypesButInt32 | TypeSet{DType::kQInt32, DType::kQInt8, DType::kQUInt8}}})
    .Cheap();

WB_OP("NextIteration")
    .Role(OpRole::kNextIteration)
    .Input("data: T")
    .Output("output: T")
    .Attr("T: type")
    .Shape(shapes::Unchanged);
WB_KERNEL("NextIteration", FunctionKernel<HandOn>)
    .Cpu({{"T", kPlainTypes | kObjectTypes}})
    .Gpu({{"T", kHostedTypes}})
    .HostMemory({"data", "output"})
    .Cheap();
WB_KERNEL("NextIteration", FunctionKernel<HandOn>)
    .Gpu({{"T", kPlainTypesButInt32 | TypeSet{DType::kVariant}}})
    .Cheap();

WB_OP("RefNextIteration")
    .Role(OpRole::kNextIteration)
    .Input("data: Ref(T)")
    .Output("output: Ref(T)")
    .Attr("T: type")
    .Shape(shapes::Unchanged);
WB_KERNEL("RefNextIteration", FunctionKernel<HandOn>)
    .Cpu()
    .Gpu({{"T", kHostedTypes}})
    .HostMemory({"data", "output"})
    .Cheap();
WB_KERNEL("RefNextIteration", FunctionKernel<HandOn>)
    .Gpu({{"T", kPlainTypesButInt32 | TypeSet{DType::kVariant}}})
    .Cheap();

WB_OP("LoopCond")
    .Role(OpRole::kLoopCond)
    .Input("input: bool")
    .Output("output: bool")
    .Shape(LoopCondShape);
WB_KERNEL("LoopCond", FunctionKernel<HandOn>).Cpu().Gpu().HostMemory({"input", "output"}).Cheap();

WB_NO_GRADIENT("LoopCond");

}  // namespace
}  // namespace warpbeam
