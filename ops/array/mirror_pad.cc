// MirrorPad: a border that mirrors the tensor, with (SYMMETRIC) or without (REFLECT) its edge.
// MirrorPadGrad: the border added back to where it came from.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/kernel_types.h"
#include "ops/array/mirror_borders.h"
#include "ops/array/moving_kernel.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status MirrorPadShape(ShapeContext& c) { return PaddedShape(c, 1); }
Status MirrorPadGradShape(ShapeContext& c) { return PaddedShape(c, -1); }

class MirrorPad {
 public:
  explicit MirrorPad(bool reflect) : reflect_(reflect) {}
  static StatusOr<MirrorPad> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const bool reflect, Reflects(init));
    return MirrorPad(reflect);
  }
  Status Run(KernelContext& ctx, StridedCopier& copier) const {
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(Paddings pads, ReadPaddings(ctx.input(1), x.rank()));
    Dims extents;
    for (int i = 0; i < x.rank(); ++i) {
      const Padding p = pads[static_cast<size_t>(i)];
      WB_RETURN_IF_ERROR(CheckBorder(x.dim(i), p, reflect_));
      extents.push_back(x.dim(i) + p.both());
    }
    WB_ASSIGN_OR_RETURN(Shape shape, Shape::Make(extents));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    const auto from = RowMajorStrides(x.shape());
    const auto to = RowMajorStrides(shape);
    CopyDims inner;
    int64_t start = 0;
    for (size_t i = 0; i < pads.size(); ++i) {
      inner.push_back({x.dim(static_cast<int>(i)), from[i], to[i]});
      start += pads[i].before * to[i];
    }
    WB_RETURN_IF_ERROR(
        copier.Copy(x.dtype(), Advance(y->raw_data(), x.dtype(), start), x.raw_data(), inner));
    // From the last dimension on, so that earlier borders copy the later ones with them.
    for (int axis = x.rank(); axis-- > 0;) {
      int64_t offset;
      CopyDims dims = BorderSlab(shape, pads, axis, &offset);
      const int64_t stride = to[static_cast<size_t>(axis)];
      WB_RETURN_IF_ERROR(copier.Then());
      const auto [begin, end] = BordersOf(x.dim(axis), pads[static_cast<size_t>(axis)], reflect_);
      dims.push_back({begin.count, stride, -stride});
      WB_RETURN_IF_ERROR(
          CopyWithin(copier, y, dims, offset + begin.to * stride, offset + begin.from * stride));
      dims.back() = {end.count, -stride, stride};
      WB_RETURN_IF_ERROR(
          CopyWithin(copier, y, dims, offset + end.to * stride, offset + end.from * stride));
    }
    return OkStatus();
  }

 private:
  static Status CopyWithin(StridedCopier& copier, Tensor* y, const CopyDims& dims, int64_t to,
                           int64_t from) {
    for (const CopyDim& d : dims) {
      if (d.extent == 0) return OkStatus();
    }
    return copier.Copy(y->dtype(), Advance(y->raw_data(), y->dtype(), to),
                       Advance(y->raw_data(), y->dtype(), from), dims);
  }

  bool reflect_;
};

// to[…] += from[…] over all of `dims`.
template <typename T>
void AddStrided(T* to, const T* from, Span<const CopyDim> dims) {
  const CopyDim d = dims[0];
  for (int64_t i = 0; i < d.extent; ++i, to += d.to, from += d.from) {
    if (dims.size() == 1) {
      *to = static_cast<T>(*to + *from);
    } else {
      AddStrided(to, from, dims.subspan(1));
    }
  }
}

