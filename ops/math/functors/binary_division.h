// The functors of binary_division.cc: see ops/launch/elementwise.h for what a functor is.
//
//   bool failed = false;
//   const float z = FloorDivFn()(7.0f, 2.0f, failed);    // 3
//
// Thread safety: pure functions. Errors: none but what a functor says it may refuse.
#ifndef WARPBEAM_OPS_MATH_FUNCTORS_BINARY_DIVISION_H_
#define WARPBEAM_OPS_MATH_FUNCTORS_BINARY_DIVISION_H_

#include "ops/launch/elementwise.h"

namespace warpbeam::WB_PASS {

// What integer functors say of a zero divisor.
struct IntegerDivision : Vectorized {
  static constexpr const char* kFailure = "Integer division by zero";
};

// The quotient rounded towards zero. The one quotient that overflows, minimum / -1, wraps around.
template <class V>
WB_HD V TruncatedQuotient(V x, V y, bool& failed) {
  if (y == V(0)) {
    failed = true;
    return V(0);
  }
  if (std::is_signed_v<V> && y == static_cast<V>(-1)) return Negate(x);
  return static_cast<V>(x / y);
}
template <class V>
WB_HD V TruncatedRemainder(V x, V y, bool& failed) {
  if (y == V(0)) {
    failed = true;
    return V(0);
  }
  if (std::is_signed_v<V> && y == static_cast<V>(-1)) return V(0);
  return static_cast<V>(x % y);
}

struct RealDivFn : Vectorized {
  template <class V>
  WB_HD V operator()(V x, V y) const {
    return x / y;
  }
};
struct DivFn : IntegerDivision {
  template <class V>
  WB_HD V operator()(V x, V y, bool& failed) const {
    if constexpr (std::is_integral_v<V>) {
      return TruncatedQuotient(x, y, failed);
    } else {
      return x / y;
    }
  }
};
struct DivNoNanFn : Vectorized {  // 0 where y is 0
  template <class V>
  WB_HD V operator()(V x, V y) const {
    return Where(y == V(0), V(0), x / y);
  }
};
struct TruncateDivFn : IntegerDivision {
  template <class V>
  WB_HD V operator()(V x, V y, bool& failed) const {
    if constexpr (std::is_integral_v<V>) {
      return TruncatedQuotient(x, y, failed);
    } else {
      return Trunc(x / y);
    }
  }
};
struct TruncateModFn : IntegerDivision {
  static constexpr int kPicoseconds = 8000;
  template <class V>
  WB_HD V operator()(V x, V y, bool& failed) const {
    if constexpr (std::is_integral_v<V>) {
      return TruncatedRemainder(x, y, failed);
    } else {
      return Fmod(x, y);
    }
  }
};
struct FloorDivFn : IntegerDivision {
  template <class V>
  WB_HD V operator()(V x, V y, bool& failed) const {
    if constexpr (std::is_integral_v<V>) {
      const V q = TruncatedQuotient(x, y, failed);
      const bool inexact = Times(q, y) != x && y != V(0);
      return inexact && (x < V(0)) != (y < V(0)) ? static_cast<V>(q - 1) : q;
    } else {
      return Floor(x / y);
    }
  }
};
struct FloorModFn : IntegerDivision {  // takes the sign of y
  static constexpr int kPicoseconds = 8000;
  template <class V>
  WB_HD V operator()(V x, V y, bool& failed) const {
    if constexpr (std::is_integral_v<V>) {
      const V r = TruncatedRemainder(x, y, failed);
      return r != V(0) && (r < V(0)) != (y < V(0)) ? static_cast<V>(r + y) : r;
    } else {
      const V r = Fmod(x, y);
      const auto down = ((r < V(0)) & (y > V(0))) | ((r > V(0)) & (y < V(0)));
      return Where(down, r + y, r);
    }
  }
};

}  // namespace warpbeam::WB_PASS

#endif  // WARPBEAM_OPS_MATH_FUNCTORS_BINARY_DIVISION_H_
