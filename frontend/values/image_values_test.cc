// What tf.image computes is what TensorFlow computes: values, gradients and nodes.
#include "frontend/values/expected_values.h"
#include "frontend/warpbeam.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace {

std::vector<ValueRow> ColorRows() {
  return {
      {"rgb_to_grayscale", [](S s, X x) { return image::RgbToGrayscale(s, x[0]); }},
      {"rgb_to_grayscale_bytes", [](S s, X x) { return image::RgbToGrayscale(s, x[0]); }},
      {"grayscale_to_rgb", [](S s, X x) { return image::GrayscaleToRgb(s, x[0]); }},
      {"rgb_to_hsv", [](S s, X x) { return image::RgbToHsv(s, x[0]); }},
      {"hsv_to_rgb", [](S s, X x) { return image::HsvToRgb(s, x[0]); }},
      {"rgb_to_yiq", [](S s, X x) { return image::RgbToYiq(s, x[0]); }},
      {"yiq_to_rgb", [](S s, X x) { return image::YiqToRgb(s, x[0]); }},
      {"rgb_to_yuv", [](S s, X x) { return image::RgbToYuv(s, x[0]); }},
      {"yuv_to_rgb", [](S s, X x) { return image::YuvToRgb(s, x[0]); }},
      {"adjust_gamma", [](S s, X x) { return image::AdjustGamma(s, x[0], 2.2, 0.9); }},
      {"adjust_gamma_bytes", [](S s, X x) { return image::AdjustGamma(s, x[0], 0.5); }},
      {"png", [](S s, X x) { return image::DecodePng(s, image::EncodePng(s, x[0]), 3); }},
      {"is_jpeg", [](S s, X x) { return image::IsJpeg(s, image::EncodePng(s, x[0])); }},
      {"jpeg_shape",
       [](S s, X x) { return image::ExtractJpegShape(s, image::EncodeJpeg(s, x[0])); }},
  };
}

std::vector<ValueRow> BoxRows() {
  return {
      {"crop_and_resize",
       [](S s, X x) {
         return image::CropAndResize(s, x[0], x[1], {0, 1, 1, 0}, {3, 2});
       }},
      {"extract_glimpse",
       [](S s, X x) {
         return image::ExtractGlimpse(s, x[0], {2, 3}, x[1]);
       }},
      {"draw_bounding_boxes", [](S s, X x) { return image::DrawBoundingBoxes(s, x[0], x[1]); }},
      {"non_max_suppression", [](S s, X x) { return image::NonMaxSuppression(s, x[0], x[1], 3); }},
      {"non_max_suppression_with_scores",
       [](S s, X x) -> Built {
         const auto [indices, scores] = image::NonMaxSuppressionWithScores(
             s, x[0], x[1], 4, 0.5f, image::kNoScoreThreshold, 0.5f);
         return {indices, scores};
       }},
      {"non_max_suppression_padded",
       [](S s, X x) -> Built {
         const auto [indices, valid] =
             image::NonMaxSuppressionPadded(s, x[0], x[1], 3, 0.5f, image::kNoScoreThreshold, true);
         return {indices, valid};
       }},
      {"non_max_suppression_overlaps",
       [](S s, X x) { return image::NonMaxSuppressionOverlaps(s, x[0], x[1], 3); }},
      {"combined_non_max_suppression",
       [](S s, X x) -> Built {
         const auto [boxes, scores, classes, valid] =
             image::CombinedNonMaxSuppression(s, x[0], x[1], 2, 3);
         return {boxes, scores, classes, valid};
       }},
  };
}

std::vector<ValueRow> GeometryRows() {
  return {
      {"rot90", [](S s, X x) { return image::Rot90(s, x[0]); }},
      {"rot90_thrice", [](S s, X x) { return image::Rot90(s, x[0], 3); }},
      {"rot90_twice", [](S s, X x) { return image::Rot90(s, x[0], x[1]); }},
      {"central_crop", [](S s, X x) { return image::CentralCrop(s, x[0], 0.5); }},
      {"central_crop_batch", [](S s, X x) { return image::CentralCrop(s, x[0], 0.7); }},
      {"resize_image_with_pad", [](S s, X x) { return image::ResizeImageWithPad(s, x[0], 6, 9); }},
      {"resize_image_with_pad_narrow",
       [](S s, X x) { return image::ResizeImageWithPad(s, x[0], 8, 3); }},
      {"resize_bilinear",
       [](S s, X x) {
         return image::ResizeBilinear(s, x[0], {3, 7}, false, true);
       }},
      {"resize_nearest_neighbor",
       [](S s, X x) {
         return image::ResizeNearestNeighbor(s, x[0], {3, 7});
       }},
      {"resize_bicubic",
       [](S s, X x) {
         return image::ResizeBicubic(s, x[0], {3, 7}, true);
       }},
      {"resize_area",
       [](S s, X x) {
         return image::ResizeArea(s, x[0], {2, 3});
       }},
      {"extract_image_patches",
       [](S s, X x) {
         return image::ExtractImagePatches(s, x[0], {2, 2}, {1, 2}, {2, 1}, "VALID");
       }},
  };
}

std::vector<ValueRow> QualityRows() {
  return {
      {"psnr", [](S s, X x) { return image::Psnr(s, x[0], x[1], 1); }},
      {"psnr_bytes", [](S s, X x) { return image::Psnr(s, x[0], x[1], 255); }},
      {"ssim", [](S s, X x) { return image::Ssim(s, x[0], x[1], 1); }},
      {"ssim_small",
       [](S s, X x) {
         return image::Ssim(
             s, x[0], x[1], 1,
             image::SsimOptions().filter_size(3).filter_sigma(0.8).k1(0.02).k2(0.05));
       }},
      {"ssim_multiscale",
       [](S s, X x) {
         return image::SsimMultiscale(s, x[0], x[1], 1, {0.3f, 0.7f});
       }},
      {"total_variation", [](S s, X x) { return image::TotalVariation(s, x[0]); }},
      {"total_variation_single", [](S s, X x) { return image::TotalVariation(s, x[0]); }},
      {"image_gradients",
       [](S s, X x) -> Built {
         const auto [dy, dx] = image::ImageGradients(s, x[0]);
         return {dy, dx};
       }},
      {"sobel_edges", [](S s, X x) { return image::SobelEdges(s, x[0]); }},
  };
}

TEST(ImageValuesTest, AreTensorFlows) {
  std::vector<ValueRow> rows;
  for (const std::vector<ValueRow>& some :
       {ColorRows(), BoxRows(), GeometryRows(), QualityRows()}) {
    rows.insert(rows.end(), some.begin(), some.end());
  }
  ExpectTensorFlowsValues("image", rows);
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
