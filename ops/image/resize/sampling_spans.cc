#include "ops/image/resize/sampling_spans.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace warpbeam {
namespace {

constexpr float kPi = 3.14159265358979f;

float Lanczos(float x, float radius) {
  if (x > radius) return 0;
  if (x <= 1e-3f) return 1;
  return radius * std::sin(kPi * x) * std::sin(kPi * x / radius) / (kPi * kPi * x * x);
}
float Gaussian(float x, float radius) {
  if (x >= radius) return 0;
  const float sigma = radius / 3;
  return std::exp(-x * x / (2 * sigma * sigma));
}
float Box(float x, float) { return x < 0.5f ? 1.0f : x == 0.5f ? 0.5f : 0.0f; }
float Triangle(float x, float) { return x < 1 ? 1 - x : 0; }
float KeysCubic(float x, float) {
  if (x >= 2) return 0;
  if (x >= 1) return ((-0.5f * x + 2.5f) * x - 4) * x + 2;
  return (1.5f * x - 2.5f) * x * x + 1;
}
// D. Mitchell, A. Netravali, "Reconstruction filters in computer graphics" (1988), B = C = 1/3.
float MitchellCubic(float x, float) {
  if (x >= 2) return 0;
  if (x >= 1) return (((-7.0f / 18) * x + 2) * x - 10.0f / 3) * x + 16.0f / 9;
  return ((7.0f / 6) * x - 2) * x * x + 8.0f / 9;
}

}  // namespace

StatusOr<SamplingKernel> ParseSamplingKernel(const std::string& name) {
  static constexpr struct {
    const char* name;
    SamplingKernel kernel;
  } kKernels[] = {
      {"lanczos1", {Lanczos, 1}},
      {"lanczos3", {Lanczos, 3}},
      {"lanczos5", {Lanczos, 5}},
      {"gaussian", {Gaussian, 1.5f}},
      {"box", {Box, 1}},
      {"triangle", {Triangle, 1}},
      {"keyscubic", {KeysCubic, 2}},
      {"mitchellcubic", {MitchellCubic, 2}},
  };
  for (const auto& known : kKernels) {
    if (name == known.name) return known.kernel;
  }
  return InvalidArgument("Unrecognized kernel type '", name,
                         "'; it must be lanczos1, lanczos3, lanczos5, gaussian, box, triangle, ",
                         "keyscubic or mitchellcubic");
}

SamplingSpans MakeSpans(const SamplingKernel& kernel, int64_t out, int64_t in, float scale,
                        float translation, bool antialias) {
  SamplingSpans spans;
  spans.start.resize(static_cast<size_t>(out));
  spans.size.resize(static_cast<size_t>(out));
  spans.weights.resize(static_cast<size_t>(out));
  const float inverse = 1 / scale;
  const float shift = -inverse * translation;
  const float width = antialias ? std::max(inverse, 1.0f) : 1.0f;
  const float reach = kernel.radius * width;
  for (int64_t i = 0; i < out; ++i) {
    const float at = (static_cast<float>(i) + 0.5f) * inverse + shift;
    // Written so that what is no number is outside.
    if (!(at >= 0 && at <= static_cast<float>(in))) continue;
    const float last = static_cast<float>(in - 1);
    const int64_t begin =
        static_cast<int64_t>(std::clamp(std::ceil(at - reach - 0.5f), 0.0f, last));
    const int64_t end = std::min(
        static_cast<int64_t>(std::clamp(std::floor(at + reach - 0.5f), 0.0f, last)) + 1, in);
    std::vector<float>& weights = spans.weights[static_cast<size_t>(i)];
    float sum = 0;
    for (int64_t k = begin; k < end; ++k) {
      const float distance = static_cast<float>(k) + 0.5f - at;
      weights.push_back(kernel.weight(std::abs(distance * (1 / width)), kernel.radius));
      sum += weights.back();
    }
    if (!(std::abs(sum) >= 1000 * std::numeric_limits<float>::min())) {
      weights.clear();
      continue;
    }
    for (float& weight : weights) weight *= 1 / sum;
    spans.start[static_cast<size_t>(i)] = begin;
    spans.size[static_cast<size_t>(i)] = static_cast<int64_t>(weights.size());
  }
  return spans;
}

}  // namespace warpbeam
