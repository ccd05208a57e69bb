// QuantizeAndDequantize and its versions 2, 3 and 4: numbers rounded to the levels that an integer
// of `num_bits` bits would have, for a given range or for that of the numbers themselves. Gradients
// pass through; those of version 4 only inside of the range.

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "ops/quantize/channels.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

struct LevelOptions {
  bool is_signed = true;
  bool range_given = false;
  bool narrow_range = false;
  bool half_up = false;  // else to even
};

// The levels k * step for lowest <= k <= highest.
template <class T>
struct Levels {
  T min, max;  // the range that they cover
  T scale, step;
  bool clamp;

  Levels(T low, T high, int64_t bits, const LevelOptions& options) : clamp(options.range_given) {
    const int64_t half = int64_t{1} << (bits - 1);
    const int64_t lowest = !options.is_signed ? 0 : options.narrow_range ? 1 - half : -half;
    const int64_t highest = options.is_signed ? half - 1 : half - 1 + half;
    const T bottom = static_cast<T>(lowest), top = static_cast<T>(highest);
    constexpr T kNoScale = std::numeric_limits<T>::max();
    const T from_low = bottom * low > 0 ? bottom / low : kNoScale;
    const T from_high = top * high > 0 ? top / high : kNoScale;
    min = low;
    max = high;
    if (from_low < from_high) {
      scale = from_low;
      step = low / bottom;
      max = top * step;
    } else {
      scale = from_high;
      step = high / top;
      min = bottom * step;
    }
  }
  T Rounded(T x, bool half_up) const {
    const T inside = clamp ? std::max(std::min(x, max), min) : x;
    const T level = inside * scale;
    return (half_up ? std::floor(level + T(0.5)) : std::rint(level)) * step;
  }
};

Status CheckBits(int64_t bits, bool is_signed) {
  const int64_t limit = is_signed ? 62 : 63;
  if (bits > 0 && bits < limit) return OkStatus();
  return InvalidArgument("'num_bits' must be between 1 and ", limit - 1, ", but is ", bits);
}

class RoundKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    const AttrMap& attrs = init.attrs;
    LevelOptions options;
    options.is_signed = attrs.GetOr<bool>("signed_input", true);
    options.range_given = attrs.GetOr<bool>("range_given", false);
    options.narrow_range = attrs.GetOr<bool>("narrow_range", false);
    options.half_up = attrs.GetOr<std::string>("round_mode", "HALF_TO_EVEN") == "HALF_UP";
    const bool bits_are_input = init.schema.name == "QuantizeAndDequantizeV3";
    const int64_t bits = attrs.GetOr<int64_t>("num_bits", 8);
    if (!bits_are_input) WB_RETURN_IF_ERROR(CheckBits(bits, options.is_signed));
    auto kernel = std::make_unique<RoundKernel>(options, attrs.GetOr<int64_t>("axis", -1), bits);
    kernel->attr_min_ = attrs.GetOr<float>("input_min", 0);
    kernel->attr_max_ = attrs.GetOr<float>("input_max", 0);
    return kernel;
  }
  RoundKernel(LevelOptions options, int64_t axis, int64_t bits)
      : options_(options), axis_(axis), bits_(bits) {}

  Status Compute(KernelContext& ctx) override {
    int64_t bits = bits_;
    if (ctx.num_inputs() == 4) {
      const Tensor& t = ctx.input(3);
      if (t.rank() != 0) {
        return InvalidArgument("'num_bits' must be a scalar, but has shape ", t.shape().ToString());
      }
      bits = t.scalar<int32_t>();
      WB_RETURN_IF_ERROR(CheckBits(bits, options_.is_signed));
    }
    return DispatchTypes<float, double>(ctx.input(0).dtype(), [&](auto tag) {
      return Run<typename decltype(tag)::type>(ctx, bits);
    });
  }

 private:
  template <class T>
  Status Run(KernelContext& ctx, int64_t bits) const {
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(const Channels channels, Channels::Of(x.shape(), axis_));
    std::vector<std::pair<T, T>> ranges(channels.count);
    WB_RETURN_IF_ERROR(FindRanges<T>(ctx, channels, &ranges));
    std::vector<Levels<T>> levels;
    for (const auto& [low, high] : ranges) levels.emplace_back(low, high, bits, options_);
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
    channels.ForEachRun([&](int64_t channel, int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        y->data<T>()[i] = levels[channel].Rounded(x.data<T>()[i], options_.half_up);
      }
    });
    return OkStatus();
  }

  template <class T>
  Status FindRanges(const KernelContext& ctx, const Channels& channels,
                    std::vector<std::pair<T, T>>* ranges) const {
    const T* x = ctx.input(0).data<T>();
    if (!options_.range_given) {
      constexpr T kInfinity = std::numeric_limits<T>::infinity();
      std::fill(ranges->begin(), ranges->end(), std::make_pair(kInfinity, -kInfinity));
      channels.ForEachRun([&](int64_t channel, int64_t begin, int64_t end) {
        auto& [low, high] = (*ranges)[channel];
        for (int64_t i = begin; i < end; ++i) {
          if (x[i] < low) low = x[i];
          if (x[i] > high) high = x[i];
        }
      });
      return OkStatus();
    }
    if (ctx.num_inputs() == 1) {
      ranges->front() = {static_cast<T>(attr_min_), static_cast<T>(attr_max_)};
    } else {
      WB_RETURN_IF_ERROR(channels.CheckRange(ctx.input(1), ctx.input(2)));
      // Version 3, which has the number of bits as an input, takes a vector of one too.
      if (channels.axis < 0 && ctx.num_inputs() == 3 &&
          (ctx.input(1).rank() != 0 || ctx.input(2).rank() != 0)) {
        return InvalidArgument("input_min and input_max must be scalars, not of shapes ",
                               ctx.input(1).shape().ToString(), " and ",
                               ctx.input(2).shape().ToString());
      }
      for (int64_t i = 0; i < channels.count; ++i) {
        (*ranges)[i] = {ctx.input(1).data<T>()[i], ctx.input(2).data<T>()[i]};
      }
    }
    for (const auto& [low, high] : *ranges) {
      if (low <= high) continue;
      return InvalidArgument("'input_min' ", low, " must not be greater than 'input_max' ", high);
    }
    return OkStatus();
  }

  const LevelOptions options_;
  const int64_t axis_;
  const int64_t bits_;  // where no input says
  float attr_min_ = 0, attr_max_ = 0;
};

class RoundGradKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    return std::make_unique<RoundGradKernel>(init.attrs.GetOr<int64_t>("axis", -1));
  }
  explicit RoundGradKernel(int64_t axis) : axis_(axis) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor &dy = ctx.input(0), &x = ctx.input(1), &min = ctx.input(2), &max = ctx.input(3);
    if (dy.shape() != x.shape()) {
      return InvalidArgument("'gradients' of shape ", dy.shape().ToString(),
                             " for an input of shape ", x.shape().ToString());
    }
    WB_ASSIGN_OR_RETURN(const Channels channels, Channels::Of(x.shape(), axis_));
    WB_RETURN_IF_ERROR(channels.CheckRange(min, max));
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
}  // namespace warpbeam
