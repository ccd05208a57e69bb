// FusedBatchNormGrad, V2 and V3: the gradients of a batch normalisation with respect to its data,
// its scale and its offset; and their own gradients.

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/nn/norm/batch_norm.h"
#include "ops/nn/window/channels.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

class FusedBatchNormGradKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const BatchNormAttrs attrs, ReadBatchNormAttrs(init.attrs));
    const bool is_volume = init.attrs.GetOr<std::string>("data_format", "") == "NCDHW";
    if (init.device_type == DeviceType::kCpu && !attrs.is_training && is_volume) {
      return InvalidArgument(
          "on the CPU, the gradient with given moments takes volumes with their channels last "
          "(NDHWC)");
    }
    return std::make_unique<FusedBatchNormGradKernel>(attrs);
  }
  explicit FusedBatchNormGradKernel(const BatchNormAttrs& attrs) : attrs_(attrs) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor &gradient = ctx.input(0), &input = ctx.input(1);
    int axis = 0;
    WB_RETURN_IF_ERROR(CheckBatchNormGradInputs(ctx, attrs_, &axis));
    const Shape shape = WithChannelsLast(input.shape(), attrs_.format);
    const int64_t channels = input.dim(axis);
    LastChannelsOutput dx(ctx, 0, attrs_.format);
    WB_RETURN_IF_ERROR(dx.Allocate(shape));
    WB_ASSIGN_OR_RETURN(Tensor * dscale, ctx.Allocate(1, Shape({channels})));
    WB_ASSIGN_OR_RETURN(Tensor * doffset, ctx.Allocate(2, Shape({channels})));
    for (int i = 3; i < 5; ++i) WB_RETURN_IF_ERROR(ctx.Allocate(i, Shape({0})).status());
    if (shape.num_elements() == 0) {
      std::fill_n(dscale->data<float>(), channels, 0.0f);
      std::fill_n(doffset->data<float>(), channels, 0.0f);
      return dx.Finish();
    }
    WB_ASSIGN_OR_RETURN(const Tensor x, ChannelsLast(ctx, input, attrs_.format));
    WB_ASSIGN_OR_RETURN(const Tensor dy, ChannelsLast(ctx, gradient, attrs_.format));
    const ChannelRows rows{x.dtype(), shape.num_elements() / channels, channels};
    WB_RETURN_IF_ERROR(Backward(ctx, rows, dy, x, dscale->data<float>(), doffset->data<float>(),
                                dx.tensor().raw_data()));
    return dx.Finish();
  }

 private:
  // With r = 1 / sqrt(variance + epsilon), in training
  //   dx = scale r (dy - mean of dy - (x - mean) r^2 * mean of dy (x - mean))
  // and else dx = scale r dy: both are a dy + b x + c.
  Status Backward(KernelContext& ctx, const ChannelRows& rows, const Tensor& dy, const Tensor& x,
                  float* dscale, float* doffset, void* dx) const {
    const float *scale = ctx.input(2).data<float>(), *mean = ctx.input(3).data<float>();
    const float* variance = ctx.input(4).data<float>();
    WB_RETURN_IF_ERROR(GradientSums(ctx, rows, dy.raw_data(), x.raw_data(), mean, doffset, dscale));
    std::vector<float> factors(3 * rows.channels);
    float *a = factors.data(), *b = a + rows.channels, *c = b + rows.channels;
    const float count = static_cast<float>(rows.rows);
    for (int64_t i = 0; i < rows.channels; ++i) {
      const float r = 1 / std::sqrt(variance[i] + attrs_.epsilon);
      a[i] = scale[i] * r;
      b[i] = c[i] = 0;
      if (attrs_.is_training) {
        b[i] = -a[i] * r * r * dscale[i] / count;
        c[i] = -a[i] * doffset[i] / count - b[i] * mean[i];
      }
      dscale[i] *= r;
    }
    return CombineGradient(ctx, rows, dy.raw_data(), x.raw_data(), a, b, c, dx);
  }

  const BatchNormAttrs attrs_;
};

