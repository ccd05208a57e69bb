// Vec<T>: a vector of float or double with operators, so that a functor written for a scalar runs
// on eight floats at once. Host pass only.
//
//   template <class V> V Positive(V x) { return Where(x > V(0), x, V(0)); }
//
// A thin layer over Highway with a static AVX2 target, the baseline of every build. Conversions
// from scalars are explicit. `Mask<T>` is what comparisons give; `Where(mask, a, b)` chooses by
// element. `LoadVec` and `StoreVec` convert 16-bit floats on the way (round to nearest even).
//
// Thread safety: values.
#ifndef WARPBEAM_OPS_LAUNCH_VEC_H_
#define WARPBEAM_OPS_LAUNCH_VEC_H_

#include "ops/launch/pass.h"
#if WB_HOST_PASS

#include <cstdint>
#include <cstring>
#include <type_traits>

// The baseline has no AES; without this Highway would fall back to SSSE3.
#define HWY_DISABLE_PCLMUL_AES 1
#include "hwy/cache_control.h"
#include "hwy/highway.h"

static_assert(HWY_STATIC_TARGET == HWY_AVX2 || HWY_STATIC_TARGET < HWY_AVX2,
              "the baseline must give Highway AVX2");

namespace warpbeam::WB_PASS {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
struct Mask {
  using Tag = hn::ScalableTag<T>;
  hn::Mask<Tag> m;
  friend Mask operator&(Mask a, Mask b) { return {hn::And(a.m, b.m)}; }
  friend Mask operator|(Mask a, Mask b) { return {hn::Or(a.m, b.m)}; }
  Mask operator!() const { return {hn::Not(m)}; }
};
template <class T>
bool All(Mask<T> m) {
  return hn::AllTrue(hn::ScalableTag<T>(), m.m);
}

template <class T>
struct Vec {
  using Scalar = T;
  using Tag = hn::ScalableTag<T>;
  static constexpr int kLanes = hn::MaxLanes(Tag());
  static constexpr int kBytes = kLanes * static_cast<int>(sizeof(T));
  hn::Vec<Tag> v;

  Vec() = default;
  explicit Vec(hn::Vec<Tag> value) : v(value) {}
  template <class S, class = std::enable_if_t<std::is_arithmetic_v<S>>>
  explicit Vec(S s) : v(hn::Set(Tag(), static_cast<T>(s))) {}

