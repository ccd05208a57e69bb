// The overlap of two boxes, in both passes.
//
//   const BoxOverlap<float> overlap{boxes};                    // [n, 4]
//   const float common = overlap(0, 1);                        // 1 of a box with itself
//
// Thread safety: pure. Errors: none.
#ifndef WARPBEAM_OPS_IMAGE_BOXES_BOX_OVERLAP_H_
#define WARPBEAM_OPS_IMAGE_BOXES_BOX_OVERLAP_H_

#include <cstdint>

#include "ops/launch/pass.h"

namespace warpbeam {

// The part of two boxes' union that both cover. Each box is two opposite corners, in any order.
template <class T>
struct BoxOverlap {
  const T* boxes;
  int64_t stride = 4;  // from a box to the next

  WB_HD T operator()(int64_t i, int64_t j) const {
    const T *a = boxes + i * stride, *b = boxes + j * stride;
    const T area_a = Area(a), area_b = Area(b);
    if (!(area_a > T(0)) || !(area_b > T(0))) return T(0);
    const T both = Shared(a, b, 0) * Shared(a, b, 1);
    return both / (area_a + area_b - both);
  }

 private:
  WB_HD static T Least(T a, T b) { return b < a ? b : a; }
  WB_HD static T Most(T a, T b) { return a < b ? b : a; }
  WB_HD static T Area(const T* box) {
    return (Most(box[0], box[2]) - Least(box[0], box[2])) *
           (Most(box[1], box[3]) - Least(box[1], box[3]));
  }
  WB_HD static T Shared(const T* a, const T* b, int k) {
    const T begin = Most(Least(a[k], a[k + 2]), Least(b[k], b[k + 2]));
    const T end = Least(Most(a[k], a[k + 2]), Most(b[k], b[k + 2]));
    return Most(end - begin, T(0));
  }
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_IMAGE_BOXES_BOX_OVERLAP_H_
