#include "frontend/image/quality.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/image.h"
#include "frontend/image_checks.h"
#include "frontend/math.h"
#include "frontend/nn.h"
#include "frontend/nn/convolution.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace image {
namespace {

// x[begin:end] along one axis; an end of 0 is the end itself.
Output Part(const Scope& inside, const Output& x, int axis, int32_t begin, int32_t end) {
  const int rank = x.shape().rank();
  std::vector<int32_t> begins(rank, 0), ends(rank, 0);
  begins[axis] = begin;
  ends[axis] = end;
  const int64_t others = ((int64_t{1} << rank) - 1) & ~(int64_t{1} << axis);
  const OpAttrs masks = OpAttrs()
                            .Set("begin_mask", others)
                            .Set("end_mask", end == 0 ? others | (int64_t{1} << axis) : others);
  return BuildOutput(inside, "StridedSlice",
                     {x, Input(begins), Input(ends), Input(std::vector<int32_t>(rank, 1))}, masks);
}

// The difference of each pixel to the one before it.
Output Differences(const Scope& inside, const Output& x, int axis) {
  return BuildOutput(inside.Named("sub"), "Sub",
                     {Part(inside, x, axis, 1, 0), Part(inside, x, axis, 0, -1)});
}

// Two images of one shape as floats from 0 to 1, and the largest difference likewise.
struct Compared {
  Output a, b;
  double max_val = 1;
};

bool ComparedImages(const Scope& inside, const char* function, const Output& a, const Output& b,
                    double max_val, Compared* compared) {
  if (!inside.ok()) return false;
  if (!a.valid() || !b.valid() || a.shape().rank() < 3 || a.dtype() != b.dtype() ||
      !a.shape().IsCompatibleWith(b.shape())) {
    inside.Fail(InvalidArgument(function, " compares images of one type and shape, of three or ",
                                "more dimensions; '", a.name(), "' is ", DTypeName(a.dtype()),
                                a.shape().ToString(), ", '", b.name(), "' ", DTypeName(b.dtype()),
                                b.shape().ToString()));
    return false;
  }
  if (IsInteger(a.dtype())) {
    // Conversion scales the largest value of the type to 1.
    const int bits = static_cast<int>(DTypeSize(a.dtype())) * 8;
    const bool is_unsigned = a.dtype() == DType::kUInt8 || a.dtype() == DType::kUInt16 ||
                             a.dtype() == DType::kUInt32 || a.dtype() == DType::kUInt64;
    max_val *= static_cast<float>(1.0 / (std::ldexp(1.0, bits - (is_unsigned ? 0 : 1)) - 1));
  }
  *compared = {ConvertImageDtype(inside, a, DType::kFloat),
               ConvertImageDtype(inside, b, DType::kFloat), max_val};
  return inside.ok();
}

std::vector<float> GaussWindow(int size, double sigma) {
  std::vector<double> line;
  for (int i = 0; i < size; ++i) {
    const double distance = i - (size - 1) / 2.0;
    line.push_back(-0.5 * distance * distance / (sigma * sigma));
  }
  std::vector<double> weights;
  double sum = 0;
  for (const double row : line) {
    for (const double column : line) {
      weights.push_back(std::exp(row + column));
      sum += weights.back();
    }
  }
  std::vector<float> window;
  for (const double weight : weights) window.push_back(static_cast<float>(weight / sum));
  return window;
}

// Means of windows of each channel: of images [n, height, width, channels].
Output WindowMeans(const Scope& inside, const Output& images, const SsimOptions& options) {
  const Output window = Constant(inside, GaussWindow(options.window, options.sigma), DType::kFloat,
                                 {options.window, options.window, 1, 1});
  const int32_t channels = static_cast<int32_t>(images.shape().dim(3));
  const Output kernel =
      BuildOutput(inside, "Tile", {window, Input(std::vector<int32_t>{1, 1, channels, 1})});
  return nn::DepthwiseConv2D(inside, images, kernel, {1, 1, 1, 1}, "VALID");
}

struct Similarity {
  Output ssim;      // of each image and channel
  Output contrast;  // without the luminance
};

Similarity SimilarityOf(const Scope& inside, const Compared& images, const SsimOptions& options) {
  const auto means = [&](const Output& x) { return WindowMeans(inside, x, options); };
  const auto times = [&](const Input& a, const Input& b) { return Multiply(inside, a, b); };
  const auto plus = [&](const Input& a, const Input& b) { return Add(inside, a, b); };
  const float c1 = static_cast<float>(std::pow(options.k1_value * images.max_val, 2));
  const float c2 = static_cast<float>(std::pow(options.k2_value * images.max_val, 2));
  const Output mean_a = means(images.a), mean_b = means(images.b);
  const Output of_means = times(times(mean_a, mean_b), 2.0f);
  const Output of_squares = plus(Square(inside, mean_a), Square(inside, mean_b));
  const Output luminance = Divide(inside, plus(of_means, c1), plus(of_squares, c1));
  const Output products = times(means(times(images.a, images.b)), 2.0f);
  const Output squares = means(plus(Square(inside, images.a), Square(inside, images.b)));
  const Output contrast = Divide(inside, plus(Subtract(inside, products, of_means), c2),
                                 plus(Subtract(inside, squares, of_squares), c2));
  const std::vector<int32_t> axes = {-3, -2};
  return {ReduceMean(inside, times(luminance, contrast), axes), ReduceMean(inside, contrast, axes)};
}

// One image as a batch of one; images of more dimensions as one batch.
bool AsBatch(const Scope& inside, const char* function, const SsimOptions& options,
             Compared* images) {
  const PartialShape shape = images->a.shape();
  const int rank = shape.rank();
  const int64_t height = shape.dim(rank - 3), width = shape.dim(rank - 2);
  if (shape.dim(rank - 1) < 1 || rank > 4 || options.window < 1 || height < options.window ||
      width < options.window) {
    inside.Fail(InvalidArgument(function,
                                " takes one image or a batch, of known height, width and ",
                                "channels, no smaller than the window of ", options.window,
                                "; the shape is ", shape.ToString()));
    return false;
  }
  if (rank == 3) {
    images->a = ExpandDims(inside, images->a, 0);
    images->b = ExpandDims(inside, images->b, 0);
  }
  return inside.ok();
}

// The mean over the channels; of one image a scalar.
Output OfImages(const Scope& inside, const Output& of_channels, bool single) {
  const Output mean = ReduceMean(inside, of_channels, std::vector<int32_t>{-1});
  if (!single) return mean;
  return BuildOutput(inside, "Squeeze", {mean},
                     OpAttrs().Set("squeeze_dims", std::vector<int64_t>{0}));
}

// Half the height and width, an odd row or column mirrored first.
Output Halved(const Scope& inside, const Output& images) {
  const PartialShape shape = images.shape();
  Output even = images;
  const int32_t odd_rows = static_cast<int32_t>(shape.dim(1) % 2);
  const int32_t odd_columns = static_cast<int32_t>(shape.dim(2) % 2);
  if (odd_rows + odd_columns > 0) {
    const Output paddings =
        Constant(inside, std::vector<int32_t>{0, 0, 0, odd_rows, 0, odd_columns, 0, 0},
                 DType::kInt32, {4, 2});
    even = BuildOutput(inside, "MirrorPad", {images, paddings}, OpAttrs().Set("mode", "SYMMETRIC"));
  }
  return nn::AvgPool(inside, even, {1, 2, 2, 1}, {1, 2, 2, 1}, "VALID");
}

}  // namespace

