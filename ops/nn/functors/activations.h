// The functors of activations.cc: see ops/launch/elementwise.h for what a functor is.
//
//   const float y = Relu6Fn()(7.0f);    // 6
//
// Thread safety: pure functions. Errors: none.
#ifndef WARPBEAM_OPS_NN_FUNCTORS_ACTIVATIONS_H_
#define WARPBEAM_OPS_NN_FUNCTORS_ACTIVATIONS_H_

#include "graph/types/number.h"
#include "ops/launch/elementwise.h"

namespace warpbeam::WB_PASS {

#if WB_HOST_PASS
// A slope is a number of the features' type: their products are those of the type.
inline StatusOr<float> Slope(const AttrMap& attrs) {
  WB_ASSIGN_OR_RETURN(const float alpha, attrs.Get<float>("alpha"));
  const DType dtype = attrs.GetOr<DType>("T", DType::kFloat);
  if (dtype == DType::kHalf) return static_cast<float>(Half(alpha));
  if (dtype == DType::kBFloat16) return static_cast<float>(BFloat16(alpha));
  return alpha;
}
#endif

constexpr double kSeluScale = 1.0507009873554804934193349852946;
constexpr double kSeluScaleAlpha = 1.7580993408473768599402175208123;

// Comparisons are written so that NaN goes through.
struct ReluFn : Vectorized {
  template <class V>
  WB_HD V operator()(V x) const {
    return Where(x <= V(0), V(0), x);
  }
};
struct Relu6Fn : Vectorized {
  template <class V>
  WB_HD V operator()(V x) const {
    return Where(x <= V(0), V(0), Where(x >= V(6), V(6), x));
  }
};
struct LeakyReluFn : Vectorized {
  float alpha = 0.2f;
  template <class V>
  WB_HD V operator()(V x) const {
    return Where(x > V(0), x, x * V(alpha));
  }
#if WB_HOST_PASS
  static StatusOr<LeakyReluFn> FromAttrs(const AttrMap& attrs) {
    LeakyReluFn fn;
    WB_ASSIGN_OR_RETURN(fn.alpha, Slope(attrs));
    return fn;
  }
#endif
};
struct EluFn : Vectorized {
  static constexpr int kPicoseconds = 1500;
  template <class V>
  WB_HD V operator()(V x) const {
    return Where(x < V(0), Expm1(x), x);
  }
};
struct SeluFn : Vectorized {
  static constexpr int kPicoseconds = 1500;
  template <class V>
  WB_HD V operator()(V x) const {
    return Where(x < V(0), V(kSeluScaleAlpha) * Expm1(x), V(kSeluScale) * x);
  }
};
struct SoftplusFn : Vectorized {
  static constexpr int kPicoseconds = 2500;
  template <class V>
  WB_HD V operator()(V x) const {
    return Max(V(0), x) + Log1p(Exp(-Abs(x)));
  }
};
struct SoftsignFn : Vectorized {
  template <class V>
  WB_HD V operator()(V x) const {
    return x / (V(1) + Abs(x));
  }
};

// Gradients: the first argument is what flows in.
struct ActivationGradient : Vectorized {
  static constexpr bool kSameShape = true;
};
struct ReluGradFn : ActivationGradient {
  template <class V>
  WB_HD V operator()(V dy, V x) const {
    return Times(dy, Where(x > V(0), V(1), V(0)));
  }
};
struct Relu6GradFn : ActivationGradient {
  template <class V>
  WB_HD V operator()(V dy, V x) const {
    return Times(dy, Where((x > V(0)) & (x < V(6)), V(1), V(0)));
  }
};
struct LeakyReluGradFn : ActivationGradient {
  float alpha = 0.2f;
  template <class V>
  WB_HD V operator()(V dy, V x) const {
    return Where(x > V(0), dy, dy * V(alpha));
  }
#if WB_HOST_PASS
  static StatusOr<LeakyReluGradFn> FromAttrs(const AttrMap& attrs) {
    LeakyReluGradFn fn;
    WB_ASSIGN_OR_RETURN(fn.alpha, Slope(attrs));
    return fn;
  }
#endif
};
struct EluGradFn : ActivationGradient {  // of the result
  template <class V>
  WB_HD V operator()(V dy, V y) const {
    return Where(y < V(0), (y + V(1)) * dy, dy);
  }
};
struct SeluGradFn : ActivationGradient {  // of the result
  template <class V>
  WB_HD V operator()(V dy, V y) const {
    return dy * Where(y < V(0), y + V(kSeluScaleAlpha), V(kSeluScale));
  }
};
struct SoftplusGradFn : ActivationGradient {
  static constexpr int kPicoseconds = 1500;
  template <class V>
  WB_HD V operator()(V dy, V x) const {
    return dy / (Exp(-x) + V(1));
  }
};
struct SoftsignGradFn : ActivationGradient {
  template <class V>
  WB_HD V operator()(V dy, V x) const {
    const V d = V(1) + Abs(x);
    return dy / (d * d);
  }
};

}  // namespace warpbeam::WB_PASS

#endif  // WARPBEAM_OPS_NN_FUNCTORS_ACTIVATIONS_H_
