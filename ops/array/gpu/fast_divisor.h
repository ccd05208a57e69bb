// FastDivisor: quotients of 32-bit numbers by a divisor that is known before a launch, by a
// multiplication; a GPU has no instruction that divides.
//
//   const FastDivisor columns(17);                       // on the host
//   const uint32_t row = columns.Quotient(place);        // in both passes
//   const uint32_t column = place - row * columns.divisor;
//
// The method is Granlund's and Montgomery's, "Division by invariant integers using multiplication"
// (1994). Dividends and divisors are below 2^31; what may be larger is divided by DivisorFor of a
// 64-bit type. Thread safety: values. Errors: none.
#ifndef WARPBEAM_OPS_ARRAY_GPU_FAST_DIVISOR_H_
#define WARPBEAM_OPS_ARRAY_GPU_FAST_DIVISOR_H_

#include <cstdint>
#include <type_traits>

#include "ops/launch/pass.h"

namespace warpbeam {

struct FastDivisor {
  uint32_t divisor = 1;
  uint32_t multiplier = 1;
  uint32_t shift = 0;

  FastDivisor() = default;
  explicit FastDivisor(int64_t d) : divisor(static_cast<uint32_t>(d)) {
    while ((uint64_t{1} << shift) < divisor) ++shift;
    const uint64_t above = (uint64_t{1} << shift) - divisor;
    multiplier = static_cast<uint32_t>((above << 32) / divisor + 1);
  }
  WB_HD uint32_t Quotient(uint32_t n) const {
    return (static_cast<uint32_t>((uint64_t{n} * multiplier) >> 32) + n) >> shift;
  }
};

struct WideDivisor {
  int64_t divisor = 1;

  WideDivisor() = default;
  explicit WideDivisor(int64_t d) : divisor(d) {}
  WB_HD int64_t Quotient(int64_t n) const { return n / divisor; }
};

// Of indices of type uint32_t or int64_t.
template <class Index>
using DivisorFor = std::conditional_t<sizeof(Index) == 4, FastDivisor, WideDivisor>;

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_ARRAY_GPU_FAST_DIVISOR_H_
