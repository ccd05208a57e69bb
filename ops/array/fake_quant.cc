// FakeQuantWithMinMaxArgs, …Vars, …VarsPerChannel and their gradients: floats
// rounded as a quantised program would round them.
#include "ops/array/fake_quant.h"

#include <algorithm>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam::host_pass {

StatusOr<FakeQuantLevels> FakeQuantLevelsOf(const AttrMap &attrs) {
  const int64_t bits = attrs.GetOr<int64_t>("num_bits", 8);
  if (bits < 2 || bits > 16) {
    return InvalidArgument("'num_bits' must be between 2 and 16, it is ", bits);
  }
  return FakeQuantLevels{attrs.GetOr<bool>("narrow_range", false) ? 1.0f : 0.0f,
                         static_cast<float>((1 << bits) - 1)};
}

StatusOr<FakeQuantRange> FakeQuantRangeOf(const AttrMap &attrs) {
  WB_ASSIGN_OR_RETURN(const FakeQuantLevels levels, FakeQuantLevelsOf(attrs));
  const float min = attrs.GetOr<float>("min", -6), max = attrs.GetOr<float>("max", 6);
  if (!(min < max)) return InvalidArgument("'min' ", min, " must be below 'max' ", max);
  return FakeQuantRange(min, max, levels);
}

StatusOr<std::vector<FakeQuantRange>> ReadFakeQuantRanges(const KernelContext &ctx, int first,
                                                          bool per_channel,
                                                          FakeQuantLevels levels) {
  const Tensor &x = ctx.input(first - 1), &min = ctx.input(first), &max = ctx.input(first + 1);
  Shape ends;
  if (per_channel) {
    if (x.rank() < 1) return InvalidArgument("the input must be at least a vector");
    ends = Shape({x.dim(x.rank() - 1)});
  }
  if (min.shape() != ends || max.shape() != ends) {
    return InvalidArgument("'min' and 'max' must be of shape ", ends.ToString(), ", not ",
                           min.shape().ToString(), " and ", max.shape().ToString());
  }
  std::vector<FakeQuantRange> ranges;
  for (int64_t i = 0; i < ends.num_elements(); ++i) {
    ranges.emplace_back(min.data<float>()[i], max.data<float>()[i], levels);
  }
  return ranges;
}

Status CheckFakeQuantGradient(const KernelContext &ctx) {
  if (ctx.input(0).shape() == ctx.input(1).shape()) return OkStatus();
  return InvalidArgument("gradients of shape ", ctx.input(0).shape().ToString(),
                         " for inputs of shape ", ctx.input(1).shape().ToString());
}

namespace {

// `ranges` repeat along the elements: one for all, or one per channel.
Status Quantise(KernelContext &ctx, const std::vector<FakeQuantRange> &ranges) {
  const Tensor &x = ctx.input(0);
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.ForwardOrAllocate({0}, 0, x.shape()));
  const float *from = x.data<float>();
  float *to = y->data<float>();
  const int64_t n = static_cast<int64_t>(ranges.size());
  ctx.ParallelFor(x.num_elements(), 3, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) to[i] = ranges[i % n].Quantised(from[i]);
  });
  return OkStatus();
}

// Inputs 0 and 1: the gradient and what was quantised. Outputs 1 and 2, where
// there are such: the gradients of the ranges' ends.
Status QuantiseGradient(KernelContext &ctx, const std::vector<FakeQuantRange> &ranges,
                        const Shape &ends) {
  WB_RETURN_IF_ERROR(CheckFakeQuantGradient(ctx));
  const Tensor &dy = ctx.input(0), &x = ctx.input(1);
  const bool with_ends = ctx.num_outputs() > 1;
  std::vector<double> below(ranges.size(), 0), above(ranges.size(), 0);
  WB_ASSIGN_OR_RETURN(Tensor * dx, ctx.Allocate(0, x.shape()));
  const size_t n = ranges.size();
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    const size_t channel = static_cast<size_t>(i) % n;
    const FakeQuantRange &range = ranges[channel];
    const float value = x.data<float>()[i], gradient = dy.data<float>()[i];
    dx->data<float>()[i] = range.IsInside(value) ? gradient : 0;
    if (range.is_empty) continue;
    if (value < range.min) below[channel] += gradient;
    if (value > range.max) above[channel] += gradient;
  }
  if (!with_ends) return OkStatus();
  for (int side = 0; side < 2; ++side) {
    WB_ASSIGN_OR_RETURN(Tensor * end, ctx.Allocate(1 + side, ends));
    const std::vector<double> &sums = side == 0 ? below : above;
    std::transform(sums.begin(), sums.end(), end->data<float>(),
                   [](double s) { return static_cast<float>(s); });
  }
  return OkStatus();
}

