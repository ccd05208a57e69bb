#include "frontend/image/geometry.h"

#include <algorithm>
#include <cmath>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/control_flow/cond.h"
#include "frontend/image_checks.h"
#include "frontend/math.h"
#include "frontend/nn/per_dimension.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace image {
namespace {

OpAttrs SamplingAttrs(bool align_corners, bool half_pixel_centers) {
  return OpAttrs()
      .Set("align_corners", align_corners)
      .Set("half_pixel_centers", half_pixel_centers);
}

Output Reversed(const Scope& scope, const Output& images, std::vector<int32_t> axes) {
  return BuildOutput(scope, "ReverseV2", {images, Input(axes)});
}

// Height and width exchanged.
Output Mirrored(const Scope& scope, const Output& images) {
  const bool single = images.shape().rank() == 3;
  return frontend::Transpose(
      scope, images, single ? std::vector<int32_t>{1, 0, 2} : std::vector<int32_t>{0, 2, 1, 3});
}

// Where the middle begins: a number where the extent is known, else a tensor.
struct Middle {
  Input begin = 0;
  Input size = 0;
  int64_t known_size = -1;
};

Middle MiddleOf(const Scope& inside, const Output& images, int dim, double fraction) {
  const int64_t extent = Extent(images, dim);
  Middle middle;
  if (extent >= 0) {
    const double whole = static_cast<double>(extent);
    const int64_t begin = static_cast<int64_t>((whole - whole * fraction) / 2);
    middle.known_size = extent - 2 * begin;
    middle.begin = static_cast<int>(begin);
    middle.size = static_cast<int>(middle.known_size);
    return middle;
  }
  const Output count =
      ElementAt(inside, BuildOutput(inside, "Shape", {images}), AxisOf(images, dim));
  const Output whole = Cast(inside, count, DType::kDouble);
  const Output rest = Subtract(inside, whole, Multiply(inside, whole, fraction));
  const Output begin = Cast(inside, Divide(inside, rest, 2.0), DType::kInt32);
  middle.begin = begin;
  middle.size = Subtract(inside, count, Multiply(inside, begin, 2));
  return middle;
}

}  // namespace

Output Rot90(ScopeRef scope_ref, const Output& images, const Input& k) {
  const Scope scope = scope_ref.scope();
  if (!IsImages(scope, "rot90", images)) return Output();
  const Scope inside = scope.OpenScope("rot90");
  const Output image = Checked(inside, images);
  const Output turns = AsOutput(inside.Named("k"), k, DType::kInt32);
  if (!scope.ok()) return Output();
  const Output quarter = BuildOutput(inside.Named("mod"), "FloorMod", {turns, 4});
  const int rows = AxisOf(images, 0), columns = AxisOf(images, 1);
  const auto is = [&](int number) { return Equal(inside, quarter, number); };
  const auto once = [&](const Scope& s) -> std::vector<Output> {
    return {Mirrored(s, Reversed(s, image, {columns}))};
  };
  const auto twice = [&](const Scope& s) -> std::vector<Output> {
    return {Reversed(s, image, {rows, columns})};
  };
  const auto thrice = [&](const Scope& s) -> std::vector<Output> {
    return {Reversed(s, Mirrored(s, image), {columns})};
  };
  const auto never = [&](const Scope& s) -> std::vector<Output> { return {Identity(s, image)}; };
  const std::vector<Output> result =
      Case(inside, {{is(1), once}, {is(2), twice}, {is(3), thrice}}, never);
  if (!scope.ok() || result.empty()) return Output();
  PartialShape shape = images.shape();
  if (shape.dim(rows) != shape.dim(columns)) {
    shape.set_dim(rows, -1);
    shape.set_dim(columns, -1);
  }
  result[0].set_shape(shape);
  return scope(result[0]);
}

Output CentralCrop(ScopeRef scope_ref, const Output& images, double central_fraction) {
  const Scope scope = scope_ref.scope();
  if (!(central_fraction > 0 && central_fraction <= 1)) {
    scope.Fail(InvalidArgument("central_crop: the fraction must be above 0 and up to 1, got ",
                               central_fraction));
    return Output();
  }
  if (!IsImages(scope, "central_crop", images)) return Output();
  if (central_fraction == 1) return scope(images);
  const Scope inside = scope.OpenScope("central_crop");
  const Middle rows = MiddleOf(inside, images, 0, central_fraction);
  const Middle columns = MiddleOf(inside, images, 1, central_fraction);
  std::vector<Input> begin = {rows.begin, columns.begin, 0};
  std::vector<Input> size = {rows.size, columns.size, -1};
  if (images.shape().rank() == 4) {
    begin.insert(begin.begin(), 0);
    size.insert(size.begin(), -1);
  }
  const Output crop = BuildOutput(
      inside, "Slice", {images, Stack(inside, InputList(begin)), Stack(inside, InputList(size))});
  if (!scope.ok()) return Output();
  PartialShape shape = images.shape();
  shape.set_dim(AxisOf(images, 0), rows.known_size);
  shape.set_dim(AxisOf(images, 1), columns.known_size);
  crop.set_shape(shape);
  return scope(crop);
}

