// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/image_ops_2.h"

namespace warpbeam {
namespace frontend {
namespace ops {

SampleDistortedBoundingBoxOutputs SampleDistortedBoundingBox(ScopeRef scope,
    const Input& image_size, const Input& bounding_boxes,
    const SampleDistortedBoundingBoxAttrs& attrs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "SampleDistortedBoundingBox", {image_size, bounding_boxes},
      attrs);
  SampleDistortedBoundingBoxOutputs outputs;
  outputs.begin = OutputOf(here, built, "begin");
  outputs.size = OutputOf(here, built, "size");
  outputs.bboxes = OutputOf(here, built, "bboxes");
  outputs.op = built;
  return outputs;
}

SampleDistortedBoundingBoxV2Outputs SampleDistortedBoundingBoxV2(ScopeRef scope,
    const Input& image_size, const Input& bounding_boxes, const Input& min_object_covered,
    const SampleDistortedBoundingBoxV2Attrs& attrs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "SampleDistortedBoundingBoxV2", {image_size, bounding_boxes, min_object_covered},
      attrs);
  SampleDistortedBoundingBoxV2Outputs outputs;
  outputs.begin = OutputOf(here, built, "begin");
  outputs.size = OutputOf(here, built, "size");
  outputs.bboxes = OutputOf(here, built, "bboxes");
  outputs.op = built;
  return outputs;
}

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

StatelessSampleDistortedBoundingBoxOutputs StatelessSampleDistortedBoundingBox(ScopeRef scope,
    const Input& image_size, const Input& bounding_boxes, const Input& min_object_covered,
    const Input& seed, const StatelessSampleDistortedBoundingBoxAttrs& attrs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "StatelessSampleDistortedBoundingBox", {image_size, bounding_boxes,
          min_object_covered, seed},
      attrs);
  StatelessSampleDistortedBoundingBoxOutputs outputs;
  outputs.begin = OutputOf(here, built, "begin");
  outputs.size = OutputOf(here, built, "size");
  outputs.bboxes = OutputOf(here, built, "bboxes");
  outputs.op = built;
  return outputs;
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
