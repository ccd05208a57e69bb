// The functor of select.cc: see ops/launch/elementwise.h for what a functor is.
//
//   const float y = ChooseFn()(true, 1.0f, 2.0f);    // 1
//
// Thread safety: pure functions. Errors: none.
#ifndef WARPBEAM_OPS_MATH_FUNCTORS_SELECT_H_
#define WARPBEAM_OPS_MATH_FUNCTORS_SELECT_H_

#include "ops/launch/elementwise.h"

namespace warpbeam::WB_PASS {

struct ChooseFn {
  template <class V>
  WB_HD V operator()(bool condition, V t, V e) const {
    return condition ? t : e;
  }
};

}  // namespace warpbeam::WB_PASS

#endif  // WARPBEAM_OPS_MATH_FUNCTORS_SELECT_H_
