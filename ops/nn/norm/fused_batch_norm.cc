// FusedBatchNorm, V2 and V3: each channel is given mean 0 and variance 1, then scaled and shifted;
// in training by its own moments, else by given ones.
//
// Outputs are the result, the mean and the variance to keep (mixed with the given ones by
// exponential_avg_factor), and for the gradient the batch's own mean and variance.

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/nn/norm/batch_norm.h"
#include "ops/nn/window/channels.h"
#include "ops/nn/window/emit_like.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

class FusedBatchNormKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const BatchNormAttrs attrs, ReadBatchNormAttrs(init.attrs));
    return std::make_unique<FusedBatchNormKernel>(attrs);
  }
  explicit FusedBatchNormKernel(const BatchNormAttrs& attrs) : attrs_(attrs) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& input = ctx.input(0);
    int axis = 0;
    WB_RETURN_IF_ERROR(CheckBatchNormInputs(ctx, attrs_, &axis));
    const Shape shape = WithChannelsLast(input.shape(), attrs_.format);
    const int64_t channels = input.dim(axis);
    LastChannelsOutput y(ctx, 0, attrs_.format);
    WB_RETURN_IF_ERROR(y.Allocate(shape));
    float* kept[4];
    for (int i = 0; i < 4; ++i) {
      WB_ASSIGN_OR_RETURN(Tensor * t, ctx.Allocate(i + 1, Shape({channels})));
      kept[i] = t->data<float>();
    }
    if (ctx.num_outputs() > 5) {
      WB_ASSIGN_OR_RETURN(Tensor * unused, ctx.Allocate(5, Shape()));
      *unused->data<float>() = 0;
    }
    if (channels == 0) return y.Finish();
    WB_ASSIGN_OR_RETURN(const Tensor x, ChannelsLast(ctx, input, attrs_.format));
    const ChannelRows rows{x.dtype(), shape.num_elements() / channels, channels};
    if (attrs_.is_training) {
      WB_RETURN_IF_ERROR(Train(ctx, rows, x, kept));
    } else {
      for (int i = 0; i < 4; ++i) {
        const float* given = ctx.input(3 + i % 2).data<float>();
        std::copy_n(given, channels, kept[i]);
      }
    }
    WB_RETURN_IF_ERROR(Apply(ctx, rows, x, kept[2], kept[3], &y.tensor()));
    return y.Finish();
  }

 private:
  Status Train(KernelContext& ctx, const ChannelRows& rows, const Tensor& x,
               float* const kept[4]) const {
    float *mean = kept[2], *variance = kept[3];
    if (rows.rows == 0) {
      std::fill_n(kept[0], rows.channels, std::numeric_limits<float>::quiet_NaN());
      std::fill_n(kept[1], rows.channels, std::numeric_limits<float>::quiet_NaN());
      std::fill_n(mean, rows.channels, 0.0f);
      std::fill_n(variance, rows.channels, 0.0f);
      return OkStatus();
    }
    WB_RETURN_IF_ERROR(ChannelMoments(ctx, rows, x.raw_data(), mean, variance));
    const float factor = attrs_.average_factor;
    // What is kept is the variance of the population that the batch was drawn from.
    const float unbiased = static_cast<float>(rows.rows) / std::max<int64_t>(1, rows.rows - 1);
    for (int64_t c = 0; c < rows.channels; ++c) {
      kept[0][c] = mean[c];
      kept[1][c] = variance[c] * unbiased;
      if (factor == 1) continue;
      kept[0][c] = (1 - factor) * ctx.input(3).data<float>()[c] + factor * kept[0][c];
      kept[1][c] = (1 - factor) * ctx.input(4).data<float>()[c] + factor * kept[1][c];
    }
    return OkStatus();
  }

  Status Apply(KernelContext& ctx, const ChannelRows& rows, const Tensor& x, const float* mean,
               const float* variance, Tensor* y) const {
    if (rows.rows == 0) return OkStatus();
    const float *scale = ctx.input(1).data<float>(), *offset = ctx.input(2).data<float>();
    std::vector<float> factor(rows.channels), shift(rows.channels);
    for (int64_t c = 0; c < rows.channels; ++c) {
      factor[c] = scale[c] / std::sqrt(variance[c] + attrs_.epsilon);
      shift[c] = offset[c] - mean[c] * factor[c];
    }
    return Normalize(ctx, rows, x.raw_data(), factor.data(), shift.data(), y->raw_data());
  }

  const BatchNormAttrs attrs_;
};

Status FusedBatchNormShape(ShapeContext& c) {
  PartialShape x = c.input(0);
  if (x.has_rank() && x.rank() != 4 && x.rank() != 5) {
    return InvalidArgument("the data must have 4 or 5 dimensions, but has shape ", x.ToString());
  }
  WB_ASSIGN_OR_RETURN(const BatchNormAttrs attrs, ReadBatchNormAttrs(c.attrs()));
  int64_t channels = -1;
  const int axis = attrs.format.channels_first ? 1 : x.rank() - 1;
  if (x.has_rank()) channels = x.dim(axis);
  for (int i = 1; i < 5; ++i) {
    WB_ASSIGN_OR_RETURN(const PartialShape vector, c.WithRank(i, 1));
    if (i > 2 && attrs.is_training) continue;  // may be empty
    WB_ASSIGN_OR_RETURN(const PartialShape merged,
                        PartialShape::Merge(vector, PartialShape({channels})));
    channels = merged.dim(0);
  }
  if (x.has_rank()) x.set_dim(axis, channels);
  c.set_output(0, x);
  for (int i = 1; i < 5; ++i) c.set_output(i, PartialShape({channels}));
  return OkStatus();
}

