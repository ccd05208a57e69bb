// SpaceToBatch(ND), BatchToSpace(ND): the places of a block become batches, and
// back.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/index/index_argument.h"
#include "ops/array/kernel_types.h"
#include "ops/array/moving_kernel.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

// Blocks over the dimensions 1 … M, and what the plane has more (paddings) or
// less (crops).
struct Blocks {
  Dims sizes;
  Dims before, after;
  size_t count() const { return sizes.size(); }
};

StatusOr<Blocks> MakeBlocks(Dims sizes, const Dims &margins) {
  if (margins.size() != 2 * sizes.size()) {
    return InvalidArgument("there must be 2 margins for each of ", sizes.size(),
                           " blocked dimensions, not ", margins.size());
  }
  Blocks b;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 1) return InvalidArgument("block sizes must be positive, not ", sizes[i]);
    if (margins[2 * i] < 0 || margins[2 * i + 1] < 0) {
      return InvalidArgument("paddings and crops must not be negative: ", margins[2 * i], " and ",
                             margins[2 * i + 1]);
    }
    b.before.push_back(margins[2 * i]);
    b.after.push_back(margins[2 * i + 1]);
  }
  b.sizes = std::move(sizes);
  return b;
}

// The shape with batches for that of the plane, or the other way round; -1
// stays unknown.
StatusOr<PartialShape> Convert(PartialShape in, const Blocks &b, bool to_batch) {
  if (in.rank() < static_cast<int>(b.count()) + 1) {
    return InvalidArgument("the input must have a rank of at least ", b.count() + 1,
                           ", not the shape ", in.ToString());
  }
  int64_t batch = in.dim(0);
  for (size_t i = 0; i < b.count(); ++i) {
    const int d = static_cast<int>(i) + 1;
    const int64_t size = b.sizes[i];
    int64_t extent = in.dim(d);
    if (to_batch) {
      if (batch >= 0 && __builtin_mul_overflow(batch, size, &batch)) {
        return InvalidArgument("the block sizes' product is too large");
      }
      if (extent < 0) continue;
      if (__builtin_add_overflow(extent, b.before[i], &extent) ||
          __builtin_add_overflow(extent, b.after[i], &extent)) {
        return InvalidArgument("paddings of dimension ", d, " are too large");
      }
      if (extent % size != 0) {
        return InvalidArgument("the padded dimension ", d, " is ", extent,
                               ", no multiple of its block size ", size);
      }
      in.set_dim(d, extent / size);
    } else {
      if (batch >= 0 && batch % size != 0) {
        return InvalidArgument("the batch ", in.dim(0),
                               " is no multiple of the block sizes' product");
      }
      if (batch >= 0) batch /= size;
      if (extent < 0) continue;
      if (__builtin_mul_overflow(extent, size, &extent) || extent - b.before[i] < b.after[i]) {
        return InvalidArgument("crops of dimension ", d, " leave less than nothing: ", b.before[i],
                               " and ", b.after[i], " of ", extent);
      }
      in.set_dim(d, extent - b.before[i] - b.after[i]);
    }
  }
  in.set_dim(0, batch);
  return in;
}

Status ConvertedShape(ShapeContext &c, StatusOr<Dims> sizes, int margins_input, bool to_batch) {
  const std::optional<Tensor> margins = c.ConstantInput(margins_input);
  const PartialShape &in = c.input(0);
  if (!sizes.ok() || !margins || !in.has_rank()) {
    if (in.has_rank()) c.set_output(0, PartialShape::UnknownOfRank(in.rank()));
    return OkStatus();
  }
  WB_ASSIGN_OR_RETURN(Dims values, ReadIndices(*margins, "paddings or crops"));
  WB_ASSIGN_OR_RETURN(Blocks b, MakeBlocks(*std::move(sizes), values));
  WB_ASSIGN_OR_RETURN(PartialShape out, Convert(in, b, to_batch));
  c.set_output(0, std::move(out));
  return OkStatus();
}

template <bool to_batch>
Status SquareShape(ShapeContext &c) {
  WB_RETURN_IF_ERROR(c.WithRank(0, 4).status());
  WB_RETURN_IF_ERROR(c.WithRank(1, 2).status());
  WB_ASSIGN_OR_RETURN(int64_t block, c.attr<int64_t>("block_size"));
  return ConvertedShape(c, Dims{block, block}, 1, to_batch);
}

