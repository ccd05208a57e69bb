// ImageProjectiveTransformV2, …V3: images seen through a projective map, which says for each pixel
// of the result where it is taken from.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/index/index_argument.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/stoppable_loop.h"

namespace warpbeam {
namespace {

using PixelTypes = TypeList<uint8_t, int32_t, int64_t, Half, BFloat16, float, double>;
constexpr int64_t kParameters = 8;

enum class Fill { kConstant, kReflect, kWrap, kNearest };

// How often `period` goes into a distance; as whole as a float can say, and no more than fits.
float WholeTimes(float distance, float period) {
  return static_cast<float>(static_cast<int64_t>(std::min(distance / period, 2147483647.0f)));
}

// A coordinate outside [0, extent - 1] as one inside.
float Inside(float at, int64_t extent, Fill fill) {
  if (fill == Fill::kConstant || std::isnan(at)) return at;
  const float n = static_cast<float>(extent);
  const bool outside = at < 0 || at > n - 1;
  if (outside && extent <= 1) return 0;
  if (outside && fill == Fill::kReflect) {
    const float period = 2 * n;
    if (at < 0) {
      at += period * WholeTimes(-at, period);
      at = at < -n ? at + period : -at - 1;
    } else {
      at -= period * WholeTimes(at, period);
      if (at >= n) at = period - at - 1;
    }
  } else if (outside && fill == Fill::kWrap) {
    at += at < 0 ? n * (WholeTimes(-at, n - 1) + 1) : -n * WholeTimes(at, n - 1);
  }
  return std::min(std::max(at, 0.0f), n - 1);
}

template <typename T>
T ToPixel(float value) {
  if constexpr (std::is_integral_v<T>) {
    // Wraps around, as far as there is a number.
    if (!(std::abs(value) < 9.2e18f)) return value > 0 ? std::numeric_limits<T>::max() : T(0);
    return static_cast<T>(static_cast<int64_t>(value));
  } else {
    return static_cast<T>(value);
  }
}

template <typename T>
class Image {
 public:
  Image(const T* pixels, int64_t height, int64_t width, int64_t channels, T fill)
      : pixels_(pixels), height_(height), width_(width), channels_(channels), fill_(fill) {}

