#include <algorithm>
#include <limits>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/check/assertions.h"
#include "frontend/image.h"
#include "frontend/image_checks.h"
#include "frontend/math.h"
#include "frontend/random.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {

Output RandomCrop(ScopeRef scope_ref, const Input& value, const Input& size,
                  std::optional<int64_t> seed) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("random_crop");
  const Scope whole = inside.Named(inside.name_scope());
  const Output from = AsOutput(inside.Named("value"), value);
  const Output size_tensor = AsOutput(inside.Named("size"), size);
  if (!scope.ok()) return Output();
  const Output shape = ShapeOf(inside, from);
  const Output fits = AllHold(inside, GreaterEqual(inside, shape, size_tensor),
                              Constant(inside.Named("Const"), std::vector<int>{0}));
  const Operation check =
      Assert(inside, fits, {"the crop is larger than what it is cropped from:", shape, size_tensor},
             /*summarize=*/1000);
  const Output checked = WithDependencies(inside, {check}, shape);
  const Output room = BuildOutput(inside.Named("sub"), "Sub", {checked, size_tensor});
  const Output places = BuildOutput(inside.Named("add"), "AddV2", {room, 1});
  const Output count = ShapeOf(inside, shape);
  const DType dtype = size_tensor.dtype();
  const Input most = dtype == DType::kInt64 ? Input(std::numeric_limits<int64_t>::max())
                                            : Input(std::numeric_limits<int32_t>::max());
  const Output drawn = RandomUniform(inside, count, 0, most, dtype, seed);
  const Output offset = BuildOutput(inside.Named("mod"), "FloorMod", {drawn, places});
  return scope(BuildOutput(whole, "Slice", {from, offset, size_tensor}));
}

