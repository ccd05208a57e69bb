// Where the elements of patches come from, and what the kernels of ExtractImagePatches and
// ExtractVolumePatches have in common, whatever device they are on; in both passes.
//
//   WB_ASSIGN_OR_RETURN(const PatchAttrs attrs, ReadPatchAttrs(init.attrs, 2));
//   PatchPlan plan;
//   WB_ASSIGN_OR_RETURN(const Shape shape, MakePatchPlan(attrs, x.shape(), &plan));
//
// Thread safety: values and pure functions. Errors: INVALID_ARGUMENT for shapes that do not fit,
// and those of ops/nn/window/window.h.
#ifndef WARPBEAM_OPS_NN_PATCHES_EXTRACT_PATCHES_H_
#define WARPBEAM_OPS_NN_PATCHES_EXTRACT_PATCHES_H_

#include <cstdint>

#include "ops/launch/pass.h"
#if WB_HOST_PASS
#include "graph/types/attr_value.h"
#include "graph/types/errors.h"
#include "graph/types/shape.h"
#include "ops/nn/window/window.h"
#endif

namespace warpbeam {

// Of the three spatial dimensions; the first is 1 in images.
struct PatchPlan {
  int64_t input[3] = {1, 1, 1}, output[3] = {1, 1, 1}, before[3] = {0, 0, 0};
  int64_t size[3] = {1, 1, 1}, stride[3] = {1, 1, 1}, rate[3] = {1, 1, 1};
  int64_t batch = 1, channels = 1;
  int64_t taps = 1;  // places in a window

  WB_HD int64_t image_size() const { return input[0] * input[1] * input[2] * channels; }
  // What place (i, j, k) of the window at `at` lies on; -1 for padding.
  WB_HD int64_t PixelOf(const int64_t (&at)[3], int64_t i, int64_t j, int64_t k) const {
    const int64_t z = at[0] * stride[0] - before[0] + i * rate[0];
    const int64_t y = at[1] * stride[1] - before[1] + j * rate[1];
    const int64_t x = at[2] * stride[2] - before[2] + k * rate[2];
    if (z < 0 || z >= input[0] || y < 0 || y >= input[1] || x < 0 || x >= input[2]) return -1;
    return (z * input[1] + y) * input[2] + x;
  }
};

#if WB_HOST_PASS

struct PatchAttrs {
  DataFormat format;
  DimensionList size, strides, rates;
  WindowPadding padding;
};

StatusOr<PatchAttrs> ReadPatchAttrs(const AttrMap& map, int spatial);
// The shape of the patches of data of shape `x`.
StatusOr<Shape> MakePatchPlan(const PatchAttrs& attrs, const Shape& x, PatchPlan* plan);

#endif

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_NN_PATCHES_EXTRACT_PATCHES_H_