// The range is in the attributes.
template <bool gradient>
class ArgsKernel final : public Kernel {
 public:
  explicit ArgsKernel(FakeQuantRange range) : ranges_{range} {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit &init) {
    WB_ASSIGN_OR_RETURN(const FakeQuantRange range, FakeQuantRangeOf(init.attrs));
    return std::make_unique<ArgsKernel>(range);
  }
  Status Compute(KernelContext &ctx) override {
    return gradient ? QuantiseGradient(ctx, ranges_, Shape()) : Quantise(ctx, ranges_);
  }

 private:
  const std::vector<FakeQuantRange> ranges_;
};

// The ranges are inputs: scalars, or vectors with one entry per channel.
template <bool gradient, bool per_channel>
class VarsKernel final : public Kernel {
 public:
  explicit VarsKernel(FakeQuantLevels levels) : levels_(levels) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit &init) {
    WB_ASSIGN_OR_RETURN(const FakeQuantLevels levels, FakeQuantLevelsOf(init.attrs));
    return std::make_unique<VarsKernel>(levels);
  }
  Status Compute(KernelContext &ctx) override {
    const int first = gradient ? 2 : 1;
    WB_ASSIGN_OR_RETURN(const std::vector<FakeQuantRange> ranges,
                        ReadFakeQuantRanges(ctx, first, per_channel, levels_));
    const Shape ends = ctx.input(first).shape();
    return gradient ? QuantiseGradient(ctx, ranges, ends) : Quantise(ctx, ranges);
  }

 private:
  const FakeQuantLevels levels_;
};

Status ArgsGradientShape(ShapeContext &c) { return shapes::MergeInputs(c); }

template <bool gradient, bool per_channel>
Status VarsShape(ShapeContext &c) {
  const int first = gradient ? 2 : 1;
  PartialShape x = c.input(0);
  if (gradient) {
    WB_ASSIGN_OR_RETURN(x, PartialShape::Merge(c.input(0), c.input(1)));
  }
  PartialShape ends{};
  WB_ASSIGN_OR_RETURN(ends, c.WithRank(first, per_channel ? 1 : 0));
  WB_ASSIGN_OR_RETURN(PartialShape max, c.WithRank(first + 1, per_channel ? 1 : 0));
  WB_ASSIGN_OR_RETURN(ends, PartialShape::Merge(ends, max));
  if (per_channel && x.has_rank()) {
    if (x.rank() < 1) return InvalidArgument("the input must be at least a vector");
    WB_ASSIGN_OR_RETURN(ends, PartialShape::Merge(ends, PartialShape({x.dim(x.rank() - 1)})));
  }
  c.set_output(0, x);
  for (int i = 1; i < c.num_outputs(); ++i) c.set_output(i, ends);
  return OkStatus();
}

Status FakeQuantGradient(GradContext &c) {
  AttrMap attrs;
  for (const char *name : {"min", "max", "num_bits", "narrow_range"}) {
    const AttrValue *value = c.node().attrs().Find(name);
    if (value != nullptr) attrs.Set(name, *value);
  }
  std::vector<NodeInput> inputs = {c.dy(0)};
  for (int i = 0; i < c.num_inputs(); ++i) inputs.push_back(c.x(i));
  const std::vector<OutputRef> made =
      c.EmitAll(absl::StrCat(c.node().op_name(), "Gradient"), inputs, attrs);
  for (size_t i = 0; i < made.size(); ++i) c.set_dx(static_cast<int>(i), made[i]);
  return OkStatus();
}

