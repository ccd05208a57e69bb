// MirrorPad: a border that mirrors the tensor, with (SYMMETRIC) or without (REFLECT) its edge.
// MirrorPadGrad: the border added back to where it came from.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/kernel_types.h"
#include "ops/array/paddings.h"
#include "ops/array/strided_copy.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

absl::Status MirrorPadShape(ShapeContext& c) { return PaddedShape(c, 1); }
absl::Status MirrorPadGradShape(ShapeContext& c) { return PaddedShape(c, -1); }

// One side of one dimension's border: `count` places, the one beside the tensor at position `to`;
// they mirror the places from position `from` on, which lie in the tensor.
struct Border {
  int64_t count, to, from;
};

// The borders of a dimension of inner extent `n`: beginning and end.
std::pair<Border, Border> BordersOf(int64_t n, Padding p, bool reflect) {
  const int64_t skip = reflect ? 1 : 0;
  return {{p.before, p.before - 1, p.before + skip},
          {p.after, p.before + n, p.before + n - 1 - skip}};
}

absl::Status CheckBorder(int64_t n, Padding p, bool reflect) {
  const int64_t most = reflect ? n - 1 : n;
  if (p.before <= most && p.after <= most) return absl::OkStatus();
  return InvalidArgument("paddings must not exceed ", reflect ? "the extent minus 1" : "the extent",
                         " (", most, "): ", p.before, ", ", p.after);
}

template <class Derived>
class MirrorKernel : public Kernel {
 public:
  explicit MirrorKernel(bool reflect) : reflect_(reflect) {}
  static absl::StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(std::string mode, init.attr<std::string>("mode"));
    return std::make_unique<Derived>(mode == "REFLECT");
  }

 protected:
  // All dimensions but `axis`, for copying its borders: the inner part of earlier dimensions, later
  // ones with their borders.
  static CopyDims Slab(const Shape& shape, const Paddings& pads, int axis, int64_t* offset) {
    const auto strides = RowMajorStrides(shape);
    CopyDims dims;
    *offset = 0;
    for (int i = 0; i < shape.rank(); ++i) {
      if (i == axis) continue;
      const Padding p = pads[static_cast<size_t>(i)];
      const int64_t stride = strides[static_cast<size_t>(i)];
      const bool inner = i < axis;
      dims.push_back({inner ? shape.dim(i) - p.both() : shape.dim(i), stride, stride});
      if (inner) *offset += p.before * stride;
    }
    return dims;
  }

  const bool reflect_;
};

class MirrorPadKernel final : public MirrorKernel<MirrorPadKernel> {
 public:
  using MirrorKernel::MirrorKernel;
  absl::Status Compute(KernelContext& ctx) override {
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
    StridedCopy(ctx, x.dtype(), Advance(y->raw_data(), x.dtype(), start), x.raw_data(), inner);
    // From the last dimension on, so that earlier borders copy the later ones with them.
    for (int axis = x.rank(); axis-- > 0;) {
      int64_t offset;
      CopyDims dims = Slab(shape, pads, axis, &offset);
      const int64_t stride = to[static_cast<size_t>(axis)];
      const auto [begin, end] = BordersOf(x.dim(axis), pads[static_cast<size_t>(axis)], reflect_);
      dims.push_back({begin.count, stride, -stride});
      CopyWithin(ctx, y, dims, offset + begin.to * stride, offset + begin.from * stride);
      dims.back() = {end.count, -stride, stride};
      CopyWithin(ctx, y, dims, offset + end.to * stride, offset + end.from * stride);
    }
    return absl::OkStatus();
  }

 private:
  static void CopyWithin(const KernelContext& ctx, Tensor* y, const CopyDims& dims, int64_t to,
                         int64_t from) {
    for (const CopyDim& d : dims) {
      if (d.extent == 0) return;
    }
    StridedCopy(ctx, y->dtype(), Advance(y->raw_data(), y->dtype(), to),
                Advance(y->raw_data(), y->dtype(), from), dims);
  }
};

// to[…] += from[…] over all of `dims`.
template <typename T>
void AddStrided(T* to, const T* from, absl::Span<const CopyDim> dims) {
  const CopyDim d = dims[0];
  for (int64_t i = 0; i < d.extent; ++i, to += d.to, from += d.from) {
    if (dims.size() == 1) {
      *to = static_cast<T>(*to + *from);
    } else {
      AddStrided(to, from, dims.subspan(1));
    }
  }
}