Output ResizeImageWithPad(ScopeRef scope_ref, const Output& images, int64_t target_height,
                          int64_t target_width, ResizeMethod method, bool align_corners) {
  const Scope scope = scope_ref.scope();
  if (!IsImages(scope, "resize_image_with_pad", images)) return Output();
  const int64_t height = Extent(images, 0), width = Extent(images, 1);
  if (height < 1 || width < 1 || target_height < 1 || target_width < 1) {
    scope.Fail(InvalidArgument("resize_image_with_pad: height and width of '", images.name(),
                               "' must be known and those asked for at least 1, got ",
                               images.shape().ToString(), " for ", target_height, " times ",
                               target_width));
    return Output();
  }
  // In floats, as TensorFlow computes it: what is rounded down must be the same.
  const float ratio = std::max(static_cast<float>(width) / static_cast<float>(target_width),
                               static_cast<float>(height) / static_cast<float>(target_height));
  const float new_height = static_cast<float>(height) / ratio;
  const float new_width = static_cast<float>(width) / ratio;
  const auto before = [](int64_t target, float resized) {
    return std::max<int64_t>(
        0, static_cast<int64_t>(std::floor((static_cast<float>(target) - resized) / 2)));
  };
  const Scope inside = scope.OpenScope("resize_image_with_pad");
  const Output resized =
      ResizeImages(inside, images, static_cast<int64_t>(std::floor(new_height)),
                   static_cast<int64_t>(std::floor(new_width)), method, align_corners);
  if (!scope.ok()) return Output();
  return scope(PadToBoundingBox(inside, resized, before(target_height, new_height),
                                before(target_width, new_width), target_height, target_width));
}

Output ResizeBilinear(ScopeRef scope, const Input& images, const Input& size, bool align_corners,
                      bool half_pixel_centers) {
  return BuildOutput(scope.scope(), "ResizeBilinear", {images, size},
                     SamplingAttrs(align_corners, half_pixel_centers));
}

Output ResizeNearestNeighbor(ScopeRef scope, const Input& images, const Input& size,
                             bool align_corners, bool half_pixel_centers) {
  return BuildOutput(scope.scope(), "ResizeNearestNeighbor", {images, size},
                     SamplingAttrs(align_corners, half_pixel_centers));
}

Output ResizeBicubic(ScopeRef scope, const Input& images, const Input& size, bool align_corners,
                     bool half_pixel_centers) {
  return BuildOutput(scope.scope(), "ResizeBicubic", {images, size},
                     SamplingAttrs(align_corners, half_pixel_centers));
}

Output ResizeArea(ScopeRef scope, const Input& images, const Input& size, bool align_corners) {
  return BuildOutput(scope.scope(), "ResizeArea", {images, size},
                     OpAttrs().Set("align_corners", align_corners));
}

Output ExtractImagePatches(ScopeRef scope_ref, const Input& images,
                           const std::vector<int64_t>& ksizes, const std::vector<int64_t>& strides,
                           const std::vector<int64_t>& rates, const std::string& padding) {
  const Scope scope = scope_ref.scope();
  const auto build = [&]() -> StatusOr<OpAttrs> {
    WB_ASSIGN_OR_RETURN(const auto sizes, nn::PerDimension("sizes", ksizes, 2, false));
    WB_ASSIGN_OR_RETURN(const auto steps, nn::PerDimension("strides", strides, 2, false));
    WB_ASSIGN_OR_RETURN(const auto gaps, nn::PerDimension("rates", rates, 2, false));
    WB_RETURN_IF_ERROR(nn::CheckPadding(padding, false));
    return OpAttrs()
        .Set("ksizes", sizes)
        .Set("strides", steps)
        .Set("rates", gaps)
        .Set("padding", padding);
  };
  const StatusOr<OpAttrs> attrs = build();
  if (!attrs.ok()) {
    scope.Fail(Annotate(attrs.status(), "extract_image_patches"));
    return Output();
  }
  return BuildOutput(scope, "ExtractImagePatches", {images}, *attrs);
}

}  // namespace image
}  // namespace frontend
}  // namespace warpbeam
