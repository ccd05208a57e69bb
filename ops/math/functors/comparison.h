// The functors of comparison.cc: see ops/launch/elementwise.h for what a functor is.
//
//   const bool z = LessFn()(1.0f, 2.0f);    // true
//
// Thread safety: pure functions. Errors: none.
#ifndef WARPBEAM_OPS_MATH_FUNCTORS_COMPARISON_H_
#define WARPBEAM_OPS_MATH_FUNCTORS_COMPARISON_H_

#include "ops/launch/elementwise.h"

namespace warpbeam::WB_PASS {

#define WB_COMPARISON_FUNCTOR(Name, relation)             \
  struct Name##Fn {                                       \
    template <class V>                                    \
    WB_HD bool operator()(const V& x, const V& y) const { \
      return x relation y;                                \
    }                                                     \
  };
WB_COMPARISON_FUNCTOR(Less, <)
WB_COMPARISON_FUNCTOR(LessEqual, <=)
WB_COMPARISON_FUNCTOR(Greater, >)
WB_COMPARISON_FUNCTOR(GreaterEqual, >=)
WB_COMPARISON_FUNCTOR(Equal, ==)
WB_COMPARISON_FUNCTOR(NotEqual, !=)
#undef WB_COMPARISON_FUNCTOR

struct ApproximateEqualFn {
  static constexpr bool kSameShape = true;
  float tolerance = 1e-5f;
#if WB_HOST_PASS
  static StatusOr<ApproximateEqualFn> FromAttrs(const AttrMap& attrs) {
    WB_ASSIGN_OR_RETURN(const float tolerance, attrs.Get<float>("tolerance"));
    return ApproximateEqualFn{tolerance};
  }
#endif
  template <class V>
  WB_HD bool operator()(V x, V y) const {
    return Abs(x - y) <= V(tolerance);
  }
};

struct IsNanFn {
  template <class V>
  WB_HD bool operator()(V x) const {
    return x != x;
  }
};
struct IsInfFn {
  template <class V>
  WB_HD bool operator()(V x) const {
    return x == x && x - x != V(0);
  }
};
struct IsFiniteFn {
  template <class V>
  WB_HD bool operator()(V x) const {
    return x - x == V(0);
  }
};
struct LogicalAndFn {
  WB_HD bool operator()(bool x, bool y) const { return x & y; }
};
struct LogicalOrFn {
  WB_HD bool operator()(bool x, bool y) const { return x | y; }
};
struct LogicalNotFn {
  WB_HD bool operator()(bool x) const { return !x; }
};

}  // namespace warpbeam::WB_PASS

#endif  // WARPBEAM_OPS_MATH_FUNCTORS_COMPARISON_H_
