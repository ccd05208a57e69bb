// SparseSoftmax: over the elements that each innermost row of a sparse tensor has.
#include <cmath>
#include <numeric>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/array/function_kernel.h"
#include "ops/launch/dispatch.h"
#include "ops/sparse/sparse_tensor.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status SoftmaxShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(SparseInputShape(c, 0).status());
  WB_ASSIGN_OR_RETURN(PartialShape values, c.WithRank(1, 1));
  WB_ASSIGN_OR_RETURN(const PartialShape indices, c.WithRank(0, 2));
  WB_ASSIGN_OR_RETURN(const int64_t count, MergeExtents(values.dim(0), indices.dim(0)));
  c.set_output(0, PartialShape({count}));
  return OkStatus();
}

template <typename T>
void Normalize(const T* x, size_t count, T* y) {
  using C = ComputeType<T>;
  C largest = static_cast<C>(x[0]), sum = 0;
  for (size_t i = 1; i < count; ++i) largest = std::max(largest, static_cast<C>(x[i]));
  for (size_t i = 0; i < count; ++i) sum += std::exp(static_cast<C>(x[i]) - largest);
  for (size_t i = 0; i < count; ++i) {
    y[i] = static_cast<T>(std::exp(static_cast<C>(x[i]) - largest) / sum);
  }
}

Status RunSoftmax(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(const SparseView x, ReadSparse(ctx, 0, "sp"));
  WB_RETURN_IF_ERROR(DenseShape(x).status());
  if (x.rank < 2) {
    return InvalidArgument("the sparse tensor must have at least two dimensions, but has ", x.rank);
  }
  std::vector<int> columns(static_cast<size_t>(x.rank - 1));
  std::iota(columns.begin(), columns.end(), 0);
  std::vector<int64_t> order(static_cast<size_t>(x.count));
  std::iota(order.begin(), order.end(), int64_t{0});
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, Shape({x.count})));
  return DispatchTypes<Half, float, double>(y->dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    return ForEachGroup(x, order, columns, [&](size_t begin, size_t end) {
      Normalize(x.values->data<T>() + begin, end - begin, y->data<T>() + begin);
      return OkStatus();
    });
  });
}

// (dy - sum(dy * y)) * y, where the sum is that of the element's row.
Status SoftmaxGradient(GradContext& c) {
  const OutputRef product = c.Mul(c.dy(0), c.y(0));
  const OutputRef sums =
      c.Emit("SparseReduceSum", {c.x(0), product, c.x(2), c.Ints({-1})}, {{"keep_dims", true}});
  const OutputRef centred = c.Emit("SparseDenseCwiseAdd", {c.x(0), c.dy(0), c.x(2), c.Neg(sums)});
  c.set_dx(1, c.Mul(centred, c.y(0)));
  return OkStatus();
}

WB_OP("SparseSoftmax")
    .Input("sp_indices: int64")
    .Input("sp_values: T")
    .Input("sp_shape: int64")
    .Output("output: T")
    .Attr("T: {half, float, double}")
    .Shape(SoftmaxShape);
WB_KERNEL("SparseSoftmax", FunctionKernel<RunSoftmax>)
    .Cpu({{"T", TypeSet{DType::kHalf, DType::kFloat, DType::kDouble}}});
WB_GRADIENT("SparseSoftmax", SoftmaxGradient);

}  // namespace
}  // namespace warpbeam
