// How alike two images are, and how they change from pixel to pixel (tf.image.psnr, ssim,
// ssim_multiscale, total_variation, image_gradients, sobel_edges).
//
//   Output noise = image::Psnr(scope, compressed, original, 255);       // decibels, of each image
//   Output alike = image::Ssim(scope, compressed, original, 1.0);
//   Output loss = ReduceSum(scope, image::TotalVariation(scope, images));
//
// Images are [batch, height, width, channels], or one image without batch; `max_val` is how far
// apart two values may be: 255 for uint8, 1 for floats.
//
// Numbers are those of TensorFlow's functions of the same name; nodes are fewer, since what follows
// from shapes is computed while the graph is built.
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope; images of different
// shapes, or smaller than the window of a comparison, are INVALID_ARGUMENT.
#ifndef WARPBEAM_FRONTEND_IMAGE_QUALITY_H_
#define WARPBEAM_FRONTEND_IMAGE_QUALITY_H_

#include <utility>
#include <vector>

#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {
namespace image {

// The ratio of the largest signal to the noise, in decibels.
Output Psnr(ScopeRef scope, const Output& a, const Output& b, double max_val);

struct SsimOptions {
  // The Gauss window in which means are taken: its height and width, and its deviation.
  SsimOptions& filter_size(int value) {
    window = value;
    return *this;
  }
  SsimOptions& filter_sigma(double value) {
    sigma = value;
    return *this;
  }
  SsimOptions& k1(double value) {
    k1_value = value;
    return *this;
  }
  SsimOptions& k2(double value) {
    k2_value = value;
    return *this;
  }

  int window = 11;
  double sigma = 1.5;
  double k1_value = 0.01;
  double k2_value = 0.03;
};

// Structural similarity, 1 for equal images. Z. Wang et al., 2004.
Output Ssim(ScopeRef scope, const Output& img1, const Output& img2, double max_val,
            const SsimOptions& options = SsimOptions());
// At several scales, each half of the one before, with these powers. Z. Wang et al., 2003. Height
// and width must be known.
Output SsimMultiscale(ScopeRef scope, const Output& img1, const Output& img2, double max_val,
                      const std::vector<float>& power_factors = {0.0448f, 0.2856f, 0.3001f, 0.2363f,
                                                                 0.1333f},
                      const SsimOptions& options = SsimOptions());

// The sum of the differences between neighbours, of each image.
Output TotalVariation(ScopeRef scope, const Output& images);

struct ImageGradientsResult {
  Output dy;
  Output dx;
};
// The difference to the next pixel; 0 at the far border.
ImageGradientsResult ImageGradients(ScopeRef scope, const Output& image);
// Edges by Sobel's filters: [n, height, width, channels, {down, across}].
Output SobelEdges(ScopeRef scope, const Output& image);

}  // namespace image
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_IMAGE_QUALITY_H_
