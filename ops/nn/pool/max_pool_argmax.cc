// MaxPoolWithArgmax, which also says where each maximum stood, and the ops that use this: the
// gradient, MaxPoolGradWithArgmax, and its gradient.
//
// A place is (y * width + x) * channels + channel, with the image's number before it on request.

#include <atomic>
#include <memory>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/launch/dispatch.h"
#include "ops/nn/pool/max_pool.h"
#include "ops/nn/pool/pool_loops.h"
#include "ops/nn/window/emit_like.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {

StatusOr<Shape> MakeArgmaxGeometry(const KernelContext& ctx, const PoolAttrs& attrs,
                                   PoolGeometry* geometry) {
  const Shape& x = ctx.input(0).shape();
  WB_RETURN_IF_ERROR(MakePoolGeometry(attrs, x, geometry));
  if (geometry->channel_window != 1) return Unimplemented("places of maxima over channels");
  if (x.num_elements() == 0) {
    return InvalidArgument("there are no maxima in data of shape ", x.ToString());
  }
  return PoolOutputShape(attrs, *geometry);
}

StatusOr<Shape> MakeArgmaxGradGeometry(const KernelContext& ctx, const PoolAttrs& attrs,
                                       bool to_input, PoolGeometry* geometry) {
  const Shape& x = ctx.input(0).shape();
  WB_RETURN_IF_ERROR(MakePoolGeometry(attrs, x, geometry));
  WB_ASSIGN_OR_RETURN(const Shape pooled, PoolOutputShape(attrs, *geometry));
  WB_RETURN_IF_ERROR(CheckPoolShape("grad", ctx.input(1).shape(), to_input ? pooled : x));
  WB_RETURN_IF_ERROR(CheckPoolShape("argmax", ctx.input(2).shape(), pooled));
  return to_input ? x : pooled;
}

}  // namespace warpbeam

namespace warpbeam::host_pass {
namespace {

template <class T, class Index>
void PoolWithArgmax(const KernelContext& ctx, const PoolGeometry& g, bool batch_in_index,
                    const T* x, T* y, Index* argmax) {
  ForEachTask(ctx, g, [&](const PoolTask& task) {
    const int64_t first = task.image * g.input_pixels() * g.channels;
    task.ForEachPlace([&](int64_t place, const Taps& taps) {
      const int64_t at = (task.image * g.output_pixels() + place) * g.channels;
      for (int64_t c = task.first_channel; c < task.last_channel; ++c) {
        int64_t best = -1;
        taps.ForEach([&](int64_t pixel) {
          const int64_t offset = pixel * g.channels + c;
          if (best < 0 || x[first + best] < x[first + offset]) best = offset;
        });
        y[at + c] = best < 0 ? T(0) : x[first + best];
        argmax[at + c] = static_cast<Index>(best + (batch_in_index ? first : 0));
      }
    });
  });
}

class MaxPoolWithArgmaxKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const PoolAttrs attrs, PoolKernelAttrs(init, 2));
    return std::make_unique<MaxPoolWithArgmaxKernel>(
        attrs, init.attrs.GetOr<bool>("include_batch_in_index", false));
  }
  MaxPoolWithArgmaxKernel(const PoolAttrs& attrs, bool batch_in_index)
      : attrs_(attrs), batch_in_index_(batch_in_index) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    PoolGeometry g;
    WB_ASSIGN_OR_RETURN(const Shape shape, MakeArgmaxGeometry(ctx, attrs_, &g));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    WB_ASSIGN_OR_RETURN(Tensor * argmax, ctx.Allocate(1, shape));
    return DispatchTypes(RealTypeList{}, x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      return DispatchIndex(argmax->dtype(), [&](auto index_tag) {
        using Index = typename decltype(index_tag)::type;
        PoolWithArgmax(ctx, g, batch_in_index_, x.data<T>(), y->data<T>(), argmax->data<Index>());
        return OkStatus();
      });
    });
  }

 private:
  const PoolAttrs attrs_;
  const bool batch_in_index_;
};

