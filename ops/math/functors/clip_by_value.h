// The functor of clip_by_value.cc: see ops/launch/elementwise.h for what a functor is.
//
//   const float y = ClipFn()(5.0f, 0.0f, 1.0f);    // 1
//
// Thread safety: pure functions. Errors: none.
#ifndef WARPBEAM_OPS_MATH_FUNCTORS_CLIP_BY_VALUE_H_
#define WARPBEAM_OPS_MATH_FUNCTORS_CLIP_BY_VALUE_H_

#include "ops/launch/elementwise.h"

namespace warpbeam::WB_PASS {

struct ClipFn {
  template <class V>
  WB_HD V operator()(V x, V low, V high) const {
    const V below = high < x ? high : x;
    return below < low ? low : below;
  }
};

}  // namespace warpbeam::WB_PASS

#endif  // WARPBEAM_OPS_MATH_FUNCTORS_CLIP_BY_VALUE_H_
