// ImageSummary: images as PNG files. Floating images are brought to bytes: the largest value
// becomes 255 or, where there are negative ones, zero becomes 128 and the largest magnitude 127
// more.
#include <algorithm>
#include <cmath>
#include <limits>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/summary/png_encoder.h"
#include "ops/summary/summary_content.h"
#include "ops/summary/summary_input.h"
#include "proto/summary.pb.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

template <class T>
bool IsFinitePixel(const T* pixel, int64_t depth) {
  for (int64_t c = 0; c < depth; ++c) {
    if (!std::isfinite(static_cast<double>(pixel[c]))) return false;
  }
  return true;
}

struct Scaling {
  float scale;
  float offset;
};

// Found from the pixels whose channels are all finite.
template <class T>
Scaling ScalingOf(const T* image, int64_t pixels, int64_t depth) {
  constexpr float kNothing = 1e-6f;
  float low = std::numeric_limits<float>::infinity();
  float high = -low;
  for (int64_t i = 0; i < pixels; ++i) {
    if (!IsFinitePixel(image + i * depth, depth)) continue;
    for (int64_t c = 0; c < depth; ++c) {
      low = std::min(low, static_cast<float>(image[i * depth + c]));
      high = std::max(high, static_cast<float>(image[i * depth + c]));
    }
  }
  const bool is_signed = low < 0;
  const float largest = is_signed ? std::max(std::abs(low), std::abs(high)) : high;
  const float target = is_signed ? 127.0f : 255.0f;
  return {largest < kNothing ? 0.0f : target / largest, is_signed ? 128.0f : 0.0f};
}

template <class T>
void ToBytes(const T* image, int64_t pixels, int64_t depth, const uint8_t* bad_color,
             uint8_t* bytes) {
  const Scaling scaling = ScalingOf(image, pixels, depth);
  // In the image's own precision.
  using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
  const Wide scale = static_cast<Wide>(static_cast<T>(scaling.scale));
  const Wide offset = static_cast<Wide>(static_cast<T>(scaling.offset));
  for (int64_t i = 0; i < pixels; ++i) {
    const T* const pixel = image + i * depth;
    const bool is_finite = IsFinitePixel(pixel, depth);
    for (int64_t c = 0; c < depth; ++c) {
      uint8_t byte = bad_color[c];
      if (is_finite) {
        const T scaled = static_cast<T>(static_cast<Wide>(pixel[c]) * scale);
        const T moved = static_cast<T>(static_cast<Wide>(scaled) + offset);
        byte = static_cast<uint8_t>(std::clamp<double>(static_cast<double>(moved), 0, 255));
      }
      *bytes++ = byte;
    }
  }
}

Status AddImage(const std::string& tag, const Tensor& images, int64_t index, int64_t max_images,
                const uint8_t* bad_color, tensorflow::Summary* summary) {
  const int64_t depth = images.dim(3);
  const int64_t pixels = images.dim(1) * images.dim(2);
  const int64_t first = index * pixels * depth;
  std::vector<uint8_t> bytes;
  if (images.dtype() != DType::kUInt8) bytes.resize(static_cast<size_t>(pixels * depth));
  const uint8_t* encoded = bytes.data();
  switch (images.dtype()) {
    case DType::kUInt8:
      encoded = images.data<uint8_t>() + first;
      break;
    case DType::kFloat:
      ToBytes(images.data<float>() + first, pixels, depth, bad_color, bytes.data());
      break;
    case DType::kDouble:
      ToBytes(images.data<double>() + first, pixels, depth, bad_color, bytes.data());
      break;
    case DType::kHalf:
      ToBytes(images.data<Half>() + first, pixels, depth, bad_color, bytes.data());
      break;
    default:
      return InvalidArgument("images of ", DTypeName(images.dtype()));
  }
  auto* value = summary->add_value();
  value->set_tag(TagOfPart(tag, "image", index, max_images));
  auto* image = value->mutable_image();
  image->set_height(static_cast<int32_t>(images.dim(1)));
  image->set_width(static_cast<int32_t>(images.dim(2)));
  image->set_colorspace(static_cast<int32_t>(depth));
  WB_ASSIGN_OR_RETURN(*image->mutable_encoded_image_string(),
                      EncodePng(encoded, images.dim(2), images.dim(1), static_cast<int>(depth)));
  return OkStatus();
}

class ImageSummaryKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<ImageSummaryKernel>();
    WB_ASSIGN_OR_RETURN(kernel->max_images_, init.attr<int64_t>("max_images"));
    WB_ASSIGN_OR_RETURN(const Tensor color, init.attr<Tensor>("bad_color"));
    if (color.dtype() != DType::kUInt8) {
      return InvalidArgument("bad_color must be uint8, got ", DTypeName(color.dtype()));
    }
    if (color.rank() != 1) {
      return InvalidArgument("bad_color must be a vector, not of shape ", color.shape().ToString());
    }
    kernel->bad_color_.assign(color.data<uint8_t>(), color.data<uint8_t>() + color.num_elements());
    return kernel;
  }

  Status Compute(KernelContext& ctx) override {
    if (ctx.input(0).rank() != 0) {
      return InvalidArgument("Tags must be a scalar, not of shape ",
                             ctx.input(0).shape().ToString());
    }
    WB_ASSIGN_OR_RETURN(std::string summary, ImageContent(ctx.input(0).scalar<std::string>(),
                                                          ctx.input(1), max_images_, bad_color_));
    ctx.set_output(0, Tensor::Scalar<std::string>(std::move(summary)));
    return OkStatus();
  }

 private:
  int64_t max_images_ = 3;
  std::vector<uint8_t> bad_color_;
};

WB_OP("ImageSummary")
    .Input("tag: string")
    .Input("tensor: T")
    .Output("summary: string")
    .Attr("max_images: int >= 1 = 3")
    .Attr("T: {uint8, float, half, double} = DT_FLOAT")
    .Attr(
        "bad_color: tensor = { dtype: DT_UINT8 tensor_shape: { dim { size: 4 } } int_val: 255 "
        "int_val: 0 int_val: 0 int_val: 255 }")
    .Shape(shapes::Scalar);
WB_KERNEL("ImageSummary", ImageSummaryKernel).Cpu();
WB_NO_GRADIENT("ImageSummary");

}  // namespace

StatusOr<std::string> ImageContent(const std::string& tag, const Tensor& images, int64_t max_images,
                                   Span<const uint8_t> bad_color) {
  if (images.rank() != 4 || (images.dim(3) != 1 && images.dim(3) != 3 && images.dim(3) != 4)) {
    return InvalidArgument("Tensor must be 4-D with last dim 1, 3, or 4, not ",
                           images.shape().ToString());
  }
  if (images.dim(1) == 0 || images.dim(2) == 0) {
    return InvalidArgument("input tensor must have non-zero dims. Found: ",
                           images.shape().ToString());
  }
  if (static_cast<int64_t>(bad_color.size()) < images.dim(3)) {
    return InvalidArgument("expected depth <= bad_color.size: images of ", images.dim(3),
                           " channels, a bad_color of ", bad_color.size());
  }
  tensorflow::Summary summary;
  for (int64_t i = 0; i < std::min(max_images, images.dim(0)); ++i) {
    WB_RETURN_IF_ERROR(AddImage(tag, images, i, max_images, bad_color.data(), &summary));
  }
  return summary.SerializeAsString();
}

}  // namespace warpbeam