class MirrorPadGradKernel final : public Kernel {
 public:
  explicit MirrorPadGradKernel(bool reflect) : reflect_(reflect) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const bool reflect, Reflects(init));
    return std::make_unique<MirrorPadGradKernel>(reflect);
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor& dy = ctx.input(0);
    WB_ASSIGN_OR_RETURN(Paddings pads, ReadPaddings(ctx.input(1), dy.rank()));
    WB_ASSIGN_OR_RETURN(Shape shape, WithoutBorders(dy.shape(), pads, reflect_));
    WB_ASSIGN_OR_RETURN(Tensor sums, ctx.AllocateTemp(dy.dtype(), dy.shape()));
    CopyRange(ctx, dy.dtype(), sums.raw_data(), dy.raw_data(), dy.num_elements());
    WB_RETURN_IF_ERROR(DispatchTypes(NumberTypeList{}, dy.dtype(), [&](auto tag) -> Status {
      Fold<typename decltype(tag)::type>(shape, pads, &sums);
      return OkStatus();
    }));
    WB_ASSIGN_OR_RETURN(Tensor * dx, ctx.Allocate(0, shape));
    const auto from = RowMajorStrides(dy.shape());
    const auto to = RowMajorStrides(shape);
    CopyDims dims;
    int64_t offset = 0;
    for (size_t i = 0; i < pads.size(); ++i) {
      dims.push_back({shape.dim(static_cast<int>(i)), from[i], to[i]});
      offset += pads[i].before * from[i];
    }
    StridedCopy(ctx, dy.dtype(), dx->raw_data(), Advance(sums.raw_data(), dy.dtype(), offset),
                dims);
    return OkStatus();
  }

 private:
  // Adds each border to the inner part, in the reverse order of padding.
  template <typename T>
  void Fold(const Shape& inner, const Paddings& pads, Tensor* sums) const {
    const auto strides = RowMajorStrides(sums->shape());
    for (int axis = 0; axis < sums->rank(); ++axis) {
      int64_t offset;
      CopyDims dims = BorderSlab(sums->shape(), pads, axis, &offset);
      const int64_t stride = strides[static_cast<size_t>(axis)];
      const auto [begin, end] =
          BordersOf(inner.dim(axis), pads[static_cast<size_t>(axis)], reflect_);
      T* base = sums->data<T>() + offset;
      dims.push_back({begin.count, -stride, stride});
      AddStrided(base + begin.from * stride, base + begin.to * stride, MakeConstSpan(dims));
      dims.back() = {end.count, stride, -stride};
      AddStrided(base + end.from * stride, base + end.to * stride, MakeConstSpan(dims));
    }
  }

  const bool reflect_;
};

WB_OP("MirrorPad")
    .Input("input: T")
    .Input("paddings: Tpaddings")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tpaddings: {int32, int64} = int32")
    .Attr("mode: {'REFLECT', 'SYMMETRIC'}")
    .Shape(MirrorPadShape);
WB_KERNEL("MirrorPad", MovingKernel<MirrorPad>)
    .Cpu({{"T",
           kPlainTypes | TypeSet{DType::kQInt32, DType::kQInt8, DType::kQUInt8, DType::kString}},
          {"Tpaddings", kIndexTypes}})
    .Gpu({{"T", kFloatingTypes}, {"Tpaddings", kIndexTypes}})
    .HostMemory({"paddings"});
WB_GPU_KERNEL("MirrorPad", MovingKernelOnGpu<MirrorPad>);

WB_OP("MirrorPadGrad")
    .Input("input: T")
    .Input("paddings: Tpaddings")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tpaddings: {int32, int64} = int32")
    .Attr("mode: {'REFLECT', 'SYMMETRIC'}")
    .Shape(MirrorPadGradShape);
WB_KERNEL("MirrorPadGrad", MirrorPadGradKernel)
    .Cpu({{"T", kNumberTypes}, {"Tpaddings", kIndexTypes}})
    .Gpu({{"T", kFloatingTypes}, {"Tpaddings", kIndexTypes}})
    .HostMemory({"paddings"});

Status MirrorPadGradient(GradContext& c) {
  WB_ASSIGN_OR_RETURN(std::string mode, c.attr<std::string>("mode"));
  c.set_dx(0, c.Emit("MirrorPadGrad", {c.dy(0), c.x(1)}, {{"mode", mode}}));
  return OkStatus();
}
WB_GRADIENT("MirrorPad", MirrorPadGradient);

Status MirrorPadGradGradient(GradContext& c) {
  WB_ASSIGN_OR_RETURN(std::string mode, c.attr<std::string>("mode"));
  c.set_dx(0, c.Emit("MirrorPad", {c.dy(0), c.x(1)}, {{"mode", mode}}));
  return OkStatus();
}
WB_GRADIENT("MirrorPadGrad", MirrorPadGradGradient);

}  // namespace
}  // namespace warpbeam
