// What the kernels of Cross have in common, whatever device they are on.
//
//   WB_RETURN_IF_ERROR(CheckCross(a.shape(), b.shape()));
//
// Thread safety: pure functions. Errors: INVALID_ARGUMENT for shapes that differ, and
// FAILED_PRECONDITION for vectors of other than three elements.
#ifndef WARPBEAM_OPS_MATH_CROSS_H_
#define WARPBEAM_OPS_MATH_CROSS_H_

#include "ops/launch/math.h"
#include "ops/launch/pass.h"

#if WB_HOST_PASS
#include "graph/types/errors.h"
#include "graph/types/shape.h"

namespace warpbeam {

Status CheckCross(const Shape& a, const Shape& b);

}  // namespace warpbeam
#endif

namespace warpbeam::WB_PASS {

// Of vectors of three elements; `product` is neither of them.
template <class T>
WB_HD void CrossVectors(const T* a, const T* b, T* product) {
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    product[i] = Minus<T>(Times<T>(a[j], b[k]), Times<T>(a[k], b[j]));
  }
}

}  // namespace warpbeam::WB_PASS

#endif  // WARPBEAM_OPS_MATH_CROSS_H_
