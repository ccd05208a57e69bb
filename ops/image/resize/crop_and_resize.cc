// CropAndResize and its gradients: parts of images, each brought to one size.
//
// A box is [y1, x1, y2, x2], 0 and 1 being the centres of the first and last pixels.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/image/resize/crop_axis.h"
#include "ops/image/resize/crop_sizes.h"
#include "ops/launch/dispatch.h"
#include "ops/launch/type_list.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/stoppable_loop.h"

namespace warpbeam {
namespace {

using CropTypeList =
    ConcatTypes<TypeList<Half, float, double>, SignedTypeList, TypeList<uint8_t, uint16_t>>;

using host_pass::CropAround;
using host_pass::CropAxis;

Status CheckIndices(const Tensor& box_index, int64_t batch) {
  for (const int32_t i : box_index.flat<int32_t>()) {
    if (i < 0 || i >= batch) {
      return OutOfRange("box_index has values outside [0, batch_size): ", i, " is not in [0, ",
                        batch, ")");
    }
  }
  return OkStatus();
}

// Calls fn(y, x, in_y, in_x, is_inside) for each pixel of a crop: its place in the image.
template <class Fn>
void ForEachCropPixel(const CropSizes& s, const float* box, Fn fn) {
  const CropAxis ys(box[0], box[2], s.height, s.crop_height);
  const CropAxis xs(box[1], box[3], s.width, s.crop_width);
  for (int64_t y = 0; y < s.crop_height; ++y) {
    const float in_y = ys.At(y);
    for (int64_t x = 0; x < s.crop_width; ++x) {
      const float in_x = xs.At(x);
      fn(y, x, in_y, in_x, ys.Has(in_y) && xs.Has(in_x));
    }
  }
}

class CropAndResizeKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const bool nearest, IsNearest(init));
    WB_ASSIGN_OR_RETURN(const float outside, init.attr<float>("extrapolation_value"));
    return std::make_unique<CropAndResizeKernel>(nearest, outside);
  }
  CropAndResizeKernel(bool nearest, float outside) : nearest_(nearest), outside_(outside) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor image = ctx.input(0);
    const Tensor &boxes = ctx.input(1), &box_index = ctx.input(2);
    WB_ASSIGN_OR_RETURN(const CropSizes s, CropSizes::OfCrops(ctx));
    for (const float x : boxes.flat<float>()) {
      if (!std::isfinite(x)) return InvalidArgument("boxes values must be finite, got ", x);
    }
    WB_RETURN_IF_ERROR(CheckIndices(box_index, image.dim(0)));
    WB_ASSIGN_OR_RETURN(const Shape shape,
                        Shape::Make({s.boxes, s.crop_height, s.crop_width, s.depth}));
    WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, shape));
    return DispatchTypes(CropTypeList{}, image.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      const int64_t crop_size = s.crop_height * s.crop_width * s.depth;
      StoppableFor(ctx, s.boxes, 4 * crop_size, [&](int64_t begin, int64_t end) {
        for (int64_t b = begin; b < end; ++b) {
          Crop(s, image.data<T>() + box_index.data<int32_t>()[b] * s.height * s.width * s.depth,
               boxes.data<float>() + 4 * b, out->data<float>() + b * crop_size);
        }
      });
      return OkStatus();
    });
  }

 private:
  template <class T>
  void Crop(const CropSizes& s, const T* image, const float* box, float* pixel) const {
    const auto at = [&](int64_t y, int64_t x) { return image + (y * s.width + x) * s.depth; };
    ForEachCropPixel(s, box, [&](int64_t, int64_t, float in_y, float in_x, bool inside) {
      if (!inside) {
        pixel = std::fill_n(pixel, s.depth, outside_);
        return;
      }
      const CropAround y(in_y), x(in_x);
      if (nearest_) {
        const T* from = at(y.nearest, x.nearest);
        for (int64_t d = 0; d < s.depth; ++d) *pixel++ = static_cast<float>(from[d]);
        return;
      }
      const T *tl = at(y.lower, x.lower), *tr = at(y.lower, x.upper);
      const T *bl = at(y.upper, x.lower), *br = at(y.upper, x.upper);
      for (int64_t d = 0; d < s.depth; ++d) {
        const float left = static_cast<float>(tl[d]), low_left = static_cast<float>(bl[d]);
        const float top = left + (static_cast<float>(tr[d]) - left) * x.lerp;
        const float bottom = low_left + (static_cast<float>(br[d]) - low_left) * x.lerp;
        *pixel++ = top + (bottom - top) * y.lerp;
      }
    });
  }

  const bool nearest_;
  const float outside_;
};

class CropGradImageKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const bool nearest, IsNearest(init));
    return std::make_unique<CropGradImageKernel>(nearest);
  }
  explicit CropGradImageKernel(bool nearest) : nearest_(nearest) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor &grads = ctx.input(0), &boxes = ctx.input(1), &box_index = ctx.input(2);
    WB_ASSIGN_OR_RETURN(const CropSizes s, CropSizes::OfImageGradient(ctx));
    WB_RETURN_IF_ERROR(CheckIndices(box_index, s.batch));
    WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make({s.batch, s.height, s.width, s.depth}));
    WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, shape));
    return DispatchTypes<Half, float, double>(out->dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      T* images = out->data<T>();
      std::fill_n(images, out->num_elements(), T(0));
      // Boxes may lie on each other.
      for (int64_t b = 0; b < s.boxes; ++b) {
        Spread(s, grads.data<float>() + b * s.crop_height * s.crop_width * s.depth,
               boxes.data<float>() + 4 * b,
               images + box_index.data<int32_t>()[b] * s.height * s.width * s.depth);
      }
      return OkStatus();
    });
  }

 private:
  template <class T>
  void Spread(const CropSizes& s, const float* grad, const float* box, T* image) const {
    const auto at = [&](int64_t y, int64_t x) { return image + (y * s.width + x) * s.depth; };
    ForEachCropPixel(s, box, [&](int64_t, int64_t, float in_y, float in_x, bool inside) {
      const float* dy = grad;
      grad += s.depth;
      if (!inside) return;
      const CropAround y(in_y), x(in_x);
      if (nearest_) {
        T* to = at(y.nearest, x.nearest);
        for (int64_t d = 0; d < s.depth; ++d) to[d] += static_cast<T>(dy[d]);
        return;
      }
      T *tl = at(y.lower, x.lower), *tr = at(y.lower, x.upper);
      T *bl = at(y.upper, x.lower), *br = at(y.upper, x.upper);
      for (int64_t d = 0; d < s.depth; ++d) {
        const float top = (1 - y.lerp) * dy[d], bottom = y.lerp * dy[d];
        tl[d] += static_cast<T>((1 - x.lerp) * top);
        tr[d] += static_cast<T>(x.lerp * top);
        bl[d] += static_cast<T>((1 - x.lerp) * bottom);
        br[d] += static_cast<T>(x.lerp * bottom);
      }
    });
  }

  const bool nearest_;
};

class CropGradBoxesKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<CropGradBoxesKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor &grads = ctx.input(0), &image = ctx.input(1);
    const Tensor &boxes = ctx.input(2), &box_index = ctx.input(3);
    WB_ASSIGN_OR_RETURN(const CropSizes s, CropSizes::OfBoxesGradient(ctx));
    WB_RETURN_IF_ERROR(CheckIndices(box_index, image.dim(0)));
    WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, Shape({s.boxes, 4})));
    return DispatchTypes(CropTypeList{}, image.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      const int64_t crop_size = s.crop_height * s.crop_width * s.depth;
      StoppableFor(ctx, s.boxes, 8 * crop_size, [&](int64_t begin, int64_t end) {
        for (int64_t b = begin; b < end; ++b) {
          Sum(s, grads.data<float>() + b * crop_size,
              image.data<T>() + box_index.data<int32_t>()[b] * s.height * s.width * s.depth,
              boxes.data<float>() + 4 * b, out->data<float>() + 4 * b);
        }
      });
      return OkStatus();
    });
  }

 private:
  template <class T>
  static void Sum(const CropSizes& s, const float* grad, const T* image, const float* box,
                  float* out) {
    const CropAxis ys(box[0], box[2], s.height, s.crop_height);
    const CropAxis xs(box[1], box[3], s.width, s.crop_width);
    const auto at = [&](int64_t y, int64_t x, int64_t d) {
      return static_cast<float>(image[(y * s.width + x) * s.depth + d]);
    };
    std::fill_n(out, 4, 0.0f);
    ForEachCropPixel(s, box, [&](int64_t row, int64_t column, float in_y, float in_x, bool inside) {
      const float* dy = grad;
      grad += s.depth;
      if (!inside) return;
      const CropAround y(in_y), x(in_x);
      for (int64_t d = 0; d < s.depth; ++d) {
        const float tl = at(y.lower, x.lower, d), tr = at(y.lower, x.upper, d);
        const float bl = at(y.upper, x.lower, d), br = at(y.upper, x.upper, d);
        const float slope_y = (1 - x.lerp) * (bl - tl) + x.lerp * (br - tr);
        const float slope_x = (1 - y.lerp) * (tr - tl) + y.lerp * (br - bl);
        ys.AddEnds(row, dy[d] * slope_y, &out[0], &out[2]);
        xs.AddEnds(column, dy[d] * slope_x, &out[1], &out[3]);
      }
    });
  }
};

