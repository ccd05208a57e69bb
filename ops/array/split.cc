// Split, SplitV: a tensor cut along one dimension, into equal parts or parts of given sizes.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/index/index_argument.h"
#include "ops/array/kernel_types.h"
#include "ops/array/moving_kernel.h"
#include "ops/array/view.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status SetAll(ShapeContext& c, const PartialShape& shape) {
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, shape);
  return OkStatus();
}

Status SplitShape(ShapeContext& c) {
  const std::optional<int64_t> axis = c.ConstantScalar(0);
  PartialShape part = c.input(1);
  if (!part.has_rank()) return OkStatus();
  if (!axis) return SetAll(c, PartialShape::UnknownOfRank(part.rank()));
  WB_ASSIGN_OR_RETURN(int a, ResolveAxis(*axis, part.rank()));
  if (part.dim(a) >= 0) {
    if (part.dim(a) % c.num_outputs() != 0) {
      return InvalidArgument("extent ", part.dim(a), " of dimension ", a, " does not divide into ",
                             c.num_outputs(), " parts");
    }
    part.set_dim(a, part.dim(a) / c.num_outputs());
  }
  return SetAll(c, part);
}

// A size of -1, at most one, takes what the others leave.
Status CompleteSizes(Dims* sizes, int64_t extent) {
  int64_t sum = 0;
  int64_t* rest = nullptr;
  for (int64_t& size : *sizes) {
    if (size == -1) {
      if (rest != nullptr) return InvalidArgument("only one size may be -1");
      rest = &size;
    } else if (size < 0 || size > extent - sum) {
      return InvalidArgument("sizes must not be negative nor exceed the extent ", extent,
                             " together; one is ", size);
    } else {
      sum += size;
    }
  }
  if (rest != nullptr) {
    *rest = extent - sum;
  } else if (sum != extent) {
    return InvalidArgument("sizes add up to ", sum, ", not to the extent ", extent);
  }
  return OkStatus();
}

Status SplitVShape(ShapeContext& c) {
  const PartialShape& x = c.input(0);
  if (!x.has_rank()) return OkStatus();
  const std::optional<int64_t> axis = c.ConstantScalar(2);
  if (!axis) return SetAll(c, PartialShape::UnknownOfRank(x.rank()));
  WB_ASSIGN_OR_RETURN(int a, ResolveAxis(*axis, x.rank()));
  WB_ASSIGN_OR_RETURN(std::optional<Dims> sizes, ConstantIndices(c, 1));
  PartialShape part = x;
  part.set_dim(a, -1);
  if (!sizes) return SetAll(c, part);
  if (static_cast<int>(sizes->size()) != c.num_outputs()) {
    return InvalidArgument("there are ", sizes->size(), " sizes for ", c.num_outputs(), " outputs");
  }
  if (x.dim(a) >= 0) WB_RETURN_IF_ERROR(CompleteSizes(&*sizes, x.dim(a)));
  for (int i = 0; i < c.num_outputs(); ++i) {
    part.set_dim(a, (*sizes)[static_cast<size_t>(i)]);
    c.set_output(i, part);
  }
  return OkStatus();
}

Status Cut(KernelContext& ctx, StridedCopier& copier, const Tensor& x, int axis,
           const Dims& sizes) {
  const int64_t outer = ElementsOf(x.shape(), 0, axis);
  const int64_t row = ElementsOf(x.shape(), axis, x.rank());
  const int64_t inner = ElementsOf(x.shape(), axis + 1, x.rank());
  int64_t at = 0;
  for (int i = 0; i < ctx.num_outputs(); ++i) {
    const int64_t size = sizes[static_cast<size_t>(i)];
    std::optional<Tensor> view;
    if (axis == 0) view = AlignedRows(x, at, at + size);
    if (view) {
      ctx.set_output(i, *std::move(view));
    } else {
      WB_ASSIGN_OR_RETURN(Shape shape, x.shape().WithDim(axis, size));
      WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(i, shape));
      WB_RETURN_IF_ERROR(copier.Copy(x.dtype(), y->raw_data(),
                                     Advance(x.raw_data(), x.dtype(), at * inner),
                                     {{outer, row, size * inner}, {size * inner, 1, 1}}));
    }
    at += size;
  }
  return OkStatus();
}

