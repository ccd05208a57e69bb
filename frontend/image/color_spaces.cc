#include "frontend/image/color_spaces.h"

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/image.h"
#include "frontend/image_checks.h"
#include "frontend/math.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace image {
namespace {

bool HasChannels(const Scope& scope, const char* function, const Output& images, int channels) {
  if (!scope.ok()) return false;
  const PartialShape shape = images.shape();
  if (images.valid() && shape.rank() >= 1) {
    const int64_t last = shape.dim(shape.rank() - 1);
    if (last == channels || last < 0) return true;
  }
  scope.Fail(InvalidArgument(function, ": the last dimension of '", images.name(), "' must be the ",
                             channels, channels == 1 ? " channel" : " channels",
                             " of the colour, the shape is ", shape.ToString()));
  return false;
}

// The product of each colour with a matrix [3, channels]; a matrix of one channel takes the
// dimension off.
Output TimesMatrix(const Scope& inside, const Output& images, const std::vector<float>& matrix,
                   int channels) {
  const Output kernel = Constant(inside.Named("kernel"), matrix, images.dtype(), {3, channels});
  const Output colours = Reshape(inside, images, {-1, 3});
  const Output product = MatMul(inside, colours, kernel);
  const Output shape = BuildOutput(inside, "Shape", {images});
  const int rank = images.shape().rank();
  const Output outer = BuildOutput(
      inside, "Slice", {shape, std::vector<int32_t>{0}, std::vector<int32_t>{rank - 1}});
  const Output whole = Concat(inside, {Input(outer), Input(std::vector<int32_t>{channels})}, 0);
  const Output result = Reshape(inside, product, whole);
  if (!inside.ok()) return Output();
  PartialShape known = images.shape();
  known.set_dim(rank - 1, channels);
  result.set_shape(known);
  return result;
}

Output Converted(const Scope& scope, const char* function, const Output& images,
                 const std::vector<float>& matrix) {
  if (!HasChannels(scope, function, images, 3)) return Output();
  if (!IsFloating(images.dtype())) {
    scope.Fail(InvalidArgument(function, " takes floats from 0 to 1, '", images.name(), "' is ",
                               DTypeName(images.dtype())));
    return Output();
  }
  return scope(TimesMatrix(scope.OpenScope("Tensordot"), images, matrix, 3));
}

}  // namespace

Output RgbToGrayscale(ScopeRef scope_ref, const Output& images) {
  const Scope scope = scope_ref.scope();
  if (!HasChannels(scope, "rgb_to_grayscale", images, 3)) return Output();
  const Scope inside = scope.OpenScope("rgb_to_grayscale");
  const Output floats = ConvertImageDtype(inside, images, DType::kFloat);
  if (!scope.ok()) return Output();
  // How bright the eye finds red, green and blue.
  const Output grey = TimesMatrix(inside, floats, {0.2989f, 0.587f, 0.114f}, 1);
  return scope.ok() ? scope(ConvertImageDtype(inside, grey, images.dtype())) : Output();
}

Output GrayscaleToRgb(ScopeRef scope_ref, const Output& images) {
  const Scope scope = scope_ref.scope();
  if (!HasChannels(scope, "grayscale_to_rgb", images, 1)) return Output();
  const Scope inside = scope.OpenScope("grayscale_to_rgb");
  const PartialShape shape = images.shape();
  std::vector<int32_t> multiples(shape.rank(), 1);
  multiples.back() = 3;
  const Output rgb =
      BuildOutput(inside.Named(inside.name_scope()), "Tile", {images, Input(multiples)});
  return scope(rgb);
}

Output RgbToHsv(ScopeRef scope, const Input& images) {
  return BuildOutput(scope.scope(), "RGBToHSV", {images});
}

Output HsvToRgb(ScopeRef scope, const Input& images) {
  return BuildOutput(scope.scope(), "HSVToRGB", {images});
}

Output RgbToYiq(ScopeRef scope, const Output& images) {
  return Converted(scope.scope(), "rgb_to_yiq", images,
                   {0.299f, 0.59590059f, 0.2115f, 0.587f, -0.27455667f, -0.52273617f, 0.114f,
                    -0.32134392f, 0.31119955f});
}

Output YiqToRgb(ScopeRef scope, const Output& images) {
  return Converted(
      scope.scope(), "yiq_to_rgb", images,
      {1, 1, 1, 0.95598634f, -0.27201283f, -1.10674021f, 0.6208248f, -0.64720424f, 1.70423049f});
}

Output RgbToYuv(ScopeRef scope, const Output& images) {
  return Converted(scope.scope(), "rgb_to_yuv", images,
                   {0.299f, -0.14714119f, 0.61497538f, 0.587f, -0.28886916f, -0.51496512f, 0.114f,
                    0.43601035f, -0.10001026f});
}

Output YuvToRgb(ScopeRef scope, const Output& images) {
  return Converted(scope.scope(), "yuv_to_rgb", images,
                   {1, 1, 1, 0, -0.394642334f, 2.03206185f, 1.13988303f, -0.58062185f, 0});
}

Output AdjustGamma(ScopeRef scope_ref, const Output& images, const Input& gamma,
                   const Input& gain) {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return Output();
  if (gamma.is_value()) {
    const StatusOr<Tensor> number = gamma.ValueAs(DType::kDouble);
    if (!number.ok() || number->rank() != 0 || !(number->scalar<double>() >= 0)) {
      scope.Fail(InvalidArgument("adjust_gamma: gamma must be a number that is not negative"));
      return Output();
    }
  }
  const Scope inside = scope.OpenScope("adjust_gamma");
  const Output floats =
      IsFloatImage(images.dtype()) ? images : ConvertImageDtype(inside, images, DType::kFloat);
  const Output power = BuildOutput(inside.Named("pow"), "Pow", {floats, gamma});
  const Output adjusted = BuildOutput(inside.Named("mul"), "Mul", {gain, power});
  if (!scope.ok()) return Output();
  return scope(ConvertImageDtype(inside, adjusted, images.dtype(), /*saturate=*/true));
}

}  // namespace image
}  // namespace frontend
}  // namespace warpbeam