Output Psnr(ScopeRef scope_ref, const Output& a, const Output& b, double max_val) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("PSNR");
  Compared images;
  if (!ComparedImages(inside, "psnr", a, b, max_val, &images)) return Output();
  const Output squares = BuildOutput(inside, "SquaredDifference", {images.a, images.b});
  const Output mean = ReduceMean(inside, squares, std::vector<int32_t>{-3, -2, -1});
  const float decibels = static_cast<float>(10 / std::log(10.0));
  const float signal = static_cast<float>(20 * std::log10(images.max_val));
  return scope(
      Subtract(inside.Named("psnr"), signal, Multiply(inside, decibels, Log(inside, mean))));
}

Output Ssim(ScopeRef scope_ref, const Output& img1, const Output& img2, double max_val,
            const SsimOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("SSIM");
  Compared images;
  if (!ComparedImages(inside, "ssim", img1, img2, max_val, &images)) return Output();
  const bool single = images.a.shape().rank() == 3;
  if (!AsBatch(inside, "ssim", options, &images)) return Output();
  const Similarity similarity = SimilarityOf(inside, images, options);
  return scope(OfImages(inside, similarity.ssim, single));
}

Output SsimMultiscale(ScopeRef scope_ref, const Output& img1, const Output& img2, double max_val,
                      const std::vector<float>& power_factors, const SsimOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("MS-SSIM");
  if (power_factors.empty()) {
    scope.Fail(InvalidArgument("ssim_multiscale needs a power for each scale, got none"));
  }
  Compared images;
  if (!ComparedImages(inside, "ssim_multiscale", img1, img2, max_val, &images)) return Output();
  const bool single = images.a.shape().rank() == 3;
  std::vector<Output> parts;
  for (size_t i = 0; i < power_factors.size(); ++i) {
    const Scope scale = inside.NameScope(absl::StrCat("Scale", i));
    if (i > 0) {
      images.a = Halved(scale, images.a);
      images.b = Halved(scale, images.b);
    }
    if (!scope.ok() || !AsBatch(scale, "ssim_multiscale", options, &images)) return Output();
    const Similarity similarity = SimilarityOf(scale, images, options);
    const bool last = i + 1 == power_factors.size();
    parts.push_back(nn::Relu(scale, last ? similarity.ssim : similarity.contrast));
  }
  const Output powers = Pow(inside, Stack(inside, parts, -1), power_factors);
  const Output product = ReduceProd(inside, powers, std::vector<int32_t>{-1});
  return scope(OfImages(inside, product, single));
}

