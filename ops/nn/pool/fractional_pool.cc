// FractionalMaxPool, FractionalAvgPool and their gradients: pooling by ratios that are no whole
// numbers, over windows of two lengths in a random order.
//
// Graham, "Fractional max-pooling" (2014). The ends of the windows, in rows and in columns, are
// outputs: they are what the gradients need.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "ops/random/distributions.h"
#include "ops/random/permutation.h"
#include "ops/random/random_stream.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/stoppable_loop.h"

namespace warpbeam {
namespace {

using PoolTypes = TypeList<float, double, int32_t, int64_t>;

// Where windows begin, and where the last one ends: outputs + 1 places in [0, inputs].
std::vector<int64_t> RandomWindows(int64_t inputs, int64_t outputs, RandomStream* stream) {
  const Philox own = stream->Reserve(static_cast<uint64_t>(outputs + 3) / 4);
  const int64_t shorter = inputs / outputs, longer = inputs % outputs;
  std::vector<int64_t> starts = {0};
  for (const int64_t i : RandomOrder(outputs, own)) {
    starts.push_back(starts.back() + shorter + (i < longer ? 1 : 0));
  }
  return starts;
}

// The ends grow evenly from a random beginning, which is low enough for windows of two lengths
// only.
std::vector<int64_t> PseudoRandomWindows(int64_t inputs, int64_t outputs, RandomStream* stream) {
  const Philox::Block block = stream->Reserve(1).Next();
  const double ratio = static_cast<double>(inputs) / static_cast<double>(outputs);
  const int64_t shorter = inputs / outputs;
  const double most = std::min(
      static_cast<double>(shorter + 2) / ratio - 1,
      static_cast<double>(inputs + 1 - shorter) / ratio - static_cast<double>(outputs - 1));
  const double u = UniformDouble(block[0], block[1]) * most;
  std::vector<int64_t> starts = {0};
  for (int64_t i = 1; i < outputs; ++i) {
    const double end = std::ceil(ratio * (static_cast<double>(i) + u));
    starts.push_back(static_cast<int64_t>(end) - 1);
  }
  starts.push_back(inputs);
  return starts;
}

struct PoolAttrs {
  std::vector<float> ratio;
  bool pseudo_random, overlapping;
  uint64_t seed, seed2;
};

Status CheckRatio(const std::vector<float>& ratio, const char* kind) {
  if (ratio.size() != 4) return InvalidArgument("pooling_ratio field must specify 4 dimensions");
  for (const float r : ratio) {
    if (!(r >= 1)) return InvalidArgument("pooling_ratio cannot be smaller than 1, got: ", r);
  }
  if (ratio[0] != 1 || ratio[3] != 1) {
    return Unimplemented("Fractional ", kind, " pooling is not yet supported on the batch nor ",
                         "channel dimension.");
  }
  return OkStatus();
}

StatusOr<PoolAttrs> ReadPoolAttrs(const KernelInit& init, bool max) {
  PoolAttrs attrs;
  WB_ASSIGN_OR_RETURN(attrs.ratio, init.attr<std::vector<float>>("pooling_ratio"));
  WB_RETURN_IF_ERROR(CheckRatio(attrs.ratio, max ? "max" : "average"));
  WB_ASSIGN_OR_RETURN(attrs.pseudo_random, init.attr<bool>("pseudo_random"));
  WB_ASSIGN_OR_RETURN(attrs.overlapping, init.attr<bool>("overlapping"));
  WB_ASSIGN_OR_RETURN(const bool deterministic, init.attr<bool>("deterministic"));
  WB_ASSIGN_OR_RETURN(const int64_t seed, init.attr<int64_t>("seed"));
  WB_ASSIGN_OR_RETURN(const int64_t seed2, init.attr<int64_t>("seed2"));
  attrs.seed = static_cast<uint64_t>(seed);
  attrs.seed2 = static_cast<uint64_t>(seed2);
  const bool seeded = seed != 0 || seed2 != 0;
  if (!deterministic && seeded) {
    return InvalidArgument("Both seed and seed2 should be 0 if deterministic is false.");
  }
  if (deterministic && !seeded) {
    // The same windows each time, but nobody knows which.
    std::random_device device;
    attrs.seed = device() | 1u;
    attrs.seed2 = device();
  }
  return attrs;
}

// One past the last row (or column) of window i. The next window may begin anywhere.
int64_t EndOf(const int64_t* starts, int64_t i, bool overlapping, int64_t extent) {
  const int64_t shared = overlapping ? 1 : 0;
  return std::min(starts[i + 1], extent - shared) + shared;
}

// Pixels of `channels` values in the windows of one output pixel.
template <typename T, bool kMax>
class WindowPool {
 public:
  static void Run(const T* x, int64_t first_row, int64_t rows, int64_t first_col, int64_t cols,
                  int64_t width, int64_t channels, T* y) {
    std::fill_n(y, channels, kMax ? std::numeric_limits<T>::lowest() : T(0));
    for (int64_t r = first_row; r < first_row + rows; ++r) {
      for (int64_t c = first_col; c < first_col + cols; ++c) {
        const T* pixel = x + (r * width + c) * channels;
        for (int64_t d = 0; d < channels; ++d) {
          if constexpr (kMax) {
            y[d] = y[d] < pixel[d] ? pixel[d] : y[d];
          } else {
            y[d] = Sum(y[d], pixel[d]);
          }
        }
      }
    }
    if (!kMax) {
      for (int64_t d = 0; d < channels; ++d) y[d] /= static_cast<T>(rows * cols);
    }
  }

