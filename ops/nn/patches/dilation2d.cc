// Dilation2D and its two gradients: the greatest sum of the filter and what lies below it
// (grayscale dilation), for each channel by itself.

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "ops/launch/math.h"
#include "ops/nn/patches/dilation.h"
#include "ops/nn/window/emit_like.h"
#include "ops/nn/window/window.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/running_step.h"
#include "runtime/kernel/stoppable_loop.h"

namespace warpbeam::host_pass {
namespace {

// The greatest sum at one place: fn(value, offset in the image, offset in the filter), as long as
// the step goes on.
template <class T, class Fn>
void ForEachMaximum(const DilationGeometry& g, const T* image, const T* filter, Fn fn) {
  for (int64_t row = 0; row < g.out_rows; ++row) {
    for (int64_t column = 0; column < g.out_columns && !RunningStep::IsOver(); ++column) {
      const int64_t y0 = row * g.row_stride - g.before_rows;
      const int64_t x0 = column * g.column_stride - g.before_columns;
      for (int64_t c = 0; c < g.channels; ++c) {
        T best = std::numeric_limits<ComputeType<T>>::has_infinity
                     ? static_cast<T>(-std::numeric_limits<ComputeType<T>>::infinity())
                     : static_cast<T>(std::numeric_limits<ComputeType<T>>::lowest());
        int64_t pixel = -1, tap = -1;
        for (int64_t i = 0; i < g.filter_rows; ++i) {
          const int64_t y = y0 + i * g.row_rate;
          if (y < 0 || y >= g.rows) continue;
          for (int64_t j = 0; j < g.filter_columns; ++j) {
            const int64_t x = x0 + j * g.column_rate;
            if (x < 0 || x >= g.columns) continue;
            const int64_t from = (y * g.columns + x) * g.channels + c;
            const int64_t at = (i * g.filter_columns + j) * g.channels + c;
            const T sum = Plus(image[from], filter[at]);
            if (pixel >= 0 && !(best < sum)) continue;
            best = sum;
            pixel = from;
            tap = at;
          }
        }
        fn((row * g.out_columns + column) * g.channels + c, best, pixel, tap);
      }
    }
  }
}

template <DilationResult kResult>
class DilationKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const DilationAttrs attrs, ReadDilationAttrs(init.attrs));
    return std::make_unique<DilationKernel>(attrs);
  }
  explicit DilationKernel(const DilationAttrs& attrs) : attrs_(attrs) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor &x = ctx.input(0), &filter = ctx.input(1);
    DilationGeometry g;
    WB_ASSIGN_OR_RETURN(const Shape shape, CheckDilation(ctx, attrs_, kResult, &g));
    WB_ASSIGN_OR_RETURN(Tensor * result, ctx.Allocate(0, shape));
    return DispatchTypes(RealTypeList{}, x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      const T* dy = kResult == DilationResult::kOutput ? nullptr : ctx.input(2).data<T>();
      Run(ctx, g, x.data<T>(), filter.data<T>(), dy, result->data<T>());
      return OkStatus();
    });
  }

 private:
  template <class T>
  static void Run(const KernelContext& ctx, const DilationGeometry& g, const T* x, const T* filter,
                  const T* dy, T* result) {
    const int64_t image = g.rows * g.columns * g.channels;
    const int64_t places = g.out_rows * g.out_columns * g.channels;
    const auto images = [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        if (kResult == DilationResult::kInputGradient) std::fill_n(result + b * image, image, T(0));
        ForEachMaximum(
            g, x + b * image, filter, [&](int64_t place, T best, int64_t pixel, int64_t tap) {
              if constexpr (kResult == DilationResult::kOutput) {
                result[b * places + place] = best;
              } else if (pixel >= 0) {
                T& to = kResult == DilationResult::kInputGradient ? result[b * image + pixel]
                                                                  : result[tap];
                to = Plus(to, dy[b * places + place]);
              }
            });
      }
    };
    if (kResult == DilationResult::kFilterGradient) {
      std::fill_n(result, g.filter_rows * g.filter_columns * g.channels, T(0));
    }
    if (image == 0) return;  // there may be any number of such images
    // All images add to the same few elements.
    if (kResult == DilationResult::kFilterGradient) return images(0, g.batch);
    StoppableFor(ctx, g.batch, places * g.filter_rows * g.filter_columns * 2 + 1, images);
  }

  const DilationAttrs attrs_;
};

Status DilationShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape x, c.WithRank(0, 4));
  WB_ASSIGN_OR_RETURN(const PartialShape filter, c.WithRank(1, 3));
  c.set_output(0, PartialShape::UnknownOfRank(4));
  const auto attrs = ReadDilationAttrs(c.attrs());
  if (!attrs.ok()) return IsUnimplemented(attrs.status()) ? OkStatus() : attrs.status();
  WB_ASSIGN_OR_RETURN(const PartialShape channels,
                      PartialShape::Merge(PartialShape({x.dim(3)}), PartialShape({filter.dim(2)})));
  const int64_t size[3] = {1, filter.dim(0), filter.dim(1)};
  WB_ASSIGN_OR_RETURN(PartialShape output,
                      WindowOutputShape(x, DataFormat(), size, attrs->strides, attrs->rates,
                                        attrs->padding, channels.dim(0)));
  c.set_output(0, std::move(output));
  return OkStatus();
}
template <int kInput>
Status LikeInput(ShapeContext& c) {
  c.set_output(0, c.input(kInput));
  return OkStatus();
}

Status DilationGradient(GradContext& c) {
  c.set_dx(0, EmitLike(c, "Dilation2DBackpropInput", {c.x(0), c.x(1), c.dy(0)}));
  c.set_dx(1, EmitLike(c, "Dilation2DBackpropFilter", {c.x(0), c.x(1), c.dy(0)}));
  return OkStatus();
}

}  // namespace

#define WB_DILATION_ATTRS                                                                     \
  Attr(                                                                                       \
      "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, " \
      "uint64}")                                                                              \
      .Attr("strides: list(int) >= 4")                                                        \
      .Attr("rates: list(int) >= 4")                                                          \
      .Attr("padding: {'SAME', 'VALID'}")

WB_OP("Dilation2D")
    .Input("input: T")
    .Input("filter: T")
    .Output("output: T")
    .WB_DILATION_ATTRS.Shape(DilationShape);
WB_OP("Dilation2DBackpropInput")
    .Input("input: T")
    .Input("filter: T")
    .Input("out_backprop: T")
    .Output("in_backprop: T")
    .WB_DILATION_ATTRS.Shape(LikeInput<0>);
WB_OP("Dilation2DBackpropFilter")
    .Input("input: T")
    .Input("filter: T")
    .Input("out_backprop: T")
    .Output("filter_backprop: T")
    .WB_DILATION_ATTRS.Shape(LikeInput<1>);
WB_KERNEL("Dilation2D", DilationKernel<DilationResult::kOutput>)
    .Cpu({{"T", kRealTypes}})
    .Gpu({{"T", kFloatingTypes}});
WB_KERNEL("Dilation2DBackpropInput", DilationKernel<DilationResult::kInputGradient>)
    .Cpu({{"T", kRealTypes}})
    .Gpu({{"T", kFloatingTypes}});
WB_KERNEL("Dilation2DBackpropFilter", DilationKernel<DilationResult::kFilterGradient>)
    .Cpu({{"T", kRealTypes}})
    .Gpu({{"T", kFloatingTypes}});
WB_GRADIENT("Dilation2D", DilationGradient);

}  // namespace warpbeam::host_pass
