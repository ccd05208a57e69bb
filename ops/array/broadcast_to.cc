// BroadcastTo: an array repeated along new dimensions and along those of extent 1.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/index/index_argument.h"
#include "ops/array/kernel_types.h"
#include "ops/array/moving_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/memory/string_memory.h"

namespace warpbeam {
namespace {

Status BroadcastToShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape out, c.ShapeFromInput(1));
  const PartialShape& x = c.input(0);
  if (x.has_rank() && out.has_rank()) {
    if (x.rank() > out.rank()) {
      return InvalidArgument("rank ", x.rank(), " of the input is above that of the shape ",
                             out.ToString());
    }
    const int offset = out.rank() - x.rank();
    for (int i = 0; i < x.rank(); ++i) {
      const int64_t from = x.dim(i), to = out.dim(i + offset);
      if (from > 1 && to >= 0 && from != to) {
        return InvalidArgument("cannot broadcast ", x.ToString(), " to ", out.ToString());
      }
      if (from > 1) out.set_dim(i + offset, from);
    }
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status RunBroadcastTo(KernelContext& ctx, StridedCopier& copier) {
  const Tensor& x = ctx.input(0);
  WB_ASSIGN_OR_RETURN(Shape shape, ReadShape(ctx.input(1), "shape", /*scalar_is_vector=*/true));
  if (x.shape() == shape) {
    ctx.set_output(0, x);
    return OkStatus();
  }
  const int offset = shape.rank() - x.rank();
  if (offset < 0) {
    return InvalidArgument("cannot broadcast ", x.shape().ToString(),
                           " to fewer dimensions: ", shape.ToString());
  }
  const auto from = RowMajorStrides(x.shape());
  const auto to = RowMajorStrides(shape);
  CopyDims dims;
  for (int i = 0; i < shape.rank(); ++i) {
    const int64_t extent = i < offset ? 1 : x.dim(i - offset);
    if (extent != 1 && extent != shape.dim(i)) {
      return InvalidArgument("incompatible shapes: cannot broadcast ", x.shape().ToString(), " to ",
                             shape.ToString());
    }
    dims.push_back({shape.dim(i), extent == 1 ? 0 : from[static_cast<size_t>(i - offset)],
                    to[static_cast<size_t>(i)]});
  }
  WB_RETURN_IF_ERROR(StringMemory::CheckRoomForCopies(x, shape));
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
  return copier.Copy(x.dtype(), y->raw_data(), x.raw_data(), dims);
}

WB_OP("BroadcastTo")
    .Input("input: T")
    .Input("shape: Tidx")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tidx: {int32, int64} = int32")
    .Shape(BroadcastToShape);
WB_KERNEL("BroadcastTo", MovingKernel<FunctionOp<RunBroadcastTo>>)
    .Cpu({{"T", kMovableTypes}})
    .Gpu({{"T",
           kFloatingTypes | kComplexTypes | kFloat8Types | TypeSet{DType::kBool, DType::kInt64}}})
    .HostMemory({"shape"});
WB_KERNEL("BroadcastTo", MovingKernel<FunctionOp<RunBroadcastTo>>)
    .Gpu({{"T", TypeSet{DType::kInt32}}})
    .HostMemory({"input", "shape", "output"});
WB_GPU_KERNEL("BroadcastTo", MovingKernelOnGpu<FunctionOp<RunBroadcastTo>>);

Status BroadcastToGradient(GradContext& c) {
  const OutputRef shape = c.ShapeOf(c.x(0));
  const std::vector<OutputRef> axes =
      c.EmitAll("BroadcastGradientArgs", {shape, c.ShapeOf(c.y(0))});
  if (axes.size() == 2) c.set_dx(0, c.Reshape(c.Emit("Sum", {c.dy(0), axes[0]}), shape));
  return OkStatus();
}
WB_GRADIENT("BroadcastTo", BroadcastToGradient);

}  // namespace
}  // namespace warpbeam
