// Where in the old image a row (or column) of a resized one lies, for GPUs: ResizeAxis (ops/image/
// resize/resize_grid.h) as a block function takes it.
//
//   const ResizePlaces rows(grid.y);                           // on the host
//   const PixelsBetween between = rows.Between(i);             // in both passes
//   const int64_t first = rows.FirstOf(rows.Guess(at, 1), [&](int64_t i) {
//     return rows.Between(i).upper >= at;
//   });
//
// Thread safety: values. Errors: none.
#ifndef WARPBEAM_OPS_IMAGE_GPU_RESIZE_PLACES_H_
#define WARPBEAM_OPS_IMAGE_GPU_RESIZE_PLACES_H_

#include <cstdint>

#include "ops/array/gpu/fast_divisor.h"
#include "ops/launch/math.h"
#include "ops/launch/pass.h"
#if WB_HOST_PASS
#include "ops/image/resize/resize_grid.h"
#endif

namespace warpbeam::WB_PASS {

// Two rows (or columns) of the old image, and how far the place is from the first to the second.
struct PixelsBetween {
  int64_t lower, upper;
  float lerp;
};

struct ResizePlaces {
  int64_t in = 0, out = 0;
  float scale = 0;
  float before = 0, after = 0;  // added before and after scaling

  ResizePlaces() = default;
#if WB_HOST_PASS
  explicit ResizePlaces(const ResizeAxis& axis)
      : in(axis.in),
        out(axis.out),
        scale(axis.scale),
        before(axis.half_pixel_centers ? 0.5f : 0.0f),
        after(axis.half_pixel_centers ? -0.5f : 0.0f) {}
#endif

  WB_HD int64_t Inside(int64_t place) const { return Min<int64_t>(Max<int64_t>(place, 0), in - 1); }
  WB_HD PixelsBetween Between(int64_t i) const {
    const float at = (static_cast<float>(i) + before) * scale + after;
    const float floor = Floor(at);
    return {Inside(static_cast<int64_t>(floor)), Inside(static_cast<int64_t>(Ceil(at))),
            at - floor};
  }
  WB_HD int64_t Nearest(int64_t i, bool rounds) const {
    const float at = (static_cast<float>(i) + before) * scale;
    const float floor = Floor(at);
    // Halves go away from zero; no place is negative.
    return Inside(static_cast<int64_t>(rounds && at - floor >= 0.5f ? floor + 1 : floor));
  }

  // The first place of the new image for which `at_or_behind` holds, which does for all that
  // follow; `guess` is a place near it.
  template <class Predicate>
  WB_HD int64_t FirstOf(float guess, const Predicate& at_or_behind) const {
    int64_t i = Min<int64_t>(Max<int64_t>(static_cast<int64_t>(guess), 0), out);
    while (i > 0 && at_or_behind(i - 1)) --i;
    while (i < out && !at_or_behind(i)) ++i;
    return i;
  }
  // Where place `at` of the old image, less `reach`, lies in the new one.
  WB_HD float Guess(int64_t at, float reach) const {
    return scale > 0 ? (static_cast<float>(at) - reach - after) / scale - before : 0.0f;
  }
};

// The element of images [batch, rows, columns, channels] with a number of type Index: see
// ops/launch/element_loop.h.
template <class Index>
struct PixelCounter {
  DivisorFor<Index> channels, columns, rows;

  struct Pixel {
    int64_t image, row, column, channel;
  };
  WB_HD Pixel At(Index i) const {
    const auto pixel = static_cast<Index>(channels.Quotient(i));
    const auto line = static_cast<Index>(columns.Quotient(pixel));
    const auto image = static_cast<Index>(rows.Quotient(line));
    return {image, line - image * static_cast<Index>(rows.divisor),
            pixel - line * static_cast<Index>(columns.divisor),
            i - pixel * static_cast<Index>(channels.divisor)};
  }
};

}  // namespace warpbeam::WB_PASS

#endif  // WARPBEAM_OPS_IMAGE_GPU_RESIZE_PLACES_H_
