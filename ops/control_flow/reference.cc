// RefIdentity, RefSelect: references to variables, handed on or chosen; and _ValueAsReference, a
// value in a reference's place.
//
//   _ValueAsReference: input: T -> output: Ref(T)
//
// Whoever reads the output gets the value. It is made by graph/passes/late_reads.h for what meets
// references in a RefMerge; nothing ever updates such a reference.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "ops/array/hand_on_kernel.h"
#include "ops/array/kernel_types.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status RefSelectShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(0, 0).status());
  for (int i = 2; i < c.num_inputs(); ++i) {
    if (!c.input(i).IsFullyDefined() || c.input(i) != c.input(1)) return OkStatus();
  }
  c.set_output(0, c.input(1));
  return OkStatus();
}

void PassReference(KernelContext& ctx, int input) {
  if (ctx.input_is_ref(input)) {
    ctx.set_output_ref(0, ctx.input_ref(input));
  } else {
    ctx.set_output(0, ctx.input(input));
  }
}

Status RunRefIdentity(KernelContext& ctx) {
  PassReference(ctx, 0);
  return OkStatus();
}

Status RunRefSelect(KernelContext& ctx) {
  const Tensor& index = ctx.input(0);
  if (index.rank() != 0) {
    return InvalidArgument("the index must be a scalar, not of shape ", index.shape().ToString());
  }
  const int32_t i = *index.data<int32_t>();
  if (i < 0 || i >= ctx.num_inputs() - 1) {
    return InvalidArgument("the index must be in [0, ", ctx.num_inputs() - 1, "), it is ", i);
  }
  PassReference(ctx, i + 1);
  return OkStatus();
}

WB_OP("RefIdentity")
    .PassesOn(PassOn::kValue)
    .Role(OpRole::kHandOn)
    .Input("input: Ref(T)")
    .Output("output: Ref(T)")
    .Attr("T: type")
    .AllowsUninitializedInput()
    .Shape(shapes::Unchanged);
WB_KERNEL("RefIdentity", FunctionKernel<RunRefIdentity>)
    .Cpu()
    .Gpu({{"T", kPlainTypesButInt32 | TypeSet{DType::kVariant}}})
    .Cheap();
WB_KERNEL("RefIdentity", FunctionKernel<RunRefIdentity>)
    .Gpu({{"T", kHostedTypes}})
    .HostMemory({"input", "output"})
    .Cheap();

WB_OP("RefSelect")
    .PassesOn(PassOn::kOneOf)
    .Input("index: int32")
    .Input("inputs: Ref(N * T)")
    .Output("output: Ref(T)")
    .Attr("T: type")
    .Attr("N: int >= 1")
    .Shape(RefSelectShape);
WB_KERNEL("RefSelect", FunctionKernel<RunRefSelect>)
    .Cpu({{"T", kPlainTypes | kObjectTypes}})
    .HostMemory({"index"})
    .Cheap();

Status HandOnValue(KernelContext& ctx, const Nothing&) {
  PassReference(ctx, 0);
  return OkStatus();
}

WB_OP("_ValueAsReference")
    .Input("input: T")
    .Output("output: Ref(T)")
    .Attr("T: type")
    .Shape(shapes::Unchanged);
WB_KERNEL("_ValueAsReference", HandOnKernel<FunctionOp<HandOnValue>>)
    .Cpu()
    .Gpu({{"T", kPlainTypesButInt32 | TypeSet{DType::kVariant}}})
    .Cheap();
WB_GPU_KERNEL("_ValueAsReference", HandOnKernelOnGpu<FunctionOp<HandOnValue>>);
WB_KERNEL("_ValueAsReference", HandOnKernel<FunctionOp<HandOnValue>>)
    .Gpu({{"T", kHostedTypes}})
    .HostMemory({"input", "output"})
    .Cheap();

Status HandBack(GradContext& c) {
  c.set_dx(0, c.dy_value(0));
  return OkStatus();
}
WB_GRADIENT("RefIdentity", HandBack);

}  // namespace
}  // namespace warpbeam
