// Pad, PadV2: a border of one value around a tensor.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/kernel_types.h"
#include "ops/array/moving_kernel.h"
#include "ops/array/paddings.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status PadShape(ShapeContext& c) { return PaddedShape(c, 1); }

Status PadWith(KernelContext& ctx, StridedCopier& copier, const Tensor* value) {
  const Tensor& x = ctx.input(0);
  WB_ASSIGN_OR_RETURN(Paddings pads, ReadPaddings(ctx.input(1), x.rank()));
  Dims extents;
  for (int i = 0; i < x.rank(); ++i) {
    int64_t extent;
    if (__builtin_add_overflow(x.dim(i), pads[static_cast<size_t>(i)].both(), &extent)) {
      return InvalidArgument("paddings of dimension ", i, " are too large");
    }
    extents.push_back(extent);
  }
  WB_ASSIGN_OR_RETURN(Shape shape, Shape::Make(extents));
  if (shape == x.shape()) {
    ctx.set_output(0, x);
    return OkStatus();
  }
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
  if (value != nullptr) {
    WB_RETURN_IF_ERROR(
        copier.Fill(y->dtype(), y->raw_data(), value->raw_data(), y->num_elements()));
  } else {
    WB_RETURN_IF_ERROR(copier.Zero(y->dtype(), y->raw_data(), y->num_elements()));
  }
  const auto from = RowMajorStrides(x.shape());
  const auto to = RowMajorStrides(shape);
  CopyDims dims;
  int64_t offset = 0;
  for (size_t i = 0; i < pads.size(); ++i) {
    dims.push_back({x.dim(static_cast<int>(i)), from[i], to[i]});
    offset += pads[i].before * to[i];
  }
  return copier.Copy(x.dtype(), Advance(y->raw_data(), x.dtype(), offset), x.raw_data(), dims);
}

Status RunPad(KernelContext& ctx, StridedCopier& copier) { return PadWith(ctx, copier, nullptr); }

Status RunPadV2(KernelContext& ctx, StridedCopier& copier) {
  const Tensor& value = ctx.input(2);
  if (value.rank() != 0) {
    return InvalidArgument("'constant_values' must be a scalar, not of shape ",
                           value.shape().ToString());
  }
  return PadWith(ctx, copier, &value);
}

WB_OP("Pad")
    .Input("input: T")
    .Input("paddings: Tpaddings")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tpaddings: {int32, int64} = int32")
    .Shape(PadShape);
WB_KERNEL("Pad", MovingKernel<FunctionOp<RunPad>>)
    .Cpu({{"T",
           kPlainTypes | TypeSet{DType::kQInt32, DType::kQInt8, DType::kQUInt8, DType::kString}},
          {"Tpaddings", kIndexTypes}})
    .Gpu({{"T",
           kFloatingTypes | kComplexTypes | TypeSet{DType::kBool, DType::kInt8, DType::kUInt8}},
          {"Tpaddings", kIndexTypes}})
    .HostMemory({"paddings"});
WB_KERNEL("Pad", MovingKernel<FunctionOp<RunPad>>)
    .Gpu({{"T", TypeSet{DType::kInt32}}, {"Tpaddings", kIndexTypes}})
    .HostMemory({"input", "paddings", "output"});
WB_GPU_KERNEL("Pad", MovingKernelOnGpu<FunctionOp<RunPad>>);

WB_OP("PadV2")
    .Input("input: T")
    .Input("paddings: Tpaddings")
    .Input("constant_values: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tpaddings: {int32, int64} = int32")
    .Shape(PadShape);
WB_KERNEL("PadV2", MovingKernel<FunctionOp<RunPadV2>>)
    .Cpu({{"T",
           kPlainTypes | TypeSet{DType::kQInt32, DType::kQInt8, DType::kQUInt8, DType::kString}},
          {"Tpaddings", kIndexTypes}})
    .Gpu({{"T",
           kFloatingTypes | kComplexTypes | TypeSet{DType::kBool, DType::kInt8, DType::kUInt8}},
          {"Tpaddings", kIndexTypes}})
    .HostMemory({"paddings", "constant_values"});
WB_KERNEL("PadV2", MovingKernel<FunctionOp<RunPadV2>>)
    .Gpu({{"T", TypeSet{DType::kInt32}}, {"Tpaddings", kIndexTypes}})
    .HostMemory({"input", "paddings", "constant_values", "output"});
WB_GPU_KERNEL("PadV2", MovingKernelOnGpu<FunctionOp<RunPadV2>>);

// The part of the gradient that the input was in.
OutputRef Unpadded(GradContext& c) {
  const OutputRef column = c.Emit("Slice", {c.x(1), c.Ints({0, 0}), c.Ints({-1, 1})});
  const OutputRef begin = c.Folded(c.Reshape(column, c.Ints({-1})));
  return c.Emit("Slice", {c.dy(0), begin, c.ShapeOf(c.x(0), c.type(c.x(1)))});
}

Status PadGradient(GradContext& c) {
  c.set_dx(0, Unpadded(c));
  return OkStatus();
}
WB_GRADIENT("Pad", PadGradient);

OutputRef SumOfAll(GradContext& c, OutputRef x) {
  return c.Emit("Sum",
                {x, c.Emit("Range", {c.Scalar<int32_t>(0), c.RankOf(x), c.Scalar<int32_t>(1)})});
}

Status PadV2Gradient(GradContext& c) {
  const OutputRef dx = Unpadded(c);
  c.set_dx(0, dx);
  c.set_dx(2, c.Sub(SumOfAll(c, c.dy(0)), SumOfAll(c, dx)));
  return OkStatus();
}
WB_GRADIENT("PadV2", PadV2Gradient);

}  // namespace
}  // namespace warpbeam