 private:
  static T Sum(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      using U = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
    } else {
      return a + b;
    }
  }
};

template <bool kMax>
class FractionalPoolKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(PoolAttrs attrs, ReadPoolAttrs(init, kMax));
    return std::make_unique<FractionalPoolKernel>(std::move(attrs));
  }
  explicit FractionalPoolKernel(PoolAttrs attrs) : attrs_(std::move(attrs)) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    if (x.rank() != 4) return InvalidArgument("tensor_in must be 4-dimensional");
    std::vector<int64_t> extents;
    for (int i = 0; i < 4; ++i) {
      extents.push_back(static_cast<int64_t>(
          std::floor(static_cast<float>(x.dim(i)) / attrs_.ratio[static_cast<size_t>(i)])));
      if (extents.back() <= 0) {
        return InvalidArgument("Pooling ratio is higher than input dimension size for dimension ",
                               i, ". Input dim size: ", x.dim(i),
                               " pooling ratio: ", attrs_.ratio[static_cast<size_t>(i)]);
      }
    }
    RandomStream stream(attrs_.seed, attrs_.seed2);
    const auto windows = attrs_.pseudo_random ? PseudoRandomWindows : RandomWindows;
    const std::vector<int64_t> rows = windows(x.dim(1), extents[1], &stream);
    const std::vector<int64_t> cols = windows(x.dim(2), extents[2], &stream);
    WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(extents));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    ctx.set_output(1, Tensor::Vector<int64_t>(rows));
    ctx.set_output(2, Tensor::Vector<int64_t>(cols));
    return DispatchTypes(PoolTypes{}, x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      const int64_t channels = x.dim(3);
      StoppableFor(
          ctx, extents[0] * extents[1], 4 * x.dim(2) * channels, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
              const int64_t r = i % extents[1];
              const T* image = x.data<T>() + i / extents[1] * x.dim(1) * x.dim(2) * channels;
              const int64_t row_end = EndOf(rows.data(), r, attrs_.overlapping, x.dim(1));
              for (int64_t c = 0; c < extents[2]; ++c) {
                const int64_t col_end = EndOf(cols.data(), c, attrs_.overlapping, x.dim(2));
                WindowPool<T, kMax>::Run(image, rows[r], row_end - rows[r], cols[c],
                                         col_end - cols[c], x.dim(2), channels,
                                         y->data<T>() + (i * extents[2] + c) * channels);
              }
            }
          });
      return OkStatus();
    });
  }

 private:
  const PoolAttrs attrs_;
};

// The beginnings of `windows` windows, as an input of a gradient.
Status CheckWindows(const Tensor& starts, int64_t windows, const char* what) {
  if (starts.num_elements() < windows + 1) {
    return InvalidArgument(what, " must have at least ", windows + 1, " elements, but got ",
                           starts.num_elements());
  }
  for (const int64_t start : starts.flat<int64_t>()) {
    if (start < 0) return InvalidArgument(what, " values must not be negative, got ", start);
  }
  return OkStatus();
}

Status CheckRank(const Tensor& t, const char* what) {
  if (t.rank() == 4) return OkStatus();
  return InvalidArgument(what, " must be 4-dimensional, not of shape ", t.shape().ToString());
}

class AvgGradKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const bool overlapping, init.attr<bool>("overlapping"));
    return std::make_unique<AvgGradKernel>(overlapping);
  }
  explicit AvgGradKernel(bool overlapping) : overlapping_(overlapping) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor &sizes = ctx.input(0), &dy = ctx.input(1);
    if (sizes.rank() != 1 || sizes.dim(0) != 4) {
      return InvalidArgument(
          "original input tensor shape must be 1-dimensional and 4 elements, not of shape ",
          sizes.shape().ToString());
    }
    WB_RETURN_IF_ERROR(CheckRank(dy, "out_backprop"));
    WB_RETURN_IF_ERROR(CheckWindows(ctx.input(2), dy.dim(1), "row_pooling_sequence"));
    WB_RETURN_IF_ERROR(CheckWindows(ctx.input(3), dy.dim(2), "col_pooling_sequence"));
    WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(sizes.flat<int64_t>()));
    if (dy.dim(0) > shape.dim(0) || dy.dim(3) > shape.dim(3)) {
      return InvalidArgument("a gradient of shape ", dy.shape().ToString(),
                             " does not go with an input of shape ", shape.ToString());
    }
    WB_ASSIGN_OR_RETURN(Tensor * dx, ctx.Allocate(0, shape));
    WB_ASSIGN_OR_RETURN(Tensor sums, ctx.AllocateTemp(DType::kDouble, shape));
    std::fill_n(sums.data<double>(), sums.num_elements(), 0.0);
    return DispatchTypes(PoolTypes{}, dy.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      Spread(dy, dy.data<T>(), ctx.input(2).data<int64_t>(), ctx.input(3).data<int64_t>(), &sums);
      std::transform(sums.data<double>(), sums.data<double>() + sums.num_elements(), dx->data<T>(),
                     [](double sum) { return static_cast<T>(sum); });
      return OkStatus();
    });
  }

 private:
  template <typename T>
  void Spread(const Tensor& shape, const T* dy, const int64_t* rows, const int64_t* cols,
              Tensor* dx) const {
    const int64_t height = dx->dim(1), width = dx->dim(2), channels = dx->dim(3);
    for (int64_t b = 0; b < shape.dim(0); ++b) {
      for (int64_t r = 0; r < shape.dim(1); ++r) {
        const int64_t row_end = EndOf(rows, r, overlapping_, height);
        for (int64_t c = 0; c < shape.dim(2); ++c, dy += shape.dim(3)) {
          const int64_t col_end = EndOf(cols, c, overlapping_, width);
          const double pixels =
              static_cast<double>(row_end - rows[r]) * static_cast<double>(col_end - cols[c]);
          for (int64_t h = rows[r]; h < row_end; ++h) {
            for (int64_t w = cols[c]; w < col_end; ++w) {
              double* to = dx->data<double>() + ((b * height + h) * width + w) * channels;
              for (int64_t d = 0; d < shape.dim(3); ++d)
                to[d] += static_cast<double>(dy[d]) / pixels;
            }
          }
        }
      }
    }
  }

  const bool overlapping_;
};

class MaxGradKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const bool overlapping, init.attr<bool>("overlapping"));
    return std::make_unique<MaxGradKernel>(overlapping);
  }
  explicit MaxGradKernel(bool overlapping) : overlapping_(overlapping) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor &x = ctx.input(0), &y = ctx.input(1), &dy = ctx.input(2);
    WB_RETURN_IF_ERROR(CheckRank(x, "orig_input"));
    WB_RETURN_IF_ERROR(CheckRank(y, "orig_output"));
    if (dy.shape() != y.shape() || y.dim(0) != x.dim(0) || y.dim(3) != x.dim(3)) {
      return InvalidArgument("an output of shape ", y.shape().ToString(), " and a gradient of ",
                             dy.shape().ToString(), " do not go with an input of shape ",
                             x.shape().ToString());
    }
    WB_RETURN_IF_ERROR(CheckWindows(ctx.input(3), y.dim(1), "row_pooling_sequence"));
    WB_RETURN_IF_ERROR(CheckWindows(ctx.input(4), y.dim(2), "col_pooling_sequence"));
    WB_ASSIGN_OR_RETURN(Tensor * dx, ctx.Allocate(0, x.shape()));
    return DispatchTypes(PoolTypes{}, x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      std::fill_n(dx->data<T>(), dx->num_elements(), T(0));
      return Route(x, y, dy.data<T>(), ctx.input(3).data<int64_t>(), ctx.input(4).data<int64_t>(),
                   dx->data<T>());
    });
  }

 private:
  // Each value of the gradient goes to the first of its window's greatest elements.
  template <typename T>
  Status Route(const Tensor& in, const Tensor& out, const T* dy, const int64_t* rows,
               const int64_t* cols, T* dx) const {
    const int64_t height = in.dim(1), width = in.dim(2), channels = in.dim(3);
    const T *x = in.data<T>(), *y = out.data<T>();
    for (int64_t i = 0; i < out.num_elements(); ++i) {
      const int64_t d = i % channels, c = i / channels % out.dim(2);
      const int64_t r = i / channels / out.dim(2) % out.dim(1);
      const int64_t image = i / (channels * out.dim(2) * out.dim(1)) * height;
      const int64_t row_end = EndOf(rows, r, overlapping_, height);
      const int64_t col_end = EndOf(cols, c, overlapping_, width);
      int64_t best = -1;
      for (int64_t h = rows[r]; h < row_end; ++h) {
        for (int64_t w = cols[c]; w < col_end; ++w) {
          const int64_t at = ((image + h) * width + w) * channels + d;
          if (best < 0 || x[best] < x[at]) best = at;
        }
      }
      if (best < 0 || !(x[best] == y[i])) {
        return InvalidArgument("orig_output is not what pooling of orig_input by these sequences ",
                               "gives, at element ", i);
      }
      dx[best] += dy[i];
    }
    return OkStatus();
  }

  const bool overlapping_;
};

