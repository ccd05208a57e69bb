#include "frontend/image/boxes.h"

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace image {
namespace {

Output Number(const Scope& inside, const char* name, const Input& value) {
  return AsOutput(inside.Named(name), value, DType::kFloat);
}

}  // namespace

Output CropAndResize(ScopeRef scope, const Input& image, const Input& boxes, const Input& box_ind,
                     const Input& crop_size, const std::string& method, float extrapolation_value) {
  return BuildOutput(
      scope.scope(), "CropAndResize", {image, boxes, box_ind, crop_size},
      OpAttrs().Set("method", method).Set("extrapolation_value", extrapolation_value));
}

Output ExtractGlimpse(ScopeRef scope, const Input& input, const Input& size, const Input& offsets,
                      const GlimpseOptions& options) {
  return BuildOutput(scope.scope(), "ExtractGlimpse", {input, size, offsets},
                     OpAttrs()
                         .Set("centered", options.is_centered)
                         .Set("normalized", options.is_normalized)
                         .Set("uniform_noise", options.has_uniform_noise));
}

Output DrawBoundingBoxes(ScopeRef scope_ref, const Input& images, const Input& boxes,
                         const std::optional<Input>& colors) {
  const Scope scope = scope_ref.scope();
  if (!colors.has_value()) return BuildOutput(scope, "DrawBoundingBoxes", {images, boxes});
  return BuildOutput(scope, "DrawBoundingBoxesV2", {images, boxes, *colors});
}

Output NonMaxSuppression(ScopeRef scope_ref, const Input& boxes, const Input& scores,
                         const Input& max_output_size, const Input& iou_threshold,
                         const Input& score_threshold) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("non_max_suppression");
  const Output overlap = Number(inside, "iou_threshold", iou_threshold);
  const Output score = Number(inside, "score_threshold", score_threshold);
  return scope(
      BuildOutput(inside, "NonMaxSuppressionV3", {boxes, scores, max_output_size, overlap, score}));
}

ScoredSelection NonMaxSuppressionWithScores(ScopeRef scope_ref, const Input& boxes,
                                            const Input& scores, const Input& max_output_size,
                                            const Input& iou_threshold,
                                            const Input& score_threshold,
                                            const Input& soft_nms_sigma) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("non_max_suppression_with_scores");
  const Output overlap = Number(inside, "iou_threshold", iou_threshold);
  const Output score = Number(inside, "score_threshold", score_threshold);
  const Output sigma = Number(inside, "soft_nms_sigma", soft_nms_sigma);
  const std::vector<Output> results = BuildOutputs(
      inside, "NonMaxSuppressionV5", {boxes, scores, max_output_size, overlap, score, sigma},
      OpAttrs().Set("pad_to_max_output_size", false), 3);
  return {scope(results[0]), scope(results[1])};
}

PaddedSelection NonMaxSuppressionPadded(ScopeRef scope_ref, const Input& boxes, const Input& scores,
                                        const Input& max_output_size, const Input& iou_threshold,
                                        const Input& score_threshold, bool pad_to_max_output_size) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("non_max_suppression_padded");
  const Output overlap = Number(inside, "iou_threshold", iou_threshold);
  const Output score = Number(inside, "score_threshold", score_threshold);
  const std::vector<Output> results =
      BuildOutputs(inside, "NonMaxSuppressionV4", {boxes, scores, max_output_size, overlap, score},
                   OpAttrs().Set("pad_to_max_output_size", pad_to_max_output_size), 2);
  return {scope(results[0]), scope(results[1])};
}

Output NonMaxSuppressionOverlaps(ScopeRef scope_ref, const Input& overlaps, const Input& scores,
                                 const Input& max_output_size, const Input& overlap_threshold,
                                 const Input& score_threshold) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("non_max_suppression_overlaps");
  const Output overlap = Number(inside, "overlap_threshold", overlap_threshold);
  return scope(BuildOutput(inside, "NonMaxSuppressionWithOverlaps",
                           {overlaps, scores, max_output_size, overlap, score_threshold}));
}

CombinedSelection CombinedNonMaxSuppression(ScopeRef scope_ref, const Input& boxes,
                                            const Input& scores,
                                            const Input& max_output_size_per_class,
                                            const Input& max_total_size, const Input& iou_threshold,
                                            const Input& score_threshold, bool pad_per_class,
                                            bool clip_boxes) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("combined_non_max_suppression");
  const Output overlap = Number(inside, "iou_threshold", iou_threshold);
  const Output score = Number(inside, "score_threshold", score_threshold);
  const Output total = AsOutput(inside, max_total_size, DType::kInt32);
  const std::vector<Output> results =
      BuildOutputs(inside, "CombinedNonMaxSuppression",
                   {boxes, scores, max_output_size_per_class, total, overlap, score},
                   OpAttrs().Set("pad_per_class", pad_per_class).Set("clip_boxes", clip_boxes), 4);
  return {scope(results[0]), scope(results[1]), scope(results[2]), scope(results[3])};
}

DistortedBox SampleDistortedBoundingBox(ScopeRef scope_ref, const Input& image_size,
                                        const Input& bounding_boxes,
                                        const DistortedBoxOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("sample_distorted_bounding_box");
  const std::vector<Output> results =
      BuildOutputs(inside.Named(inside.name_scope()), "SampleDistortedBoundingBoxV2",
                   {image_size, bounding_boxes, options.covered},
                   OpAttrs()
                       .Set("seed", options.first_seed)
                       .Set("seed2", options.second_seed)
                       .Set("aspect_ratio_range", options.aspect_ratios)
                       .Set("area_range", options.areas)
                       .Set("max_attempts", options.attempts)
                       .Set("use_image_if_no_bounding_boxes", options.uses_image),
                   3);
  return {scope(results[0]), scope(results[1]), scope(results[2])};
}

}  // namespace image
}  // namespace frontend
}  // namespace warpbeam
