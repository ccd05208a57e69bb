// The functors of unary_arithmetic.cc: see ops/launch/elementwise.h for what a functor is.
//
//   const float y = RsqrtFn()(4.0f);    // 0.5
//
// Thread safety: pure functions. Errors: none.
#ifndef WARPBEAM_OPS_MATH_FUNCTORS_UNARY_ARITHMETIC_H_
#define WARPBEAM_OPS_MATH_FUNCTORS_UNARY_ARITHMETIC_H_

#include "ops/launch/complex_number.h"
#include "ops/launch/elementwise.h"

namespace warpbeam::WB_PASS {

struct AbsFn : Vectorized {
  template <class V>
  WB_HD V operator()(V x) const {
    return Abs(x);
  }
};
struct NegFn : Vectorized {
  template <class V>
  WB_HD V operator()(V x) const {
    return Negate(x);
  }
};
struct ReciprocalFn : Vectorized {
  template <class V>
  WB_HD V operator()(V x) const {
    return V(1) / x;
  }
};
struct ReciprocalGradFn : Vectorized {
  template <class V>
  WB_HD V operator()(V y, V dy) const {
    const V c = Conj(y);
    return -dy * c * c;
  }
};
struct SquareFn : Vectorized {
  template <class V>
  WB_HD V operator()(V x) const {
    return Times(x, x);
  }
};
struct SqrtFn : Vectorized {
  template <class V>
  WB_HD V operator()(V x) const {
    return Sqrt(x);
  }
};
struct SqrtGradFn : Vectorized {
  template <class V>
  WB_HD V operator()(V y, V dy) const {
    return dy * V(0.5) / Conj(y);
  }
};
struct RsqrtFn : Vectorized {
  template <class V>
  WB_HD V operator()(V x) const {
    return V(1) / Sqrt(x);
  }
};
struct RsqrtGradFn : Vectorized {
  template <class V>
  WB_HD V operator()(V y, V dy) const {
    const V c = Conj(y);
    return dy * V(-0.5) * c * c * c;
  }
};
struct RoundFn : Vectorized {  // halves go to the even neighbour
  template <class V>
  WB_HD V operator()(V x) const {
    if constexpr (std::is_integral_v<V>) {
      return x;
    } else {
      return RoundToEven(x);
    }
  }
};
struct FloorFn : Vectorized {
  template <class V>
  WB_HD V operator()(V x) const {
    return Floor(x);
  }
};
struct CeilFn : Vectorized {
  template <class V>
  WB_HD V operator()(V x) const {
    return Ceil(x);
  }
};
struct SignFn : Vectorized {
  template <class V>
  WB_HD V operator()(V x) const {
    if constexpr (std::is_integral_v<V>) {
      return static_cast<V>((x > 0) - (x < 0));
    } else if constexpr (kIsComplex<V>) {
      return x == V(0) ? V(0) : x / Hypot(x.real(), x.imag());
    } else {  // NaN stays NaN; x + 0 makes -0 a plain 0
      return Where(x > V(0), V(1), Where(x < V(0), V(-1), x + V(0)));
    }
  }
};

}  // namespace warpbeam::WB_PASS

#endif  // WARPBEAM_OPS_MATH_FUNCTORS_UNARY_ARITHMETIC_H_