OutputRef Transposed(GradContext& c, OutputRef x, int rank, bool channels_last) {
  std::vector<int32_t> order = {0};
  if (channels_last) {
    for (int i = 2; i < rank; ++i) order.push_back(i);
    order.push_back(1);
  } else {
    order.push_back(rank - 1);
    for (int i = 1; i < rank - 1; ++i) order.push_back(i);
  }
  return c.Emit("Transpose", {x, c.Constant(Tensor::Vector<int32_t>(order))});
}

// In training the gradient needs the batch's own moments, else those that were given. The latter's
// kernel takes channels last only.
Status FusedBatchNormGradient(GradContext& c) {
  const std::string name = c.node().op_name();
  const bool v3 = name == "FusedBatchNormV3";
  const std::string op = v3                           ? "FusedBatchNormGradV3"
                         : name == "FusedBatchNormV2" ? "FusedBatchNormGradV2"
                                                      : "FusedBatchNormGrad";
  const bool training = c.attr_or<bool>("is_training", true);
  const std::string format = c.attr_or<std::string>("data_format", "NHWC");
  const bool turn = !training && (format == "NCHW" || format == "NCDHW");
  const int rank = static_cast<int>(format.size());
  OutputRef dy = c.dy(0), x = c.x(0);
  if (turn) {
    dy = Transposed(c, dy, rank, true);
    x = Transposed(c, x, rank, true);
  }
  std::vector<NodeInput> inputs = {dy, x, c.x(1), training ? c.y(3) : c.x(3),
                                   training ? c.y(4) : c.x(4)};
  if (v3) inputs.push_back(c.y(5));
  AttrMap attrs;
  attrs.Set("epsilon", c.attr_or<float>("epsilon", 1e-4f));
  attrs.Set("is_training", training);
  attrs.Set("data_format", turn ? std::string(rank == 5 ? "NDHWC" : "NHWC") : format);
  const std::vector<OutputRef> gradients = c.EmitAll(op, inputs, attrs);
  if (gradients.size() < 3) return OkStatus();  // the context keeps why
  c.set_dx(0, turn ? Transposed(c, gradients[0], rank, false) : gradients[0]);
  c.set_dx(1, gradients[1]);
  c.set_dx(2, gradients[2]);
  return OkStatus();
}

constexpr TypeSet kHalfTypes = {DType::kHalf, DType::kBFloat16, DType::kFloat};
constexpr TypeSet kFloatOnly = {DType::kFloat};

}  // namespace

#define WB_NORM_ATTRS(formats)                     \
  Attr("epsilon: float = 0.0001")                  \
      .Attr("exponential_avg_factor: float = 1.0") \
      .Attr("data_format: " formats " = 'NHWC'")   \
      .Attr("is_training: bool = true")
#define WB_NORM_OP(name, U)          \
  WB_OP(name)                        \
      .Input("x: T")                 \
      .Input("scale: " U)            \
      .Input("offset: " U)           \
      .Input("mean: " U)             \
      .Input("variance: " U)         \
      .Output("y: T")                \
      .Output("batch_mean: " U)      \
      .Output("batch_variance: " U)  \
      .Output("reserve_space_1: " U) \
      .Output("reserve_space_2: " U)

WB_NORM_OP("FusedBatchNorm", "T")
    .Attr("T: {float}")
    .WB_NORM_ATTRS("{'NHWC', 'NCHW'}")
    .Shape(FusedBatchNormShape);
WB_NORM_OP("FusedBatchNormV2", "U")
    .Attr("T: {half, bfloat16, float}")
    .Attr("U: {float}")
    .WB_NORM_ATTRS("{'NHWC', 'NCHW'}")
    .Shape(FusedBatchNormShape);
WB_NORM_OP("FusedBatchNormV3", "U")
    .Output("reserve_space_3: U")
    .Attr("T: {half, bfloat16, float}")
    .Attr("U: {bfloat16, float}")
    .WB_NORM_ATTRS("{'NHWC', 'NCHW', 'NDHWC', 'NCDHW'}")
    .Shape(FusedBatchNormShape);
WB_KERNEL("FusedBatchNorm", FusedBatchNormKernel).Cpu({{"T", kFloatOnly}}).Gpu({{"T", kFloatOnly}});
WB_KERNEL("FusedBatchNormV2", FusedBatchNormKernel)
    .Cpu({{"T", kHalfTypes}, {"U", kFloatOnly}})
    .Gpu({{"T", kHalfTypes}, {"U", kFloatOnly}});
WB_KERNEL("FusedBatchNormV3", FusedBatchNormKernel)
    .Cpu({{"T", kHalfTypes}, {"U", kFloatOnly}})
    .Gpu({{"T", kHalfTypes}, {"U", kFloatOnly}});
WB_GRADIENT("FusedBatchNorm", FusedBatchNormGradient);
WB_GRADIENT("FusedBatchNormV2", FusedBatchNormGradient);
WB_GRADIENT("FusedBatchNormV3", FusedBatchNormGradient);

}  // namespace warpbeam
