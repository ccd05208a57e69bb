// Tile: a tensor repeated along its dimensions.
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

Status TileShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape times, c.WithRank(1, 1));
  const PartialShape& x = c.input(0);
  int rank = x.rank();
  if (rank < 0) rank = ShapeContext::RankOfLength(times.dim(0));
  if (rank < 0) return OkStatus();
  if (times.dim(0) >= 0 && times.dim(0) != rank) {
    return InvalidArgument("'multiples' must have one entry for each of ", rank,
                           " dimensions, not ", times.dim(0));
  }
  WB_ASSIGN_OR_RETURN(PartialShape multiples, c.ShapeFromInput(1));
  PartialShape out = PartialShape::UnknownOfRank(rank);
  for (int i = 0; i < rank && x.has_rank() && multiples.rank() == rank; ++i) {
    out.set_dim(i, MultiplyExtents(x.dim(i), multiples.dim(i)));
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status RunTile(KernelContext& ctx, StridedCopier& copier) {
  const Tensor& x = ctx.input(0);
  if (ctx.input(1).rank() != 1) {
    return InvalidArgument("Expected multiples to be 1-D, not of shape ",
                           ctx.input(1).shape().ToString());
  }
  WB_ASSIGN_OR_RETURN(Dims times, ReadIndices(ctx.input(1), "multiples"));
  if (static_cast<int>(times.size()) != x.rank()) {
    return InvalidArgument("Expected multiples argument to be a vector of length ", x.rank(),
                           ", not of ", times.size());
  }
  Dims extents;
  for (int i = 0; i < x.rank(); ++i) {
    int64_t extent;
    if (times[static_cast<size_t>(i)] < 0 ||
        __builtin_mul_overflow(times[static_cast<size_t>(i)], x.dim(i), &extent)) {
      return InvalidArgument("multiples[", i, "] = ", times[static_cast<size_t>(i)],
                             " is negative or too large");
    }
    extents.push_back(extent);
  }
  WB_ASSIGN_OR_RETURN(Shape shape, Shape::Make(extents));
  if (shape == x.shape()) {
    ctx.set_output(0, x);
    return OkStatus();
  }
  WB_RETURN_IF_ERROR(StringMemory::CheckRoomForCopies(x, shape));
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
  const auto from = RowMajorStrides(x.shape());
  const auto to = RowMajorStrides(shape);
  CopyDims dims;
  for (size_t i = 0; i < times.size(); ++i) {
    const int64_t extent = x.dim(static_cast<int>(i));
    dims.push_back({times[i], 0, to[i] * extent});
    dims.push_back({extent, from[i], to[i]});
  }
  return copier.Copy(x.dtype(), y->raw_data(), x.raw_data(), dims);
}

WB_OP("Tile")
    .Input("input: T")
    .Input("multiples: Tmultiples")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tmultiples: {int32, int64} = int32")
    .Shape(TileShape);
WB_KERNEL("Tile", MovingKernel<FunctionOp<RunTile>>)
    .Cpu({{"Tmultiples", kIndexTypes}})
    .Gpu({{"T",
           kFloatingTypes | kComplexTypes | kIndexTypes | TypeSet{DType::kBool, DType::kInt16}},
          {"Tmultiples", kIndexTypes}})
    .HostMemory({"multiples"});
WB_GPU_KERNEL("Tile", MovingKernelOnGpu<FunctionOp<RunTile>>);

// Each extent becomes a pair (times, extent); the sum goes over the times.
Status TileGradient(GradContext& c) {
  const PartialShape& shape = c.shape(c.x(0));
  const DType index = c.type(c.x(1));
  const OutputRef pairs = c.Emit("Pack", {{c.x(1), c.ShapeOf(c.x(0), index)}}, {{"axis", 1}});
  const OutputRef split = c.Folded(c.Reshape(pairs, c.Ints({-1})));
  OutputRef axes;
  if (shape.has_rank()) {
    std::vector<int32_t> even;
    for (int i = 0; i < shape.rank(); ++i) even.push_back(2 * i);
    axes = c.Constant(Tensor::Vector<int32_t>(even));
  } else {
    axes = c.Emit("Range", {c.Scalar<int32_t>(0), c.SizeOf(split), c.Scalar<int32_t>(2)});
  }
  c.set_dx(0, c.Emit("Sum", {c.Reshape(c.dy(0), split), axes}));
  return OkStatus();
}
WB_GRADIENT("Tile", TileGradient);

}  // namespace
}  // namespace warpbeam
