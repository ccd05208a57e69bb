// TypeList: C++ element types as a value, for dispatch tables; free of Abseil, for both passes.
//
//   DispatchTypes(FloatTypeList{}, dtype, fn);            // ops/launch/dispatch.h
//   constexpr TypeSet types = TypeSetOf(FloatTypeList{});
//
// `ComputeType<T>` is what arithmetic on T is done in: float for the 16-bit floats, T for all
// others. Thread safety: compile-time only.
#ifndef WARPBEAM_OPS_LAUNCH_TYPE_LIST_H_
#define WARPBEAM_OPS_LAUNCH_TYPE_LIST_H_

#include <complex>
#include <cstdint>
#include <string>
#include <type_traits>

#include "graph/types/dtype.h"
#include "graph/types/number.h"

namespace warpbeam {

template <typename T>
struct TypeTag {
  using type = T;
};

template <typename... Ts>
struct TypeList {};

using FloatTypeList = TypeList<Half, BFloat16, float, double>;
using ComplexTypeList = TypeList<std::complex<float>, std::complex<double>>;
using SignedTypeList = TypeList<int8_t, int16_t, int32_t, int64_t>;
using UnsignedTypeList = TypeList<uint8_t, uint16_t, uint32_t, uint64_t>;

namespace internal {
template <typename... Lists>
struct Concat;
template <typename... Ts>
struct Concat<TypeList<Ts...>> {
  using type = TypeList<Ts...>;
};
template <typename... As, typename... Bs, typename... Rest>
struct Concat<TypeList<As...>, TypeList<Bs...>, Rest...> {
  using type = typename Concat<TypeList<As..., Bs...>, Rest...>::type;
};
}  // namespace internal
template <typename... Lists>
using ConcatTypes = typename internal::Concat<Lists...>::type;

using IntegerTypeList = ConcatTypes<SignedTypeList, UnsignedTypeList>;
using RealTypeList = ConcatTypes<FloatTypeList, IntegerTypeList>;
using NumberTypeList = ConcatTypes<RealTypeList, ComplexTypeList>;

template <typename... Ts>
constexpr TypeSet TypeSetOf(TypeList<Ts...>) {
  return TypeSet{DTypeOf<Ts>::value...};
}

namespace internal {
template <typename T>
struct Compute {
  using type = T;
};
template <>
struct Compute<Half> {
  using type = float;
};
template <>
struct Compute<BFloat16> {
  using type = float;
};
}  // namespace internal
template <typename T>
using ComputeType = typename internal::Compute<T>::type;

template <typename T>
inline constexpr bool kIsComplex = false;
template <typename T>
inline constexpr bool kIsComplex<std::complex<T>> = true;
// float, double, half, bfloat16
template <typename T>
inline constexpr bool kIsFloat =
    std::is_floating_point_v<T> || std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_LAUNCH_TYPE_LIST_H_
