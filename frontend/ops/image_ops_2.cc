// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/image_ops_2.h"

namespace warpbeam {
namespace frontend {
namespace ops {

Output ScaleAndTranslate(ScopeRef scope, const Input& images, const Input& size, const Input& scale,
    const Input& translation, const ScaleAndTranslateAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ScaleAndTranslate", {images, size, scale, translation},
      attrs);
}

Output ScaleAndTranslateGrad(ScopeRef scope, const Input& grads, const Input& original_image,
    const Input& scale, const Input& translation, const ScaleAndTranslateGradAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ScaleAndTranslateGrad", {grads, original_image, scale, translation},
      attrs);
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
