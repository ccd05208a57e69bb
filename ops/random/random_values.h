// What turns the numbers of a Philox stream into single values, for the host and for GPUs: see
// ops/random/distributions.h for what they are.
//
//   const float u = UniformOf<float>(numbers);                // in namespace warpbeam::WB_PASS
//   NormalPairOf(u, v, &first, &second);
//
// Thread safety: pure. Errors: none.
#ifndef WARPBEAM_OPS_RANDOM_RANDOM_VALUES_H_
#define WARPBEAM_OPS_RANDOM_RANDOM_VALUES_H_

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "ops/launch/math.h"
#include "ops/launch/pass.h"
#include "ops/launch/type_list.h"

namespace warpbeam::WB_PASS {

struct NormalConstants {
  static constexpr double kTwoPi = 2 * 3.14159265358979323846;
  // Keeps the logarithm of a uniform value finite.
  static constexpr double kSmallestUniform = 1e-7;
};

// A number in [0, 1) whose mantissa is the lowest bits of `numbers`: one, for double two, of which
// the first is the upper half.
template <class T>
WB_HD T UniformOf(const uint32_t* numbers) {
  if constexpr (std::is_same_v<T, Half>) {
    return Half::FromBits(static_cast<uint16_t>((*numbers & 0x3ffu) | 15u << 10)) - Half(1.0f);
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return BFloat16::FromBits(static_cast<uint16_t>((*numbers & 0x7fu) | 127u << 7)) -
           BFloat16(1.0f);
  } else if constexpr (std::is_same_v<T, float>) {
    const uint32_t bits = (*numbers & 0x7fffffu) | 127u << 23;
    float f;
    memcpy(&f, &bits, sizeof(f));
    return f - 1.0f;
  } else {
    const uint64_t bits = uint64_t{numbers[0] & 0xfffffu} << 32 | numbers[1] | uint64_t{1023} << 52;
    double d;
    memcpy(&d, &bits, sizeof(d));
    return d - 1.0;
  }
}

// Box's and Muller's two normal values of two uniform ones; T is float or double. The angle is
// rounded once: 2 pi is a double, as in TensorFlow.
template <class T>
WB_HD void NormalPairOf(T u, T v, T* first, T* second) {
  const T radius = Sqrt(T(-2) * Log(Max(u, static_cast<T>(NormalConstants::kSmallestUniform))));
  const T angle = static_cast<T>(NormalConstants::kTwoPi * static_cast<double>(v));
  *first = Sin(angle) * radius;
  *second = Cos(angle) * radius;
}

}  // namespace warpbeam::WB_PASS

#endif  // WARPBEAM_OPS_RANDOM_RANDOM_VALUES_H_
