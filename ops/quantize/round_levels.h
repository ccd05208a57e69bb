// The levels that QuantizeAndDequantize ops round to, and what their kernels have in common,
// whatever device they are on; in both passes.
//
//   WB_ASSIGN_OR_RETURN(const RoundPlan plan, RoundPlan::FromAttrs(init));
//   const RoundLevels<float> levels(-1, 1, 8, plan.options);
//   const float y = levels.Rounded(x, plan.options.half_up);
//
// Thread safety: values. Errors: INVALID_ARGUMENT for numbers of bits and ranges that are none.
#ifndef WARPBEAM_OPS_QUANTIZE_ROUND_LEVELS_H_
#define WARPBEAM_OPS_QUANTIZE_ROUND_LEVELS_H_

#include <cstdint>
#include <limits>

#include "ops/launch/math.h"
#include "ops/launch/pass.h"

#if WB_HOST_PASS
#include <utility>
#include <vector>

#include "graph/types/errors.h"
#include "ops/quantize/channels.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/kernel_context.h"
#endif

namespace warpbeam::WB_PASS {

struct RoundOptions {
  bool is_signed = true;
  bool range_given = false;
  bool narrow_range = false;
  bool half_up = false;  // else to even
};

// The levels k * step for lowest <= k <= highest.
template <class T>
struct RoundLevels {
  T min, max;  // the range that they cover
  T scale, step;
  bool clamp;

  WB_HD RoundLevels(T low, T high, int64_t bits, const RoundOptions& options)
      : clamp(options.range_given) {
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
  WB_HD T Rounded(T x, bool half_up) const {
    const T inside = clamp ? Inside(x) : x;
    const T level = inside * scale;
    return (half_up ? Floor(level + T(0.5)) : RoundToEven(level)) * step;
  }

 private:
  WB_HD T Inside(T x) const {
    const T below = max < x ? max : x;
    return below < min ? min : below;
  }
};

#if WB_HOST_PASS

// What a node asks for.
struct RoundPlan {
  RoundOptions options;
  int64_t axis = -1;
  int64_t bits = 8;  // where no input says
  float min = 0, max = 0;

  static StatusOr<RoundPlan> FromAttrs(const KernelInit& init);
  // By input 3, where there is one; it lies in host memory.
  StatusOr<int64_t> Bits(const KernelContext& ctx) const;
  // The given ranges, one for each channel; those that are inputs lie in host memory.
  template <class T>
  StatusOr<std::vector<std::pair<T, T>>> GivenRanges(const KernelContext& ctx,
                                                     const Channels& channels) const;
};

// The channels of a gradient (inputs: that of the result, what was rounded, the ranges' ends).
StatusOr<Channels> CheckRoundGradient(const KernelContext& ctx, int64_t axis);

#endif

}  // namespace warpbeam::WB_PASS

#endif  // WARPBEAM_OPS_QUANTIZE_ROUND_LEVELS_H_