// kForward: output[argmax[i]] += grad[i], shaped like the input. Else: output[i] = grad[argmax[i]],
// shaped like argmax.
template <bool kForward>
class ByArgmaxKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const PoolAttrs attrs, PoolKernelAttrs(init, 2));
    return std::make_unique<ByArgmaxKernel>(
        attrs, init.attrs.GetOr<bool>("include_batch_in_index", false));
  }
  ByArgmaxKernel(const PoolAttrs& attrs, bool batch_in_index)
      : attrs_(attrs), batch_in_index_(batch_in_index) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor &x = ctx.input(0), &gradient = ctx.input(1), &argmax = ctx.input(2);
    PoolGeometry g;
    WB_ASSIGN_OR_RETURN(const Shape shape, MakeArgmaxGradGeometry(ctx, attrs_, kForward, &g));
    WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, shape));
    return DispatchTypes(RealTypeList{}, x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      return DispatchIndex(argmax.dtype(), [&](auto index_tag) {
        using Index = typename decltype(index_tag)::type;
        return Move<T>(ctx, g, argmax.data<Index>(), gradient.data<T>(), out->data<T>());
      });
    });
  }

 private:
  template <class T, class Index>
  Status Move(const KernelContext& ctx, const PoolGeometry& g, const Index* argmax, const T* from,
              T* to) const {
    const int64_t image = g.input_pixels() * g.channels, places = g.output_pixels() * g.channels;
    std::atomic<bool> inside{true};
    ctx.ParallelFor(g.batch, 2 * (image + places), [&](int64_t begin, int64_t end) {
      if (kForward) std::fill(to + begin * image, to + end * image, T(0));
      for (int64_t i = begin * places; i < end * places; ++i) {
        const int64_t first = i / places * image;
        // Any number may be given: it is compared before anything is added to it.
        const int64_t given = static_cast<int64_t>(argmax[i]), base = batch_in_index_ ? first : 0;
        const bool is_inside = given >= base && given - base < image;
        const int64_t at = is_inside ? first + (given - base) : 0;
        if (!is_inside) {
          inside.store(false, std::memory_order_relaxed);
        } else if (kForward) {
          to[at] = Plus(to[at], from[i]);
        } else {
          to[i] = from[at];
        }
      }
    });
    if (inside.load(std::memory_order_relaxed)) return OkStatus();
    return InvalidArgument("'argmax' names a place outside its image of ", image, " elements");
  }

  const PoolAttrs attrs_;
  const bool batch_in_index_;
};

Status PoolWithArgmaxShape(ShapeContext& c) { return PoolShape(c, 2); }
Status LikeInputShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape shape, c.WithRank(0, 4));
  c.set_output(0, std::move(shape));
  return OkStatus();
}
Status LikeArgmaxShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape shape, c.WithRank(2, 4));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

Status PoolWithArgmaxGradient(GradContext& c) {
  c.set_dx(0, EmitLike(c, "MaxPoolGradWithArgmax", {c.x(0), c.dy(0), c.y(1)}));
  return OkStatus();
}

constexpr TypeSet kInt64Set = {DType::kInt64};

}  // namespace

#define WB_ARGMAX_ATTRS Attr("ksize: list(int) >= 4").Attr("strides: list(int) >= 4")
#define WB_REAL_TYPES \
  "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}"

WB_OP("MaxPoolWithArgmax")
    .Input("input: T")
    .Output("output: T")
    .Output("argmax: Targmax")
    .WB_ARGMAX_ATTRS.Attr("Targmax: {int32, int64} = int64")
    .Attr("padding: {'SAME', 'VALID'}")
    .Attr("include_batch_in_index: bool = false")
    .Attr(WB_REAL_TYPES)
    .Shape(PoolWithArgmaxShape);
WB_OP("MaxPoolGradWithArgmax")
    .Input("input: T")
    .Input("grad: T")
    .Input("argmax: Targmax")
    .Output("output: T")
    .WB_ARGMAX_ATTRS.Attr("padding: {'SAME', 'VALID'}")
    .Attr("include_batch_in_index: bool = false")
    .Attr("Targmax: {int32, int64}")
    .Attr(WB_REAL_TYPES)
    .Shape(LikeInputShape);
WB_OP("MaxPoolGradGradWithArgmax")
    .Input("input: T")
    .Input("grad: T")
    .Input("argmax: Targmax")
    .Output("output: T")
    .WB_ARGMAX_ATTRS.Attr("padding: {'SAME', 'VALID'}")
    .Attr("include_batch_in_index: bool = false")
    .Attr("Targmax: {int32, int64}")
    .Attr(WB_REAL_TYPES)
    .Shape(LikeArgmaxShape);
WB_KERNEL("MaxPoolWithArgmax", MaxPoolWithArgmaxKernel)
    .Cpu({{"T", kRealTypes}, {"Targmax", kIndexTypes}})
    .Gpu({{"T", kFloatingTypes}, {"Targmax", kInt64Set}});
WB_KERNEL("MaxPoolGradWithArgmax", ByArgmaxKernel<true>)
    .Cpu({{"T", kRealTypes}, {"Targmax", kInt64Set}})
    .Gpu({{"T", kFloatingTypes}, {"Targmax", kInt64Set}});
WB_KERNEL("MaxPoolGradGradWithArgmax", ByArgmaxKernel<false>)
    .Gpu({{"T", kFloatingTypes}, {"Targmax", kInt64Set}});
WB_GRADIENT("MaxPoolWithArgmax", PoolWithArgmaxGradient);

}  // namespace warpbeam::host_pass
