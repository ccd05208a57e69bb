// DebugGradientIdentity, DebugGradientRefIdentity: identities under a name of their own, by which
// TensorFlow's debugger finds where a gradient comes through.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "ops/array/kernel_types.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status HandOn(KernelContext& ctx) {
  if (ctx.input_is_ref(0)) {
    ctx.set_output_ref(0, ctx.input_ref(0));
  } else {
    ctx.set_output(0, ctx.input(0));
  }
  return OkStatus();
}

WB_OP("DebugGradientIdentity")
    .PassesOn(PassOn::kValue)
    .Input("input: T")
    .Output("output: T")
    .Attr("T: type")
    .AllowsUninitializedInput()
    .Shape(shapes::Unchanged);
WB_KERNEL("DebugGradientIdentity", FunctionKernel<HandOn>)
    .Cpu()
    .Gpu({{"T", kPlainTypesButInt32 | TypeSet{DType::kVariant}}})
    .Cheap();

WB_OP("DebugGradientRefIdentity")
    .PassesOn(PassOn::kValue)
    .Input("input: Ref(T)")
    .Output("output: Ref(T)")
    .Attr("T: type")
    .AllowsUninitializedInput()
    .Shape(shapes::Unchanged);
WB_KERNEL("DebugGradientRefIdentity", FunctionKernel<HandOn>).Cpu().Cheap();

Status HandBack(GradContext& c) {
  c.set_dx(0, c.dy_value(0));  // slices stay slices
  return OkStatus();
}
WB_GRADIENT("DebugGradientIdentity", HandBack);
WB_GRADIENT("DebugGradientRefIdentity", HandBack);

}  // namespace
}  // namespace warpbeam