  void Nearest(float y, float x, T* out) const {
    const T* pixel = At(std::round(y), std::round(x));
    for (int64_t c = 0; c < channels_; ++c) out[c] = pixel == nullptr ? fill_ : pixel[c];
  }
  void Bilinear(float y, float x, T* out) const {
    const float top = std::floor(y), left = std::floor(x), bottom = top + 1, right = left + 1;
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
  const T* At(float y, float x) const {
    if (!(y >= 0 && y < static_cast<float>(height_) && x >= 0 && x < static_cast<float>(width_))) {
      return nullptr;
    }
    return pixels_ + (static_cast<int64_t>(y) * width_ + static_cast<int64_t>(x)) * channels_;
  }

  const T* pixels_;
  int64_t height_, width_, channels_;
  T fill_;
};

class ProjectiveTransformKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const std::string interpolation, init.attr<std::string>("interpolation"));
    if (interpolation != "NEAREST" && interpolation != "BILINEAR") {
      return InvalidArgument("interpolation must be 'NEAREST' or 'BILINEAR', not '", interpolation,
                             "'");
    }
    WB_ASSIGN_OR_RETURN(const std::string name, init.attr<std::string>("fill_mode"));
    static constexpr const char* kFills[] = {"CONSTANT", "REFLECT", "WRAP", "NEAREST"};
    for (int i = 0; i < 4; ++i) {
      if (name != kFills[i]) continue;
      return std::make_unique<ProjectiveTransformKernel>(interpolation == "BILINEAR",
                                                         static_cast<Fill>(i));
    }
    return InvalidArgument("fill_mode must be 'CONSTANT', 'REFLECT', 'WRAP' or 'NEAREST', not '",
                           name, "'");
  }
  ProjectiveTransformKernel(bool bilinear, Fill fill) : bilinear_(bilinear), fill_(fill) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor &images = ctx.input(0), &transforms = ctx.input(1), &size = ctx.input(2);
    if (images.rank() != 4) {
      return InvalidArgument("Input images must have rank 4, not shape ",
                             images.shape().ToString());
    }
    if (transforms.rank() != 2 || transforms.dim(1) != kParameters ||
        (transforms.dim(0) != 1 && transforms.dim(0) != images.dim(0))) {
      return InvalidArgument("Input transform should be num_images x 8 or 1 x 8, not ",
                             transforms.shape().ToString());
    }
    if (size.rank() != 1 || size.dim(0) != 2) {
      return InvalidArgument("output shape must have two elements", size.shape().ToString());
    }
    const int32_t height = size.data<int32_t>()[0], width = size.data<int32_t>()[1];
    if (height <= 0 || width <= 0) {
      return InvalidArgument("output dimensions must be positive, not ", height, " and ", width);
    }
    float fill = 0;
    if (ctx.num_inputs() > 3) {
      if (ctx.input(3).rank() != 0) {
        return InvalidArgument("fill_value must be a scalar", ctx.input(3).shape().ToString());
      }
      fill = ctx.input(3).scalar<float>();
    }
    WB_ASSIGN_OR_RETURN(const Shape shape,
                        Shape::Make({images.dim(0), height, width, images.dim(3)}));
    WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, shape));
    if (out->num_elements() == 0) return OkStatus();
    return DispatchTypes(PixelTypes{}, images.dtype(), [&](auto tag) {
      Transform<typename decltype(tag)::type>(ctx, images, transforms, fill, out);
      return OkStatus();
    });
  }

 private:
  template <typename T>
  void Transform(const KernelContext& ctx, const Tensor& images, const Tensor& transforms,
                 float fill, Tensor* out) const {
    const int64_t height = out->dim(1), width = out->dim(2), channels = out->dim(3);
    const int64_t image_size = images.dim(1) * images.dim(2) * channels;
    const T constant = ToPixel<T>(fill);
    StoppableFor(
        ctx, out->dim(0) * height, width * (20 + 4 * channels), [&](int64_t begin, int64_t end) {
          for (int64_t row = begin; row < end; ++row) {
            const int64_t batch = row / height;
            const float* t =
                transforms.data<float>() + (transforms.dim(0) == 1 ? 0 : batch * kParameters);
            const Image<T> image(images.data<T>() + batch * image_size, images.dim(1),
                                 images.dim(2), channels, constant);
            const float v = static_cast<float>(row % height);
            T* to = out->data<T>() + row * width * channels;
            for (int64_t column = 0; column < width; ++column, to += channels) {
              const float u = static_cast<float>(column);
              const float scale = t[6] * u + t[7] * v + 1.0f;
              if (scale == 0) {  // infinitely far away
                std::fill_n(to, channels, constant);
                continue;
              }
              const float x = Inside((t[0] * u + t[1] * v + t[2]) / scale, images.dim(2), fill_);
              const float y = Inside((t[3] * u + t[4] * v + t[5]) / scale, images.dim(1), fill_);
              bilinear_ ? image.Bilinear(y, x, to) : image.Nearest(y, x, to);
            }
          }
        });
  }

  const bool bilinear_;
  const Fill fill_;
};

