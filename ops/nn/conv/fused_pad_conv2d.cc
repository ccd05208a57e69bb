// FusedPadConv2D, FusedResizeAndPadConv2D: an image resized (in the second op), given a border that
// mirrors it, and convolved.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/launch/dispatch.h"
#include "ops/nn/conv/conv_kernels.h"

namespace warpbeam {
namespace {

// One spatial dimension: its extent, after resizing and with its border, and for each place with
// border the two places of the image that it is mixed of.
struct Axis {
  int64_t extent, resized, before, after;
  int64_t padded() const { return resized + before + after; }
};
struct Mix {
  int64_t first, second;
  float of_second;
};

std::vector<Mix> Mixes(const Axis& axis, int64_t skip_edge, bool align_corners) {
  float scale = static_cast<float>(axis.extent) / static_cast<float>(axis.resized);
  if (align_corners && axis.resized > 1) {
    scale = static_cast<float>(axis.extent - 1) / static_cast<float>(axis.resized - 1);
  }
  std::vector<Mix> mixes;
  for (int64_t i = 0; i < axis.padded(); ++i) {
    int64_t at = i - axis.before;
    if (at < 0) at = -(at + 1 - skip_edge);
    if (at >= axis.resized) at = 2 * axis.resized - (at + 1 + skip_edge);
    const float from = static_cast<float>(at) * scale;
    const int64_t first = static_cast<int64_t>(std::floor(from));
    mixes.push_back({std::min(first, axis.extent - 1),
                     std::min(static_cast<int64_t>(std::ceil(from)), axis.extent - 1),
                     from - static_cast<float>(first)});
  }
  return mixes;
}

template <typename T>
void Place(const KernelContext& ctx, const Tensor& image, const std::vector<Mix>& rows,
           const std::vector<Mix>& cols, Tensor* padded) {
  using C = ComputeType<T>;
  const int64_t height = static_cast<int64_t>(rows.size());
  const int64_t channels = image.dim(3), line = image.dim(2) * channels;
  ctx.ParallelFor(
      image.dim(0) * height, 4 * padded->dim(2) * channels, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const Mix& row = rows[static_cast<size_t>(i % height)];
          const T* x = image.data<T>() + i / height * image.dim(1) * line;
          T* y = padded->data<T>() + i * static_cast<int64_t>(cols.size()) * channels;
          const C down = static_cast<C>(row.of_second);
          for (const Mix& col : cols) {
            const C right = static_cast<C>(col.of_second);
            for (int64_t c = 0; c < channels; ++c, ++y) {
              const auto at = [&](int64_t r, int64_t k) {
                return static_cast<C>(x[r * line + k * channels + c]);
              };
              const C upper = at(row.first, col.first) +
                              (at(row.first, col.second) - at(row.first, col.first)) * right;
              const C lower = at(row.second, col.first) +
                              (at(row.second, col.second) - at(row.second, col.first)) * right;
              *y = static_cast<T>(upper + (lower - upper) * down);
            }
          }
        }
      });
}

Status CheckBorders(const Tensor& paddings, const int64_t extents[4], bool reflect) {
  if (paddings.rank() != 2 || paddings.dim(1) != 2) {
    return InvalidArgument("paddings must be a matrix with 2 columns: ",
                           paddings.shape().ToString());
  }
  if (paddings.dim(0) != 4) {
    return InvalidArgument("The first dimension of paddings must be the rank of inputs: 4 ",
                           paddings.shape().ToString());
  }
  const int32_t* p = paddings.data<int32_t>();
  for (int i = 0; i < 4; ++i, p += 2) {
    if (p[0] < 0 || p[1] < 0) {
      return InvalidArgument("paddings must be non-negative: ", p[0], " ", p[1]);
    }
    const int64_t most = reflect ? extents[i] - 1 : extents[i];
    if (p[0] > most || p[1] > most) {
      return InvalidArgument("paddings must be ", reflect ? "less than" : "no greater than",
                             " the dimension size: ", p[0], ", ", p[1], " against ", extents[i]);
    }
    if ((i == 0 || i == 3) && (p[0] != 0 || p[1] != 0)) {
      return InvalidArgument("Fused mirror padding only support spatial padding, not ",
                             i == 0 ? "batches" : "channels", ": ", p[0], " ", p[1]);
    }
  }
  return OkStatus();
}

// Strides as TensorFlow's kernel refuses them.
Status CheckStrides(const AttrMap& attrs) {
  WB_ASSIGN_OR_RETURN(const auto strides, attrs.Get<std::vector<int64_t>>("strides"));
  if (strides.size() != 4) {
    return InvalidArgument("Sliding window strides field must specify 4 dimensions");
  }
  if (strides[0] != 1 || strides[3] != 1) {
    return InvalidArgument("Current implementation does not yet support strides in the batch and ",
                           "depth dimensions.");
  }
  return OkStatus();
}

class FusedPadConvKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_RETURN_IF_ERROR(CheckStrides(init.attrs));
    AttrMap attrs = init.attrs;
    attrs.Set("dilations", std::vector<int64_t>{1, 1, 1, 1});
    attrs.Set("data_format", std::string("NHWC"));
    WB_ASSIGN_OR_RETURN(const ConvAttrs conv, ReadConvAttrs(attrs, 2));
    WB_ASSIGN_OR_RETURN(const std::string mode, init.attr<std::string>("mode"));
    const bool align = init.attrs.GetOr<bool>("resize_align_corners", false);
    return std::make_unique<FusedPadConvKernel>(conv, mode == "REFLECT", align);
  }
  FusedPadConvKernel(const ConvAttrs& attrs, bool reflect, bool align)
      : attrs_(attrs), reflect_(reflect), align_(align) {}

  Status Compute(KernelContext& ctx) override {
    const bool resizes = ctx.num_inputs() == 4;
    const Tensor &image = ctx.input(0), &filter = ctx.input(resizes ? 3 : 2);
    if (image.rank() != 4) {
      return InvalidArgument("input must be 4-dimensional", image.shape().ToString());
    }
    if (image.num_elements() == 0) return InvalidArgument("Input tensor can't be empty");
    if (filter.rank() != 4) {
      return InvalidArgument("filter must be 4-dimensional: ", filter.shape().ToString());
    }
    int64_t extents[4] = {image.dim(0), image.dim(1), image.dim(2), image.dim(3)};
    if (resizes) WB_RETURN_IF_ERROR(ReadSize(ctx.input(1), extents));
    const Tensor& paddings = ctx.input(resizes ? 2 : 1);
    WB_RETURN_IF_ERROR(CheckBorders(paddings, extents, reflect_));
    if (image.dim(3) != filter.dim(2)) {
      return InvalidArgument("input and filter must have the same depth: ", image.dim(3), " vs ",
                             filter.dim(2));
    }
    const int32_t* p = paddings.data<int32_t>();
    const Axis rows{image.dim(1), extents[1], p[2], p[3]};
    const Axis cols{image.dim(2), extents[2], p[4], p[5]};
    WB_ASSIGN_OR_RETURN(const Shape shape,
                        Shape::Make({extents[0], rows.padded(), cols.padded(), extents[3]}));
    ConvGeometry geometry;
    WB_RETURN_IF_ERROR(MakeConvGeometry(attrs_, shape, filter.shape(), &geometry));
    WB_ASSIGN_OR_RETURN(const Shape result, ConvOutputShape(attrs_, geometry));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, result));
    if (y->num_elements() == 0) return OkStatus();
    WB_ASSIGN_OR_RETURN(Tensor padded, ctx.AllocateTemp(image.dtype(), shape));
    const int64_t skip_edge = reflect_ ? 1 : 0;
    WB_RETURN_IF_ERROR(DispatchTypes(FloatTypeList{}, image.dtype(), [&](auto tag) {
      Place<typename decltype(tag)::type>(ctx, image, Mixes(rows, skip_edge, align_),
                                          Mixes(cols, skip_edge, align_), &padded);
      return OkStatus();
    }));
    return convolution_.Run(ctx, image.dtype(), geometry, padded.raw_data(), filter.raw_data(),
                            y->raw_data());
  }

 private:
  static Status ReadSize(const Tensor& size, int64_t extents[4]) {
    if (size.rank() != 1 || size.dim(0) != 2) {
      return InvalidArgument("shape_t must have two elements", size.shape().ToString());
    }
    for (int i = 0; i < 2; ++i) {
      extents[i + 1] = size.data<int32_t>()[i];
      if (extents[i + 1] <= 0) {
        return InvalidArgument("output dimensions must be positive, not ", extents[i + 1]);
      }
    }
    return OkStatus();
  }

  const ConvAttrs attrs_;
  const bool reflect_, align_;
  Convolution convolution_{ConvPass::kForward};
};

Status FusedPadConvShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape image, c.WithRank(0, 4));
  const int paddings = c.num_inputs() - 2;
  WB_RETURN_IF_ERROR(c.WithRank(paddings, 2).status());
  WB_ASSIGN_OR_RETURN(const PartialShape filter, c.WithRank(paddings + 1, 4));
  c.set_output(0, PartialShape({image.dim(0), -1, -1, filter.dim(3)}));
  return OkStatus();
}

constexpr TypeSet kResizedTypes = {DType::kHalf, DType::kFloat, DType::kDouble};

WB_OP("FusedPadConv2D")
    .Input("input: T")
    .Input("paddings: int32")
    .Input("filter: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double}")
    .Attr("mode: {'REFLECT', 'SYMMETRIC'}")
    .Attr("strides: list(int)")
    .Attr("padding: {'SAME', 'VALID'}")
    .Shape(FusedPadConvShape);
WB_KERNEL("FusedPadConv2D", FusedPadConvKernel).Cpu({{"T", kFloatingTypes}});

WB_OP("FusedResizeAndPadConv2D")
    .Input("input: T")
    .Input("size: int32")
    .Input("paddings: int32")
    .Input("filter: T")
    .Output("output: T")
    .Attr("T: {half, float, double}")
    .Attr("resize_align_corners: bool = false")
    .Attr("mode: {'REFLECT', 'SYMMETRIC'}")
    .Attr("strides: list(int)")
    .Attr("padding: {'SAME', 'VALID'}")
    .Shape(FusedPadConvShape);
WB_KERNEL("FusedResizeAndPadConv2D", FusedPadConvKernel).Cpu({{"T", kResizedTypes}});

}  // namespace
}  // namespace warpbeam
