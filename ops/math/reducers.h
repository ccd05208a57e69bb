// Reducers: what a reduction does with its elements, in both passes. A neutral element, a map that
// is applied to each element, and an associative function. Acc is the type it is computed in; V is
// Acc or, on the host, a vector of it.
//
//   using R = SumOf<float>;
//   float sum = R::Neutral();
//   for (const float x : {1.0f, 2.0f}) sum = R::Join(sum, R::Map(x));
//
// Thread safety: pure functions. Errors: none.
#ifndef WARPBEAM_OPS_MATH_REDUCERS_H_
#define WARPBEAM_OPS_MATH_REDUCERS_H_

#include <limits>

#include "ops/launch/math.h"
#include "ops/launch/pass.h"

namespace warpbeam::WB_PASS {

template <class A>
struct SumOf {
  using Acc = A;
  WB_HD static Acc Neutral() { return Acc(0); }
  template <class V>
  WB_HD static V Map(V x) {
    return x;
  }
  template <class V>
  WB_HD static V Join(V a, V b) {
    return Plus(a, b);
  }
};
template <class A>
struct SquaresOf : SumOf<A> {
  template <class V>
  WB_HD static V Map(V x) {
    return Times(x, Conj(x));
  }
};
template <class A>
struct ProductOf {
  using Acc = A;
  WB_HD static Acc Neutral() { return Acc(1); }
  template <class V>
  WB_HD static V Map(V x) {
    return x;
  }
  template <class V>
  WB_HD static V Join(V a, V b) {
    return Times(a, b);
  }
};
// NaN wins from either side.
template <class A>
struct MaxOf {
  using Acc = A;
  WB_HD static Acc Neutral() {
    using L = std::numeric_limits<Acc>;
    return L::has_infinity ? -L::infinity() : L::lowest();
  }
  template <class V>
  WB_HD static V Map(V x) {
    return x;
  }
  template <class V>
  WB_HD static V Join(V a, V b) {
    return Where((a >= b) | (a != a), a, b);
  }
};
template <class A>
struct MinOf : MaxOf<A> {
  using Acc = A;
  WB_HD static Acc Neutral() {
    using L = std::numeric_limits<Acc>;
    return L::has_infinity ? L::infinity() : L::max();
  }
  template <class V>
  WB_HD static V Join(V a, V b) {
    return Where((a <= b) | (a != a), a, b);
  }
};
struct AnyOf {
  using Acc = uint8_t;
  WB_HD static Acc Neutral() { return 0; }
  WB_HD static Acc Map(Acc x) { return x; }
  WB_HD static Acc Join(Acc a, Acc b) { return static_cast<Acc>(a | b); }
};
struct AllOf : AnyOf {
  WB_HD static Acc Neutral() { return 1; }
  WB_HD static Acc Join(Acc a, Acc b) { return static_cast<Acc>(a & b); }
};

}  // namespace warpbeam::WB_PASS

#endif  // WARPBEAM_OPS_MATH_REDUCERS_H_
