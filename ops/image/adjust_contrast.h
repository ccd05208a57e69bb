// What AdjustContrast ops do with a number, and what their kernels have in common, whatever device
// they are on; in both passes.
//
//   WB_RETURN_IF_ERROR(CheckContrast(ctx));
//   const ContrastChange change = {2.0f};
//   const float y = change(x, mean);
//
// Thread safety: values. Errors: INVALID_ARGUMENT for shapes that do not fit.
#ifndef WARPBEAM_OPS_IMAGE_ADJUST_CONTRAST_H_
#define WARPBEAM_OPS_IMAGE_ADJUST_CONTRAST_H_

#include <cstdint>
#include <type_traits>

#include "ops/launch/pass.h"
#include "ops/launch/type_list.h"
#if WB_HOST_PASS
#include "graph/types/errors.h"
#include "runtime/kernel/kernel_context.h"
#endif

namespace warpbeam::WB_PASS {

struct ContrastChange {
  float factor;
  bool clips = false;
  float low = 0, high = 0;

  WB_HD float operator()(float x, float mean) const {
    const float y = (x - mean) * factor + mean;
    if (!clips) return y;
    const float below = high < y ? high : y;
    return below < low ? low : below;
  }
};

// The first version takes any numbers, and gives floats.
template <bool kFirstVersion>
using ContrastTypes =
    std::conditional_t<kFirstVersion, TypeList<uint8_t, int8_t, int16_t, int32_t, float, double>,
                       TypeList<Half, float>>;

#if WB_HOST_PASS
Status CheckContrast(const KernelContext& ctx);
#endif

}  // namespace warpbeam::WB_PASS

#endif  // WARPBEAM_OPS_IMAGE_ADJUST_CONTRAST_H_
