// NoOp, ControlTrigger: nodes that only order others.
//
// A ControlTrigger runs even after a branch that was not taken; the executor sees to that.
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status DoNothing(KernelContext&) { return OkStatus(); }

WB_OP("NoOp").Role(OpRole::kNothing).Shape(shapes::NoOutputs);
WB_KERNEL("NoOp", FunctionKernel<DoNothing>).Cpu().Gpu().Cheap();

WB_OP("ControlTrigger").Role(OpRole::kTrigger).Shape(shapes::NoOutputs);
WB_KERNEL("ControlTrigger", FunctionKernel<DoNothing>).Cpu().Gpu().Cheap();

}  // namespace
}  // namespace warpbeam
