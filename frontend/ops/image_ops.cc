// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/image_ops.h"

namespace warpbeam {
namespace frontend {
namespace ops {

Output AdjustContrastv2(ScopeRef scope, const Input& images, const Input& contrast_factor) {
  return BuildOutput(
      scope.scope(), "AdjustContrastv2", {images, contrast_factor},
      OpAttrs());
}

Output AdjustHue(ScopeRef scope, const Input& images, const Input& delta) {
  return BuildOutput(
      scope.scope(), "AdjustHue", {images, delta},
      OpAttrs());
}

Output AdjustSaturation(ScopeRef scope, const Input& images, const Input& scale) {
  return BuildOutput(
      scope.scope(), "AdjustSaturation", {images, scale},
      OpAttrs());
}

Output HSVToRGB(ScopeRef scope, const Input& images) {
  return BuildOutput(
      scope.scope(), "HSVToRGB", {images},
      OpAttrs());
}

Output RGBToHSV(ScopeRef scope, const Input& images) {
  return BuildOutput(
      scope.scope(), "RGBToHSV", {images},
      OpAttrs());
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
