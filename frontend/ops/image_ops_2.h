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

class SampleDistortedBoundingBoxAttrs : public OpAttrs {
 public:
  SampleDistortedBoundingBoxAttrs& seed(int64_t value) {
    Set("seed", value);
    return *this;
  }
  SampleDistortedBoundingBoxAttrs& seed2(int64_t value) {
    Set("seed2", value);
    return *this;
  }
  SampleDistortedBoundingBoxAttrs& min_object_covered(float value) {
    Set("min_object_covered", value);
    return *this;
  }
  SampleDistortedBoundingBoxAttrs& aspect_ratio_range(const std::vector<float>& value) {
    Set("aspect_ratio_range", value);
    return *this;
  }
  SampleDistortedBoundingBoxAttrs& area_range(const std::vector<float>& value) {
    Set("area_range", value);
    return *this;
  }
  SampleDistortedBoundingBoxAttrs& max_attempts(int64_t value) {
    Set("max_attempts", value);
    return *this;
  }
  SampleDistortedBoundingBoxAttrs& use_image_if_no_bounding_boxes(bool value) {
    Set("use_image_if_no_bounding_boxes", value);
    return *this;
  }
};
struct SampleDistortedBoundingBoxOutputs {
  Output begin;
  Output size;
  Output bboxes;
  Operation op;
};
// (image_size: T, bounding_boxes: float) -> (begin: T, size: T, bboxes: float)
SampleDistortedBoundingBoxOutputs SampleDistortedBoundingBox(ScopeRef scope,
    const Input& image_size, const Input& bounding_boxes,
    const SampleDistortedBoundingBoxAttrs& attrs = SampleDistortedBoundingBoxAttrs());

class SampleDistortedBoundingBoxV2Attrs : public OpAttrs {
 public:
  SampleDistortedBoundingBoxV2Attrs& seed(int64_t value) {
    Set("seed", value);
    return *this;
  }
  SampleDistortedBoundingBoxV2Attrs& seed2(int64_t value) {
    Set("seed2", value);
    return *this;
  }
  SampleDistortedBoundingBoxV2Attrs& aspect_ratio_range(const std::vector<float>& value) {
    Set("aspect_ratio_range", value);
    return *this;
  }
  SampleDistortedBoundingBoxV2Attrs& area_range(const std::vector<float>& value) {
    Set("area_range", value);
    return *this;
  }
  SampleDistortedBoundingBoxV2Attrs& max_attempts(int64_t value) {
    Set("max_attempts", value);
    return *this;
  }
  SampleDistortedBoundingBoxV2Attrs& use_image_if_no_bounding_boxes(bool value) {
    Set("use_image_if_no_bounding_boxes", value);
    return *this;
  }
};
struct SampleDistortedBoundingBoxV2Outputs {
  Output begin;
  Output size;
  Output bboxes;
  Operation op;
};
// (image_size: T, bounding_boxes: float, min_object_covered: float) -> (begin: T, size: T, bboxes:
//     float)
SampleDistortedBoundingBoxV2Outputs SampleDistortedBoundingBoxV2(ScopeRef scope,
    const Input& image_size, const Input& bounding_boxes, const Input& min_object_covered,
    const SampleDistortedBoundingBoxV2Attrs& attrs = SampleDistortedBoundingBoxV2Attrs());

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

class StatelessSampleDistortedBoundingBoxAttrs : public OpAttrs {
 public:
  StatelessSampleDistortedBoundingBoxAttrs& aspect_ratio_range(const std::vector<float>& value) {
    Set("aspect_ratio_range", value);
    return *this;
  }
  StatelessSampleDistortedBoundingBoxAttrs& area_range(const std::vector<float>& value) {
    Set("area_range", value);
    return *this;
  }
  StatelessSampleDistortedBoundingBoxAttrs& max_attempts(int64_t value) {
    Set("max_attempts", value);
    return *this;
  }
  StatelessSampleDistortedBoundingBoxAttrs& use_image_if_no_bounding_boxes(bool value) {
    Set("use_image_if_no_bounding_boxes", value);
    return *this;
  }
};
struct StatelessSampleDistortedBoundingBoxOutputs {
  Output begin;
  Output size;
  Output bboxes;
  Operation op;
};
// (image_size: T, bounding_boxes: float, min_object_covered: float, seed: Tseed) -> (begin: T,
//     size: T, bboxes: float)
StatelessSampleDistortedBoundingBoxOutputs StatelessSampleDistortedBoundingBox(ScopeRef scope,
    const Input& image_size, const Input& bounding_boxes, const Input& min_object_covered,
    const Input& seed,
    const StatelessSampleDistortedBoundingBoxAttrs& attrs = StatelessSampleDistortedBoundingBoxAttrs());

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_IMAGE_OPS_2_H_
