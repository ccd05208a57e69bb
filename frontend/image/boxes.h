// Boxes in images (tf.image.crop_and_resize, non_max_suppression, draw_bounding_boxes,
// sample_distorted_bounding_box…).
//
//   Output crops = image::CropAndResize(scope, images, boxes, {0, 0, 1}, {64, 64});
//   Output kept = image::NonMaxSuppression(scope, boxes, scores, /*max_output_size=*/10);
//
// A box is {top, left, bottom, right}, 0 to 1 across the image. Nodes and names are those that
// TensorFlow's functions of the same name make.
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope.
#ifndef WARPBEAM_FRONTEND_IMAGE_BOXES_H_
#define WARPBEAM_FRONTEND_IMAGE_BOXES_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {
namespace image {

constexpr float kNoScoreThreshold = -std::numeric_limits<float>::infinity();

// The boxes [n, 4] of the images `box_ind` [n] of the batch, each in the size `crop_size`
// {height, width}. `method` is "bilinear" or "nearest"; outside of the images is
// `extrapolation_value`.
Output CropAndResize(ScopeRef scope, const Input& image, const Input& boxes, const Input& box_ind,
                     const Input& crop_size, const std::string& method = "bilinear",
                     float extrapolation_value = 0);

struct GlimpseOptions {
  // Whether offsets {0, 0} are the centre of the image, else its upper left corner.
  GlimpseOptions& centered(bool value) {
    is_centered = value;
    return *this;
  }
  // Whether offsets are from -1 to 1 across the image, else in pixels.
  GlimpseOptions& normalized(bool value) {
    is_normalized = value;
    return *this;
  }
  // Whether outside of the image is noise that is drawn evenly, else by a normal distribution.
  GlimpseOptions& uniform_noise(bool value) {
    has_uniform_noise = value;
    return *this;
  }

  bool is_centered = true;
  bool is_normalized = true;
  bool has_uniform_noise = true;
};
// A window of the size {height, width} around `offsets` [batch, 2] of each image.
Output ExtractGlimpse(ScopeRef scope, const Input& input, const Input& size, const Input& offsets,
                      const GlimpseOptions& options = GlimpseOptions());

// Images with the outlines of `boxes` [batch, boxes, 4], in `colors` [colours, channels] in turn.
Output DrawBoundingBoxes(ScopeRef scope, const Input& images, const Input& boxes,
                         const std::optional<Input>& colors = std::nullopt);

// The numbers of boxes [n, 4] that remain, the best scores first, when each that overlaps a better
// one by more than `iou_threshold` (area in common over area of both) is left out.
Output NonMaxSuppression(ScopeRef scope, const Input& boxes, const Input& scores,
                         const Input& max_output_size, const Input& iou_threshold = 0.5f,
                         const Input& score_threshold = kNoScoreThreshold);

struct ScoredSelection {
  Output selected_indices;
  Output selected_scores;
};
// A box that overlaps a better one loses of its score by a Gauss curve of this width; 0: as above.
// N. Bodla et al., arXiv:1704.04503.
ScoredSelection NonMaxSuppressionWithScores(ScopeRef scope, const Input& boxes, const Input& scores,
                                            const Input& max_output_size,
                                            const Input& iou_threshold = 0.5f,
                                            const Input& score_threshold = kNoScoreThreshold,
                                            const Input& soft_nms_sigma = 0.0f);

struct PaddedSelection {
  Output selected_indices;
  Output valid_outputs;
};
// With `pad_to_max_output_size` there are always as many numbers, of which the first count.
PaddedSelection NonMaxSuppressionPadded(ScopeRef scope, const Input& boxes, const Input& scores,
                                        const Input& max_output_size,
                                        const Input& iou_threshold = 0.5f,
                                        const Input& score_threshold = kNoScoreThreshold,
                                        bool pad_to_max_output_size = false);
// By overlaps [n, n] that the program computes.
Output NonMaxSuppressionOverlaps(ScopeRef scope, const Input& overlaps, const Input& scores,
                                 const Input& max_output_size,
                                 const Input& overlap_threshold = 0.5f,
                                 const Input& score_threshold = kNoScoreThreshold);

struct CombinedSelection {
  Output nmsed_boxes;
  Output nmsed_scores;
  Output nmsed_classes;
  Output valid_detections;
};
// Of boxes [batch, n, classes or 1, 4] with scores [batch, n, classes]: each class by itself, then
// the best of all.
CombinedSelection CombinedNonMaxSuppression(ScopeRef scope, const Input& boxes, const Input& scores,
                                            const Input& max_output_size_per_class,
                                            const Input& max_total_size,
                                            const Input& iou_threshold = 0.5f,
                                            const Input& score_threshold = kNoScoreThreshold,
                                            bool pad_per_class = false, bool clip_boxes = true);

struct DistortedBoxOptions {
  DistortedBoxOptions& seed(int64_t value) {
    first_seed = value;
    return *this;
  }
  DistortedBoxOptions& seed2(int64_t value) {
    second_seed = value;
    return *this;
  }
  // The part of one of the given boxes that lies within what is drawn.
  DistortedBoxOptions& min_object_covered(Input value) {
    covered = std::move(value);
    return *this;
  }
  // Width over height, from and to; and the area, as a part of the image's.
  DistortedBoxOptions& aspect_ratio_range(std::vector<float> value) {
    aspect_ratios = std::move(value);
    return *this;
  }
  DistortedBoxOptions& area_range(std::vector<float> value) {
    areas = std::move(value);
    return *this;
  }
  // After so many the whole image is taken.
  DistortedBoxOptions& max_attempts(int64_t value) {
    attempts = value;
    return *this;
  }
  // Whether no box means the whole image; else it fails the step.
  DistortedBoxOptions& use_image_if_no_bounding_boxes(bool value) {
    uses_image = value;
    return *this;
  }

  int64_t first_seed = 0;
  int64_t second_seed = 0;
  Input covered = 0.1f;
  std::vector<float> aspect_ratios = {0.75f, 1.33f};
  std::vector<float> areas = {0.05f, 1};
  int64_t attempts = 100;
  bool uses_image = false;
};

struct DistortedBox {
  Output begin, size;  // for Slice
  Output bboxes;       // for DrawBoundingBoxes
};
// A part of the image that shows enough of one of `bounding_boxes` [images, boxes, 4].
DistortedBox SampleDistortedBoundingBox(ScopeRef scope, const Input& image_size,
                                        const Input& bounding_boxes,
                                        const DistortedBoxOptions& options = DistortedBoxOptions());

}  // namespace image
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_IMAGE_BOXES_H_
