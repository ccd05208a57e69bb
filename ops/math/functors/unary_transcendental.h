// The functors of unary_transcendental.cc: see ops/launch/elementwise.h for what a functor is.
//
//   const float y = SigmoidFn()(0.0f);    // 0.5
//
// Thread safety: pure functions. Errors: none.
#ifndef WARPBEAM_OPS_MATH_FUNCTORS_UNARY_TRANSCENDENTAL_H_
#define WARPBEAM_OPS_MATH_FUNCTORS_UNARY_TRANSCENDENTAL_H_

#include "ops/launch/elementwise.h"
#include "ops/launch/error_function.h"

namespace warpbeam::WB_PASS {

// A functor that calls the function of the same name.
#define WB_MATH_FUNCTOR(Name, picoseconds)           \
  struct Name##Fn : Vectorized {                     \
    static constexpr int kPicoseconds = picoseconds; \
    template <class V>                               \
    WB_HD V operator()(V x) const {                  \
      return Name(x);                                \
    }                                                \
  };
WB_MATH_FUNCTOR(Exp, 800)
WB_MATH_FUNCTOR(Expm1, 1500)
WB_MATH_FUNCTOR(Log, 1200)
WB_MATH_FUNCTOR(Log1p, 2000)
WB_MATH_FUNCTOR(Sin, 1500)
WB_MATH_FUNCTOR(Cos, 1500)
WB_MATH_FUNCTOR(Tan, 3000)
WB_MATH_FUNCTOR(Asin, 1500)
WB_MATH_FUNCTOR(Acos, 1500)
WB_MATH_FUNCTOR(Atan, 1500)
WB_MATH_FUNCTOR(Sinh, 2000)
WB_MATH_FUNCTOR(Cosh, 1500)
WB_MATH_FUNCTOR(Tanh, 2000)
WB_MATH_FUNCTOR(Asinh, 2500)
WB_MATH_FUNCTOR(Acosh, 2500)
WB_MATH_FUNCTOR(Atanh, 2500)
WB_MATH_FUNCTOR(Erf, 3000)
WB_MATH_FUNCTOR(Erfc, 3000)
#undef WB_MATH_FUNCTOR

struct SigmoidFn : Vectorized {
  static constexpr int kPicoseconds = 1200;
  template <class V>
  WB_HD V operator()(V x) const {
    return V(1) / (V(1) + Exp(-x));
  }
};
// Unlike the other gradients of results, these two take y as it is; who asks conjugates.
struct SigmoidGradFn : Vectorized {
  template <class V>
  WB_HD V operator()(V y, V dy) const {
    return dy * y * (V(1) - y);
  }
};
struct TanhGradFn : Vectorized {
  template <class V>
  WB_HD V operator()(V y, V dy) const {
    return dy * (V(1) - y * y);
  }
};

}  // namespace warpbeam::WB_PASS

#endif  // WARPBEAM_OPS_MATH_FUNCTORS_UNARY_TRANSCENDENTAL_H_
