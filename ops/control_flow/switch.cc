// Switch, _SwitchN, RefSwitch: hand a value to one of several outputs; the others are dead.
//
// The executor marks outputs that a switch leaves empty as dead. Their gradients are in
// graph/gradients/control_flow.cc, since they need the whole graph.
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "ops/array/kernel_types.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status SwitchShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  for (int i = 0; i < c.num_outputs(); ++i) {
    c.set_output(i, c.input(0));
    if (!c.input_handle(0).empty()) c.set_output_handle(i, c.input_handle(0));
  }
  return OkStatus();
}

void PassTo(KernelContext& ctx, int output) {
  if (ctx.input_is_ref(0)) {
    ctx.set_output_ref(output, ctx.input_ref(0));
  } else {
    ctx.set_output(output, ctx.input(0));
  }
}

Status RunSwitch(KernelContext& ctx) {
  const Tensor& pred = ctx.input(1);
  if (pred.rank() != 0) {
    return InvalidArgument("the predicate must be a scalar, not of shape ",
                           pred.shape().ToString());
  }
  PassTo(ctx, *pred.data<bool>() ? 1 : 0);
  return OkStatus();
}

// An index out of range takes the last output, as Case does with its last branch.
Status RunSwitchN(KernelContext& ctx) {
  const Tensor& index = ctx.input(1);
  if (index.rank() != 0) {
    return InvalidArgument("the output index must be a scalar, not of shape ",
                           index.shape().ToString());
  }
  const int32_t i = *index.data<int32_t>();
  PassTo(ctx, i < 0 || i >= ctx.num_outputs() ? ctx.num_outputs() - 1 : i);
  return OkStatus();
}

constexpr TypeSet kCodes = {DType::kQInt32, DType::kQInt8, DType::kQUInt8};

WB_OP("Switch")
    .Role(OpRole::kSwitch)
    .Input("data: T")
    .Input("pred: bool")
    .Output("output_false: T")
    .Output("output_true: T")
    .Attr("T: type")
    .Shape(SwitchShape);
WB_KERNEL("Switch", FunctionKernel<RunSwitch>)
    .Cpu({{"T", kPlainTypes | kObjectTypes | kCodes}})
    .Gpu({{"T", kPlainTypesButInt32 | kCodes | TypeSet{DType::kVariant}}})
    .HostMemory({"pred"})
    .Cheap();
WB_KERNEL("Switch", FunctionKernel<RunSwitch>)
    .Gpu({{"T", kHostedTypes}})
    .HostMemory({"data", "pred", "output_false", "output_true"})
    .Cheap();

WB_OP("_SwitchN")
    .Role(OpRole::kSwitchN)
    .Input("data: T")
    .Input("output_index: int32")
    .Output("outputs: num_outs * T")
    .Attr("num_outs: int >= 1")
    .Attr("T: type")
    .Shape(SwitchShape);
WB_KERNEL("_SwitchN", FunctionKernel<RunSwitchN>)
    .Cpu({{"T", kPlainTypes | kObjectTypes | kCodes}})
    .Gpu({{"T", kPlainTypesButInt32 | kCodes | TypeSet{DType::kVariant}}})
    .HostMemory({"output_index"})
    .Cheap();
WB_KERNEL("_SwitchN", FunctionKernel<RunSwitchN>)
    .Gpu({{"T", kHostedTypes}})
    .HostMemory({"data", "output_index", "outputs"})
    .Cheap();

WB_OP("RefSwitch")
    .Role(OpRole::kSwitch)
    .Input("data: Ref(T)")
    .Input("pred: bool")
    .Output("output_false: Ref(T)")
    .Output("output_true: Ref(T)")
    .Attr("T: type")
    .AllowsUninitializedInput()
    .Shape(SwitchShape);
WB_KERNEL("RefSwitch", FunctionKernel<RunSwitch>)
    .Cpu({{"T", kPlainTypes | kObjectTypes | kCodes}})
    .Gpu({{"T", kPlainTypesButInt32 | kCodes}})
    .HostMemory({"pred"})
    .Cheap();
WB_KERNEL("RefSwitch", FunctionKernel<RunSwitch>)
    .Gpu({{"T", TypeSet{DType::kInt32, DType::kString}}})
    .HostMemory({"data", "pred", "output_false", "output_true"})
    .Cheap();

}  // namespace
}  // namespace warpbeam
