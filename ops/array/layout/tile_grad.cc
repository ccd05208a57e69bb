// TileGrad: the sum over the repetitions, what Tile's gradient was before sums over axes.
#include "ops/array/layout/tile_grad.h"

#include <algorithm>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "ops/array/index/index_argument.h"
#include "ops/array/kernel_types.h"
#include "ops/array/strided_copy.h"
#include "ops/launch/dispatch.h"
#include "ops/launch/math.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {

StatusOr<Shape> RepeatedShape(const KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  WB_ASSIGN_OR_RETURN(const Dims times, ReadIndices(ctx.input(1), "multiples"));
  if (ctx.input(1).rank() > 1 || static_cast<int>(times.size()) != x.rank()) {
    return InvalidArgument("'multiples' must be a vector of one entry for each of ", x.rank(),
                           " dimensions, not of shape ", ctx.input(1).shape().ToString());
  }
  Dims extents;
  for (int i = 0; i < x.rank(); ++i) {
    const int64_t n = times[static_cast<size_t>(i)];
    if (n <= 0 || x.dim(i) % n != 0) {
      return InvalidArgument("multiples[", i, "] must be positive and divide extent ", x.dim(i),
                             ", but is ", n);
    }
    extents.push_back(x.dim(i) / n);
  }
  return Shape::Make(extents);
}

namespace {

Status TileGradShape(ShapeContext& c) {
  if (c.input(0).has_rank()) {
    c.set_output(0, PartialShape::UnknownOfRank(c.input(0).rank()));
  }
  return OkStatus();
}

// Adds each element of the repetitions to its own one.
template <typename T>
void SumTiles(const Tensor& x, const Shape& shape, T* out) {
  const T* from = x.data<T>();
  const auto strides = RowMajorStrides(shape);
  const int rank = shape.rank(), last = rank - 1;
  Dims at(static_cast<size_t>(rank), 0);
  std::fill_n(out, shape.num_elements(), T(0));
  for (int64_t row = 0, rows = x.num_elements() / x.dim(last); row < rows; ++row) {
    int64_t to = 0;
    for (int d = 0; d < last; ++d) {
      to += at[static_cast<size_t>(d)] % shape.dim(d) * strides[static_cast<size_t>(d)];
    }
    for (int64_t i = 0; i < x.dim(last); ++i) {
      T& y = out[to + i % shape.dim(last)];
      y = host_pass::Plus(y, *from++);
    }
    for (int d = last - 1; d >= 0 && ++at[static_cast<size_t>(d)] == x.dim(d); --d) {
      at[static_cast<size_t>(d)] = 0;
    }
  }
}

Status RunTileGrad(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  WB_ASSIGN_OR_RETURN(const Shape shape, RepeatedShape(ctx));
  if (shape == x.shape()) {
    ctx.set_output(0, x);
    return OkStatus();
  }
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
  if (x.num_elements() == 0) return OkStatus();
  return DispatchTypes(NumberTypeList{}, x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    SumTiles(x, shape, y->data<T>());
    return OkStatus();
  });
}

WB_OP("TileGrad")
    .Input("input: T")
    .Input("multiples: int32")
    .Output("output: T")
    .Attr("T: type")
    .Deprecated(3, "use sums over axes")
    .Shape(TileGradShape);
WB_KERNEL("TileGrad", FunctionKernel<RunTileGrad>)
    .Cpu()
    .Gpu({{"T", kFloatingTypes | kComplexTypes | kIndexTypes | TypeSet{DType::kInt16}}})
    .HostMemory({"multiples"});

}  // namespace
}  // namespace warpbeam
