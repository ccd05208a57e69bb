#include "ops/image/resize/resize_grid.h"

#include <cstring>
#include <limits>

namespace warpbeam {
namespace {

float ScaleOf(int64_t in, int64_t out, bool align_corners) {
  return align_corners && out > 1 ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
                                  : static_cast<float>(in) / static_cast<float>(out);
}

Status CheckSizes(const ResizeGrid& g) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  if (g.y.in > kMost || g.x.in > kMost || g.y.out > kMost || g.x.out > kMost) {
    return InvalidArgument("image sizes must be between 0 and max int32");
  }
  if (g.y.out < 1 || g.x.out < 1) {
    return InvalidArgument("output dimensions must be positive, got ", g.y.out, " x ", g.x.out);
  }
  if (g.channels < 1) return InvalidArgument("image must have at least one channel");
  if (g.y.in < 1 || g.x.in < 1) return InvalidArgument("input image must be of non-zero size");
  return OkStatus();
}

void SetScales(const ResizeMode& mode, ResizeGrid* g) {
  for (ResizeAxis* axis : {&g->y, &g->x}) {
    axis->scale = ScaleOf(axis->in, axis->out, mode.align_corners);
    axis->half_pixel_centers = mode.half_pixel_centers;
  }
}

}  // namespace

StatusOr<ResizeMode> ReadResizeMode(const AttrMap& attrs) {
  const ResizeMode mode{attrs.GetOr<bool>("align_corners", false),
                        attrs.GetOr<bool>("half_pixel_centers", false)};
  if (mode.align_corners && mode.half_pixel_centers) {
    return InvalidArgument("If half_pixel_centers is True, align_corners must be False.");
  }
  return mode;
}

StatusOr<ResizeGrid> MakeResizeGrid(KernelContext& ctx, const ResizeMode& mode) {
  const Tensor& images = ctx.input(0);
  const Tensor& size = ctx.input(1);
  if (images.rank() != 4) {
    return InvalidArgument("input must be 4-dimensional, got shape ", images.shape().ToString());
  }
  if (size.rank() != 1 || size.dim(0) != 2) {
    return InvalidArgument("size must be 1-dimensional and have two elements, got shape ",
                           size.shape().ToString());
  }
  ResizeGrid g;
  g.batch = images.dim(0);
  g.channels = images.dim(3);
  g.y.in = images.dim(1);
  g.x.in = images.dim(2);
  g.y.out = size.data<int32_t>()[0];
  g.x.out = size.data<int32_t>()[1];
  WB_RETURN_IF_ERROR(CheckSizes(g));
  WB_RETURN_IF_ERROR(Shape::Make({g.batch, g.y.out, g.x.out, g.channels}).status());
  SetScales(mode, &g);
  return g;
}

StatusOr<ResizeGrid> MakeResizeGradGrid(const Shape& grads, const Shape& original,
                                        const ResizeMode& mode) {
  if (grads.rank() != 4 || original.rank() != 4) {
    return InvalidArgument("input_grad and original_image must be 4-dimensional, got shapes ",
                           grads.ToString(), " and ", original.ToString());
  }
  if (grads.dim(0) != original.dim(0) || grads.dim(3) != original.dim(3)) {
    return InvalidArgument("input_grad and original_image must have the same batch size and ",
                           "channels, got shapes ", grads.ToString(), " and ", original.ToString());
  }
  ResizeGrid g;
  g.batch = grads.dim(0);
  g.channels = grads.dim(3);
  g.y.in = original.dim(1);
  g.x.in = original.dim(2);
  g.y.out = grads.dim(1);
  g.x.out = grads.dim(2);
  WB_RETURN_IF_ERROR(CheckSizes(g));
  SetScales(mode, &g);
  return g;
}

bool IsOfNothing(const Tensor& from, Tensor* to) {
  if (from.num_elements() > 0 && to->num_elements() > 0) return false;
  if (to->bytes() > 0) memset(to->raw_data(), 0, to->bytes());
  return true;
}

Status ResizedShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape images, c.WithRank(0, 4));
  WB_ASSIGN_OR_RETURN(const PartialShape size, c.WithRank(1, 1));
  WB_RETURN_IF_ERROR(PartialShape::Merge(size, PartialShape({2})).status());
  PartialShape out({images.dim(0), -1, -1, images.dim(3)});
  if (const std::optional<Tensor> known = c.ConstantInput(1); known && known->num_elements() == 2) {
    for (int i = 0; i < 2; ++i) {
      const int32_t extent = known->data<int32_t>()[i];
      if (extent < 0) return InvalidArgument("output dimensions must be positive, got ", extent);
      out.set_dim(i + 1, extent);
    }
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status ResizeGradShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape grads, c.WithRank(0, 4));
  WB_ASSIGN_OR_RETURN(const PartialShape original, c.WithRank(1, 4));
  grads.set_dim(1, -1);
  grads.set_dim(2, -1);
  WB_ASSIGN_OR_RETURN(PartialShape out, PartialShape::Merge(grads, original));
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status EmitResizeGrad(GradContext& c, const char* op) {
  c.set_dx(0, c.Emit(op, {c.dy(0), c.x(0)},
                     {{"align_corners", c.attr_or<bool>("align_corners", false)},
                      {"half_pixel_centers", c.attr_or<bool>("half_pixel_centers", false)}}));
  return OkStatus();
}

}  // namespace warpbeam
