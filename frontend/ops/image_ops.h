// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
//
// One function for each op: it adds the op to the scope's graph.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_OPS_IMAGE_OPS_H_
#define WARPBEAM_FRONTEND_OPS_IMAGE_OPS_H_

#include <string>
#include <vector>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace ops {

// (images: T, contrast_factor: float) -> (output: T)
Output AdjustContrastv2(ScopeRef scope, const Input& images, const Input& contrast_factor);

// (images: T, delta: float) -> (output: T)
Output AdjustHue(ScopeRef scope, const Input& images, const Input& delta);

// (images: T, scale: float) -> (output: T)
Output AdjustSaturation(ScopeRef scope, const Input& images, const Input& scale);

// (images: T) -> (output: T)
Output HSVToRGB(ScopeRef scope, const Input& images);

// (images: T) -> (output: T)
Output RGBToHSV(ScopeRef scope, const Input& images);

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_IMAGE_OPS_H_
