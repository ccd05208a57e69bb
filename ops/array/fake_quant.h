// The levels that FakeQuant ops round to, and what their kernels have in common, whatever device
// they are on; in both passes.
//
//   WB_ASSIGN_OR_RETURN(const FakeQuantLevels levels, FakeQuantLevelsOf(attrs));
//   const float y = FakeQuantRange(-6, 6, levels).Quantised(x);
//
// Thread safety: values. Errors: INVALID_ARGUMENT for attributes and shapes that do not fit.
#ifndef WARPBEAM_OPS_ARRAY_FAKE_QUANT_H_
#define WARPBEAM_OPS_ARRAY_FAKE_QUANT_H_

#include "ops/launch/math.h"
#include "ops/launch/pass.h"

#if WB_HOST_PASS
#include <vector>

#include "graph/types/attr_value.h"
#include "graph/types/errors.h"
#include "runtime/kernel/kernel_context.h"
#endif

namespace warpbeam::WB_PASS {

struct FakeQuantLevels {
  float lowest, highest;
};

// The range moved a little, so that zero is one of its levels.
struct FakeQuantRange {
  float min, max, scale;
  bool is_empty;  // from 0 to 0

  WB_HD FakeQuantRange(float low, float high, FakeQuantLevels levels) {
    is_empty = low == 0 && high == 0;
    scale = (high - low) / (levels.highest - levels.lowest);
    const float zero_at = levels.lowest - low / scale;
    float zero = ::roundf(zero_at);
    if (zero_at < levels.lowest) zero = levels.lowest;
    if (zero_at > levels.highest) zero = levels.highest;
    min = (levels.lowest - zero) * scale;
    max = (levels.highest - zero) * scale;
  }
  WB_HD float Quantised(float x) const {
    if (is_empty) return 0;
    const float inverse = 1.0f / scale;
    const float zero = Floor(-min * inverse + 0.5f);
    const float below = max < x ? max : x, clamped = below < min ? min : below;
    return Floor((clamped - min) * inverse - zero + 0.5f) * scale;
  }
  WB_HD bool IsInside(float x) const { return is_empty || (x >= min && x <= max); }
};

#if WB_HOST_PASS

// "num_bits" and "narrow_range".
StatusOr<FakeQuantLevels> FakeQuantLevelsOf(const AttrMap& attrs);
// The range of the attributes "min" and "max".
StatusOr<FakeQuantRange> FakeQuantRangeOf(const AttrMap& attrs);
// The ranges of inputs `first` and `first` + 1, in host memory, for the tensor before them:
// scalars, or vectors with an entry for each channel.
StatusOr<std::vector<FakeQuantRange>> ReadFakeQuantRanges(const KernelContext& ctx, int first,
                                                          bool per_channel, FakeQuantLevels levels);
// That a gradient (input 0) fits what was quantised (input 1).
Status CheckFakeQuantGradient(const KernelContext& ctx);

#endif

}  // namespace warpbeam::WB_PASS

#endif  // WARPBEAM_OPS_ARRAY_FAKE_QUANT_H_