Status ProjectiveTransformShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape images, c.WithRank(0, 4));
  WB_RETURN_IF_ERROR(c.WithRank(1, 2).status());
  WB_ASSIGN_OR_RETURN(const PartialShape two, c.WithRank(2, 1));
  WB_RETURN_IF_ERROR(PartialShape::Merge(two, PartialShape({2})).status());
  if (c.num_inputs() > 3) WB_RETURN_IF_ERROR(c.WithRank(3, 0).status());
  PartialShape out({images.dim(0), -1, -1, images.dim(3)});
  WB_ASSIGN_OR_RETURN(const std::optional<Dims> size, ConstantIndices(c, 2));
  if (size.has_value() && size->size() == 2 && (*size)[0] > 0 && (*size)[1] > 0) {
    out.set_dim(1, (*size)[0]);
    out.set_dim(2, (*size)[1]);
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

// The gradient is seen through the inverse map.
Status ProjectiveTransformGradient(GradContext& c) {
  const OutputRef count =
      c.Emit("StridedSlice", {c.ShapeOf(c.x(1)), c.Ints({0}), c.Ints({1}), c.Ints({1})});
  const OutputRef ones =
      c.Emit("Fill", {c.Emit("ConcatV2", {{count, c.Ints({1})}, c.Scalar(0)}), c.Scalar<float>(1)});
  const OutputRef nine = c.Emit("ConcatV2", {{c.x(1), ones}, c.Scalar<int32_t>(1)});
  const OutputRef inverse = c.Emit("MatrixInverse", {c.Reshape(nine, c.Ints({-1, 3, 3}))});
  const OutputRef flat = c.Reshape(inverse, c.Ints({-1, 9}));
  const auto columns = [&](int32_t begin, int32_t size) {
    return c.Emit("Slice", {flat, c.Ints({0, begin}), c.Ints({-1, size})});
  };
  const OutputRef transforms = c.Div(columns(0, 8), columns(8, 1));
  const OutputRef size = c.Emit("Slice", {c.ShapeOf(c.x(0)), c.Ints({1}), c.Ints({2})});
  AttrMap attrs;
  attrs.Set("interpolation", c.attr_or<std::string>("interpolation", ""));
  attrs.Set("fill_mode", c.attr_or<std::string>("fill_mode", "CONSTANT"));
  std::vector<NodeInput> inputs = {c.dy(0), transforms, size};
  if (c.num_inputs() > 3) inputs.push_back(c.Scalar<float>(0));
  const std::vector<OutputRef> dx = c.EmitAll(c.node().op_name(), inputs, attrs);
  if (!dx.empty()) c.set_dx(0, dx[0]);
  return OkStatus();
}

constexpr TypeSet kTypes = TypeSetOf(PixelTypes{});
constexpr TypeSet kGpuTypes = {DType::kUInt8, DType::kInt32, DType::kInt64,
                               DType::kHalf,  DType::kFloat, DType::kDouble};

WB_OP("ImageProjectiveTransformV2")
    .Input("images: dtype")
    .Input("transforms: float")
    .Input("output_shape: int32")
    .Output("transformed_images: dtype")
    .Attr("dtype: {uint8, int32, int64, half, bfloat16, float, double}")
    .Attr("interpolation: string")
    .Attr("fill_mode: string = 'CONSTANT'")
    .Shape(ProjectiveTransformShape);
WB_KERNEL("ImageProjectiveTransformV2", ProjectiveTransformKernel)
    .Cpu({{"dtype", kTypes}})
    .Gpu({{"dtype", kGpuTypes}})
    .HostMemory({"output_shape"});
WB_GRADIENT("ImageProjectiveTransformV2", ProjectiveTransformGradient);

WB_OP("ImageProjectiveTransformV3")
    .Input("images: dtype")
    .Input("transforms: float")
    .Input("output_shape: int32")
    .Input("fill_value: float")
    .Output("transformed_images: dtype")
    .Attr("dtype: {uint8, int32, int64, half, bfloat16, float, double}")
    .Attr("interpolation: string")
    .Attr("fill_mode: string = 'CONSTANT'")
    .Shape(ProjectiveTransformShape);
WB_KERNEL("ImageProjectiveTransformV3", ProjectiveTransformKernel)
    .Cpu({{"dtype", kTypes}})
    .Gpu({{"dtype", kGpuTypes}})
    .HostMemory({"output_shape", "fill_value"});
WB_GRADIENT("ImageProjectiveTransformV3", ProjectiveTransformGradient);

}  // namespace
}  // namespace warpbeam