Status FusedBatchNormGradShape(ShapeContext& c) {
  PartialShape x = c.input(0);
  WB_ASSIGN_OR_RETURN(x, PartialShape::Merge(x, c.input(1)));
  if (x.has_rank() && x.rank() != 4 && x.rank() != 5) {
    return InvalidArgument("the data must have 4 or 5 dimensions, but has shape ", x.ToString());
  }
  WB_ASSIGN_OR_RETURN(const BatchNormAttrs attrs, ReadBatchNormAttrs(c.attrs()));
  int64_t channels = -1;
  const int axis = attrs.format.channels_first ? 1 : x.rank() - 1;
  if (x.has_rank()) channels = x.dim(axis);
  for (int i = 2; i < 5; ++i) {
    WB_ASSIGN_OR_RETURN(const PartialShape vector, c.WithRank(i, 1));
    WB_ASSIGN_OR_RETURN(const PartialShape merged,
                        PartialShape::Merge(vector, PartialShape({channels})));
    channels = merged.dim(0);
  }
  if (x.has_rank()) x.set_dim(axis, channels);
  c.set_output(0, x);
  c.set_output(1, PartialShape({channels}));
  c.set_output(2, PartialShape({channels}));
  c.set_output(3, PartialShape({0}));
  c.set_output(4, PartialShape({0}));
  return OkStatus();
}

// The parts of the second derivative, in float with the channels last.
struct Parts {
  GradContext& c;
  OutputRef axes;

  OutputRef Mean(OutputRef v) { return c.Emit("Mean", {v, axes}, {{"keep_dims", true}}); }
  // v without its mean and without what goes along with `xh`.
  OutputRef Project(OutputRef v, OutputRef xh) {
    return c.Sub(c.Sub(v, Mean(v)), c.Mul(xh, Mean(c.Mul(v, xh))));
  }
  OutputRef PerChannel(OutputRef v) { return c.Emit("Sum", {v, axes}); }
};

// With xh the normalised data, r = 1 / sqrt(variance + epsilon), P as Project above, and G, gs, go
// what flows into the gradients of data, scale and offset: the first output is scale r P(dy), so
//   ddy    = scale r P(G) + gs xh + go
//   dscale = sum of G r P(dy)
//   dx     = -scale r^2 (xh (A - B C) + C P(G) + B P(dy)) + gs r P(dy)
// where A = mean G dy - mean G mean dy, B = mean G xh, C = mean dy xh. With given moments P is
// nothing but its argument, and neither xh's mean nor r depends on x.
Status FusedBatchNormGradGradient(GradContext& c) {
  const std::string format = c.attr_or<std::string>("data_format", "NHWC");
  if (format[1] == 'C') {
    return Unimplemented("the second derivative of a batch normalisation of ", format,
                         " data; use channels last");
  }
  const bool training = c.attr_or<bool>("is_training", true);
  std::vector<int32_t> axes;
  const PartialShape& shape = c.shape(c.x(1));
  const int rank = shape.has_rank() ? shape.rank() : static_cast<int>(format.size());
  for (int i = 0; i + 1 < rank; ++i) axes.push_back(i);
  Parts p{c, c.Constant(Tensor::Vector<int32_t>(axes))};
  const DType type = c.type(c.x(1));
  const OutputRef dy = c.Cast(c.x(0), DType::kFloat), x = c.Cast(c.x(1), DType::kFloat);
  const OutputRef scale = c.x(2), g = c.Cast(c.dy(0), DType::kFloat), gs = c.dy(1), go = c.dy(2);
  OutputRef mean = c.x(3), variance = c.x(4);
  if (training) {
    mean = p.Mean(x);
    variance = p.Mean(c.Emit("SquaredDifference", {x, mean}));
  }
  const OutputRef r =
      c.Emit("Rsqrt", {c.Add(variance, c.Scalar<float>(c.attr_or<float>("epsilon", 1e-4f)))});
  const OutputRef xh = c.Mul(c.Sub(x, mean), r), sr = c.Mul(scale, r);
  const OutputRef pg = training ? p.Project(g, xh) : g, py = training ? p.Project(dy, xh) : dy;
  c.set_dx(0, c.Cast(c.Add(c.Add(c.Mul(sr, pg), c.Mul(gs, xh)), go), type));
  OutputRef dx = c.Mul(c.Mul(gs, r), py);
  if (training) {
    const OutputRef b = p.Mean(c.Mul(g, xh)), k = p.Mean(c.Mul(dy, xh));
    const OutputRef a =
        c.Sub(c.Sub(p.Mean(c.Mul(g, dy)), c.Mul(p.Mean(g), p.Mean(dy))), c.Mul(b, k));
    const OutputRef inner = c.Add(c.Mul(xh, a), c.Add(c.Mul(k, pg), c.Mul(b, py)));
    dx = c.Sub(dx, c.Mul(c.Mul(sr, r), inner));
  }
  c.set_dx(1, c.Cast(dx, type));
  c.set_dx(2, p.PerChannel(c.Mul(c.Mul(g, r), py)));
  return OkStatus();
}

