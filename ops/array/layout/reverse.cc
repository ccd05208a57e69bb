// Reverse, ReverseV2: the order of elements reversed along dimensions.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/index/index_argument.h"
#include "ops/array/kernel_types.h"
#include "ops/array/moving_kernel.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status ReverseShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape dims, c.WithRank(1, 1));
  if (c.input(0).has_rank() && dims.dim(0) >= 0 && dims.dim(0) != c.input(0).rank()) {
    return InvalidArgument("'dims' must have one entry for each of ", c.input(0).rank(),
                           " dimensions, not ", dims.dim(0));
  }
  c.set_output(0, c.input(0));
  return OkStatus();
}

StatusOr<std::vector<bool>> AxesAsFlags(const Dims& axes, int rank) {
  std::vector<bool> flags(static_cast<size_t>(rank));
  for (int64_t axis : axes) {
    WB_ASSIGN_OR_RETURN(int a, ResolveAxis(axis, rank));
    if (flags[static_cast<size_t>(a)])
      return InvalidArgument("axis ", a, " specified more than once");
    flags[static_cast<size_t>(a)] = true;
  }
  return flags;
}

Status ReverseV2Shape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  WB_ASSIGN_OR_RETURN(std::optional<Dims> axes, ConstantIndices(c, 1));
  if (axes && c.input(0).has_rank()) {
    WB_RETURN_IF_ERROR(AxesAsFlags(*axes, c.input(0).rank()).status());
  }
  c.set_output(0, c.input(0));
  return OkStatus();
}

Status ReverseDims(KernelContext& ctx, StridedCopier& copier, const std::vector<bool>& flags) {
  const Tensor& x = ctx.input(0);
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
  const auto strides = RowMajorStrides(x.shape());
  CopyDims dims;
  int64_t offset = 0;
  for (size_t i = 0; i < strides.size(); ++i) {
    const int64_t extent = x.dim(static_cast<int>(i));
    dims.push_back({extent, flags[i] ? -strides[i] : strides[i], strides[i]});
    if (flags[i]) offset += (extent - 1) * strides[i];
  }
  if (x.num_elements() == 0) return OkStatus();
  return copier.Copy(x.dtype(), y->raw_data(), Advance(x.raw_data(), x.dtype(), offset), dims);
}

Status RunReverse(KernelContext& ctx, StridedCopier& copier) {
  const Tensor& dims = ctx.input(1);
  // A scalar has nothing to turn round, whatever the flags.
  if (ctx.input(0).rank() == 0) return ReverseDims(ctx, copier, {});
  if (dims.rank() != 1 || dims.num_elements() != ctx.input(0).rank()) {
    return InvalidArgument("'dims' must be a vector of one entry for each of ", ctx.input(0).rank(),
                           " dimensions, not of shape ", dims.shape().ToString());
  }
  const bool* flags = dims.data<bool>();
  return ReverseDims(ctx, copier, std::vector<bool>(flags, flags + dims.num_elements()));
}

Status RunReverseV2(KernelContext& ctx, StridedCopier& copier) {
  if (ctx.input(1).rank() != 1) {
    return InvalidArgument("'axis' must be a vector, not of shape ",
                           ctx.input(1).shape().ToString());
  }
  WB_ASSIGN_OR_RETURN(Dims axes, ReadIndices(ctx.input(1), "axis"));
  WB_ASSIGN_OR_RETURN(std::vector<bool> flags, AxesAsFlags(axes, ctx.input(0).rank()));
  return ReverseDims(ctx, copier, flags);
}

WB_OP("Reverse")
    .Input("tensor: T")
    .Input("dims: bool")
    .Output("output: T")
    .Attr(
        "T: {uint8, int8, uint16, int16, uint32, int32, uint64, int64, bool, bfloat16, half, "
        "float, double, complex64, complex128, string}")
    .Shape(ReverseShape);
WB_KERNEL("Reverse", MovingKernel<FunctionOp<RunReverse>>)
    .Cpu({{"T", kPlainTypes | TypeSet{DType::kString}}})
    .Gpu({{"T",
           kFloatingTypes | kComplexTypes | TypeSet{DType::kBool, DType::kInt8, DType::kUInt8}}})
    .HostMemory({"dims"});
WB_KERNEL("Reverse", MovingKernel<FunctionOp<RunReverse>>)
    .Gpu({{"T", TypeSet{DType::kInt32}}})
    .HostMemory({"tensor", "dims", "output"});
WB_GPU_KERNEL("Reverse", MovingKernelOnGpu<FunctionOp<RunReverse>>);

WB_OP("ReverseV2")
    .Input("tensor: T")
    .Input("axis: Tidx")
    .Output("output: T")
    .Attr("Tidx: {int32, int64} = int32")
    .Attr(
        "T: {uint8, int8, uint16, int16, int32, uint32, int64, uint64, bool, bfloat16, half, "
        "float, double, complex64, complex128, string}")
    .Shape(ReverseV2Shape);
WB_KERNEL("ReverseV2", MovingKernel<FunctionOp<RunReverseV2>>)
    .Cpu({{"T", kPlainTypes | TypeSet{DType::kString}}, {"Tidx", kIndexTypes}})
    .Gpu({{"T",
           kFloatingTypes | kComplexTypes | TypeSet{DType::kBool, DType::kInt8, DType::kUInt8}},
          {"Tidx", kIndexTypes}})
    .HostMemory({"axis"});
WB_KERNEL("ReverseV2", MovingKernel<FunctionOp<RunReverseV2>>)
    .Gpu({{"T", TypeSet{DType::kInt32}}, {"Tidx", kIndexTypes}})
    .HostMemory({"tensor", "axis", "output"});
WB_GPU_KERNEL("ReverseV2", MovingKernelOnGpu<FunctionOp<RunReverseV2>>);

Status ReverseGradient(GradContext& c) {
  c.set_dx(0, c.Emit(c.node().op_name(), {c.dy(0), c.x(1)}));
  return OkStatus();
}
WB_GRADIENT("Reverse", ReverseGradient);
WB_GRADIENT("ReverseV2", ReverseGradient);

}  // namespace
}  // namespace warpbeam
