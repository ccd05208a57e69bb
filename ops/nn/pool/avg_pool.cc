// AvgPool of images, AvgPool3D of volumes, and their gradients: the mean of what lies below each
// place of a window. Padding does not count.

#include <memory>
#include <vector>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/launch/dispatch.h"
#include "ops/nn/pool/pool_loops.h"
#include "ops/nn/window/channels.h"
#include "ops/nn/window/emit_like.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam::host_pass {
namespace {

template <class T>
void Forward(const KernelContext& ctx, const PoolGeometry& g, const T* x, T* y) {
  using L = ChannelLanes<T>;
  using V = typename L::V;
  ForEachTask(ctx, g, [&](const PoolTask& task) {
    const T* image = x + task.image * g.input_pixels() * g.channels;
    T* result = y + task.image * g.output_pixels() * g.channels;
    task.ForEachPlace([&](int64_t place, const Taps& taps) {
      const V count(static_cast<ComputeType<T>>(taps.count()));
      for (int64_t c = task.first_channel; c < task.last_channel; c += L::kCount) {
        const int64_t n = task.last_channel - c;
        V sum(0);
        taps.ForEach(
            [&](int64_t pixel) { sum = sum + L::Load(image + pixel * g.channels + c, n); });
        L::Store(sum / count, result + place * g.channels + c, n);
      }
    });
  });
}

template <class T>
void Backward(const KernelContext& ctx, const PoolGeometry& g, const T* dy, T* dx) {
  using L = ChannelLanes<T>;
  using V = typename L::V;
  ForEachTask(ctx, g, [&](const PoolTask& task) {
    T* image = dx + task.image * g.input_pixels() * g.channels;
    const int64_t width = task.last_channel - task.first_channel;
    for (int64_t p = 0; p < g.input_pixels(); ++p) {
      std::fill_n(image + p * g.channels + task.first_channel, width, T(0));
    }
    task.ForEachPlace([&](int64_t place, const Taps& taps) {
      const T* from = dy + (task.image * g.output_pixels() + place) * g.channels;
      const V share(ComputeType<T>(1) / static_cast<ComputeType<T>>(taps.count()));
      for (int64_t c = task.first_channel; c < task.last_channel; c += L::kCount) {
        const int64_t n = task.last_channel - c;
        const V gradient = L::Load(from + c, n) * share;
        taps.ForEach([&](int64_t pixel) {
          T* to = image + pixel * g.channels + c;
          L::Store(L::Load(to, n) + gradient, to, n);
        });
      }
    });
  });
}

template <int kSpatial>
class AvgPoolKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const PoolAttrs attrs, MeanPoolAttrs(init, kSpatial));
    return std::make_unique<AvgPoolKernel>(attrs);
  }
  explicit AvgPoolKernel(const PoolAttrs& attrs) : attrs_(attrs) {}

  Status Compute(KernelContext& ctx) override {
    const DataFormat& format = attrs_.format;
    PoolGeometry g;
    WB_RETURN_IF_ERROR(
        MakePoolGeometry(attrs_, WithChannelsLast(ctx.input(0).shape(), format), &g));
    WB_ASSIGN_OR_RETURN(const Shape shape, PoolOutputShape(attrs_, g));
    LastChannelsOutput y(ctx, 0, format);
    WB_RETURN_IF_ERROR(y.Allocate(shape));
    WB_ASSIGN_OR_RETURN(const Tensor x, ChannelsLast(ctx, ctx.input(0), format));
    WB_RETURN_IF_ERROR(DispatchTypes(FloatTypeList{}, x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      Forward(ctx, g, x.data<T>(), y.tensor().data<T>());
      return OkStatus();
    }));
    return y.Finish();
  }

 private:
  const PoolAttrs attrs_;
};

template <int kSpatial>
class AvgPoolGradKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const PoolAttrs attrs, MeanPoolAttrs(init, kSpatial));
    return std::make_unique<AvgPoolGradKernel>(attrs);
  }
  explicit AvgPoolGradKernel(const PoolAttrs& attrs) : attrs_(attrs) {}

  Status Compute(KernelContext& ctx) override {
    const DataFormat& format = attrs_.format;
    WB_ASSIGN_OR_RETURN(const Shape input, GivenPoolInput(ctx.input(0), format));
    PoolGeometry g;
    WB_RETURN_IF_ERROR(MakePoolGeometry(attrs_, input, &g));
    WB_ASSIGN_OR_RETURN(const Shape pooled, PoolOutputShape(attrs_, g));
    WB_RETURN_IF_ERROR(
        CheckPoolShape("grad", WithChannelsLast(ctx.input(1).shape(), format), pooled));
    LastChannelsOutput dx(ctx, 0, format);
    WB_RETURN_IF_ERROR(dx.Allocate(input));
    WB_ASSIGN_OR_RETURN(const Tensor dy, ChannelsLast(ctx, ctx.input(1), format));
    WB_RETURN_IF_ERROR(DispatchTypes(FloatTypeList{}, dy.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      Backward(ctx, g, dy.data<T>(), dx.tensor().data<T>());
      return OkStatus();
    }));
    return dx.Finish();
  }

 private:
  const PoolAttrs attrs_;
};

