// Merge, RefMerge: hand on the one input that is alive, and say which it was.
//
// The executor runs a merge when all its inputs have arrived and at least one is alive. Gradients
// are in graph/gradients/control_flow.cc.
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "ops/array/kernel_types.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

// What all inputs have in common.
PartialShape CommonShape(const ShapeContext& c) {
  PartialShape common = c.input(0);
  for (int i = 1; i < c.num_inputs() && common.has_rank(); ++i) {
    const PartialShape& in = c.input(i);
    if (!in.has_rank() || in.rank() != common.rank()) return PartialShape();
    for (int d = 0; d < in.rank(); ++d) {
      if (in.dim(d) != common.dim(d)) common.set_dim(d, -1);
    }
  }
  return common;
}

Status MergeShape(ShapeContext& c) {
  if (c.num_inputs() > 0) c.set_output(0, CommonShape(c));
  c.set_output(1, PartialShape(Shape()));
  return OkStatus();
}

Status RunMerge(KernelContext& ctx) {
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    const bool is_ref = ctx.input_is_ref(i);
    if (ctx.input_is_dead(i) || (!is_ref && !ctx.input(i).has_value())) continue;
    WB_ASSIGN_OR_RETURN(Tensor * index, ctx.Allocate(1, Shape()));
    *index->data<int32_t>() = i;
    if (is_ref) {
      ctx.set_output_ref(0, ctx.input_ref(i));
    } else {
      ctx.set_output(0, ctx.input(i));
    }
    return OkStatus();
  }
  return Internal("a merge ran without an input that is alive");
}

constexpr TypeSet kOnGpu =
    kPlainTypesButInt32 | TypeSet{DType::kQInt32, DType::kQInt8, DType::kQUInt8};

WB_OP("Merge")
    .Role(OpRole::kMerge)
    .Input("inputs: N * T")
    .Output("output: T")
    .Output("value_index: int32")
    .Attr("T: type")
    .Attr("N: int >= 1")
    .Shape(MergeShape);
WB_KERNEL("Merge", FunctionKernel<RunMerge>)
    .Cpu()
    .Gpu({{"T", kOnGpu | TypeSet{DType::kVariant}}})
    .HostMemory({"value_index"})
    .Cheap();
WB_KERNEL("Merge", FunctionKernel<RunMerge>)
    .Gpu({{"T", kHostedTypes}})
    .HostMemory({"inputs", "output", "value_index"})
    .Cheap();

WB_OP("RefMerge")
    .Role(OpRole::kMerge)
    .Input("inputs: Ref(N * T)")
    .Output("output: Ref(T)")
    .Output("value_index: int32")
    .Attr("T: type")
    .Attr("N: int >= 1")
    .Shape(MergeShape);
WB_KERNEL("RefMerge", FunctionKernel<RunMerge>)
    .Cpu()
    .Gpu({{"T", kOnGpu}})
    .HostMemory({"value_index"})
    .Cheap();
WB_KERNEL("RefMerge", FunctionKernel<RunMerge>)
    .Gpu({{"T", kHostedTypes}})
    .HostMemory({"inputs", "output", "value_index"})
    .Cheap();

}  // namespace
}  // namespace warpbeam