class MirrorPadGradKernel final : public MirrorKernel<MirrorPadGradKernel> {
 public:
  using MirrorKernel::MirrorKernel;
  absl::Status Compute(KernelContext& ctx) override {
    const Tensor& dy = ctx.input(0);
    WB_ASSIGN_OR_RETURN(Paddings pads, ReadPaddings(ctx.input(1), dy.rank()));
    Dims extents;
    for (int i = 0; i < dy.rank(); ++i) {
      const Padding p = pads[static_cast<size_t>(i)];
      extents.push_back(dy.dim(i) - p.both());
      if (extents.back() < 0) {
        return InvalidArgument("paddings exceed the extent ", dy.dim(i), " of dimension ", i);
      }
      WB_RETURN_IF_ERROR(CheckBorder(extents.back(), p, reflect_));
    }
    WB_ASSIGN_OR_RETURN(Shape shape, Shape::Make(extents));
    WB_ASSIGN_OR_RETURN(Tensor sums, ctx.AllocateTemp(dy.dtype(), dy.shape()));
    CopyRange(ctx, dy.dtype(), sums.raw_data(), dy.raw_data(), dy.num_elements());
    WB_RETURN_IF_ERROR(DispatchTypes(NumberTypeList{}, dy.dtype(), [&](auto tag) -> absl::Status {
      Fold<typename decltype(tag)::type>(shape, pads, &sums);
      return absl::OkStatus();
    }));
    WB_ASSIGN_OR_RETURN(Tensor * dx, ctx.Allocate(0, shape));
    const auto from = RowMajorStrides(dy.shape());
    const auto to = RowMajorStrides(shape);
    CopyDims dims;
    int64_t offset = 0;
    for (size_t i = 0; i < pads.size(); ++i) {
      dims.push_back({extents[i], from[i], to[i]});
      offset += pads[i].before * from[i];
    }
    StridedCopy(ctx, dy.dtype(), dx->raw_data(), Advance(sums.raw_data(), dy.dtype(), offset),
                dims);
    return absl::OkStatus();
  }

 private:
  // Adds each border to the inner part, in the reverse order of padding.
  template <typename T>
  void Fold(const Shape& inner, const Paddings& pads, Tensor* sums) const {
    const auto strides = RowMajorStrides(sums->shape());
    for (int axis = 0; axis < sums->rank(); ++axis) {
      int64_t offset;
      CopyDims dims = Slab(sums->shape(), pads, axis, &offset);
      const int64_t stride = strides[static_cast<size_t>(axis)];
      const auto [begin, end] =
          BordersOf(inner.dim(axis), pads[static_cast<size_t>(axis)], reflect_);
      T* base = sums->data<T>() + offset;
      dims.push_back({begin.count, -stride, stride});
      AddStrided(base + begin.from * stride, base + begin.to * stride, absl::MakeConstSpan(dims));
      dims.back() = {end.count, stride, -stride};
      AddStrided(base + end.from * stride, base + end.to * stride, absl::MakeConstSpan(dims));
    }
  }
};

WB_OP("MirrorPad")
    .Input("input: T")
    .Input("paddings: Tpaddings")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tpaddings: {int32, int64} = int32")
    .Attr("mode: {'REFLECT', 'SYMMETRIC'}")
    .Shape(MirrorPadShape);
WB_KERNEL("MirrorPad", MirrorPadKernel)
    .Cpu({{"T",
           kPlainTypes | TypeSet{DType::kQInt32, DType::kQInt8, DType::kQUInt8, DType::kString}},
          {"Tpaddings", kIndexTypes}})
    .Gpu({{"T", kFloatingTypes}, {"Tpaddings", kIndexTypes}})
    .HostMemory({"paddings"});

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

absl::Status MirrorPadGradient(GradContext& c) {
  WB_ASSIGN_OR_RETURN(std::string mode, c.attr<std::string>("mode"));
  c.set_dx(0, c.Emit("MirrorPadGrad", {c.dy(0), c.x(1)}, {{"mode", mode}}));
  return absl::OkStatus();
}
WB_GRADIENT("MirrorPad", MirrorPadGradient);

absl::Status MirrorPadGradGradient(GradContext& c) {
  WB_ASSIGN_OR_RETURN(std::string mode, c.attr<std::string>("mode"));
  c.set_dx(0, c.Emit("MirrorPad", {c.dy(0), c.x(1)}, {{"mode", mode}}));
  return absl::OkStatus();
}
WB_GRADIENT("MirrorPadGrad", MirrorPadGradGradient);

}  // namespace
}  // namespace warpbeam
