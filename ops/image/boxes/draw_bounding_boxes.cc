// DrawBoundingBoxes, DrawBoundingBoxesV2: the outlines of boxes drawn over images.
#include <algorithm>
#include <cmath>
#include <vector>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/running_step.h"
#include "runtime/kernel/stoppable_loop.h"

namespace warpbeam {
namespace {

using Color = std::vector<float>;

std::vector<Color> DefaultColors() {
  return {{1, 1, 0, 1},     {0, 0, 1, 1},   {1, 0, 0, 1},   {0, 1, 0, 1}, {.5f, 0, .5f, 1},
          {.5f, .5f, 0, 1}, {.5f, 0, 0, 1}, {0, 0, .5f, 1}, {0, 1, 1, 1}, {1, 0, 1, 1}};
}

StatusOr<std::vector<Color>> ReadColors(const Tensor* given, int64_t depth) {
  std::vector<Color> colors;
  if (given != nullptr) {
    if (given->rank() != 2) {
      return InvalidArgument("colors must be a 2-D matrix, got shape ", given->shape().ToString());
    }
    if (given->dim(1) < depth) {
      return InvalidArgument("colors must have equal or more channels than the image: ", depth,
                             ", got shape ", given->shape().ToString());
    }
    const int64_t channels = given->dim(1);
    for (int64_t i = 0; i < given->dim(0); ++i) {
      const float* color = given->data<float>() + i * channels;
      colors.emplace_back(color, color + channels);
    }
  }
  if (colors.empty()) {
    colors = DefaultColors();
    // Images without colours get white boxes.
    if (depth == 1) {
      for (Color& color : colors) color[0] = 1;
    }
  }
  return colors;
}

// The pixels from the box's begin to its end, inclusive; they may lie outside the image.
struct Side {
  int64_t begin, end;
  int64_t extent;

  Side(float first, float last, int64_t size) : extent(size) {
    begin = Place(first);
    end = Place(last);
  }
  bool is_outside() const { return begin > end || begin >= extent || end < 0; }
  int64_t first() const { return std::max<int64_t>(begin, 0); }
  int64_t last() const { return std::min(end, extent - 1); }

 private:
  int64_t Place(float at) const {
    const float place = at * static_cast<float>(extent - 1);
    // Far outside, or no number: anything outside is the same.
    if (!(place > -1e9f)) return -1000000000;
    return static_cast<int64_t>(std::min(place, 1e9f));
  }
};

template <class T>
void DrawBox(const Side& y, const Side& x, const std::vector<T>& color, int64_t depth, T* image) {
  const auto draw = [&](int64_t row, int64_t column) {
    std::copy_n(color.begin(), depth, image + (row * x.extent + column) * depth);
  };
  for (int64_t column = x.first(); column <= x.last(); ++column) {
    if (y.begin >= 0) draw(y.begin, column);
    if (y.end < y.extent) draw(y.end, column);
  }
  for (int64_t row = y.first(); row <= y.last(); ++row) {
    if (x.begin >= 0) draw(row, x.begin);
    if (x.end < x.extent) draw(row, x.end);
  }
}

class DrawBoundingBoxesKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<DrawBoundingBoxesKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor images = ctx.input(0);
    const Tensor& boxes = ctx.input(1);
    if (images.rank() != 4) {
      return InvalidArgument("The rank of the images should be 4, got shape ",
                             images.shape().ToString());
    }
    if (boxes.rank() != 3 || boxes.dim(2) != 4) {
      return InvalidArgument("boxes must be 3-D with 4 coordinates each, got shape ",
                             boxes.shape().ToString());
    }
    if (images.dim(0) != boxes.dim(0)) {
      return InvalidArgument("The batch sizes should be the same, got shapes ",
                             images.shape().ToString(), " and ", boxes.shape().ToString());
    }
    const int64_t depth = images.dim(3);
    if (depth != 1 && depth != 3 && depth != 4) {
      return InvalidArgument("Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA), got ",
                             depth);
    }
    WB_ASSIGN_OR_RETURN(const std::vector<Color> colors,
                        ReadColors(ctx.num_inputs() > 2 ? &ctx.input(2) : nullptr, depth));
    WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, images.shape()));
    return DispatchTypes<float, Half>(images.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      Draw(ctx, images, boxes, colors, out->data<T>());
      return OkStatus();
    });
  }

 private:
  template <class T>
  static void Draw(const KernelContext& ctx, const Tensor& images, const Tensor& boxes,
                   const std::vector<Color>& colors, T* out) {
    const int64_t height = images.dim(1), width = images.dim(2), depth = images.dim(3);
    const int64_t size = height * width * depth;
    if (size == 0) return;
    StoppableFor(ctx, images.dim(0), 2 * size, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        T* image = std::copy_n(images.data<T>() + b * size, size, out + b * size) - size;
        for (int64_t i = 0; i < boxes.dim(1) && !RunningStep::IsOver(); ++i) {
          const float* box = boxes.data<float>() + (b * boxes.dim(1) + i) * 4;
          const bool is_number = std::none_of(box, box + 4, [](float x) { return std::isnan(x); });
          const Side y(box[0], box[2], height), x(box[1], box[3], width);
          if (!is_number || y.is_outside() || x.is_outside()) continue;
          std::vector<T> color;
          for (const float c : colors[static_cast<size_t>(i) % colors.size()]) {
            color.push_back(static_cast<T>(c));
          }
          DrawBox(y, x, color, depth, image);
        }
      }
    });
  }
};

Status DrawnShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape images, c.WithRankAtLeast(0, 3));
  WB_RETURN_IF_ERROR(c.WithRank(1, 3).status());
  if (c.num_inputs() > 2) WB_RETURN_IF_ERROR(c.WithRank(2, 2).status());
  c.set_output(0, images);
  return OkStatus();
}

constexpr TypeSet kDrawTypes = {DType::kFloat, DType::kHalf};

WB_OP("DrawBoundingBoxes")
    .Input("images: T")
    .Input("boxes: float")
    .Output("output: T")
    .Attr("T: {float, half} = DT_FLOAT")
    .Shape(DrawnShape);
WB_KERNEL("DrawBoundingBoxes", DrawBoundingBoxesKernel).Cpu({{"T", kDrawTypes}});
WB_NO_GRADIENT("DrawBoundingBoxes");

WB_OP("DrawBoundingBoxesV2")
    .Input("images: T")
    .Input("boxes: float")
    .Input("colors: float")
    .Output("output: T")
    .Attr("T: {float, half} = DT_FLOAT")
    .Shape(DrawnShape);
WB_KERNEL("DrawBoundingBoxesV2", DrawBoundingBoxesKernel).Cpu({{"T", kDrawTypes}});

}  // namespace
}  // namespace warpbeam