namespace image {
namespace {

// A single image becomes a batch of one; `single` says so.
Output AsBatch(const Scope& inside, const Output& images, bool* single) {
  *single = images.shape().rank() == 3;
  return *single ? ExpandDims(inside, images, 0) : images;
}

Output FromBatch(const Scope& inside, const Output& images, bool single) {
  if (!single) return images;
  return BuildOutput(inside, "Squeeze", {images},
                     OpAttrs().Set("squeeze_dims", std::vector<int64_t>{0}));
}

bool HasKnownSize(const Scope& scope, const char* function, const Output& images) {
  if (!IsImages(scope, function, images)) return false;
  if (Extent(images, 0) >= 0 && Extent(images, 1) >= 0) return true;
  scope.Fail(InvalidArgument(function, ": height and width of '", images.name(),
                             "' must be known, its shape is ", images.shape().ToString(),
                             "; set_shape or ResizeImages tells them"));
  return false;
}

// What Python takes the sizes of a batch from where it does not know them all; nothing runs it
// here, where height and width are known.
void TakeShapeApart(const Scope& inside, const Output& batch) {
  if (!inside.ok() || batch.shape().IsFullyDefined()) return;
  BuildOp(inside.Named("unstack"), "Unpack", {ShapeOf(inside, batch)}, OpAttrs().Set("num", 4));
}

// The shape of a batch whose images get another size.
PartialShape WithSize(const Output& images, int64_t height, int64_t width) {
  PartialShape shape = images.shape();
  shape.set_dim(1, height);
  shape.set_dim(2, width);
  return shape;
}

// A part of `images`; offset + target must lie inside.
Output CropBatch(const Scope& inside, const Output& images, int64_t top, int64_t left,
                 int64_t height, int64_t width) {
  const Output begin =
      Constant(inside.Named("stack"), std::vector<int64_t>{0, top, left, 0}, DType::kInt32);
  const Output count = ElementAt(inside, ShapeOf(inside, images), 0);
  const Output channels = ElementAt(inside, ShapeOf(inside, images), 3);
  const Scope stack = inside.NameScope("stack");
  const Output rows = Constant(stack.Named("1"), height, DType::kInt32);
  const Output columns = Constant(stack.Named("2"), width, DType::kInt32);
  const Output size = Stack(inside.Named(stack.name_scope()), {count, rows, columns, channels});
  const Output part = BuildOutput(inside, "Slice", {images, begin, size});
  if (inside.ok()) part.set_shape(WithSize(images, height, width));
  return part;
}

Output CropIn(const Scope& inside, const Output& images, int64_t top, int64_t left, int64_t height,
              int64_t width) {
  bool single = false;
  const Output batch = AsBatch(inside, images, &single);
  if (!inside.ok()) return Output();
  TakeShapeApart(inside, batch);
  const Output part = CropBatch(inside, Checked(inside, batch), top, left, height, width);
  return FromBatch(inside, part, single);
}

Output PadIn(const Scope& inside, const Output& images, int64_t top, int64_t left, int64_t height,
             int64_t width) {
  bool single = false;
  const Output batch = AsBatch(inside, images, &single);
  if (!inside.ok()) return Output();
  TakeShapeApart(inside, batch);
  const Output checked = Checked(inside, batch);
  const std::vector<int64_t> around = {
      0, 0, top, height - top - Extent(batch, 0), left, width - left - Extent(batch, 1), 0, 0};
  const Output numbers = Constant(inside.Named("stack"), around, DType::kInt32);
  const Output paddings = Reshape(inside, numbers, {4, 2});
  const Output padded = BuildOutput(inside, "Pad", {checked, paddings});
  if (inside.ok()) padded.set_shape(WithSize(batch, height, width));
  return FromBatch(inside, padded, single);
}

}  // namespace

Output ResizeImages(ScopeRef scope_ref, const Output& images, int64_t height, int64_t width,
                    ResizeMethod method, bool align_corners) {
  const Scope scope = scope_ref.scope();
  if (!IsImages(scope, "resize_images", images)) return Output();
  if (height < 1 || width < 1) {
    scope.Fail(InvalidArgument("resize_images: height and width must be at least 1, got ", height,
                               " and ", width));
    return Output();
  }
  const Scope inside = scope.OpenScope("resize");
  bool single = false;
  const Output batch = AsBatch(inside, images, &single);
  const Output size =
      Constant(inside.Named("size"), std::vector<int64_t>{height, width}, DType::kInt32);
  if (Extent(images, 0) == height && Extent(images, 1) == width) {
    return scope(FromBatch(inside, batch, single));
  }
  constexpr const char* kOps[] = {"ResizeBilinear", "ResizeNearestNeighbor", "ResizeBicubic",
                                  "ResizeArea"};
  const Output resized = BuildOutput(inside, kOps[static_cast<int>(method)], {batch, size},
                                     OpAttrs().Set("align_corners", align_corners));
  return scope(FromBatch(inside, resized, single));
}

Output CropToBoundingBox(ScopeRef scope_ref, const Output& images, int64_t offset_height,
                         int64_t offset_width, int64_t target_height, int64_t target_width) {
  const Scope scope = scope_ref.scope();
  if (!HasKnownSize(scope, "crop_to_bounding_box", images)) return Output();
  if (offset_height < 0 || offset_width < 0 || target_height < 1 || target_width < 1 ||
      target_height + offset_height > Extent(images, 0) ||
      target_width + offset_width > Extent(images, 1)) {
    scope.Fail(InvalidArgument("crop_to_bounding_box: the box of ", target_height, " times ",
                               target_width, " at (", offset_height, ", ", offset_width,
                               ") is not inside the images, whose shape is ",
                               images.shape().ToString()));
    return Output();
  }
  const Scope inside = scope.OpenScope("crop_to_bounding_box");
  return scope(CropIn(inside, images, offset_height, offset_width, target_height, target_width));
}

Output PadToBoundingBox(ScopeRef scope_ref, const Output& images, int64_t offset_height,
                        int64_t offset_width, int64_t target_height, int64_t target_width) {
  const Scope scope = scope_ref.scope();
  if (!HasKnownSize(scope, "pad_to_bounding_box", images)) return Output();
  if (offset_height < 0 || offset_width < 0 || target_height - offset_height < Extent(images, 0) ||
      target_width - offset_width < Extent(images, 1)) {
    scope.Fail(InvalidArgument("pad_to_bounding_box: images of shape ", images.shape().ToString(),
                               " at (", offset_height, ", ", offset_width, ") do not fit into ",
                               target_height, " times ", target_width));
    return Output();
  }
  const Scope inside = scope.OpenScope("pad_to_bounding_box");
  return scope(PadIn(inside, images, offset_height, offset_width, target_height, target_width));
}

Output ResizeImageWithCropOrPad(ScopeRef scope_ref, const Output& images, int64_t target_height,
                                int64_t target_width) {
  const Scope scope = scope_ref.scope();
  if (!HasKnownSize(scope, "resize_image_with_crop_or_pad", images)) return Output();
  if (target_height < 1 || target_width < 1) {
    scope.Fail(InvalidArgument("resize_image_with_crop_or_pad: height and width must be at least ",
                               "1, got ", target_height, " and ", target_width));
    return Output();
  }
  const int64_t height = Extent(images, 0), width = Extent(images, 1);
  const auto half_of = [](int64_t difference) { return std::max<int64_t>(difference, 0) / 2; };
  const Scope inside = scope.OpenScope("resize_image_with_crop_or_pad");
  bool single = false;
  const Output batch = AsBatch(inside, images, &single);
  if (!scope.ok()) return Output();
  const Output checked = Checked(inside, batch);
  TakeShapeApart(inside, checked);
  const Output cropped = CropIn(inside.NameScope("crop_to_bounding_box"), checked,
                                half_of(height - target_height), half_of(width - target_width),
                                std::min(target_height, height), std::min(target_width, width));
  if (!scope.ok()) return Output();
  const Output padded =
      PadIn(inside.NameScope("pad_to_bounding_box"), cropped, half_of(target_height - height),
            half_of(target_width - width), target_height, target_width);
  if (!scope.ok()) return Output();
  TakeShapeApart(inside, padded);
  return scope(FromBatch(inside, WithDependencies(inside, {}, padded), single));
}

}  // namespace image
}  // namespace frontend
}  // namespace warpbeam
