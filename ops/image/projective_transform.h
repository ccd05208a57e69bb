// A map from the pixels of a result to those of an image, and what the kernels of
// ImageProjectiveTransform have in common, whatever device they are on; in both passes.
//
//   WB_ASSIGN_OR_RETURN(const ProjectiveAttrs attrs, ProjectiveAttrs::From(init));
//   ProjectivePlan plan;
//   WB_RETURN_IF_ERROR(MakeProjectivePlan(ctx, &plan));
//   ProjectPixel(image, attrs, parameters, column, row, to);
//
// Thread safety: values and pure functions. Errors: INVALID_ARGUMENT for attributes and shapes that
// do not fit.
#ifndef WARPBEAM_OPS_IMAGE_PROJECTIVE_TRANSFORM_H_
#define WARPBEAM_OPS_IMAGE_PROJECTIVE_TRANSFORM_H_

#include <cstdint>
#include <limits>
#include <type_traits>

#include "ops/launch/math.h"
#include "ops/launch/pass.h"

#if WB_HOST_PASS
#include "graph/types/errors.h"
#include "graph/types/shape.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/kernel_context.h"
#endif

namespace warpbeam::WB_PASS {

constexpr int64_t kProjectiveParameters = 8;

enum class ProjectiveFill { kConstant, kReflect, kWrap, kNearest };

// How often `period` goes into a distance; as whole as a float can say, and no more than fits.
WB_HD inline float WholeTimes(float distance, float period) {
  const float times = distance / period;
  return static_cast<float>(static_cast<int64_t>(times > 2147483647.0f ? 2147483647.0f : times));
}

// A coordinate outside [0, extent - 1] as one inside.
WB_HD inline float Inside(float at, int64_t extent, ProjectiveFill fill) {
  if (fill == ProjectiveFill::kConstant || at != at) return at;
  const float n = static_cast<float>(extent);
  const bool outside = at < 0 || at > n - 1;
  if (outside && extent <= 1) return 0;
  if (outside && fill == ProjectiveFill::kReflect) {
    const float period = 2 * n;
    if (at < 0) {
      at += period * WholeTimes(-at, period);
      at = at < -n ? at + period : -at - 1;
    } else {
      at -= period * WholeTimes(at, period);
      if (at >= n) at = period - at - 1;
    }
  } else if (outside && fill == ProjectiveFill::kWrap) {
    at += at < 0 ? n * (WholeTimes(-at, n - 1) + 1) : -n * WholeTimes(at, n - 1);
  }
  const float not_below = at < 0.0f ? 0.0f : at;
  return n - 1 < not_below ? n - 1 : not_below;
}

template <typename T>
WB_HD T ToPixel(float value) {
  if constexpr (std::is_integral_v<T>) {
    // Wraps around, as far as there is a number.
    if (!(Abs(value) < 9.2e18f)) return value > 0 ? std::numeric_limits<T>::max() : T(0);
    return static_cast<T>(static_cast<int64_t>(value));
  } else {
    return static_cast<T>(value);
  }
}

template <typename T>
class ProjectedImage {
 public:
  WB_HD ProjectedImage(const T* pixels, int64_t height, int64_t width, int64_t channels, T fill)
      : pixels_(pixels), height_(height), width_(width), channels_(channels), fill_(fill) {}

  WB_HD int64_t height() const { return height_; }
  WB_HD int64_t width() const { return width_; }
  WB_HD void Nothing(T* out) const {
    for (int64_t c = 0; c < channels_; ++c) out[c] = fill_;
  }
  WB_HD void Nearest(float y, float x, T* out) const {
    const T* pixel = At(::roundf(y), ::roundf(x));
    for (int64_t c = 0; c < channels_; ++c) out[c] = pixel == nullptr ? fill_ : pixel[c];
  }
  WB_HD void Bilinear(float y, float x, T* out) const {
    const float top = Floor(y), left = Floor(x), bottom = top + 1, right = left + 1;
    const T* corners[] = {At(top, left), At(top, right), At(bottom, left), At(bottom, right)};
    for (int64_t c = 0; c < channels_; ++c) {
      float v[4];
      for (int i = 0; i < 4; ++i) {
        v[i] = static_cast<float>(corners[i] == nullptr ? fill_ : corners[i][c]);
      }
      const float upper = (right - x) * v[0] + (x - left) * v[1];
      const float lower = (right - x) * v[2] + (x - left) * v[3];
      out[c] = ToPixel<T>((bottom - y) * upper + (y - top) * lower);
    }
  }

 private:
  // Null outside the image.
  WB_HD const T* At(float y, float x) const {
    if (!(y >= 0 && y < static_cast<float>(height_) && x >= 0 && x < static_cast<float>(width_))) {
      return nullptr;
    }
    return pixels_ + (static_cast<int64_t>(y) * width_ + static_cast<int64_t>(x)) * channels_;
  }

  const T* pixels_;
  int64_t height_, width_, channels_;
  T fill_;
};

struct ProjectiveAttrs {
  bool bilinear = false;
  ProjectiveFill fill = ProjectiveFill::kConstant;

#if WB_HOST_PASS
  static StatusOr<ProjectiveAttrs> From(const KernelInit& init);
#endif
};

// The pixel of the result in column u of row v, for the parameters t of a map.
template <typename T>
WB_HD void ProjectPixel(const ProjectedImage<T>& image, const ProjectiveAttrs& attrs,
                        const float* t, float u, float v, T* to) {
  const float scale = t[6] * u + t[7] * v + 1.0f;
  if (scale == 0) return image.Nothing(to);  // infinitely far away
  const float x = Inside((t[0] * u + t[1] * v + t[2]) / scale, image.width(), attrs.fill);
  const float y = Inside((t[3] * u + t[4] * v + t[5]) / scale, image.height(), attrs.fill);
  attrs.bilinear ? image.Bilinear(y, x, to) : image.Nearest(y, x, to);
}

#if WB_HOST_PASS
// The result's shape and the value of what lies outside of an image, by inputs 2 and 3 in host
// memory, of which the second may be missing.
struct ProjectivePlan {
  Shape shape;
  float fill = 0;
};
Status MakeProjectivePlan(const KernelContext& ctx, ProjectivePlan* plan);
#endif

}  // namespace warpbeam::WB_PASS

#endif  // WARPBEAM_OPS_IMAGE_PROJECTIVE_TRANSFORM_H_
