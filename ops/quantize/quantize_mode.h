// How QuantizeV2 and Dequantize map numbers to quantised integers: the attribute `mode`, and facts
// about the integers.
//
//   WB_ASSIGN_OR_RETURN(QuantizeMode mode, ReadQuantizeMode(init.attrs));
//
// Thread safety: pure. Errors: INVALID_ARGUMENT for a mode that is none.
#ifndef WARPBEAM_OPS_QUANTIZE_QUANTIZE_MODE_H_
#define WARPBEAM_OPS_QUANTIZE_QUANTIZE_MODE_H_

#include <cstdint>
#include <limits>
#include <string>

#include "graph/types/attr_value.h"
#include "graph/types/errors.h"
#include "ops/launch/type_list.h"

namespace warpbeam {

enum class QuantizeMode {
  kMinCombined,  // from the range's lower end on; signed integers are shifted by half of their
                 // range
  kMinFirst,     // as kMinCombined, but zero is one of the levels
  kScaled,       // multiples of a scale: zero is zero
};

inline StatusOr<QuantizeMode> ReadQuantizeMode(const AttrMap& attrs) {
  const std::string mode = attrs.GetOr<std::string>("mode", "MIN_COMBINED");
  if (mode == "MIN_COMBINED") return QuantizeMode::kMinCombined;
  if (mode == "MIN_FIRST") return QuantizeMode::kMinFirst;
  if (mode == "SCALED") return QuantizeMode::kScaled;
  return InvalidArgument("'mode' must be MIN_COMBINED, MIN_FIRST or SCALED, but is ", mode);
}

using QuantizedTypeList = TypeList<QInt8, QUInt8, QInt16, QUInt16, QInt32>;

// The limits of a quantised type as floats; those of 32 bits are rounded.
template <class Q>
struct QuantizedLimits {
  using Storage = decltype(Q::value);
  static constexpr bool kSigned = std::numeric_limits<Storage>::is_signed;
  static constexpr float kLowest = static_cast<float>(std::numeric_limits<Storage>::lowest());
  static constexpr float kHighest = static_cast<float>(std::numeric_limits<Storage>::max());
  static constexpr double kSteps = sizeof(Storage) == 4 ? 4294967296.0 : 1 << (8 * sizeof(Storage));
  static constexpr float kHalfRange = kSigned ? static_cast<float>(kSteps / 2) : 0;
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_QUANTIZE_QUANTIZE_MODE_H_
