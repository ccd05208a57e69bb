// DynamicStitch, ParallelDynamicStitch: slices of several tensors put together by index.
#include <algorithm>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "ops/array/index/index_argument.h"
#include "ops/array/index/stitch.h"
#include "ops/array/kernel_types.h"
#include "ops/array/strided_copy.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status DynamicStitchShape(ShapeContext& c) {
  const int n = c.num_inputs() / 2;
  PartialShape rest;
  int64_t rows = 0;
  for (int i = 0; i < n; ++i) {
    const PartialShape& indices = c.input(i);
    const PartialShape& data = c.input(n + i);
    if (const std::optional<Tensor> constant = c.ConstantInput(i)) {
      WB_ASSIGN_OR_RETURN(Dims values, ReadIndices(*constant, "indices"));
      for (int64_t v : values) rows = rows < 0 ? -1 : std::max(rows, v + 1);
    } else {
      rows = -1;
    }
    if (!indices.has_rank() || !data.has_rank()) continue;
    if (indices.rank() > data.rank()) {
      return InvalidArgument("data[", i, "] of shape ", data.ToString(),
                             " must begin with the shape of indices[", i,
                             "]: ", indices.ToString());
    }
    const PartialShape slice(
        std::vector<int64_t>(data.dims().begin() + indices.rank(), data.dims().end()));
    WB_ASSIGN_OR_RETURN(rest, PartialShape::Merge(rest, slice));
  }
  if (!rest.has_rank()) return OkStatus();
  std::vector<int64_t> dims = rest.dims();
  dims.insert(dims.begin(), rows);
  c.set_output(0, PartialShape(std::move(dims)));
  return OkStatus();
}

Status RunDynamicStitch(KernelContext& ctx) {
  const int n = ctx.num_inputs() / 2;
  WB_ASSIGN_OR_RETURN(Shape shape, StitchedShape(ctx));
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
  // Rows that no index names are zero rather than whatever the memory held.
  ZeroRange(ctx, y->dtype(), y->raw_data(), y->num_elements());
  const int64_t width = ElementsOf(shape, 1, shape.rank());
  for (int i = 0; i < n; ++i) {
    WB_ASSIGN_OR_RETURN(Dims rows, ReadIndices(ctx.input(i), "indices"));
    const void* from = ctx.input(n + i).raw_data();
    for (int64_t row : rows) {
      CopyElements(y->dtype(), Advance(y->raw_data(), y->dtype(), row * width), from, width);
      from = Advance(from, y->dtype(), width);
    }
  }
  return OkStatus();
}

WB_OP("DynamicStitch")
    .Input("indices: N * int32")
    .Input("data: N * T")
    .Output("merged: T")
    .Attr("N: int >= 1")
    .Attr("T: type")
    .Shape(DynamicStitchShape);
WB_KERNEL("DynamicStitch", FunctionKernel<RunDynamicStitch>)
    .Cpu({{"T", kPlainTypes | TypeSet{DType::kQInt32, DType::kQInt8, DType::kQUInt8, DType::kString,
                                      DType::kVariant}}})
    .Gpu({{"T", kFloatingTypes | kComplexTypes | kIndexTypes}})
    .HostMemory({"indices"});

WB_OP("ParallelDynamicStitch")
    .Input("indices: N * int32")
    .Input("data: N * T")
    .Output("merged: T")
    .Attr("N: int >= 1")
    .Attr("T: type")
    .Shape(DynamicStitchShape);
WB_KERNEL("ParallelDynamicStitch", FunctionKernel<RunDynamicStitch>)
    .Cpu({{"T", kPlainTypes | TypeSet{DType::kQInt32, DType::kQInt8, DType::kQUInt8, DType::kString,
                                      DType::kVariant}}})
    .Gpu({{"T", kFloatingTypes | kComplexTypes | kIndexTypes}})
    .HostMemory({"indices", "data", "merged"});

Status DynamicStitchGradient(GradContext& c) {
  const int count = c.num_inputs() / 2;
  for (int i = 0; i < count; ++i) {
    c.set_dx(count + i, c.Emit("GatherV2", {c.dy(0), c.x(i), c.Scalar<int32_t>(0)}));
  }
  return OkStatus();
}
WB_GRADIENT("DynamicStitch", DynamicStitchGradient);
WB_GRADIENT("ParallelDynamicStitch", DynamicStitchGradient);

}  // namespace
}  // namespace warpbeam
