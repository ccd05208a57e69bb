// What the ops that resize images share: checks, the sizes of both images, and where in the old
// image a pixel of the new one lies.
//
//   WB_ASSIGN_OR_RETURN(const ResizeGrid g, MakeResizeGrid(ctx, mode));
//   const float y = g.y.At(row);                        // a row of the old image, with a fraction
//
// With `align_corners` the first and last pixels of both images lie on each other; with
// `half_pixel_centers` a pixel is a square whose centre counts; else its upper left corner counts.
//
// Thread safety: values. Errors: INVALID_ARGUMENT for images or sizes that cannot be.
#ifndef WARPBEAM_OPS_IMAGE_RESIZE_RESIZE_GRID_H_
#define WARPBEAM_OPS_IMAGE_RESIZE_RESIZE_GRID_H_

#include "graph/gradients/gradient_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "ops/launch/type_list.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {

struct ResizeMode {
  bool align_corners = false;
  bool half_pixel_centers = false;
};
// INVALID_ARGUMENT when both are set. An op without half_pixel_centers has it false.
StatusOr<ResizeMode> ReadResizeMode(const AttrMap& attrs);

// One of the two directions.
struct ResizeAxis {
  int64_t in = 0, out = 0;
  float scale = 0;
  bool half_pixel_centers = false;

  float At(int64_t i) const {
    return half_pixel_centers ? (static_cast<float>(i) + 0.5f) * scale - 0.5f
                              : static_cast<float>(i) * scale;
  }
};

struct ResizeGrid {
  int64_t batch = 0, channels = 0;
  ResizeAxis y, x;

  Shape in_shape() const { return Shape({batch, y.in, x.in, channels}); }
  Shape out_shape() const { return Shape({batch, y.out, x.out, channels}); }
};

// Input 0 are images, input 1 the new height and width.
StatusOr<ResizeGrid> MakeResizeGrid(KernelContext& ctx, const ResizeMode& mode);
// For a gradient op, from the resized images' gradient and the shape that the images had.
StatusOr<ResizeGrid> MakeResizeGradGrid(const Shape& grads, const Shape& original,
                                        const ResizeMode& mode);

// Whether `from` or `to` has no elements: `to` becomes zeros, and whoever resizes is done. One
// extent of such a tensor may be of any size: nothing is to be allocated for its rows.
bool IsOfNothing(const Tensor& from, Tensor* to);

// What all resizing ops take.
using ResizeTypeList = ConcatTypes<FloatTypeList, SignedTypeList, TypeList<uint8_t, uint16_t>>;
inline constexpr TypeSet kResizeTypes =
    kFloatingTypes | TypeSet{DType::kInt8,   DType::kUInt8, DType::kInt16,
                             DType::kUInt16, DType::kInt32, DType::kInt64};

// Kernel `Derived(ResizeMode)`.
template <class Derived>
class ResizeKernel : public Kernel {
 public:
  explicit ResizeKernel(const ResizeMode& mode) : mode_(mode) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const ResizeMode mode, ReadResizeMode(init.attrs));
    return std::make_unique<Derived>(mode);
  }

 protected:
  const ResizeMode& mode() const { return mode_; }

 private:
  const ResizeMode mode_;
};

// One that makes float images of images of any type, by
//   template <class T>
//   static void Mix(const KernelContext&, const ResizeGrid&, const T* images, float* resized);
template <class Derived>
class MixingKernel : public ResizeKernel<Derived> {
 public:
  using ResizeKernel<Derived>::ResizeKernel;
  Status Compute(KernelContext& ctx) final {
    const Tensor images = ctx.input(0);
    WB_ASSIGN_OR_RETURN(const ResizeGrid g, MakeResizeGrid(ctx, this->mode()));
    WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, g.out_shape()));
    if (IsOfNothing(images, out)) return OkStatus();
    return DispatchTypes(ResizeTypeList{}, images.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      Derived::Mix(ctx, g, images.data<T>(), out->data<float>());
      return OkStatus();
    });
  }
};

// The gradient of one, for images of these types, by
//   template <class T>
//   static void Spread(const KernelContext&, const ResizeGrid&, const float* grads, T* images);
template <class Derived, class ImageTypes>
class SpreadingKernel : public ResizeKernel<Derived> {
 public:
  using ResizeKernel<Derived>::ResizeKernel;
  Status Compute(KernelContext& ctx) final {
    const Tensor grads = ctx.input(0);
    const Shape original = ctx.input(1).shape();
    WB_ASSIGN_OR_RETURN(const ResizeGrid g,
                        MakeResizeGradGrid(grads.shape(), original, this->mode()));
    WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, original));
    if (IsOfNothing(grads, out)) return OkStatus();
    return DispatchTypes(ImageTypes{}, out->dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      Derived::Spread(ctx, g, grads.data<float>(), out->data<T>());
      return OkStatus();
    });
  }
};

// [batch, height, width, channels] with height and width from input 1.
Status ResizedShape(ShapeContext& c);
// Output 0 has the shape of input 1, with the batch and the channels of input 0.
Status ResizeGradShape(ShapeContext& c);

// A gradient op from the output's gradient and the images: dx(0) of bilinear and bicubic resizing.
Status EmitResizeGrad(GradContext& c, const char* op);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_IMAGE_RESIZE_RESIZE_GRID_H_