Status RunSplit(KernelContext& ctx, StridedCopier& copier) {
  const Tensor& x = ctx.input(1);
  WB_ASSIGN_OR_RETURN(int64_t axis, ReadIndex(ctx.input(0), "split_dim"));
  WB_ASSIGN_OR_RETURN(int a, ResolveAxis(axis, x.rank()));
  const int parts = ctx.num_outputs();
  if (x.dim(a) % parts != 0) {
    return InvalidArgument("extent ", x.dim(a), " of dimension ", a, " does not divide into ",
                           parts, " parts");
  }
  return Cut(ctx, copier, x, a, Dims(static_cast<size_t>(parts), x.dim(a) / parts));
}

Status RunSplitV(KernelContext& ctx, StridedCopier& copier) {
  const Tensor& x = ctx.input(0);
  WB_ASSIGN_OR_RETURN(int64_t axis, ReadIndex(ctx.input(2), "split_dim"));
  WB_ASSIGN_OR_RETURN(int a, ResolveAxis(axis, x.rank()));
  WB_ASSIGN_OR_RETURN(Dims sizes, ReadIndices(ctx.input(1), "size_splits"));
  if (ctx.input(1).rank() != 1 || static_cast<int>(sizes.size()) != ctx.num_outputs()) {
    return InvalidArgument("'size_splits' must be a vector of ", ctx.num_outputs(),
                           " sizes, not of shape ", ctx.input(1).shape().ToString());
  }
  WB_RETURN_IF_ERROR(CompleteSizes(&sizes, x.dim(a)));
  return Cut(ctx, copier, x, a, sizes);
}

WB_OP("Split")
    .Input("split_dim: int32")
    .Input("value: T")
    .Output("output: num_split * T")
    .Attr("num_split: int >= 1")
    .Attr("T: type")
    .Shape(SplitShape);
WB_KERNEL("Split", MovingKernel<FunctionOp<RunSplit>>)
    .Cpu({{"T", kMovableTypes | TypeSet{DType::kInt4, DType::kQUInt8, DType::kUInt4}}})
    .Gpu({{"T", kFloatingTypes | kComplexTypes}})
    .HostMemory({"split_dim"});
WB_GPU_KERNEL("Split", MovingKernelOnGpu<FunctionOp<RunSplit>>);

WB_OP("SplitV")
    .Input("value: T")
    .Input("size_splits: Tlen")
    .Input("split_dim: int32")
    .Output("output: num_split * T")
    .Attr("num_split: int >= 1")
    .Attr("T: type")
    .Attr("Tlen: {int8, int32, int64} = int64")
    .Shape(SplitVShape);
WB_KERNEL("SplitV", MovingKernel<FunctionOp<RunSplitV>>)
    .Cpu({{"Tlen", kIndexTypes | TypeSet{DType::kInt8}},
          {"T", kMovableTypes | TypeSet{DType::kInt4, DType::kQUInt8, DType::kUInt4}}})
    .Gpu({{"Tlen", kIndexTypes | TypeSet{DType::kInt8}}, {"T", kFloatingTypes | kComplexTypes}})
    .HostMemory({"size_splits", "split_dim"});
WB_KERNEL("SplitV", MovingKernel<FunctionOp<RunSplitV>>)
    .Gpu({{"T", TypeSet{DType::kInt32}}, {"Tlen", kIndexTypes}})
    .HostMemory({"size_splits", "split_dim", "value", "output"});
WB_GPU_KERNEL("SplitV", MovingKernelOnGpu<FunctionOp<RunSplitV>>);

OutputRef JoinGradients(GradContext& c, OutputRef axis) {
  std::vector<OutputRef> parts;
  for (int i = 0; i < c.num_outputs(); ++i) parts.push_back(c.dy(i));
  return parts.size() == 1 ? parts[0] : c.Emit("ConcatV2", {NodeInput(parts), axis});
}

Status SplitGradient(GradContext& c) {
  c.set_dx(1, JoinGradients(c, c.x(0)));
  return OkStatus();
}
WB_GRADIENT("Split", SplitGradient);

Status SplitVGradient(GradContext& c) {
  c.set_dx(0, JoinGradients(c, c.x(2)));
  return OkStatus();
}
WB_GRADIENT("SplitV", SplitVGradient);

}  // namespace
}  // namespace warpbeam
