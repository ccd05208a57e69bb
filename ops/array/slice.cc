// Slice: a box of a tensor, given where it begins and how large it is (-1: up to the end).
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

// The size along dimension `i`, checked against `extent`; both may be unknown (-1).
StatusOr<int64_t> SizeOf(int i, int64_t begin, int64_t size, int64_t extent) {
  if (begin < 0 || (extent >= 0 && begin > extent)) {
    return InvalidArgument("begin[", i, "] must be in [0, ", extent, "], but is ", begin);
  }
  if (size == -1) return extent < 0 ? -1 : extent - begin;
  if (size < 0 || (extent >= 0 && size > extent - begin)) {
    return InvalidArgument("size[", i, "] must be in [0, ", extent - begin, "], but is ", size);
  }
  return size;
}

Status SliceShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape begins, c.WithRank(1, 1));
  WB_ASSIGN_OR_RETURN(PartialShape sizes_shape, c.WithRank(2, 1));
  const PartialShape& x = c.input(0);
  int64_t rank = x.rank();
  for (const PartialShape& s : {begins, sizes_shape}) {
    auto merged = MergeExtents(rank, s.dim(0));
    if (!merged.ok()) {
      return InvalidArgument("'begin' and 'size' must have one entry for each of ", rank,
                             " dimensions, not ", s.dim(0));
    }
    rank = *merged;
  }
  rank = ShapeContext::RankOfLength(rank);
  if (rank < 0) return OkStatus();
  PartialShape out = PartialShape::UnknownOfRank(static_cast<int>(rank));
  WB_ASSIGN_OR_RETURN(std::optional<Dims> begin, ConstantIndices(c, 1));
  WB_ASSIGN_OR_RETURN(std::optional<Dims> size, ConstantIndices(c, 2));
  if (begin && size) {
    for (int i = 0; i < rank; ++i) {
      const size_t d = static_cast<size_t>(i);
      WB_ASSIGN_OR_RETURN(int64_t extent,
                          SizeOf(i, (*begin)[d], (*size)[d], x.has_rank() ? x.dim(i) : -1));
      out.set_dim(i, extent);
    }
  } else {
    WB_ASSIGN_OR_RETURN(PartialShape partial, c.ShapeFromInput(2));
    if (partial.has_rank() && partial.rank() == rank) out = std::move(partial);
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status RunSlice(KernelContext& ctx, StridedCopier& copier) {
  const Tensor& x = ctx.input(0);
  WB_ASSIGN_OR_RETURN(Dims begin, ReadIndices(ctx.input(1), "begin"));
  WB_ASSIGN_OR_RETURN(Dims size, ReadIndices(ctx.input(2), "size"));
  const size_t rank = static_cast<size_t>(x.rank());
  if (begin.size() != rank || size.size() != rank || ctx.input(1).rank() != 1 ||
      ctx.input(2).rank() != 1) {
    return InvalidArgument("Expected begin and size arguments to be 1-D tensors of size ", rank,
                           ", not of shapes ", ctx.input(1).shape().ToString(), " and ",
                           ctx.input(2).shape().ToString());
  }
  bool rows_only = rank > 0;
  for (size_t i = 0; i < rank; ++i) {
    WB_ASSIGN_OR_RETURN(size[i],
                        SizeOf(static_cast<int>(i), begin[i], size[i], x.dim(static_cast<int>(i))));
    rows_only = rows_only && (i == 0 || size[i] == x.dim(static_cast<int>(i)));
  }
  WB_ASSIGN_OR_RETURN(Shape shape, Shape::Make(size));
  if (shape == x.shape()) {
    ctx.set_output(0, x);
    return OkStatus();
  }
  if (rows_only) {
    if (auto view = AlignedRows(x, begin[0], begin[0] + size[0])) {
      ctx.set_output(0, *std::move(view));
      return OkStatus();
    }
  }
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
  const auto from = RowMajorStrides(x.shape());
  const auto to = RowMajorStrides(shape);
  CopyDims dims;
  int64_t offset = 0;
  for (size_t i = 0; i < rank; ++i) {
    dims.push_back({size[i], from[i], to[i]});
    offset += begin[i] * from[i];
  }
  return copier.Copy(x.dtype(), y->raw_data(), Advance(x.raw_data(), x.dtype(), offset), dims);
}

WB_OP("Slice")
    .Input("input: T")
    .Input("begin: Index")
    .Input("size: Index")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Index: {int32, int64}")
    .Shape(SliceShape);
WB_KERNEL("Slice", MovingKernel<FunctionOp<RunSlice>>)
    .Cpu({{"T", kPlainTypes | kFloat8Types |
                    TypeSet{DType::kQInt32, DType::kQInt8, DType::kQUInt8, DType::kString}}})
    .Gpu({{"T",
           kFloatingTypes | kComplexTypes | TypeSet{DType::kBool, DType::kInt64, DType::kInt8}}})
    .HostMemory({"begin", "size"});
WB_KERNEL("Slice", MovingKernel<FunctionOp<RunSlice>>)
    .Gpu({{"T", TypeSet{DType::kInt32}}})
    .HostMemory({"input", "begin", "size", "output"});
WB_GPU_KERNEL("Slice", MovingKernelOnGpu<FunctionOp<RunSlice>>);

// Zeros around the slice. What comes after it follows from the three shapes, since a size may be
// -1.
Status SliceGradient(GradContext& c) {
  const DType index = c.type(c.x(1));
  const OutputRef begin = c.x(1);
  const OutputRef after = c.Sub(c.Sub(c.ShapeOf(c.x(0), index), c.ShapeOf(c.y(0), index)), begin);
  const OutputRef paddings = c.Emit("Pack", {{begin, after}}, {{"axis", 1}});
  c.set_dx(0, c.Emit("Pad", {c.dy(0), c.Folded(paddings)}));
  return OkStatus();
}
WB_GRADIENT("Slice", SliceGradient);

}  // namespace
}  // namespace warpbeam
