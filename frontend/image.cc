#include "frontend/image.h"

#include <string>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/control_flow/cond.h"
#include "frontend/graph_state.h"
#include "frontend/image_checks.h"
#include "frontend/math.h"
#include "frontend/random.h"

namespace warpbeam {
namespace frontend {
namespace image {
namespace {

Output Reverse(const Scope& scope, const Output& images, int dim) {
  return BuildOutput(scope, "ReverseV2", {images, std::vector<int>{AxisOf(images, dim)}});
}

Output Flip(const Scope& scope, const char* name, const Output& images, int dim) {
  if (!IsImages(scope, name, images)) return Output();
  const Scope inside = scope.OpenScope(name);
  return scope(Reverse(inside, Checked(inside, images), dim));
}

// Numbers of [0, 1).
Output DrawUnit(const Scope& inside, const std::vector<Output>& count,
                const std::optional<int64_t>& seed) {
  const Scope draw = inside.NameScope("random_uniform");
  const Output shape = count.empty() ? Constant(draw.Named("shape"), std::vector<int>{})
                                     : Stack(draw.Named("shape"), count);
  Constant(draw.Named("min"), 0.0f);
  const Output maximum = Constant(draw.Named("max"), 1.0f);
  const Output drawn = BuildOutput(draw, "RandomUniform", {shape},
                                   SeedAttrs(inside, seed).Set("dtype", DType::kFloat));
  return Multiply(draw, drawn, maximum);
}

// Each image of a batch, reversed where its number is 1.
Output FlipSome(const Scope& inside, const Output& images, int dim,
                const std::optional<int64_t>& seed) {
  const Output count = ElementAt(inside, ShapeOf(inside, images), 0);
  const Output drawn = DrawUnit(inside, {count}, seed);
  const Scope reshape = inside.NameScope("Reshape");
  std::vector<Output> dims = {count};
  for (const char* name : {"shape/1", "shape/2", "shape/3"}) {
    dims.push_back(Constant(reshape.Named(name), 1));
  }
  const Output shape = Stack(reshape.Named("shape"), dims);
  const Output numbers = Reshape(inside.Named(reshape.name_scope()), drawn, shape);
  const Output rounded = BuildOutput(inside, "Round", {numbers});
  const Output flips = Cast(inside, rounded, images.dtype());
  const auto times = [&](const Output& a, const Output& b) {
    return BuildOutput(inside.Named("mul"), "Mul", {a, b});
  };
  const Output flipped = times(flips, Reverse(inside, images, dim));
  const Output others = BuildOutput(inside.Named("sub"), "Sub", {1, flips});
  return BuildOutput(inside.Named("add"), "AddV2", {flipped, times(others, images)});
}

Output RandomFlip(const Scope& scope, const char* name, const Output& images, int dim,
                  const std::optional<int64_t>& seed) {
  if (!IsImages(scope, name, images)) return Output();
  const Scope inside = scope.OpenScope(name);
  const Output checked = Checked(inside, images);
  Output result;
  if (images.shape().rank() == 4) {
    result = FlipSome(inside, checked, dim, seed);
  } else {
    const Output flips = Less(inside, DrawUnit(inside, {}, seed), 0.5f);
    const std::vector<Output> one = Cond(
        inside.Named(inside.name_scope()), flips,
        [&](const Scope& s) -> std::vector<Output> { return {Reverse(s, checked, dim)}; },
        [&](const Scope&) -> std::vector<Output> { return {checked}; });
    if (one.empty()) return Output();
    result = one[0];
  }
  if (!scope.ok()) return Output();
  result.set_shape(images.shape());
  return scope(result);
}

// Images as an adjustment computes them.
Output AsFloats(const Scope& inside, const Output& images) {
  return IsFloatImage(images.dtype()) ? images : ConvertImageDtype(inside, images, DType::kFloat);
}

Output DrawBetween(const Scope& scope, double lower, double upper,
                   const std::optional<int64_t>& seed) {
  return RandomUniform(scope.Named(""), std::vector<int>{}, lower, upper, DType::kFloat, seed);
}

// Whether a random adjustment may be of [-max_delta, max_delta).
bool IsDelta(const Scope& scope, const char* function, double max_delta, double most) {
  if (max_delta >= 0 && max_delta <= most) return true;
  scope.Fail(InvalidArgument(function, ": max_delta must be ",
                             most == 0.5 ? "in [0, 0.5]" : "a number that is not negative",
                             ", got ", max_delta));
  return false;
}

bool IsInterval(const Scope& scope, const char* function, double lower, double upper) {
  if (lower >= 0 && upper > lower) return true;
  scope.Fail(InvalidArgument(function, ": 0 <= lower < upper must hold, got lower ", lower,
                             " and upper ", upper));
  return false;
}

// The standard deviation of the last three dimensions.
Output StandardDeviation(const Scope& inside, const Output& images, const std::vector<int>& axes) {
  const Scope deviation = inside.NameScope("reduce_std");
  const Scope variance = deviation.NameScope("reduce_variance");
  const Output mean = ReduceMean(variance, images, axes, /*keep_dims=*/true);
  const Output distance = BuildOutput(variance.Named("sub"), "Sub", {images, mean});
  const Output squares = ReduceMean(variance, Square(variance, distance), axes, true);
  return BuildOutput(deviation, "Sqrt", {squares});
}

}  // namespace

Output FlipLeftRight(ScopeRef scope, const Output& images) {
  return Flip(scope.scope(), "flip_left_right", images, 1);
}

Output FlipUpDown(ScopeRef scope, const Output& images) {
  return Flip(scope.scope(), "flip_up_down", images, 0);
}

Output TransposeImage(ScopeRef scope_ref, const Output& images) {
  const Scope scope = scope_ref.scope();
  if (!IsImages(scope, "transpose_image", images)) return Output();
  const Scope inside = scope.OpenScope("transpose");
  const std::vector<int32_t> order =
      images.shape().rank() == 3 ? std::vector<int32_t>{1, 0, 2} : std::vector<int32_t>{0, 2, 1, 3};
  return scope(Transpose(inside, Checked(inside, images), order));
}

Output RandomFlipLeftRight(ScopeRef scope, const Output& images, std::optional<int64_t> seed) {
  return RandomFlip(scope.scope(), "random_flip_left_right", images, 1, seed);
}

Output RandomFlipUpDown(ScopeRef scope, const Output& images, std::optional<int64_t> seed) {
  return RandomFlip(scope.scope(), "random_flip_up_down", images, 0, seed);
}

Output AdjustBrightness(ScopeRef scope_ref, const Output& images, const Input& delta) {
  const Scope scope = scope_ref.scope();
  if (!IsImages(scope, "adjust_brightness", images)) return Output();
  const Scope inside = scope.OpenScope("adjust_brightness");
  const Output floats = AsFloats(inside, images);
  const Output amount = Cast(inside, delta, floats.dtype());
  const Output adjusted = BuildOutput(inside.Named(inside.name_scope()), "AddV2", {floats, amount});
  return scope(ConvertImageDtype(inside, adjusted, images.dtype(), /*saturate=*/true));
}

Output AdjustContrast(ScopeRef scope_ref, const Output& images, const Input& factor) {
  const Scope scope = scope_ref.scope();
  if (!IsImages(scope, "adjust_contrast", images)) return Output();
  const Scope inside = scope.OpenScope("adjust_contrast");
  const Output floats = AsFloats(inside, images);
  const Output adjusted =
      BuildOutput(inside.Named(inside.name_scope()), "AdjustContrastv2", {floats, factor});
  return scope(ConvertImageDtype(inside, adjusted, images.dtype(), /*saturate=*/true));
}

Output AdjustHue(ScopeRef scope_ref, const Output& images, const Input& delta) {
  const Scope scope = scope_ref.scope();
  if (!IsImages(scope, "adjust_hue", images)) return Output();
  const Scope inside = scope.OpenScope("adjust_hue");
  const Output adjusted = BuildOutput(inside, "AdjustHue", {AsFloats(inside, images), delta});
  return scope(ConvertImageDtype(inside, adjusted, images.dtype()));
}

Output AdjustSaturation(ScopeRef scope_ref, const Output& images, const Input& factor) {
  const Scope scope = scope_ref.scope();
  if (!IsImages(scope, "adjust_saturation", images)) return Output();
  const Scope inside = scope.OpenScope("adjust_saturation");
  const Output adjusted =
      BuildOutput(inside, "AdjustSaturation", {AsFloats(inside, images), factor});
  return scope(ConvertImageDtype(inside, adjusted, images.dtype()));
}

Output RandomBrightness(ScopeRef scope_ref, const Output& images, double max_delta,
                        std::optional<int64_t> seed) {
  const Scope scope = scope_ref.scope();
  if (!IsDelta(scope, "random_brightness", max_delta, 1e30)) return Output();
  return AdjustBrightness(scope, images, DrawBetween(scope, -max_delta, max_delta, seed));
}

Output RandomContrast(ScopeRef scope_ref, const Output& images, double lower, double upper,
                      std::optional<int64_t> seed) {
  const Scope scope = scope_ref.scope();
  if (!IsInterval(scope, "random_contrast", lower, upper)) return Output();
  return AdjustContrast(scope, images, DrawBetween(scope, lower, upper, seed));
}

Output RandomHue(ScopeRef scope_ref, const Output& images, double max_delta,
                 std::optional<int64_t> seed) {
  const Scope scope = scope_ref.scope();
  if (!IsDelta(scope, "random_hue", max_delta, 0.5)) return Output();
  return AdjustHue(scope, images, DrawBetween(scope, -max_delta, max_delta, seed));
}

Output RandomSaturation(ScopeRef scope_ref, const Output& images, double lower, double upper,
                        std::optional<int64_t> seed) {
  const Scope scope = scope_ref.scope();
  if (!IsInterval(scope, "random_saturation", lower, upper)) return Output();
  return AdjustSaturation(scope, images, DrawBetween(scope, lower, upper, seed));
}

Output PerImageStandardization(ScopeRef scope_ref, const Output& images) {
  const Scope scope = scope_ref.scope();
  if (!IsImages(scope, "per_image_standardization", images)) return Output();
  const Scope inside = scope.OpenScope("per_image_standardization");
  Output image = Checked(inside, images);
  if (!IsFloatImage(images.dtype())) image = Cast(inside, image, DType::kFloat);
  if (!scope.ok()) return Output();
  const std::vector<int> axes = {-1, -2, -3};
  const Output pixels = ReduceProd(inside, ElementsFrom(inside, ShapeOf(inside, image), -3));
  const Output mean = ReduceMean(inside, image, axes, /*keep_dims=*/true);
  const Output deviation = StandardDeviation(inside, image, axes);
  // A single colour has a deviation of 0; what noise of one level would have stands in for it.
  const Output least = BuildOutput(inside, "Rsqrt", {Cast(inside, pixels, image.dtype())});
  const Output divisor = Maximum(inside, deviation, least);
  const Output centered = BuildOutput(inside.Named("sub"), "Sub", {image, mean});
  return scope(BuildOutput(inside.Named(inside.name_scope()), "RealDiv", {centered, divisor}));
}

}  // namespace image
}  // namespace frontend
}  // namespace warpbeam
