// QuantizeAndDequantize and its versions 2, 3 and 4: numbers rounded to the levels that an integer
// of `num_bits` bits would have, for a given range or for that of the numbers themselves. Gradients
// pass through; those of version 4 only inside of the range.

#include <algorithm>
#include <limits>
#include <vector>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "ops/quantize/channels.h"
#include "ops/quantize/round_levels.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam::host_pass {
namespace {

class RoundKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const RoundPlan plan, RoundPlan::FromAttrs(init));
    return std::make_unique<RoundKernel>(plan);
  }
  explicit RoundKernel(const RoundPlan& plan) : plan_(plan) {}

  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const int64_t bits, plan_.Bits(ctx));
    return DispatchTypes<float, double>(ctx.input(0).dtype(), [&](auto tag) {
      return Run<typename decltype(tag)::type>(ctx, bits);
    });
  }

 private:
  template <class T>
  Status Run(KernelContext& ctx, int64_t bits) const {
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(const Channels channels, Channels::Of(x.shape(), plan_.axis));
    WB_ASSIGN_OR_RETURN(const auto ranges, FindRanges<T>(ctx, channels));
    std::vector<RoundLevels<T>> levels;
    for (const auto& [low, high] : ranges) levels.emplace_back(low, high, bits, plan_.options);
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
    channels.ForEachRun([&](int64_t channel, int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        y->data<T>()[i] = levels[channel].Rounded(x.data<T>()[i], plan_.options.half_up);
      }
    });
    return OkStatus();
  }

  template <class T>
  StatusOr<std::vector<std::pair<T, T>>> FindRanges(const KernelContext& ctx,
                                                    const Channels& channels) const {
    if (plan_.options.range_given) return plan_.GivenRanges<T>(ctx, channels);
    const T* x = ctx.input(0).data<T>();
    constexpr T kInfinity = std::numeric_limits<T>::infinity();
    std::vector<std::pair<T, T>> ranges(channels.count, std::make_pair(kInfinity, -kInfinity));
    channels.ForEachRun([&](int64_t channel, int64_t begin, int64_t end) {
      auto& [low, high] = ranges[channel];
      for (int64_t i = begin; i < end; ++i) {
        if (x[i] < low) low = x[i];
        if (x[i] > high) high = x[i];
      }
    });
    return ranges;
  }

  const RoundPlan plan_;
};

class RoundGradKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    return std::make_unique<RoundGradKernel>(init.attrs.GetOr<int64_t>("axis", -1));
  }
  explicit RoundGradKernel(int64_t axis) : axis_(axis) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor &dy = ctx.input(0), &x = ctx.input(1), &min = ctx.input(2), &max = ctx.input(3);
    WB_ASSIGN_OR_RETURN(const Channels channels, CheckRoundGradient(ctx, axis_));
    WB_ASSIGN_OR_RETURN(Tensor * dx, ctx.Allocate(0, x.shape()));
    WB_ASSIGN_OR_RETURN(Tensor * min_dx, ctx.Allocate(1, channels.EndShape()));
    WB_ASSIGN_OR_RETURN(Tensor * max_dx, ctx.Allocate(2, channels.EndShape()));
    return DispatchTypes<float, double>(x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      channels.ForEachRun([&](int64_t channel, int64_t begin, int64_t end) {
        const T low = min.data<T>()[channel], high = max.data<T>()[channel];
        for (int64_t i = begin; i < end; ++i) {
          const T value = x.data<T>()[i];
          dx->data<T>()[i] = value >= low && value <= high ? dy.data<T>()[i] : T(0);
        }
      });
      std::fill_n(min_dx->data<T>(), channels.count, T(0));
      std::fill_n(max_dx->data<T>(), channels.count, T(0));
      return OkStatus();
    });
  }

 private:
  const int64_t axis_;
};

Status RoundShape(ShapeContext& c) {
  if (c.num_inputs() > 1) WB_RETURN_IF_ERROR(RangeEndShape(c, c.input(0), 1).status());
  if (c.num_inputs() > 3) WB_RETURN_IF_ERROR(c.WithRank(3, 0).status());
  c.set_output(0, c.input(0));
  return OkStatus();
}
Status RoundGradShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape x, PartialShape::Merge(c.input(0), c.input(1)));
  WB_ASSIGN_OR_RETURN(const PartialShape end, RangeEndShape(c, x, 2));
  c.set_output(0, x);
  c.set_output(1, end);
  c.set_output(2, end);
  return OkStatus();
}

