// ScaleAndTranslate and its gradient: images scaled and moved, resampled with a kernel of choice.
#include <algorithm>
#include <vector>

#include "graph/op/op_registry.h"
#include "ops/image/resize/resize_grid.h"
#include "ops/image/resize/sampling_spans.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/stoppable_loop.h"

namespace warpbeam {
namespace {

Status ReadPair(const Tensor& t, const char* name, float* y, float* x) {
  if (t.rank() != 1 || t.dim(0) != 2) {
    return InvalidArgument(name, " must be 1-dimensional and have two elements, got shape ",
                           t.shape().ToString());
  }
  *y = t.data<float>()[0];
  *x = t.data<float>()[1];
  return OkStatus();
}

struct Move {
  float scale_y, scale_x, translation_y, translation_x;
};

StatusOr<Move> ReadMove(const Tensor& scale, const Tensor& translation) {
  Move m;
  WB_RETURN_IF_ERROR(ReadPair(scale, "scale", &m.scale_y, &m.scale_x));
  WB_RETURN_IF_ERROR(ReadPair(translation, "translation", &m.translation_y, &m.translation_x));
  if (!(m.scale_y > 0 && m.scale_x > 0)) {
    return InvalidArgument("scale must be greater than zero, got ", m.scale_y, " and ", m.scale_x);
  }
  return m;
}

template <class Derived>
class SamplingKernelBase : public Kernel {
 public:
  SamplingKernelBase(const SamplingKernel& kernel, bool antialias)
      : kernel_(kernel), antialias_(antialias) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const std::string name, init.attr<std::string>("kernel_type"));
    WB_ASSIGN_OR_RETURN(const SamplingKernel kernel, ParseSamplingKernel(name));
    WB_ASSIGN_OR_RETURN(const bool antialias, init.attr<bool>("antialias"));
    return std::make_unique<Derived>(kernel, antialias);
  }

 protected:
  SamplingSpans Rows(const ResizeGrid& g, const Move& m) const {
    return MakeSpans(kernel_, g.y.out, g.y.in, m.scale_y, m.translation_y, antialias_);
  }
  SamplingSpans Columns(const ResizeGrid& g, const Move& m) const {
    return MakeSpans(kernel_, g.x.out, g.x.in, m.scale_x, m.translation_x, antialias_);
  }

 private:
  const SamplingKernel kernel_;
  const bool antialias_;
};

class ScaleKernel final : public SamplingKernelBase<ScaleKernel> {
 public:
  using SamplingKernelBase::SamplingKernelBase;
  Status Compute(KernelContext& ctx) override {
    const Tensor images = ctx.input(0);
    WB_ASSIGN_OR_RETURN(const ResizeGrid g, MakeResizeGrid(ctx, {}));
    WB_ASSIGN_OR_RETURN(const Move move, ReadMove(ctx.input(2), ctx.input(3)));
    WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, g.out_shape()));
    if (IsOfNothing(images, out)) return OkStatus();
    const SamplingSpans rows = Rows(g, move), columns = Columns(g, move);
    return DispatchTypes(ResizeTypeList{}, images.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      Sample(ctx, g, rows, columns, images.data<T>(), out->data<float>());
      return OkStatus();
    });
  }

 private:
  template <class T>
  static void Sample(const KernelContext& ctx, const ResizeGrid& g, const SamplingSpans& rows,
                     const SamplingSpans& columns, const T* from, float* to) {
    const int64_t stride = g.x.in * g.channels;
    StoppableFor(ctx, g.batch * g.y.out, 8 * stride, [&](int64_t begin, int64_t end) {
      // The rows of a span mixed to one.
      std::vector<float> mixed(static_cast<size_t>(stride));
      for (int64_t i = begin; i < end; ++i) {
        const size_t y = static_cast<size_t>(i % g.y.out);
        const T* row = from + (i / g.y.out * g.y.in + rows.start[y]) * stride;
        std::fill(mixed.begin(), mixed.end(), 0.0f);
        for (const float weight : rows.weights[y]) {
          for (float& sum : mixed) sum += static_cast<float>(*row++) * weight;
        }
        float* pixel = to + i * g.x.out * g.channels;
        std::fill_n(pixel, g.x.out * g.channels, 0.0f);
        for (size_t x = 0; x < columns.weights.size(); ++x, pixel += g.channels) {
          const float* in = mixed.data() + columns.start[x] * g.channels;
          for (const float weight : columns.weights[x]) {
            for (int64_t c = 0; c < g.channels; ++c) pixel[c] += *in++ * weight;
          }
        }
      }
    });
  }
};