  friend Vec operator+(Vec a, Vec b) { return Vec(hn::Add(a.v, b.v)); }
  friend Vec operator-(Vec a, Vec b) { return Vec(hn::Sub(a.v, b.v)); }
  friend Vec operator*(Vec a, Vec b) { return Vec(hn::Mul(a.v, b.v)); }
  friend Vec operator/(Vec a, Vec b) { return Vec(hn::Div(a.v, b.v)); }
  Vec operator-() const { return Vec(hn::Neg(v)); }
  friend Mask<T> operator<(Vec a, Vec b) { return {hn::Lt(a.v, b.v)}; }
  friend Mask<T> operator<=(Vec a, Vec b) { return {hn::Le(a.v, b.v)}; }
  friend Mask<T> operator>(Vec a, Vec b) { return {hn::Gt(a.v, b.v)}; }
  friend Mask<T> operator>=(Vec a, Vec b) { return {hn::Ge(a.v, b.v)}; }
  friend Mask<T> operator==(Vec a, Vec b) { return {hn::Eq(a.v, b.v)}; }
  // Not hn::Ne, which is false for NaN on AVX2.
  friend Mask<T> operator!=(Vec a, Vec b) { return {hn::Not(hn::Eq(a.v, b.v))}; }
};

// a b + c, rounded once.
template <class T>
Vec<T> MulAdd(Vec<T> a, Vec<T> b, Vec<T> c) {
  return Vec<T>(hn::MulAdd(a.v, b.v, c.v));
}

template <class T>
Vec<T> Where(Mask<T> m, Vec<T> a, Vec<T> b) {
  return Vec<T>(hn::IfThenElse(m.m, a.v, b.v));
}

// Scalar functions by lane: for the rare arguments that the vector code does not cover.
template <class T, class F>
HWY_NOINLINE Vec<T> MapLanes(Vec<T> x, F f) {
  T lanes[Vec<T>::kLanes];
  hn::StoreU(x.v, typename Vec<T>::Tag(), lanes);
  for (T& l : lanes) l = f(l);
  return Vec<T>(hn::LoadU(typename Vec<T>::Tag(), lanes));
}
template <class T, class F>
HWY_NOINLINE Vec<T> MapLanes(Vec<T> x, Vec<T> y, F f) {
  T a[Vec<T>::kLanes], b[Vec<T>::kLanes];
  hn::StoreU(x.v, typename Vec<T>::Tag(), a);
  hn::StoreU(y.v, typename Vec<T>::Tag(), b);
  for (int i = 0; i < Vec<T>::kLanes; ++i) a[i] = f(a[i], b[i]);
  return Vec<T>(hn::LoadU(typename Vec<T>::Tag(), a));
}

// One vector from memory; addresses need no alignment.
inline Vec<float> LoadVec(const float* p) { return Vec<float>(hn::LoadU(Vec<float>::Tag(), p)); }
inline Vec<double> LoadVec(const double* p) {
  return Vec<double>(hn::LoadU(Vec<double>::Tag(), p));
}
inline Vec<float> LoadVec(const Half* p) {
  const Vec<float>::Tag d;
  const hn::Rebind<hwy::float16_t, Vec<float>::Tag> d16;
  return Vec<float>(hn::PromoteTo(d, hn::LoadU(d16, reinterpret_cast<const hwy::float16_t*>(p))));
}
inline Vec<float> LoadVec(const BFloat16* p) {
  const hn::Rebind<uint32_t, Vec<float>::Tag> d32;
  const hn::Rebind<uint16_t, Vec<float>::Tag> d16;
  const auto bits = hn::PromoteTo(d32, hn::LoadU(d16, reinterpret_cast<const uint16_t*>(p)));
  return Vec<float>(hn::BitCast(Vec<float>::Tag(), hn::ShiftLeft<16>(bits)));
}

inline void StoreVec(Vec<float> x, float* p) { hn::StoreU(x.v, Vec<float>::Tag(), p); }
inline void StoreVec(Vec<double> x, double* p) { hn::StoreU(x.v, Vec<double>::Tag(), p); }
// Past the caches, for results that would not stay in them. `p` is aligned to kBytes; others see
// what was stored after FinishStreaming.
inline void StreamVec(Vec<float> x, float* p) { hn::Stream(x.v, Vec<float>::Tag(), p); }
inline void StreamVec(Vec<double> x, double* p) { hn::Stream(x.v, Vec<double>::Tag(), p); }
inline void FinishStreaming() { hwy::FlushStream(); }

inline void StoreVec(Vec<float> x, Half* p) {
  const hn::Rebind<hwy::float16_t, Vec<float>::Tag> d16;
  hn::StoreU(hn::DemoteTo(d16, x.v), d16, reinterpret_cast<hwy::float16_t*>(p));
}
inline void StoreVec(Vec<float> x, BFloat16* p) {
  const hn::Rebind<uint32_t, Vec<float>::Tag> d32;
  const hn::Rebind<int32_t, Vec<float>::Tag> di32;
  const hn::Rebind<uint16_t, Vec<float>::Tag> d16;
  const auto u = hn::BitCast(d32, x.v);
  const auto odd = hn::And(hn::ShiftRight<16>(u), hn::Set(d32, 1));
  const auto rounded = hn::Add(hn::Add(u, hn::Set(d32, 0x7fff)), odd);
  const auto nan = hn::MaskFromVec(hn::BitCast(d32, hn::VecFromMask(hn::IsNaN(x.v))));
  const auto bits = hn::IfThenElse(nan, hn::Or(u, hn::Set(d32, 0x400000)), rounded);
  const auto high = hn::BitCast(di32, hn::ShiftRight<16>(bits));
  hn::StoreU(hn::DemoteTo(d16, high), d16, reinterpret_cast<uint16_t*>(p));
}

// The first n < kLanes elements; the other lanes hold zeros.
template <class T>
auto LoadVecN(const T* p, int64_t n) {
  T lanes[decltype(LoadVec(p))::kLanes] = {};
  memcpy(static_cast<void*>(lanes), p, n * sizeof(T));
  return LoadVec(lanes);
}
template <class T, class V>
void StoreVecN(V x, T* p, int64_t n) {
  T lanes[V::kLanes];
  StoreVec(x, lanes);
  memcpy(static_cast<void*>(p), lanes, n * sizeof(T));
}

template <class T>
T SumLanes(Vec<T> x) {
  return hn::GetLane(hn::SumOfLanes(typename Vec<T>::Tag(), x.v));
}

}  // namespace warpbeam::WB_PASS

#endif  // WB_HOST_PASS
#endif  // WARPBEAM_OPS_LAUNCH_VEC_H_