Status AvgPoolShape(ShapeContext& c) { return PoolShape(c, 2); }
Status AvgPool3DShape(ShapeContext& c) { return PoolShape(c, 3); }
template <int kRank>
Status AvgPoolGradShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(1, kRank).status());
  WB_ASSIGN_OR_RETURN(PartialShape shape, c.ShapeFromInput(0));
  WB_ASSIGN_OR_RETURN(shape, PartialShape::Merge(shape, PartialShape::UnknownOfRank(kRank)));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

Status AvgPoolGradient(GradContext& c) {
  c.set_dx(0, EmitLike(c, "AvgPoolGrad", {c.ShapeOf(c.x(0)), c.dy(0)}));
  return OkStatus();
}
Status AvgPoolGradGradient(GradContext& c) {
  c.set_dx(1, EmitLike(c, "AvgPool", {c.dy(0)}));
  return OkStatus();
}
Status AvgPool3DGradient(GradContext& c) {
  c.set_dx(0, EmitLike(c, "AvgPool3DGrad", {c.ShapeOf(c.x(0)), c.dy(0)}));
  return OkStatus();
}
Status AvgPool3DGradGradient(GradContext& c) {
  c.set_dx(1, EmitLike(c, "AvgPool3D", {c.dy(0)}));
  return OkStatus();
}

constexpr TypeSet kVolumeCpu = {DType::kBFloat16, DType::kFloat};
constexpr TypeSet kVolumeGpu = {DType::kBFloat16, DType::kFloat, DType::kHalf};

}  // namespace

#define WB_POOL_ATTRS(rank, formats)        \
  Attr("ksize: list(int) >= " #rank)        \
      .Attr("strides: list(int) >= " #rank) \
      .Attr("padding: {'SAME', 'VALID'}")   \
      .Attr("data_format: " formats)        \
      .Attr("T: {half, bfloat16, float, double}")
#define WB_IMAGE_ATTRS WB_POOL_ATTRS(4, "{'NHWC', 'NCHW'} = 'NHWC'")
#define WB_VOLUME_ATTRS WB_POOL_ATTRS(5, "{'NDHWC', 'NCDHW'} = 'NDHWC'")

WB_OP("AvgPool").Input("value: T").Output("output: T").WB_IMAGE_ATTRS.Shape(AvgPoolShape);
WB_OP("AvgPoolGrad")
    .Input("orig_input_shape: int32")
    .Input("grad: T")
    .Output("output: T")
    .WB_IMAGE_ATTRS.Shape(AvgPoolGradShape<4>);
WB_OP("AvgPool3D").Input("input: T").Output("output: T").WB_VOLUME_ATTRS.Shape(AvgPool3DShape);
WB_OP("AvgPool3DGrad")
    .Input("orig_input_shape: int32")
    .Input("grad: T")
    .Output("output: T")
    .WB_VOLUME_ATTRS.Shape(AvgPoolGradShape<5>);
WB_KERNEL("AvgPool", AvgPoolKernel<2>).Cpu({{"T", kFloatingTypes}}).Gpu({{"T", kFloatingTypes}});
WB_KERNEL("AvgPoolGrad", AvgPoolGradKernel<2>)
    .Cpu({{"T", kFloatingTypes}})
    .Gpu({{"T", kFloatingTypes}})
    .HostMemory({"orig_input_shape"});
WB_KERNEL("AvgPool3D", AvgPoolKernel<3>).Cpu({{"T", kVolumeCpu}}).Gpu({{"T", kVolumeGpu}});
WB_KERNEL("AvgPool3DGrad", AvgPoolGradKernel<3>)
    .Cpu({{"T", kVolumeCpu}})
    .Gpu({{"T", kVolumeGpu}})
    .HostMemory({"orig_input_shape"});
WB_GRADIENT("AvgPool", AvgPoolGradient);
WB_GRADIENT("AvgPoolGrad", AvgPoolGradGradient);
WB_GRADIENT("AvgPool3D", AvgPool3DGradient);
WB_GRADIENT("AvgPool3DGrad", AvgPool3DGradGradient);

}  // namespace warpbeam::host_pass