template <bool to_batch>
Status BlockedShape(ShapeContext &c) {
  WB_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  WB_RETURN_IF_ERROR(c.WithRank(2, 2).status());
  const std::optional<Tensor> sizes = c.ConstantInput(1);
  StatusOr<Dims> known = NotFound("not a constant");
  if (sizes) known = ReadIndices(*sizes, "block_shape");
  return ConvertedShape(c, std::move(known), 2, to_batch);
}

// The places [lo, hi) of the blocked dimension whose element at `offset` of the
// block is inside the plane, which begins at `before` of the blocks and has
// `extent` elements.
struct Inside {
  int64_t lo, hi;
};
Inside InsideOf(int64_t offset, int64_t size, int64_t before, int64_t extent, int64_t places) {
  const int64_t first = before - offset;  // in elements, may be negative
  const int64_t lo = first <= 0 ? 0 : (first + size - 1) / size;
  const int64_t end = before + extent - offset;
  const int64_t hi = end <= 0 ? 0 : (end + size - 1) / size;
  return {std::min(lo, places), std::min(std::max(lo, hi), places)};
}

// Copies all elements that are in both: `offsets` runs over the places of a
// block.
Status CopyBlocks(StridedCopier &copier, const Blocks &b, const Tensor &x, Tensor *y,
                  bool to_batch) {
  const Shape &plane = to_batch ? x.shape() : y->shape();
  const Shape &batched = to_batch ? y->shape() : x.shape();
  const auto p = RowMajorStrides(plane);
  const auto q = RowMajorStrides(batched);
  const int64_t batch = plane.dim(0);
  Dims offsets(b.count(), 0);
  for (int64_t block = 0; block * batch < batched.dim(0); ++block) {
    int64_t in_plane = 0, in_batched = block * batch * q[0];
    CopyDims dims = {{batch, p[0], q[0]}};
    for (size_t i = 0; i < b.count(); ++i) {
      const int d = static_cast<int>(i) + 1;
      const Inside r = InsideOf(offsets[i], b.sizes[i], b.before[i], plane.dim(d), batched.dim(d));
      dims.push_back({r.hi - r.lo, p[i + 1] * b.sizes[i], q[i + 1]});
      in_plane += (r.lo * b.sizes[i] + offsets[i] - b.before[i]) * p[i + 1];
      in_batched += r.lo * q[i + 1];
    }
    bool empty = false;
    for (const CopyDim &d : dims) empty |= d.extent == 0;
    for (int d = static_cast<int>(b.count()) + 1; d < plane.rank(); ++d) {
      dims.push_back({plane.dim(d), p[static_cast<size_t>(d)], q[static_cast<size_t>(d)]});
    }
    if (!empty && to_batch) {
      WB_RETURN_IF_ERROR(copier.Copy(x.dtype(), Advance(y->raw_data(), x.dtype(), in_batched),
                                     Advance(x.raw_data(), x.dtype(), in_plane), dims));
    } else if (!empty) {
      for (CopyDim &d : dims) std::swap(d.from, d.to);
      WB_RETURN_IF_ERROR(copier.Copy(x.dtype(), Advance(y->raw_data(), x.dtype(), in_plane),
                                     Advance(x.raw_data(), x.dtype(), in_batched), dims));
    }
    for (size_t i = b.count(); i-- > 0;) {
      if (++offsets[i] < b.sizes[i]) break;
      offsets[i] = 0;
    }
  }
  return OkStatus();
}

Status Rearrange(KernelContext &ctx, StridedCopier &copier, Dims sizes, const Tensor &margins,
                 bool to_batch) {
  const Tensor &x = ctx.input(0);
  if (margins.rank() != 2 || margins.dim(1) != 2) {
    return InvalidArgument("paddings or crops must be of shape [", sizes.size(), ",2], not ",
                           margins.shape().ToString());
  }
  WB_ASSIGN_OR_RETURN(Dims values, ReadIndices(margins, "paddings or crops"));
  WB_ASSIGN_OR_RETURN(Blocks b, MakeBlocks(std::move(sizes), values));
  WB_ASSIGN_OR_RETURN(PartialShape known, Convert(x.shape(), b, to_batch));
  WB_ASSIGN_OR_RETURN(Shape shape, Shape::Make(known.dims()));
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
  if (to_batch) {
    WB_RETURN_IF_ERROR(copier.Zero(y->dtype(), y->raw_data(), y->num_elements()));
  }
  if (x.num_elements() == 0 || y->num_elements() == 0) return OkStatus();
  return CopyBlocks(copier, b, x, y, to_batch);
}

