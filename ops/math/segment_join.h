// What ops do with rows that belong to one segment, in both passes.
//
//   float most = Neutral<Join::kMax, float>();
//   for (const float x : {1.0f, 2.0f}) most = Joined<Join::kMax>(most, x);
//
// Thread safety: pure functions. Errors: none.
#ifndef WARPBEAM_OPS_MATH_SEGMENT_JOIN_H_
#define WARPBEAM_OPS_MATH_SEGMENT_JOIN_H_

#include <limits>

#include "ops/launch/math.h"
#include "ops/launch/pass.h"

namespace warpbeam::WB_PASS {

enum class Join { kSum, kProd, kMax, kMin, kMean };

template <Join kJoin, class T>
WB_HD T Joined(T a, T b) {
  if constexpr (kJoin == Join::kProd) {
    return Times(a, b);
  } else if constexpr (kJoin == Join::kMax) {
    return a > b ? a : b;
  } else if constexpr (kJoin == Join::kMin) {
    return a < b ? a : b;
  } else {
    return Plus(a, b);
  }
}

// What the rows of a segment are joined to.
template <Join kJoin, class T>
WB_HD T Neutral() {
  if constexpr (kJoin == Join::kProd) {
    return T(1);
  } else if constexpr (kJoin == Join::kMax || kJoin == Join::kMin) {
    if constexpr (std::is_same_v<T, Half>) {
      return Half(kJoin == Join::kMax ? -65504.0f : 65504.0f);
    } else if constexpr (std::is_same_v<T, BFloat16>) {
      return BFloat16::FromBits(kJoin == Join::kMax ? 0xff7f : 0x7f7f);
    } else {
      using L = std::numeric_limits<T>;
      return kJoin == Join::kMax ? L::lowest() : L::max();
    }
  } else {
    return T(0);
  }
}

}  // namespace warpbeam::WB_PASS

#endif  // WARPBEAM_OPS_MATH_SEGMENT_JOIN_H_