StatusOr<int64_t> CheckBoxShapes(ShapeContext& c, int boxes, int box_index) {
  WB_ASSIGN_OR_RETURN(const PartialShape b, c.WithRank(boxes, 2));
  WB_ASSIGN_OR_RETURN(const PartialShape i, c.WithRank(box_index, 1));
  WB_RETURN_IF_ERROR(PartialShape::Merge(b, PartialShape({-1, 4})).status());
  WB_ASSIGN_OR_RETURN(const PartialShape n, PartialShape::Merge(i, PartialShape({b.dim(0)})));
  return n.dim(0);
}

Status CropAndResizeShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape image, c.WithRank(0, 4));
  WB_ASSIGN_OR_RETURN(const int64_t boxes, CheckBoxShapes(c, 1, 2));
  WB_ASSIGN_OR_RETURN(const PartialShape size, c.WithRank(3, 1));
  WB_RETURN_IF_ERROR(PartialShape::Merge(size, PartialShape({2})).status());
  PartialShape out({boxes, -1, -1, image.dim(3)});
  if (const std::optional<Tensor> known = c.ConstantInput(3); known && known->num_elements() == 2) {
    for (int i = 0; i < 2; ++i) out.set_dim(i + 1, std::max(-1, known->data<int32_t>()[i]));
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status CropGradImageShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(0, 4).status());
  WB_RETURN_IF_ERROR(CheckBoxShapes(c, 1, 2).status());
  WB_ASSIGN_OR_RETURN(const PartialShape out, c.ShapeFromInput(3));
  WB_ASSIGN_OR_RETURN(PartialShape merged,
                      PartialShape::Merge(out, PartialShape::UnknownOfRank(4)));
  c.set_output(0, std::move(merged));
  return OkStatus();
}

Status CropGradBoxesShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(0, 4).status());
  WB_RETURN_IF_ERROR(c.WithRank(1, 4).status());
  WB_ASSIGN_OR_RETURN(const int64_t boxes, CheckBoxShapes(c, 2, 3));
  c.set_output(0, PartialShape({boxes, 4}));
  return OkStatus();
}

constexpr TypeSet kCropFloatTypes = {DType::kHalf, DType::kFloat, DType::kDouble};
constexpr TypeSet kCropTypes =
    kCropFloatTypes | TypeSet{DType::kInt8,   DType::kUInt8, DType::kInt16,
                              DType::kUInt16, DType::kInt32, DType::kInt64};

WB_OP("CropAndResize")
    .Input("image: T")
    .Input("boxes: float")
    .Input("box_ind: int32")
    .Input("crop_size: int32")
    .Output("crops: float")
    .Attr("T: {uint8, uint16, int8, int16, int32, int64, half, float, double}")
    .Attr("method: {'bilinear', 'nearest'} = 'bilinear'")
    .Attr("extrapolation_value: float = 0.0")
    .Shape(CropAndResizeShape);
WB_KERNEL("CropAndResize", CropAndResizeKernel)
    .Cpu({{"T", kCropTypes}})
    .Gpu({{"T", kCropFloatTypes}})
    .HostMemory({"crop_size"});

WB_OP("CropAndResizeGradImage")
    .Input("grads: float")
    .Input("boxes: float")
    .Input("box_ind: int32")
    .Input("image_size: int32")
    .Output("output: T")
    .Attr("T: {float, half, double}")
    .Attr("method: {'bilinear', 'nearest'} = 'bilinear'")
    .Shape(CropGradImageShape);
WB_KERNEL("CropAndResizeGradImage", CropGradImageKernel)
    .Cpu({{"T", kCropFloatTypes}})
    .Gpu({{"T", kCropFloatTypes}})
    .HostMemory({"image_size"});

WB_OP("CropAndResizeGradBoxes")
    .Input("grads: float")
    .Input("image: T")
    .Input("boxes: float")
    .Input("box_ind: int32")
    .Output("output: float")
    .Attr("T: {uint8, uint16, int8, int16, int32, int64, half, float, double}")
    .Attr("method: {'bilinear'} = 'bilinear'")
    .Shape(CropGradBoxesShape);
WB_KERNEL("CropAndResizeGradBoxes", CropGradBoxesKernel)
    .Cpu({{"T", kCropTypes}})
    .Gpu({{"T", kCropFloatTypes}});

Status CropAndResizeGradient(GradContext& c) {
  const DType type = c.type(c.x(0));
  if (kCropFloatTypes.contains(type)) {
    c.set_dx(0, c.Emit("CropAndResizeGradImage", {c.dy(0), c.x(1), c.x(2), c.ShapeOf(c.x(0))},
                       {{"T", type}, {"method", c.attr_or<std::string>("method", "bilinear")}}));
  }
  // With the nearest pixel the boxes' gradient is no function; TensorFlow takes the bilinear one.
  c.set_dx(1, c.Emit("CropAndResizeGradBoxes", {c.dy(0), c.x(0), c.x(1), c.x(2)}));
  return OkStatus();
}
WB_GRADIENT("CropAndResize", CropAndResizeGradient);

}  // namespace
}  // namespace warpbeam