class ScaleGradKernel final : public SamplingKernelBase<ScaleGradKernel> {
 public:
  using SamplingKernelBase::SamplingKernelBase;
  Status Compute(KernelContext& ctx) override {
    const Tensor grads = ctx.input(0);
    const Shape original = ctx.input(1).shape();
    WB_ASSIGN_OR_RETURN(const ResizeGrid g, MakeResizeGradGrid(grads.shape(), original, {}));
    WB_ASSIGN_OR_RETURN(const Move move, ReadMove(ctx.input(2), ctx.input(3)));
    WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, original));
    if (IsOfNothing(grads, out)) return OkStatus();
    Spread(ctx, g, Rows(g, move), Columns(g, move), grads.data<float>(), out->data<float>());
    return OkStatus();
  }

 private:
  static void Spread(const KernelContext& ctx, const ResizeGrid& g, const SamplingSpans& rows,
                     const SamplingSpans& columns, const float* from, float* to) {
    const int64_t stride = g.x.in * g.channels;
    const int64_t cost = 8 * stride * g.y.out;
    StoppableFor(ctx, g.batch, cost, [&](int64_t begin, int64_t end) {
      // What one new row gives to the columns of the old image.
      std::vector<float> spread(static_cast<size_t>(stride));
      for (int64_t b = begin; b < end; ++b) {
        float* image = to + b * g.y.in * stride;
        std::fill_n(image, g.y.in * stride, 0.0f);
        const float* grad = from + b * g.y.out * g.x.out * g.channels;
        for (size_t y = 0; y < rows.weights.size(); ++y) {
          std::fill(spread.begin(), spread.end(), 0.0f);
          for (size_t x = 0; x < columns.weights.size(); ++x, grad += g.channels) {
            float* sum = spread.data() + columns.start[x] * g.channels;
            for (const float weight : columns.weights[x]) {
              for (int64_t c = 0; c < g.channels; ++c) *sum++ += grad[c] * weight;
            }
          }
          float* row = image + rows.start[y] * stride;
          for (const float weight : rows.weights[y]) {
            for (const float sum : spread) *row++ += sum * weight;
          }
        }
      }
    });
  }
};

Status CheckPairs(ShapeContext& c) {
  for (int i : {2, 3}) {
    WB_ASSIGN_OR_RETURN(const PartialShape pair, c.WithRank(i, 1));
    WB_RETURN_IF_ERROR(PartialShape::Merge(pair, PartialShape({2})).status());
  }
  return OkStatus();
}
Status ScaledShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(CheckPairs(c));
  return ResizedShape(c);
}
Status ScaleGradShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(CheckPairs(c));
  c.set_output(0, c.input(1));
  return OkStatus();
}

WB_OP("ScaleAndTranslate")
    .Input("images: T")
    .Input("size: int32")
    .Input("scale: float")
    .Input("translation: float")
    .Output("resized_images: float")
    .Attr("T: {int8, uint8, int16, uint16, int32, int64, bfloat16, half, float, double}")
    .Attr("kernel_type: string = 'lanczos3'")
    .Attr("antialias: bool = true")
    .Shape(ScaledShape);
WB_KERNEL("ScaleAndTranslate", ScaleKernel).Cpu({{"T", kResizeTypes}});

WB_OP("ScaleAndTranslateGrad")
    .Input("grads: T")
    .Input("original_image: T")
    .Input("scale: float")
    .Input("translation: float")
    .Output("output: T")
    .Attr("T: {float}")
    .Attr("kernel_type: string = 'lanczos3'")
    .Attr("antialias: bool = true")
    .Shape(ScaleGradShape);
WB_KERNEL("ScaleAndTranslateGrad", ScaleGradKernel).Cpu({{"T", TypeSet{DType::kFloat}}});

Status ScaleGradient(GradContext& c) {
  c.set_dx(0, c.Emit("ScaleAndTranslateGrad", {c.dy(0), c.x(0), c.x(2), c.x(3)},
                     {{"kernel_type", c.attr_or<std::string>("kernel_type", "lanczos3")},
                      {"antialias", c.attr_or<bool>("antialias", true)}}));
  return OkStatus();
}
WB_GRADIENT("ScaleAndTranslate", ScaleGradient);

}  // namespace
}  // namespace warpbeam