Status PassThrough(GradContext& c) {
  c.set_dx(0, c.dy(0));
  return OkStatus();
}
Status RoundV4Gradient(GradContext& c) {
  AttrMap attrs;
  attrs.Set("axis", c.attr_or<int64_t>("axis", -1));
  const std::vector<OutputRef> made =
      c.EmitAll("QuantizeAndDequantizeV4Grad", {c.dy(0), c.x(0), c.x(1), c.x(2)}, attrs);
  for (size_t i = 0; i < made.size(); ++i) c.set_dx(static_cast<int>(i), made[i]);
  return OkStatus();
}

constexpr TypeSet kRounded = {DType::kFloat, DType::kDouble};

WB_OP("QuantizeAndDequantize")
    .Input("input: T")
    .Output("output: T")
    .Attr("signed_input: bool = true")
    .Attr("num_bits: int = 8")
    .Attr("range_given: bool = false")
    .Attr("input_min: float = 0.0")
    .Attr("input_max: float = 0.0")
    .Attr("T: {bfloat16, half, float, double}")
    .Deprecated(22, "use QuantizeAndDequantizeV2")
    .Shape(RoundShape);
WB_KERNEL("QuantizeAndDequantize", RoundKernel).Cpu({{"T", kRounded}}).Gpu({{"T", kRounded}});
WB_GRADIENT("QuantizeAndDequantize", PassThrough);

#define WB_ROUND_OP(op)                                                 \
  WB_OP(op)                                                             \
      .Input("input: T")                                                \
      .Input("input_min: T")                                            \
      .Input("input_max: T")                                            \
      .Output("output: T")                                              \
      .Attr("signed_input: bool = true")                                \
      .Attr("num_bits: int = 8")                                        \
      .Attr("range_given: bool = false")                                \
      .Attr("T: {bfloat16, half, float, double}")                       \
      .Attr("round_mode: {'HALF_TO_EVEN', 'HALF_UP'} = 'HALF_TO_EVEN'") \
      .Attr("narrow_range: bool = false")                               \
      .Attr("axis: int = -1")                                           \
      .Shape(RoundShape);                                               \
  WB_KERNEL(op, RoundKernel)                                            \
      .Cpu({{"T", kRounded}})                                           \
      .Gpu({{"T", kRounded}})                                           \
      .HostMemory({"input_max", "input_min"})
WB_ROUND_OP("QuantizeAndDequantizeV2");
WB_ROUND_OP("QuantizeAndDequantizeV4");
WB_GRADIENT("QuantizeAndDequantizeV2", PassThrough);
WB_GRADIENT("QuantizeAndDequantizeV4", RoundV4Gradient);

WB_OP("QuantizeAndDequantizeV3")
    .Input("input: T")
    .Input("input_min: T")
    .Input("input_max: T")
    .Input("num_bits: int32")
    .Output("output: T")
    .Attr("signed_input: bool = true")
    .Attr("range_given: bool = true")
    .Attr("T: {bfloat16, half, float, double}")
    .Attr("narrow_range: bool = false")
    .Attr("axis: int = -1")
    .Shape(RoundShape);
WB_KERNEL("QuantizeAndDequantizeV3", RoundKernel)
    .Cpu({{"T", kRounded}})
    .Gpu({{"T", kRounded}})
    .HostMemory({"input_max", "input_min", "num_bits"});
WB_GRADIENT("QuantizeAndDequantizeV3", PassThrough);

WB_OP("QuantizeAndDequantizeV4Grad")
    .Input("gradients: T")
    .Input("input: T")
    .Input("input_min: T")
    .Input("input_max: T")
    .Output("input_backprop: T")
    .Output("input_min_backprop: T")
    .Output("input_max_backprop: T")
    .Attr("T: {bfloat16, half, float, double}")
    .Attr("axis: int = -1")
    .Shape(RoundGradShape);
WB_KERNEL("QuantizeAndDequantizeV4Grad", RoundGradKernel)
    .Cpu({{"T", kRounded}})
    .Gpu({{"T", kRounded}})
    .HostMemory({"input_max", "input_min"});
WB_GRADIENT("QuantizeAndDequantizeV4Grad", PassThrough);

}  // namespace
}  // namespace warpbeam::host_pass