WB_OP("FakeQuantWithMinMaxArgs")
    .Input("inputs: float")
    .Output("outputs: float")
    .Attr("min: float = -6.0")
    .Attr("max: float = 6.0")
    .Attr("num_bits: int = 8")
    .Attr("narrow_range: bool = false")
    .Shape(shapes::Unchanged);
WB_KERNEL("FakeQuantWithMinMaxArgs", ArgsKernel<false>).Cpu().Gpu();

WB_GRADIENT("FakeQuantWithMinMaxArgs", FakeQuantGradient);

WB_OP("FakeQuantWithMinMaxArgsGradient")
    .Input("gradients: float")
    .Input("inputs: float")
    .Output("backprops: float")
    .Attr("min: float = -6.0")
    .Attr("max: float = 6.0")
    .Attr("num_bits: int = 8")
    .Attr("narrow_range: bool = false")
    .Shape(ArgsGradientShape);
WB_KERNEL("FakeQuantWithMinMaxArgsGradient", ArgsKernel<true>).Cpu().Gpu();

WB_NO_GRADIENT("FakeQuantWithMinMaxArgsGradient");

using VarsForward = VarsKernel<false, false>;
using VarsBackward = VarsKernel<true, false>;
using ChannelsForward = VarsKernel<false, true>;
using ChannelsBackward = VarsKernel<true, true>;
constexpr auto VarsForwardShape = VarsShape<false, false>;
constexpr auto VarsBackwardShape = VarsShape<true, false>;
constexpr auto ChannelsForwardShape = VarsShape<false, true>;
constexpr auto ChannelsBackwardShape = VarsShape<true, true>;

WB_OP("FakeQuantWithMinMaxVars")
    .Input("inputs: float")
    .Input("min: float")
    .Input("max: float")
    .Output("outputs: float")
    .Attr("num_bits: int = 8")
    .Attr("narrow_range: bool = false")
    .Shape(VarsForwardShape);
WB_KERNEL("FakeQuantWithMinMaxVars", VarsForward).Cpu().Gpu().HostMemory({"min", "max"});

WB_GRADIENT("FakeQuantWithMinMaxVars", FakeQuantGradient);

WB_OP("FakeQuantWithMinMaxVarsGradient")
    .Input("gradients: float")
    .Input("inputs: float")
    .Input("min: float")
    .Input("max: float")
    .Output("backprops_wrt_input: float")
    .Output("backprop_wrt_min: float")
    .Output("backprop_wrt_max: float")
    .Attr("num_bits: int = 8")
    .Attr("narrow_range: bool = false")
    .Shape(VarsBackwardShape);
WB_KERNEL("FakeQuantWithMinMaxVarsGradient", VarsBackward).Cpu().Gpu().HostMemory({"min", "max"});

WB_NO_GRADIENT("FakeQuantWithMinMaxVarsGradient");

WB_OP("FakeQuantWithMinMaxVarsPerChannel")
    .Input("inputs: float")
    .Input("min: float")
    .Input("max: float")
    .Output("outputs: float")
    .Attr("num_bits: int = 8")
    .Attr("narrow_range: bool = false")
    .Shape(ChannelsForwardShape);
WB_KERNEL("FakeQuantWithMinMaxVarsPerChannel", ChannelsForward)
    .Cpu()
    .Gpu()
    .HostMemory({"min", "max"});

WB_GRADIENT("FakeQuantWithMinMaxVarsPerChannel", FakeQuantGradient);

WB_OP("FakeQuantWithMinMaxVarsPerChannelGradient")
    .Input("gradients: float")
    .Input("inputs: float")
    .Input("min: float")
    .Input("max: float")
    .Output("backprops_wrt_input: float")
    .Output("backprop_wrt_min: float")
    .Output("backprop_wrt_max: float")
    .Attr("num_bits: int = 8")
    .Attr("narrow_range: bool = false")
    .Shape(ChannelsBackwardShape);
WB_KERNEL("FakeQuantWithMinMaxVarsPerChannelGradient", ChannelsBackward)
    .Cpu()
    .Gpu()
    .HostMemory({"min", "max"});

WB_NO_GRADIENT("FakeQuantWithMinMaxVarsPerChannelGradient");

}  // namespace
}  // namespace warpbeam::host_pass
