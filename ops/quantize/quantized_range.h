// Numbers between a range's ends as quantised integers, the way the ops of quantised inference
// graphs count them: the lowest integer stands for the lower end, the highest for the upper one.
//
//   WB_ASSIGN_OR_RETURN(const QuantizedRange range, QuantizedRange::Read(ctx, 1, 2));
//   const int64_t zero = range.Unclamped<uint8_t>(0.0f);        // which integer means 0
//
// Thread safety: values and pure functions. Errors: INVALID_ARGUMENT for ends that are no scalars.
#ifndef WARPBEAM_OPS_QUANTIZE_QUANTIZED_RANGE_H_
#define WARPBEAM_OPS_QUANTIZE_QUANTIZED_RANGE_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "graph/op/shape_context.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

// The nearest integer that there is; 0 for what is no number.
inline int64_t SaturatedInt64(double x) {
  if (std::isnan(x)) return 0;
  if (x >= 9.2233720368547748e18) return std::numeric_limits<int64_t>::max();
  if (x <= -9.2233720368547758e18) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(x);
}

struct QuantizedRange {
  float min = 0, max = 0;

  static StatusOr<float> ReadEnd(const KernelContext& ctx, int input) {
    const Tensor& t = ctx.input(input);
    if (t.rank() != 0) {
      return InvalidArgument("input ", input, ", the end of a range, must be rank 0 but is rank ",
                             t.rank());
    }
    return t.scalar<float>();
  }
  static StatusOr<QuantizedRange> Read(const KernelContext& ctx, int min_input, int max_input) {
    QuantizedRange range;
    WB_ASSIGN_OR_RETURN(range.min, ReadEnd(ctx, min_input));
    WB_ASSIGN_OR_RETURN(range.max, ReadEnd(ctx, max_input));
    return range;
  }
  // Sets two outputs to the ends.
  void Write(KernelContext& ctx, int min_output, int max_output) const {
    ctx.set_output(min_output, Tensor::Scalar<float>(min));
    ctx.set_output(max_output, Tensor::Scalar<float>(max));
  }

  template <typename S>
  static constexpr double Steps() {
    return sizeof(S) == 4 ? 4294967296.0 : static_cast<double>(1 << (8 * sizeof(S)));
  }
  template <typename S>
  static constexpr int64_t Lowest() {
    return std::numeric_limits<S>::lowest();
  }

  // The integer nearest to x, perhaps one that S does not have.
  template <typename S>
  int64_t Unclamped(float x) const {
    if (min == max) return Lowest<S>();
    const double adjust = Steps<S>() / (Steps<S>() - 1.0);
    const double scale = Steps<S>() / (static_cast<double>(max - min) * adjust);
    const int64_t nearest = SaturatedInt64(std::round(x * scale) - std::round(min * scale));
    return SaturatedInt64(static_cast<double>(nearest) + static_cast<double>(Lowest<S>()));
  }
  template <typename S>
  S Quantized(float x) const {
    return static_cast<S>(
        std::min<int64_t>(std::max(Unclamped<S>(x), Lowest<S>()), std::numeric_limits<S>::max()));
  }
  // What an integer stands for.
  template <typename S>
  float Value(S quantized) const {
    if (min == max) return min;
    const double adjust = Steps<S>() / (Steps<S>() - 1.0);
    const double scale = static_cast<double>(max - min) * adjust / Steps<S>();
    const float narrow = static_cast<float>(scale);
    const double from = static_cast<double>(quantized) - static_cast<double>(Lowest<S>());
    return static_cast<float>(std::round(min / narrow) * narrow + from * scale);
  }
  // The width of one integer's share.
  template <typename S>
  float Level() const {
    return (max - min) / static_cast<float>(int64_t{std::numeric_limits<S>::max()} - Lowest<S>());
  }
};

// The range of sums of products of integers of two ranges.
template <typename A, typename B>
QuantizedRange ProductRange(const QuantizedRange& a, const QuantizedRange& b) {
  const float level = a.Level<A>() * b.Level<B>();
  return {level * static_cast<float>(std::numeric_limits<int32_t>::lowest()),
          level * static_cast<float>(std::numeric_limits<int32_t>::max())};
}

// From one range and type to another in single precision, as ops do that go through whole tensors.
template <typename From, typename To>
class RangeChange {
 public:
  RangeChange(const QuantizedRange& from, const QuantizedRange& to)
      : scale_(static_cast<float>((from.max - from.min) / (QuantizedRange::Steps<From>() - 1.0))),
        scaled_(to.min == to.max
                    ? 0.0f
                    : static_cast<float>((QuantizedRange::Steps<To>() - 1.0) / (to.max - to.min))) {
    const float lowest = static_cast<float>(QuantizedRange::Lowest<From>());
    const float start = from.min == from.max ? from.min : std::round(from.min / scale_) * scale_;
    start_ = start - lowest * scale_;
    shift_ = std::round(to.min * scaled_) - static_cast<float>(QuantizedRange::Lowest<To>());
  }

  To operator()(From quantized) const {
    const float value = start_ + static_cast<float>(quantized) * scale_;
    const float wanted = std::round(value * scaled_) - shift_;
    // The highest float that is an int32 is less than the highest int32.
    const float lowest = static_cast<float>(QuantizedRange::Lowest<To>());
    const float highest =
        std::min(static_cast<float>(std::numeric_limits<To>::max()), 2147483520.0f);
    return static_cast<To>(static_cast<int32_t>(
        std::min(std::max(std::isnan(wanted) ? 0.0f : wanted, lowest), highest)));
  }

 private:
  float scale_, scaled_, start_ = 0, shift_ = 0;
};

// Inputs from `first_end` on are scalars; so are all outputs but the first.
inline Status CheckRangeEnds(ShapeContext& c, int first_end) {
  for (int i = first_end; i < c.num_inputs(); ++i) {
    WB_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  }
  for (int i = 1; i < c.num_outputs(); ++i) c.set_output(i, PartialShape(Shape()));
  return OkStatus();
}

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_QUANTIZE_QUANTIZED_RANGE_H_