constexpr TypeSet kHalfTypes = {DType::kHalf, DType::kBFloat16, DType::kFloat};
constexpr TypeSet kFloatOnly = {DType::kFloat};

}  // namespace

#define WB_NORM_GRAD_ATTRS(formats)              \
  Attr("epsilon: float = 0.0001")                \
      .Attr("data_format: " formats " = 'NHWC'") \
      .Attr("is_training: bool = true")

WB_OP("FusedBatchNormGrad")
    .Input("y_backprop: T")
    .Input("x: T")
    .Input("scale: T")
    .Input("reserve_space_1: T")
    .Input("reserve_space_2: T")
    .Output("x_backprop: T")
    .Output("scale_backprop: T")
    .Output("offset_backprop: T")
    .Output("reserve_space_3: T")
    .Output("reserve_space_4: T")
    .Attr("T: {float}")
    .WB_NORM_GRAD_ATTRS("{'NHWC', 'NCHW'}")
    .Shape(FusedBatchNormGradShape);
WB_OP("FusedBatchNormGradV2")
    .Input("y_backprop: T")
    .Input("x: T")
    .Input("scale: float")
    .Input("reserve_space_1: U")
    .Input("reserve_space_2: U")
    .Output("x_backprop: T")
    .Output("scale_backprop: U")
    .Output("offset_backprop: U")
    .Output("reserve_space_3: U")
    .Output("reserve_space_4: U")
    .Attr("T: {half, bfloat16, float}")
    .Attr("U: {float}")
    .WB_NORM_GRAD_ATTRS("{'NHWC', 'NCHW'}")
    .Shape(FusedBatchNormGradShape);
WB_OP("FusedBatchNormGradV3")
    .Input("y_backprop: T")
    .Input("x: T")
    .Input("scale: float")
    .Input("reserve_space_1: U")
    .Input("reserve_space_2: U")
    .Input("reserve_space_3: U")
    .Output("x_backprop: T")
    .Output("scale_backprop: U")
    .Output("offset_backprop: U")
    .Output("reserve_space_4: U")
    .Output("reserve_space_5: U")
    .Attr("T: {half, bfloat16, float}")
    .Attr("U: {float}")
    .WB_NORM_GRAD_ATTRS("{'NHWC', 'NCHW', 'NDHWC', 'NCDHW'}")
    .Shape(FusedBatchNormGradShape);
WB_KERNEL("FusedBatchNormGrad", FusedBatchNormGradKernel)
    .Cpu({{"T", kFloatOnly}})
    .Gpu({{"T", kFloatOnly}});
WB_KERNEL("FusedBatchNormGradV2", FusedBatchNormGradKernel)
    .Cpu({{"T", kHalfTypes}, {"U", kFloatOnly}})
    .Gpu({{"T", kHalfTypes}, {"U", kFloatOnly}});
WB_KERNEL("FusedBatchNormGradV3", FusedBatchNormGradKernel)
    .Cpu({{"T", kHalfTypes}, {"U", kFloatOnly}})
    .Gpu({{"T", kHalfTypes}, {"U", kFloatOnly}});
WB_GRADIENT("FusedBatchNormGrad", FusedBatchNormGradGradient);
WB_GRADIENT("FusedBatchNormGradV2", FusedBatchNormGradGradient);
WB_GRADIENT("FusedBatchNormGradV3", FusedBatchNormGradGradient);

}  // namespace warpbeam
