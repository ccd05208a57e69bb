// DepthToSpace, SpaceToDepth: blocks of the plane become channels, and back.
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

struct Format {
  int block;
  bool channels_first;
  int height() const { return channels_first ? 2 : 1; }
  int width() const { return channels_first ? 3 : 2; }
  int depth() const { return channels_first ? 1 : 3; }
};

StatusOr<Format> FormatOf(const AttrMap &attrs) {
  WB_ASSIGN_OR_RETURN(int64_t block, attrs.Get<int64_t>("block_size"));
  const std::string layout = attrs.GetOr<std::string>("data_format", "NHWC");
  if (layout == "NCHW_VECT_C") return Unimplemented("the data format NCHW_VECT_C");
  if (block < 2 || block > (int64_t{1} << 20)) {
    return InvalidArgument("'block_size' must be at least 2, it is ", block);
  }
  return Format{static_cast<int>(block), layout == "NCHW"};
}

StatusOr<int64_t> Divided(int64_t extent, int64_t by, const char *what) {
  if (extent < 0) return -1;
  if (extent % by != 0) return InvalidArgument(what, " ", extent, " is no multiple of ", by);
  return extent / by;
}

StatusOr<PartialShape> Spread(PartialShape in, const Format &f) {
  WB_ASSIGN_OR_RETURN(int64_t depth,
                      Divided(in.dim(f.depth()), int64_t{f.block} * f.block, "the depth"));
  in.set_dim(f.height(), MultiplyExtents(in.dim(f.height()), f.block));
  in.set_dim(f.width(), MultiplyExtents(in.dim(f.width()), f.block));
  in.set_dim(f.depth(), depth);
  return in;
}

StatusOr<PartialShape> Folded(PartialShape in, const Format &f) {
  WB_ASSIGN_OR_RETURN(int64_t height, Divided(in.dim(f.height()), f.block, "the height"));
  WB_ASSIGN_OR_RETURN(int64_t width, Divided(in.dim(f.width()), f.block, "the width"));
  in.set_dim(f.height(), height);
  in.set_dim(f.width(), width);
  in.set_dim(f.depth(), MultiplyExtents(in.dim(f.depth()), int64_t{f.block} * f.block));
  return in;
}

template <bool to_depth>
Status BlockShape(ShapeContext &c) {
  if (c.attrs().GetOr<std::string>("data_format", "NHWC") == "NCHW_VECT_C") {
    c.set_output(0, PartialShape::UnknownOfRank(5));
    return OkStatus();
  }
  WB_ASSIGN_OR_RETURN(Format f, FormatOf(c.attrs()));
  WB_ASSIGN_OR_RETURN(PartialShape in, c.WithRank(0, 4));
  WB_ASSIGN_OR_RETURN(PartialShape out, to_depth ? Folded(in, f) : Spread(in, f));
  c.set_output(0, std::move(out));
  return OkStatus();
}

// Element (h * block + i, w * block + j, c) of the plane is (h, w, (i * block +
// j) * depth + c) of the channels.
template <bool to_depth>
class BlocksAndDepth {
 public:
  explicit BlocksAndDepth(Format format) : format_(format) {}
  static StatusOr<BlocksAndDepth> Create(KernelInit &init) {
    WB_ASSIGN_OR_RETURN(Format format, FormatOf(init.attrs));
    return BlocksAndDepth(format);
  }
  Status Run(KernelContext &ctx, StridedCopier &copier) const {
    const Tensor &x = ctx.input(0);
    const Format &f = format_;
    if (x.rank() != 4) {
      return InvalidArgument("the input must have rank 4, not the shape ", x.shape().ToString());
    }
    WB_ASSIGN_OR_RETURN(PartialShape known, to_depth ? Folded(x.shape(), f) : Spread(x.shape(), f));
    WB_ASSIGN_OR_RETURN(Shape shape, known.AsShape());
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    const Shape &plane = to_depth ? x.shape() : shape;
    const Shape &deep = to_depth ? shape : x.shape();
    const auto p = RowMajorStrides(plane);
    const auto d = RowMajorStrides(deep);
    const size_t height = static_cast<size_t>(f.height()), width = static_cast<size_t>(f.width());
    const size_t depth = static_cast<size_t>(f.depth());
    const int64_t channels = plane.dim(f.depth());
    const CopyDims in_plane = {
        {plane.dim(0), d[0], p[0]},
        {deep.dim(f.height()), d[height], p[height] * f.block},
        {f.block, d[depth] * channels * f.block, p[height]},
        {deep.dim(f.width()), d[width], p[width] * f.block},
        {f.block, d[depth] * channels, p[width]},
        {channels, d[depth], p[depth]},
    };
    CopyDims dims = in_plane;
    if (to_depth) {
      for (CopyDim &dim : dims) std::swap(dim.from, dim.to);
    }
    return copier.Copy(x.dtype(), y->raw_data(), x.raw_data(), dims);
  }

 private:
  Format format_;
};

template <bool to_depth>
Status BlockGradient(GradContext &c) {
  WB_ASSIGN_OR_RETURN(int64_t block, c.attr<int64_t>("block_size"));
  c.set_dx(0, c.Emit(to_depth ? "DepthToSpace" : "SpaceToDepth", {c.dy(0)},
                     {{"block_size", block},
                      {"data_format", c.attr_or<std::string>("data_format", "NHWC")}}));
  return OkStatus();
}

WB_OP("DepthToSpace")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("block_size: int >= 2")
    .Attr("data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'")
    .Shape(BlockShape<false>);
WB_KERNEL("DepthToSpace", MovingKernel<BlocksAndDepth<false>>)
    .Cpu({{"T", kPlainTypes | kObjectTypes}})
    .Gpu({{"T", TypeSet{DType::kBFloat16, DType::kFloat, DType::kHalf, DType::kQInt8}}});
WB_GPU_KERNEL("DepthToSpace", MovingKernelOnGpu<BlocksAndDepth<false>>);

WB_GRADIENT("DepthToSpace", BlockGradient<false>);

WB_OP("SpaceToDepth")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("block_size: int >= 2")
    .Attr("data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'")
    .Shape(BlockShape<true>);
WB_KERNEL("SpaceToDepth", MovingKernel<BlocksAndDepth<true>>)
    .Cpu({{"T", kPlainTypes | kObjectTypes | TypeSet{DType::kQInt8}}})
    .Gpu({{"T",
           TypeSet{DType::kBFloat16, DType::kFloat, DType::kHalf, DType::kQInt8, DType::kUInt8}}});
WB_GPU_KERNEL("SpaceToDepth", MovingKernelOnGpu<BlocksAndDepth<true>>);

WB_GRADIENT("SpaceToDepth", BlockGradient<true>);

}  // namespace
}  // namespace warpbeam