template <bool to_batch>
class Square {
 public:
  explicit Square(int64_t block) : block_(block) {}
  static StatusOr<Square> Create(KernelInit &init) {
    WB_ASSIGN_OR_RETURN(int64_t block, init.attr<int64_t>("block_size"));
    return Square(block);
  }
  Status Run(KernelContext &ctx, StridedCopier &copier) const {
    if (ctx.input(0).rank() != 4) {
      return InvalidArgument("the input must have rank 4, not the shape ",
                             ctx.input(0).shape().ToString());
    }
    return Rearrange(ctx, copier, Dims{block_, block_}, ctx.input(1), to_batch);
  }

 private:
  int64_t block_;
};

template <bool to_batch>
Status RunBlocked(KernelContext &ctx, StridedCopier &copier) {
  if (ctx.input(1).rank() != 1) {
    return InvalidArgument("'block_shape' must be a vector, not of shape ",
                           ctx.input(1).shape().ToString());
  }
  WB_ASSIGN_OR_RETURN(Dims sizes, ReadIndices(ctx.input(1), "block_shape"));
  return Rearrange(ctx, copier, std::move(sizes), ctx.input(2), to_batch);
}

template <bool to_batch>
Status SquareGradient(GradContext &c) {
  WB_ASSIGN_OR_RETURN(int64_t block, c.attr<int64_t>("block_size"));
  c.set_dx(0, c.Emit(to_batch ? "BatchToSpace" : "SpaceToBatch", {c.dy(0), c.x(1)},
                     {{"block_size", block}}));
  return OkStatus();
}
template <bool to_batch>
Status BlockedGradient(GradContext &c) {
  c.set_dx(0, c.Emit(to_batch ? "BatchToSpaceND" : "SpaceToBatchND", {c.dy(0), c.x(1), c.x(2)}));
  return OkStatus();
}

WB_OP("SpaceToBatch")
    .Input("input: T")
    .Input("paddings: Tpaddings")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tpaddings: {int32, int64} = int32")
    .Attr("block_size: int >= 2")
    .Shape(SquareShape<true>);
WB_KERNEL("SpaceToBatch", MovingKernel<Square<true>>)
    .Cpu({{"T", kRealTypes}})
    .Gpu({{"T", kFloatingTypes}})
    .HostMemory({"paddings"});
WB_GPU_KERNEL("SpaceToBatch", MovingKernelOnGpu<Square<true>>);

WB_GRADIENT("SpaceToBatch", SquareGradient<true>);

WB_OP("BatchToSpace")
    .Input("input: T")
    .Input("crops: Tidx")
    .Output("output: T")
    .Attr("T: type")
    .Attr("block_size: int >= 2")
    .Attr("Tidx: {int32, int64} = int32")
    .Shape(SquareShape<false>);
WB_KERNEL("BatchToSpace", MovingKernel<Square<false>>)
    .Cpu({{"T", kRealTypes}})
    .Gpu({{"T", kFloatingTypes}})
    .HostMemory({"crops"});
WB_GPU_KERNEL("BatchToSpace", MovingKernelOnGpu<Square<false>>);

WB_GRADIENT("BatchToSpace", SquareGradient<false>);

WB_OP("SpaceToBatchND")
    .Input("input: T")
    .Input("block_shape: Tblock_shape")
    .Input("paddings: Tpaddings")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tblock_shape: {int32, int64} = int32")
    .Attr("Tpaddings: {int32, int64} = int32")
    .Shape(BlockedShape<true>);
WB_KERNEL("SpaceToBatchND", MovingKernel<FunctionOp<RunBlocked<true>>>)
    .Cpu({{"T", kRealTypes}})
    .Gpu({{"T", kFloatingTypes}})
    .HostMemory({"block_shape", "paddings"});
WB_GPU_KERNEL("SpaceToBatchND", MovingKernelOnGpu<FunctionOp<RunBlocked<true>>>);

WB_GRADIENT("SpaceToBatchND", BlockedGradient<true>);

WB_OP("BatchToSpaceND")
    .Input("input: T")
    .Input("block_shape: Tblock_shape")
    .Input("crops: Tcrops")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tblock_shape: {int32, int64} = int32")
    .Attr("Tcrops: {int32, int64} = int32")
    .Shape(BlockedShape<false>);
WB_KERNEL("BatchToSpaceND", MovingKernel<FunctionOp<RunBlocked<false>>>)
    .Cpu({{"T", kRealTypes}})
    .Gpu({{"T", kFloatingTypes}})
    .HostMemory({"block_shape", "crops"});
WB_GPU_KERNEL("BatchToSpaceND", MovingKernelOnGpu<FunctionOp<RunBlocked<false>>>);

WB_GRADIENT("BatchToSpaceND", BlockedGradient<false>);

}  // namespace
}  // namespace warpbeam