Status FractionalPoolShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape x, c.WithRank(0, 4));
  WB_ASSIGN_OR_RETURN(const std::vector<float> ratio, c.attr<std::vector<float>>("pooling_ratio"));
  if (ratio.size() != 4) return InvalidArgument("pooling_ratio field must specify 4 dimensions");
  for (int i = 0; i < 4; ++i) {
    if (x.dim(i) < 0) continue;
    const float extent = std::floor(static_cast<float>(x.dim(i)) / ratio[static_cast<size_t>(i)]);
    // What the kernel refuses has no shape.
    x.set_dim(i, extent >= 0 && extent < 9e18f ? static_cast<int64_t>(extent) : -1);
  }
  for (int i : {1, 2}) c.set_output(i, PartialShape({x.dim(i) < 0 ? -1 : x.dim(i) + 1}));
  c.set_output(0, std::move(x));
  return OkStatus();
}

Status AvgGradShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape sizes, c.ShapeFromInput(0));
  if (!sizes.has_rank()) {
    c.set_output(0, PartialShape::UnknownOfRank(4));
    return OkStatus();
  }
  if (sizes.rank() != 4) {
    return InvalidArgument("original input tensor shape must be 1-dimensional and 4 elements");
  }
  c.set_output(0, sizes);
  return OkStatus();
}
Status MaxGradShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape x, c.WithRank(0, 4));
  c.set_output(0, x);
  return OkStatus();
}

Status FractionalMaxPoolGradient(GradContext& c) {
  c.set_dx(0, c.Emit("FractionalMaxPoolGrad", {c.x(0), c.y(0), c.dy(0), c.y(1), c.y(2)},
                     {{"overlapping", c.attr_or<bool>("overlapping", false)}}));
  return OkStatus();
}
Status FractionalAvgPoolGradient(GradContext& c) {
  c.set_dx(0, c.Emit("FractionalAvgPoolGrad",
                     {c.ShapeOf(c.x(0), DType::kInt64), c.dy(0), c.y(1), c.y(2)},
                     {{"overlapping", c.attr_or<bool>("overlapping", false)}}));
  return OkStatus();
}

constexpr TypeSet kTypes = TypeSetOf(PoolTypes{});

#define WB_FRACTIONAL_POOL(op, max, gradient)                    \
  WB_OP(op)                                                      \
      .Input("value: T")                                         \
      .Output("output: T")                                       \
      .Output("row_pooling_sequence: int64")                     \
      .Output("col_pooling_sequence: int64")                     \
      .Attr("pooling_ratio: list(float) >= 4")                   \
      .Attr("pseudo_random: bool = false")                       \
      .Attr("overlapping: bool = false")                         \
      .Attr("deterministic: bool = false")                       \
      .Attr("seed: int = 0")                                     \
      .Attr("seed2: int = 0")                                    \
      .Attr("T: {float, double, int32, int64}")                  \
      .Shape(FractionalPoolShape);                               \
  WB_KERNEL(op, FractionalPoolKernel<max>).Cpu({{"T", kTypes}}); \
  WB_GRADIENT(op, gradient)
WB_FRACTIONAL_POOL("FractionalMaxPool", true, FractionalMaxPoolGradient);
WB_FRACTIONAL_POOL("FractionalAvgPool", false, FractionalAvgPoolGradient);
#undef WB_FRACTIONAL_POOL

WB_OP("FractionalMaxPoolGrad")
    .Input("orig_input: T")
    .Input("orig_output: T")
    .Input("out_backprop: T")
    .Input("row_pooling_sequence: int64")
    .Input("col_pooling_sequence: int64")
    .Output("output: T")
    .Attr("overlapping: bool = false")
    .Attr("T: {float, double, int32, int64}")
    .Shape(MaxGradShape);
WB_KERNEL("FractionalMaxPoolGrad", MaxGradKernel).Cpu({{"T", kTypes}});

WB_OP("FractionalAvgPoolGrad")
    .Input("orig_input_tensor_shape: int64")
    .Input("out_backprop: T")
    .Input("row_pooling_sequence: int64")
    .Input("col_pooling_sequence: int64")
    .Output("output: T")
    .Attr("overlapping: bool = false")
    .Attr("T: {float, double, int32, int64}")
    .Shape(AvgGradShape);
WB_KERNEL("FractionalAvgPoolGrad", AvgGradKernel).Cpu({{"T", kTypes}});

}  // namespace
}  // namespace warpbeam
