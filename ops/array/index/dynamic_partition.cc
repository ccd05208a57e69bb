// DynamicPartition: the slices of a tensor dealt out to several outputs.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "ops/array/index/index_argument.h"
#include "ops/array/index/partitions.h"
#include "ops/array/kernel_types.h"
#include "ops/array/strided_copy.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status DynamicPartitionShape(ShapeContext& c) {
  const PartialShape& data = c.input(0);
  const PartialShape& partitions = c.input(1);
  if (!data.has_rank() || !partitions.has_rank()) return OkStatus();
  bool fits = partitions.rank() <= data.rank();
  for (int i = 0; fits && i < partitions.rank(); ++i) {
    fits = MergeExtents(data.dim(i), partitions.dim(i)).ok();
  }
  if (!fits) {
    return InvalidArgument("data of shape ", data.ToString(),
                           " must begin with the shape of partitions: ", partitions.ToString());
  }
  std::vector<int64_t> dims(data.dims().begin() + partitions.rank(), data.dims().end());
  dims.insert(dims.begin(), -1);
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, PartialShape(dims));
  return OkStatus();
}

Status RunDynamicPartition(KernelContext& ctx) {
  const Tensor& data = ctx.input(0);
  const Tensor& partitions = ctx.input(1);
  WB_RETURN_IF_ERROR(CheckPartitionedShapes(data, partitions));
  const int count = ctx.num_outputs();
  WB_RETURN_IF_ERROR(CheckPartitions(partitions, count));
  const int32_t* to = partitions.data<int32_t>();
  std::vector<int64_t> sizes(static_cast<size_t>(count));
  for (int64_t i = 0; i < partitions.num_elements(); ++i) ++sizes[static_cast<size_t>(to[i])];
  std::vector<void*> at;
  for (int i = 0; i < count; ++i) {
    WB_ASSIGN_OR_RETURN(const Shape shape,
                        PartitionShape(data, partitions, sizes[static_cast<size_t>(i)]));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(i, shape));
    at.push_back(y->raw_data());
  }
  const int64_t width = ElementsOf(data.shape(), partitions.rank(), data.rank());
  const void* from = data.raw_data();
  for (int64_t i = 0; i < partitions.num_elements(); ++i) {
    void*& out = at[static_cast<size_t>(to[i])];
    CopyElements(data.dtype(), out, from, width);
    out = Advance(out, data.dtype(), width);
    from = Advance(from, data.dtype(), width);
  }
  return OkStatus();
}

WB_OP("DynamicPartition")
    .Input("data: T")
    .Input("partitions: int32")
    .Output("outputs: num_partitions * T")
    .Attr("num_partitions: int >= 1")
    .Attr("T: type")
    .Shape(DynamicPartitionShape);
WB_KERNEL("DynamicPartition", FunctionKernel<RunDynamicPartition>)
    .Cpu({{"T", kPlainTypes | kObjectTypes}})
    .Gpu({{"T", kFloatingTypes | kComplexTypes | kIndexTypes}});

// Numbers the elements, partitions the numbers likewise, and puts the gradients back by them.
Status DynamicPartitionGradient(GradContext& c) {
  const OutputRef shape = c.ShapeOf(c.x(1));
  const OutputRef numbers = c.Reshape(
      c.Emit("Range", {c.Scalar<int32_t>(0), c.SizeOf(c.x(1)), c.Scalar<int32_t>(1)}), shape);
  AttrMap attrs;
  attrs.Set("num_partitions", c.num_outputs());
  const std::vector<OutputRef> places = c.EmitAll("DynamicPartition", {numbers, c.x(1)}, attrs);
  std::vector<OutputRef> parts;
  for (int i = 0; i < c.num_outputs(); ++i) parts.push_back(c.dy(i));
  const OutputRef joined = c.Emit("ParallelDynamicStitch", {NodeInput(places), NodeInput(parts)});
  c.set_dx(0, c.ReshapeLike(joined, c.x(0)));
  return OkStatus();
}
WB_GRADIENT("DynamicPartition", DynamicPartitionGradient);

}  // namespace
}  // namespace warpbeam
