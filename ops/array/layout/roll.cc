// Roll: elements shifted along dimensions, those that fall off coming in at the other end.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/index/index_argument.h"
#include "ops/array/kernel_types.h"
#include "ops/array/moving_kernel.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status RollShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRankAtLeast(0, 1).status());
  for (int i = 1; i <= 2; ++i) {
    if (c.input(i).has_rank() && c.input(i).rank() > 1) {
      return InvalidArgument("'shift' and 'axis' must be scalars or vectors, not of shape ",
                             c.input(i).ToString());
    }
  }
  return shapes::Unchanged(c);
}

// Copies dimension `axis` on in its two pieces, the dimensions before having been cut already.
Status RollFrom(StridedCopier& copier, const Tensor& x, const Dims& shifts, size_t axis,
                CopyDims* dims, int64_t from, int64_t to, Tensor* y) {
  if (axis == shifts.size()) {
    return copier.Copy(x.dtype(), Advance(y->raw_data(), x.dtype(), to),
                       Advance(x.raw_data(), x.dtype(), from), *dims);
  }
  const int64_t extent = x.dim(static_cast<int>(axis));
  const int64_t stride = (*dims)[axis].from;
  const int64_t shift = shifts[axis];
  (*dims)[axis].extent = extent - shift;
  WB_RETURN_IF_ERROR(RollFrom(copier, x, shifts, axis + 1, dims, from, to + shift * stride, y));
  if (shift == 0) return OkStatus();
  (*dims)[axis].extent = shift;
  return RollFrom(copier, x, shifts, axis + 1, dims, from + (extent - shift) * stride, to, y);
}

Status RunRoll(KernelContext& ctx, StridedCopier& copier) {
  const Tensor& x = ctx.input(0);
  if (x.rank() < 1) return InvalidArgument("input must be 1-D or higher");
  for (int i = 1; i <= 2; ++i) {
    if (ctx.input(i).rank() <= 1) continue;
    return InvalidArgument(i == 1 ? "shift" : "axis", " must be a scalar or a 1-D vector, not of ",
                           "shape ", ctx.input(i).shape().ToString());
  }
  if (ctx.input(1).shape() != ctx.input(2).shape()) {
    return InvalidArgument("shift and axis must have the same size, not the shapes ",
                           ctx.input(1).shape().ToString(), " and ",
                           ctx.input(2).shape().ToString());
  }
  WB_ASSIGN_OR_RETURN(Dims shift, ReadIndices(ctx.input(1), "shift"));
  WB_ASSIGN_OR_RETURN(Dims axes, ReadIndices(ctx.input(2), "axis"));
  Dims shifts(static_cast<size_t>(x.rank()), 0);
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] < -x.rank() || axes[i] >= x.rank()) {
      return InvalidArgument("axis ", axes[i], " is out of range for an input of rank ", x.rank());
    }
    const int a = static_cast<int>(axes[i] < 0 ? axes[i] + x.rank() : axes[i]);
    const int64_t extent = std::max<int64_t>(x.dim(a), 1);
    int64_t& sum = shifts[static_cast<size_t>(a)];
    sum = ((sum + shift[i] % extent) % extent + extent) % extent;
  }
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
  if (x.num_elements() == 0) return OkStatus();
  CopyDims dims;
  const auto strides = RowMajorStrides(x.shape());
  for (int i = 0; i < x.rank(); ++i) {
    dims.push_back({x.dim(i), strides[static_cast<size_t>(i)], strides[static_cast<size_t>(i)]});
  }
  return RollFrom(copier, x, shifts, 0, &dims, 0, 0, y);
}

WB_OP("Roll")
    .Input("input: T")
    .Input("shift: Tshift")
    .Input("axis: Taxis")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tshift: {int32, int64}")
    .Attr("Taxis: {int32, int64}")
    .Shape(RollShape);
WB_KERNEL("Roll", MovingKernel<FunctionOp<RunRoll>>)
    .Cpu({{"T", kPlainTypes | kObjectTypes}, {"Tshift", kIndexTypes}, {"Taxis", kIndexTypes}})
    .Gpu({{"T", kFloatingTypes | kComplexTypes | kIndexTypes | TypeSet{DType::kUInt32}},
          {"Tshift", kIndexTypes},
          {"Taxis", kIndexTypes}})
    .HostMemory({"shift", "axis"});
WB_GPU_KERNEL("Roll", MovingKernelOnGpu<FunctionOp<RunRoll>>);

Status RollGradient(GradContext& c) {
  c.set_dx(0, c.Emit("Roll", {c.dy(0), c.Neg(c.x(1)), c.x(2)}));
  return OkStatus();
}
WB_GRADIENT("Roll", RollGradient);

}  // namespace
}  // namespace warpbeam
