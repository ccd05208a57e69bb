// QuantizeV2: floats to quantised integers, for a range that is given, and the range that the
// integers then stand for.

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "ops/quantize/channels.h"
#include "ops/quantize/quantize_mode.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

struct QuantizeOptions {
  QuantizeMode mode = QuantizeMode::kMinCombined;
  bool half_to_even = false;
  bool narrow_range = false;
  float ensure_minimum_range = 0;
};

struct Range {
  float min, max;
};

// What does not fit, and NaN, gives the low bits of the most negative int32.
template <class Q>
Q FromFloat(float x) {
  const bool fits = x >= -0x1p31f && x < 0x1p31f;
  const int32_t value = fits ? static_cast<int32_t>(x) : std::numeric_limits<int32_t>::min();
  return Q(static_cast<decltype(Q::value)>(value));
}

inline float Clamp(float x, Range range) { return std::max(std::min(x, range.max), range.min); }

template <class Q>
void QuantizeScaled(const float* x, int64_t count, const QuantizeOptions& options, Range* range,
                    Q* y) {
  using Limits = QuantizedLimits<Q>;
  constexpr float kNoScale = std::numeric_limits<float>::max();
  const float lowest = Limits::kLowest + (options.narrow_range ? 1.0f : 0.0f);
  const float from_min = lowest * range->min > 0 ? lowest / range->min : kNoScale;
  const float from_max =
      Limits::kHighest * range->max > 0 ? Limits::kHighest / range->max : kNoScale;
  const float scale = std::min(from_min, from_max);
  *range = {lowest / scale, Limits::kHighest / scale};
  for (int64_t i = 0; i < count; ++i) {
    const float scaled = Clamp(x[i], *range) * scale;
    y[i] = FromFloat<Q>(options.half_to_even ? std::rint(scaled) : std::round(scaled));
  }
}

template <class Q>
void QuantizeMinFirst(const float* x, int64_t count, Range range, Q* y) {
  using Limits = QuantizedLimits<Q>;
  // The greatest float that is an int32.
  const float highest = std::min(Limits::kHighest, 2147483520.0f);
  const float scale =
      range.max == range.min
          ? 0.0f
          : static_cast<float>((Limits::kSteps - 1.0) / static_cast<double>(range.max - range.min));
  const float shift = std::round(range.min * scale) - Limits::kLowest;
  for (int64_t i = 0; i < count; ++i) {
    const float level = std::round(x[i] * scale) - shift;
    y[i] = FromFloat<Q>(std::min(std::max(level, Limits::kLowest), highest));
  }
}

template <class Q>
void QuantizeMinCombined(const float* x, int64_t count, Range range, Q* y) {
  using Limits = QuantizedLimits<Q>;
  const float scale = (Limits::kHighest - Limits::kLowest) / (range.max - range.min);
  for (int64_t i = 0; i < count; ++i) {
    const float level = (Clamp(x[i], range) - range.min) * scale;
    y[i] = FromFloat<Q>(std::round(level - Limits::kHalfRange));
  }
}

class QuantizeKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    QuantizeOptions options;
    WB_ASSIGN_OR_RETURN(options.mode, ReadQuantizeMode(init.attrs));
    WB_ASSIGN_OR_RETURN(const std::string round_mode, init.attr<std::string>("round_mode"));
    WB_ASSIGN_OR_RETURN(options.narrow_range, init.attr<bool>("narrow_range"));
    WB_ASSIGN_OR_RETURN(options.ensure_minimum_range, init.attr<float>("ensure_minimum_range"));
    WB_ASSIGN_OR_RETURN(const int64_t axis, init.attr<int64_t>("axis"));
    options.half_to_even = round_mode == "HALF_TO_EVEN";
    if (options.half_to_even && options.mode != QuantizeMode::kScaled) {
      return InvalidArgument("'round_mode' HALF_TO_EVEN is for the mode SCALED only");
    }
    if (options.mode == QuantizeMode::kMinFirst && axis >= 0) {
      return Unimplemented("the mode MIN_FIRST with one range for each slice along an axis");
    }
    return std::make_unique<QuantizeKernel>(options, axis);
  }
  QuantizeKernel(QuantizeOptions options, int64_t axis) : options_(options), axis_(axis) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor &x = ctx.input(0), &min = ctx.input(1), &max = ctx.input(2);
    WB_ASSIGN_OR_RETURN(const Channels channels, Channels::Of(x.shape(), axis_));
    WB_RETURN_IF_ERROR(channels.CheckRange(min, max));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
    WB_ASSIGN_OR_RETURN(Tensor * out_min, ctx.Allocate(1, channels.EndShape()));
    WB_ASSIGN_OR_RETURN(Tensor * out_max, ctx.Allocate(2, channels.EndShape()));
    std::vector<Range> ranges;
    for (int64_t i = 0; i < channels.count; ++i) {
      WB_ASSIGN_OR_RETURN(const Range range, Widened(min.data<float>()[i], max.data<float>()[i]));
      ranges.push_back(range);
    }
    return DispatchTypes(QuantizedTypeList{}, y->dtype(), [&](auto tag) {
      using Q = typename decltype(tag)::type;
      const auto quantize = [&](int64_t begin, int64_t end, Range* range) {
        Quantize(x.data<float>() + begin, end - begin, range, y->data<Q>() + begin);
      };
      channels.ForEachRun([&](int64_t channel, int64_t begin, int64_t end) {
        Range range = ranges[channel];
        quantize(begin, end, &range);
      });
      for (int64_t i = 0; i < channels.count; ++i) {
        quantize(0, 0, &ranges[i]);
        out_min->data<float>()[i] = ranges[i].min;
        out_max->data<float>()[i] = ranges[i].max;
      }
      return OkStatus();
    });
  }

 private:
  // The range with zero in it, and a little wider where it is empty.
  StatusOr<Range> Widened(float min, float max) const {
    if (min > max) {
      return InvalidArgument("'min_range' ", min, " must not be greater than 'max_range' ", max);
    }
    const float low = std::min(0.0f, min);
    const float least =
        std::max(1.0f, std::max(std::abs(min), std::abs(max))) * options_.ensure_minimum_range;
    return Range{low, std::max(0.0f, std::max(max, low + least))};
  }

  // Changes the range to what the integers stand for.
  template <class Q>
  void Quantize(const float* x, int64_t count, Range* range, Q* y) const {
    switch (options_.mode) {
      case QuantizeMode::kScaled:
        return QuantizeScaled(x, count, options_, range, y);
      case QuantizeMode::kMinFirst:
        return QuantizeMinFirst(x, count, *range, y);
      case QuantizeMode::kMinCombined:
        return QuantizeMinCombined(x, count, *range, y);
    }
  }

  const QuantizeOptions options_;
  const int64_t axis_;
};

Status QuantizeShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape end, RangeEndShape(c, c.input(0), 1));
  c.set_output(0, c.input(0));
  c.set_output(1, end);
  c.set_output(2, end);
  return OkStatus();
}

WB_OP("QuantizeV2")
    .Input("input: float")
    .Input("min_range: float")
    .Input("max_range: float")
    .Output("output: T")
    .Output("output_min: float")
    .Output("output_max: float")
    .Attr("T: {qint8, quint8, qint32, qint16, quint16}")
    .Attr("mode: {'MIN_COMBINED', 'MIN_FIRST', 'SCALED'} = 'MIN_COMBINED'")
    .Attr("round_mode: {'HALF_AWAY_FROM_ZERO', 'HALF_TO_EVEN'} = 'HALF_AWAY_FROM_ZERO'")
    .Attr("narrow_range: bool = false")
    .Attr("axis: int = -1")
    .Attr("ensure_minimum_range: float = 0.01")
    .Shape(QuantizeShape);
WB_KERNEL("QuantizeV2", QuantizeKernel).Cpu({{"T", kQuantizedTypes}});

}  // namespace
}  // namespace warpbeam
