// The absolute value by which pivots are compared, in both passes.
//
// Thread safety: pure functions.
#ifndef WARPBEAM_OPS_LINALG_PIVOT_SIZE_H_
#define WARPBEAM_OPS_LINALG_PIVOT_SIZE_H_

#include <complex>

#include "ops/launch/complex_number.h"
#include "ops/launch/math.h"
#include "ops/launch/pass.h"

namespace warpbeam::WB_PASS {

WB_HD inline float PivotSize(float v) { return Abs(v); }
WB_HD inline double PivotSize(double v) { return Abs(v); }
template <class R>
WB_HD R PivotSize(ComplexNumber<R> v) {
  return Hypot(v.real(), v.imag());
}
#if WB_HOST_PASS
template <class R>
R PivotSize(std::complex<R> v) {
  return std::abs(v);
}
#endif

}  // namespace warpbeam::WB_PASS

#endif  // WARPBEAM_OPS_LINALG_PIVOT_SIZE_H_
