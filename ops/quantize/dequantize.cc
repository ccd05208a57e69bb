// Dequantize: quantised integers back to floats, for the range that they stand for.

#include <algorithm>
#include <cmath>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "ops/quantize/channels.h"
#include "ops/quantize/quantize_mode.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

// The float of a level: (level + shift) * scale + start.
struct Line {
  float shift, scale, start;
};

template <class Q>
Line LineOf(QuantizeMode mode, bool narrow_range, float min, float max) {
  using Limits = QuantizedLimits<Q>;
  switch (mode) {
    case QuantizeMode::kMinCombined:
      return {Limits::kHalfRange, (max - min) / (Limits::kHighest - Limits::kLowest), min};
    case QuantizeMode::kMinFirst: {
      const float scale = static_cast<float>((max - min) / (Limits::kSteps - 1.0));
      const float start = max == min ? min : std::round(min / scale) * scale;
      return {0, scale, start - Limits::kLowest * scale};
    }
    default: {
      const float from_max = max / Limits::kHighest;
      const float lowest = Limits::kLowest + (narrow_range ? 1.0f : 0.0f);
      return {0, Limits::kSigned ? std::max(min / lowest, from_max) : from_max, 0};
    }
  }
}

class DequantizeKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const QuantizeMode mode, ReadQuantizeMode(init.attrs));
    WB_ASSIGN_OR_RETURN(const bool narrow_range, init.attr<bool>("narrow_range"));
    WB_ASSIGN_OR_RETURN(const int64_t axis, init.attr<int64_t>("axis"));
    // The limits are TensorFlow's.
    if (mode != QuantizeMode::kMinCombined && init.output_types[0] != DType::kFloat) {
      return InvalidArgument("the mode ", init.attrs.GetOr<std::string>("mode", ""),
                             " gives float only, not ", DTypeName(init.output_types[0]));
    }
    if (mode == QuantizeMode::kMinFirst && axis >= 0) {
      return Unimplemented("the mode MIN_FIRST with one range for each slice along an axis");
    }
    return std::make_unique<DequantizeKernel>(mode, narrow_range, axis);
  }
  DequantizeKernel(QuantizeMode mode, bool narrow_range, int64_t axis)
      : mode_(mode), narrow_range_(narrow_range), axis_(axis) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor &x = ctx.input(0), &min = ctx.input(1), &max = ctx.input(2);
    WB_ASSIGN_OR_RETURN(const Channels channels, Channels::Of(x.shape(), axis_));
    WB_RETURN_IF_ERROR(channels.CheckRange(min, max));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
    return DispatchTypes(QuantizedTypeList{}, x.dtype(), [&](auto in_tag) {
      using Q = typename decltype(in_tag)::type;
      return DispatchTypes<float, BFloat16>(y->dtype(), [&](auto out_tag) {
        using Out = typename decltype(out_tag)::type;
        channels.ForEachRun([&](int64_t channel, int64_t begin, int64_t end) {
          const Line line = LineOf<Q>(mode_, narrow_range_, min.data<float>()[channel],
                                      max.data<float>()[channel]);
          for (int64_t i = begin; i < end; ++i) {
            const float level = static_cast<float>(x.data<Q>()[i].value);
            y->data<Out>()[i] = Out((level + line.shift) * line.scale + line.start);
          }
        });
        return OkStatus();
      });
    });
  }

 private:
  const QuantizeMode mode_;
  const bool narrow_range_;
  const int64_t axis_;
};

Status DequantizeShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(RangeEndShape(c, c.input(0), 1).status());
  c.set_output(0, c.input(0));
  return OkStatus();
}

WB_OP("Dequantize")
    .Input("input: T")
    .Input("min_range: float")
    .Input("max_range: float")
    .Output("output: dtype")
    .Attr("T: {qint8, quint8, qint32, qint16, quint16}")
    .Attr("mode: {'MIN_COMBINED', 'MIN_FIRST', 'SCALED'} = 'MIN_COMBINED'")
    .Attr("narrow_range: bool = false")
    .Attr("axis: int = -1")
    .Attr("dtype: {bfloat16, float} = float")
    .Shape(DequantizeShape);
WB_KERNEL("Dequantize", DequantizeKernel)
    .Cpu({{"T", kQuantizedTypes}, {"dtype", {DType::kFloat, DType::kBFloat16}}});

}  // namespace
}  // namespace warpbeam
