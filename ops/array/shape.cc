// Shape, ShapeN, Size, Rank: what a tensor's shape is, as tensors.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "ops/array/index/index_argument.h"
#include "ops/array/kernel_types.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status ShapesShape(ShapeContext& c) {
  for (int i = 0; i < c.num_inputs(); ++i) {
    c.set_output(i, PartialShape({c.input(i).has_rank() ? c.input(i).rank() : -1}));
  }
  return OkStatus();
}

Status RunShapes(KernelContext& ctx) {
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    const Shape& shape = ctx.input(i).shape();
    WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(i, Shape({shape.rank()})));
    WB_RETURN_IF_ERROR(WriteIndices(shape.dims(), out));
  }
  return OkStatus();
}

Status RunSize(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, Shape()));
  return WriteIndices({ctx.input(0).num_elements()}, out);
}

Status RunRank(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, Shape()));
  return WriteIndices({ctx.input(0).rank()}, out);
}

WB_OP("Shape")
    .ReadsShapesOnly()
    .Input("input: T")
    .Output("output: out_type")
    .Attr("T: type")
    .Attr("out_type: {int32, int64} = int32")
    .Shape(ShapesShape);
WB_KERNEL("Shape", FunctionKernel<RunShapes>)
    .Cpu({{"out_type", kIndexTypes}})
    .Gpu({{"T", TypeSet{DType::kInt32}}, {"out_type", kIndexTypes}})
    .HostMemory({"input", "output"})
    .Cheap();
WB_KERNEL("Shape", FunctionKernel<RunShapes>)
    .Gpu({{"out_type", kIndexTypes},
          {"T", kPlainTypesButInt32 | TypeSet{DType::kString, DType::kVariant}}})
    .HostMemory({"output"})
    .Cheap();

WB_OP("ShapeN")
    .ReadsShapesOnly()
    .Input("input: N * T")
    .Output("output: N * out_type")
    .Attr("N: int >= 1")
    .Attr("T: type")
    .Attr("out_type: {int32, int64} = int32")
    .Shape(ShapesShape);
WB_KERNEL("ShapeN", FunctionKernel<RunShapes>)
    .Cpu({{"out_type", kIndexTypes}})
    .Gpu({{"T", TypeSet{DType::kInt32}}, {"out_type", kIndexTypes}})
    .HostMemory({"input", "output"})
    .Cheap();
WB_KERNEL("ShapeN", FunctionKernel<RunShapes>)
    .Gpu({{"out_type", kIndexTypes}, {"T", kPlainTypesButInt32}})
    .HostMemory({"output"})
    .Cheap();

WB_OP("Size")
    .ReadsShapesOnly()
    .Input("input: T")
    .Output("output: out_type")
    .Attr("T: type")
    .Attr("out_type: {int32, int64} = int32")
    .Shape(shapes::Scalar);
WB_KERNEL("Size", FunctionKernel<RunSize>)
    .Cpu({{"out_type", kIndexTypes}})
    .Gpu({{"T", TypeSet{DType::kInt32}}, {"out_type", kIndexTypes}})
    .HostMemory({"input", "output"})
    .Cheap();
WB_KERNEL("Size", FunctionKernel<RunSize>)
    .Gpu({{"T", kPlainTypesButInt32 | TypeSet{DType::kVariant}}, {"out_type", kIndexTypes}})
    .HostMemory({"output"})
    .Cheap();

WB_OP("Rank")
    .ReadsShapesOnly()
    .Input("input: T")
    .Output("output: int32")
    .Attr("T: type")
    .Shape(shapes::Scalar);
WB_KERNEL("Rank", FunctionKernel<RunRank>)
    .Cpu()
    .Gpu({{"T", TypeSet{DType::kBool, DType::kInt32}}})
    .HostMemory({"input", "output"})
    .Cheap();
WB_KERNEL("Rank", FunctionKernel<RunRank>)
    .Gpu({{"T", kFloatingTypes | kUnsignedTypes | kComplexTypes |
                    TypeSet{DType::kInt16, DType::kInt64, DType::kInt8, DType::kVariant}}})
    .HostMemory({"output"})
    .Cheap();

WB_NO_GRADIENT("Shape");
WB_NO_GRADIENT("ShapeN");
WB_NO_GRADIENT("Size");
WB_NO_GRADIENT("Rank");

}  // namespace
}  // namespace warpbeam
