// ImageProjectiveTransformV2, …V3: images seen through a projective map, which says for each pixel
// of the result where it is taken from.
#include "ops/image/projective_transform.h"

#include <memory>
#include <string>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/index/index_argument.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/stoppable_loop.h"

namespace warpbeam::host_pass {

StatusOr<ProjectiveAttrs> ProjectiveAttrs::From(const KernelInit& init) {
  WB_ASSIGN_OR_RETURN(const std::string interpolation, init.attr<std::string>("interpolation"));
  if (interpolation != "NEAREST" && interpolation != "BILINEAR") {
    return InvalidArgument("interpolation must be 'NEAREST' or 'BILINEAR', not '", interpolation,
                           "'");
  }
  WB_ASSIGN_OR_RETURN(const std::string name, init.attr<std::string>("fill_mode"));
  static constexpr const char* kFills[] = {"CONSTANT", "REFLECT", "WRAP", "NEAREST"};
  for (int i = 0; i < 4; ++i) {
    if (name != kFills[i]) continue;
    return ProjectiveAttrs{interpolation == "BILINEAR", static_cast<ProjectiveFill>(i)};
  }
  return InvalidArgument("fill_mode must be 'CONSTANT', 'REFLECT', 'WRAP' or 'NEAREST', not '",
                         name, "'");
}

Status MakeProjectivePlan(const KernelContext& ctx, ProjectivePlan* plan) {
  const Tensor &images = ctx.input(0), &transforms = ctx.input(1), &size = ctx.input(2);
  if (images.rank() != 4) {
    return InvalidArgument("Input images must have rank 4, not shape ", images.shape().ToString());
  }
  if (transforms.rank() != 2 || transforms.dim(1) != kProjectiveParameters ||
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
  if (ctx.num_inputs() > 3) {
    if (ctx.input(3).rank() != 0) {
      return InvalidArgument("fill_value must be a scalar", ctx.input(3).shape().ToString());
    }
    plan->fill = ctx.input(3).scalar<float>();
  }
  WB_ASSIGN_OR_RETURN(plan->shape, Shape::Make({images.dim(0), height, width, images.dim(3)}));
  return OkStatus();
}

namespace {

using PixelTypes = TypeList<uint8_t, int32_t, int64_t, Half, BFloat16, float, double>;

class ProjectiveTransformKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const ProjectiveAttrs attrs, ProjectiveAttrs::From(init));
    return std::make_unique<ProjectiveTransformKernel>(attrs);
  }
  explicit ProjectiveTransformKernel(const ProjectiveAttrs& attrs) : attrs_(attrs) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor &images = ctx.input(0), &transforms = ctx.input(1);
    ProjectivePlan plan;
    WB_RETURN_IF_ERROR(MakeProjectivePlan(ctx, &plan));
    WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, plan.shape));
    if (out->num_elements() == 0) return OkStatus();
    return DispatchTypes(PixelTypes{}, images.dtype(), [&](auto tag) {
      Transform<typename decltype(tag)::type>(ctx, images, transforms, plan.fill, out);
      return OkStatus();
    });
  }

 private:
  template <typename T>
  void Transform(const KernelContext& ctx, const Tensor& images, const Tensor& transforms,
                 float fill, Tensor* out) const {
    const int64_t height = out->dim(1), width = out->dim(2), channels = out->dim(3);
    const int64_t image_size = images.dim(1) * images.dim(2) * channels;
    StoppableFor(
        ctx, out->dim(0) * height, width * (20 + 4 * channels), [&](int64_t begin, int64_t end) {
          for (int64_t row = begin; row < end; ++row) {
            const int64_t batch = row / height;
            const float* t = transforms.data<float>() +
                             (transforms.dim(0) == 1 ? 0 : batch * kProjectiveParameters);
            const ProjectedImage<T> image(images.data<T>() + batch * image_size, images.dim(1),
                                          images.dim(2), channels, ToPixel<T>(fill));
            T* to = out->data<T>() + row * width * channels;
            for (int64_t column = 0; column < width; ++column, to += channels) {
              ProjectPixel(image, attrs_, t, static_cast<float>(column),
                           static_cast<float>(row % height), to);
            }
          }
        });
  }

  const ProjectiveAttrs attrs_;
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
}  // namespace warpbeam::host_pass