Output TotalVariation(ScopeRef scope_ref, const Output& images) {
  const Scope scope = scope_ref.scope();
  if (!IsImages(scope, "total_variation", images)) return Output();
  const Scope inside = scope.OpenScope("total_variation");
  const auto sum = [&](int dim) {
    const Output changes =
        BuildOutput(inside, "Abs", {Differences(inside, images, AxisOf(images, dim))});
    if (images.shape().rank() == 3) return ReduceSum(inside, changes);
    return ReduceSum(inside, changes, std::vector<int32_t>{1, 2, 3});
  };
  const Output down = sum(0);
  return scope(BuildOutput(inside.Named("add"), "AddV2", {down, sum(1)}));
}

ImageGradientsResult ImageGradients(ScopeRef scope_ref, const Output& image) {
  const Scope scope = scope_ref.scope();
  if (!IsImages(scope, "image_gradients", image)) return {};
  if (image.shape().rank() != 4) {
    scope.Fail(InvalidArgument("image_gradients: '", image.name(), "' must be a batch of images, ",
                               "its shape is ", image.shape().ToString()));
    return {};
  }
  const Scope unnamed = scope.Named("");
  const auto along = [&](int axis) {
    const Output last = Part(unnamed, image, axis, -1, 0);
    return Concat(unnamed, {Differences(unnamed, image, axis), ZerosLike(unnamed, last)}, axis);
  };
  const Output dy = along(1);
  return {scope(dy), scope(along(2))};
}

Output SobelEdges(ScopeRef scope_ref, const Output& image) {
  const Scope scope = scope_ref.scope();
  if (!IsImages(scope, "sobel_edges", image)) return Output();
  const PartialShape shape = image.shape();
  if (shape.rank() != 4 || shape.dim(3) < 1) {
    scope.Fail(InvalidArgument("sobel_edges: '", image.name(),
                               "' must be a batch of images with a ",
                               "known number of channels, its shape is ", shape.ToString()));
    return Output();
  }
  const Scope unnamed = scope.Named("");
  // Down and across, next to each other.
  const Output kernels = Constant(
      unnamed, std::vector<float>{-1, -1, -2, 0, -1, 1, 0, -2, 0, 0, 0, 2, 1, -1, 2, 0, 1, 1},
      image.dtype(), {3, 3, 1, 2});
  const int32_t channels = static_cast<int32_t>(shape.dim(3));
  const Output filters = BuildOutput(unnamed.Named("sobel_filters"), "Tile",
                                     {kernels, Input(std::vector<int32_t>{1, 1, channels, 1})});
  const Output around =
      Constant(unnamed, std::vector<int32_t>{0, 0, 1, 1, 1, 1, 0, 0}, DType::kInt32, {4, 2});
  const Output padded =
      BuildOutput(unnamed, "MirrorPad", {image, around}, OpAttrs().Set("mode", "REFLECT"));
  const Output edges = nn::DepthwiseConv2D(unnamed, padded, filters, {1, 1, 1, 1}, "VALID");
  const Output whole = Concat(
      unnamed, {BuildOutput(unnamed, "Shape", {image}), Constant(unnamed, std::vector<int32_t>{2})},
      0);
  const Output result = Reshape(unnamed, edges, whole);
  if (!scope.ok()) return Output();
  std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
  dims.push_back(2);
  result.set_shape(PartialShape(dims));
  return scope(result);
}

}  // namespace image
}  // namespace frontend
}  // namespace warpbeam
