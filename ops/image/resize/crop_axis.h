// Where the pixels of a crop lie in its image, in one direction; for the host and for GPUs.
//
//   const CropAxis ys(box[0], box[2], height, crop_height);      // in namespace warpbeam::WB_PASS
//   if (ys.Has(ys.At(i))) const CropAround y(ys.At(i));
//
// Thread safety: values. Errors: none.
#ifndef WARPBEAM_OPS_IMAGE_RESIZE_CROP_AXIS_H_
#define WARPBEAM_OPS_IMAGE_RESIZE_CROP_AXIS_H_

#include <cstdint>

#include "ops/launch/math.h"
#include "ops/launch/pass.h"

namespace warpbeam::WB_PASS {

// One direction of a box.
struct CropAxis {
  int64_t in, crop;
  float first, step;
  float unit;  // how far the step goes with the box's end

  WB_HD CropAxis(float begin, float end, int64_t in_size, int64_t crop_size)
      : in(in_size), crop(crop_size) {
    const float last = static_cast<float>(in - 1);
    unit = crop > 1 ? last / static_cast<float>(crop - 1) : 0;
    step = crop > 1 ? (end - begin) * unit : 0;
    first = crop > 1 ? begin * last : 0.5f * (begin + end) * last;
  }
  WB_HD float At(int64_t i) const { return first + static_cast<float>(i) * step; }
  // Also false for what is no number.
  WB_HD bool Has(float at) const { return at >= 0 && at <= static_cast<float>(in - 1); }
  // How much the place of row `i` moves with the begin and with the end of the box.
  WB_HD void AddEnds(int64_t i, float slope, float* begin, float* end) const {
    const float last = static_cast<float>(in - 1);
    const float with_end = crop > 1 ? static_cast<float>(i) * unit : 0.5f * last;
    *begin += slope * (last - with_end);
    *end += slope * with_end;
  }
};

// The two pixels around a place, which is not negative.
struct CropAround {
  int64_t lower, upper, nearest;
  float lerp;

  WB_HD explicit CropAround(float at) {
    const float floor = Floor(at);
    lower = static_cast<int64_t>(floor);
    upper = static_cast<int64_t>(Ceil(at));
    lerp = at - floor;
    nearest = lerp >= 0.5f ? lower + 1 : lower;
  }
};

}  // namespace warpbeam::WB_PASS

#endif  // WARPBEAM_OPS_IMAGE_RESIZE_CROP_AXIS_H_
