// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
//
// One function for each op: it adds the op to the scope's graph.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_OPS_IMAGE_OPS_2_H_
#define WARPBEAM_FRONTEND_OPS_IMAGE_OPS_2_H_

#include <string>
#include <vector>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace ops {

class ScaleAndTranslateAttrs : public OpAttrs {
 public:
  ScaleAndTranslateAttrs& kernel_type(const std::string& value) {
    Set("kernel_type", value);
    return *this;
  }
  ScaleAndTranslateAttrs& antialias(bool value) {
    Set("antialias", value);
    return *this;
  }
};
// (images: T, size: int32, scale: float, translation: float) -> (resized_images: float)
Output ScaleAndTranslate(ScopeRef scope, const Input& images, const Input& size, const Input& scale,
    const Input& translation, const ScaleAndTranslateAttrs& attrs = ScaleAndTranslateAttrs());

class ScaleAndTranslateGradAttrs : public OpAttrs {
 public:
  ScaleAndTranslateGradAttrs& kernel_type(const std::string& value) {
    Set("kernel_type", value);
    return *this;
  }
  ScaleAndTranslateGradAttrs& antialias(bool value) {
    Set("antialias", value);
    return *this;
  }
};
// (grads: T, original_image: T, scale: float, translation: float) -> (output: T)
Output ScaleAndTranslateGrad(ScopeRef scope, const Input& grads, const Input& original_image,
    const Input& scale, const Input& translation,
    const ScaleAndTranslateGradAttrs& attrs = ScaleAndTranslateGradAttrs());

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_IMAGE_OPS_2_H_
