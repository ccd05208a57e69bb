// The functors of binary_arithmetic.cc: see ops/launch/elementwise.h for what a functor is.
//
//   const float z = SquaredDifferenceFn()(3.0f, 1.0f);    // 4
//
// Thread safety: pure functions. Errors: none but what a functor says it may refuse.
#ifndef WARPBEAM_OPS_MATH_FUNCTORS_BINARY_ARITHMETIC_H_
#define WARPBEAM_OPS_MATH_FUNCTORS_BINARY_ARITHMETIC_H_

#include "ops/launch/elementwise.h"

namespace warpbeam::WB_PASS {

struct AddFn : Vectorized {
  template <class V>
  WB_HD V operator()(const V& x, const V& y) const {
    return Plus(x, y);
  }
};
struct SubFn : Vectorized {
  template <class V>
  WB_HD V operator()(V x, V y) const {
    return Minus(x, y);
  }
};
struct MulFn : Vectorized {
  template <class V>
  WB_HD V operator()(V x, V y) const {
    return Times(x, y);
  }
};
struct MulNoNanFn : Vectorized {  // 0 where y is 0, whatever x
  template <class V>
  WB_HD V operator()(V x, V y) const {
    return Where(y == V(0), V(0), x * y);
  }
};
struct SquaredDifferenceFn : Vectorized {
  template <class V>
  WB_HD V operator()(V x, V y) const {
    const V d = Minus(x, y);
    return Times(d, Conj(d));
  }
};
struct MaximumFn : Vectorized {  // NaN where either is
  template <class V>
  WB_HD V operator()(V x, V y) const {
    return Where((x >= y) | (x != x), x, y);
  }
};
struct MinimumFn : Vectorized {
  template <class V>
  WB_HD V operator()(V x, V y) const {
    return Where((x <= y) | (x != x), x, y);
  }
};
struct XlogyFn : Vectorized {  // 0 where x is 0, whatever y
  static constexpr int kPicoseconds = 1500;
  template <class V>
  WB_HD V operator()(V x, V y) const {
    return Where(x == V(0), V(0), x * Log(y));
  }
};
struct Xlog1pyFn : Vectorized {
  static constexpr int kPicoseconds = 2500;
  template <class V>
  WB_HD V operator()(V x, V y) const {
    return Where(x == V(0), V(0), x * Log1p(y));
  }
};
struct XdivyFn : Vectorized {
  template <class V>
  WB_HD V operator()(V x, V y) const {
    return Where(x == V(0), V(0), x / y);
  }
};
struct Atan2Fn : Vectorized {
  static constexpr int kPicoseconds = 15000;
  template <class V>
  WB_HD V operator()(V y, V x) const {
    return Atan2(y, x);
  }
};
struct PowFn : Vectorized {
  static constexpr int kPicoseconds = 5000;
  static constexpr const char* kFailure =
      "Integers to negative integer powers are not allowed; cast to a floating type";
  template <class V>
  WB_HD V operator()(V x, V y, bool& failed) const {
    if constexpr (std::is_integral_v<V>) {
      if (y < V(0)) {
        failed = true;
        return V(0);
      }
      V power(1);
      for (; y != V(0); y = static_cast<V>(y >> 1), x = Times(x, x)) {
        if ((y & V(1)) != V(0)) power = Times(power, x);
      }
      return power;
    } else {
      return Pow(x, y);
    }
  }
};

}  // namespace warpbeam::WB_PASS

#endif  // WARPBEAM_OPS_MATH_FUNCTORS_BINARY_ARITHMETIC_H_
