// LRN and LRNGrad: each element is divided by a power of its neighbours' squares, the neighbours
// being those channels of the same pixel that are at most `depth_radius` away.
//
//   norm[c] = bias + alpha * sum of x[c']^2,   y[c] = x[c] * norm[c]^-beta
//
// Pixels are worked on one at a time, with the row of channels in the first-level cache and zeros
// on both sides of it, so that windows are sums of shifted vectors.

#include <algorithm>
#include <memory>
#include <vector>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "ops/launch/math.h"
#include "ops/nn/norm/lrn_inputs.h"
#include "ops/nn/window/emit_like.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam::host_pass {
namespace {

using V = Vec<float>;
constexpr int64_t kLanes = V::kLanes;

// How the power is taken.
enum class Power { kInverse, kInverseRoot, kThreeQuarters, kGeneral };
Power PowerOf(float beta) {
  if (beta == 1.0f) return Power::kInverse;
  if (beta == 0.5f) return Power::kInverseRoot;
  return beta == 0.75f ? Power::kThreeQuarters : Power::kGeneral;
}

// norm^-beta
template <Power kPower>
V NegativePower(V norm, float beta) {
  if constexpr (kPower == Power::kInverse) {
    return V(1.0f) / norm;
  } else if constexpr (kPower == Power::kInverseRoot) {
    return V(1.0f) / Sqrt(norm);
  } else if constexpr (kPower == Power::kThreeQuarters) {
    const V root = Sqrt(norm);
    return V(1.0f) / (root * Sqrt(root));
  } else {
    return Exp(V(-beta) * Log(norm));
  }
}

// Rows of one pixel's channels, rounded up to whole vectors, with zeros before and behind them.
class Row {
 public:
  Row(int64_t channels, int64_t radius)
      : radius_(std::min(radius, channels)),
        vectors_((channels + kLanes - 1) / kLanes),
        memory_(vectors_ * kLanes + 2 * radius_ + kLanes, 0.0f) {}
  float* at(int64_t c) { return memory_.data() + radius_ + c; }
  int64_t vectors() const { return vectors_; }

  // The sum of the window around channels c … c + kLanes - 1.
  V Window(int64_t c) const {
    const float* first = memory_.data() + c;  // channel c - radius
    V sum = LoadVec(first);
    for (int64_t i = 1; i <= 2 * radius_; ++i) sum = sum + LoadVec(first + i);
    return sum;
  }

 private:
  const int64_t radius_, vectors_;
  std::vector<float> memory_;
};

template <class T>
V LoadSome(const T* p, int64_t n) {
  if (n >= kLanes) return LoadVec(p);
  return LoadVecN(p, n);
}
template <class T>
void StoreSome(V v, T* p, int64_t n) {
  if (n >= kLanes) return StoreVec(v, p);
  StoreVecN(v, p, n);
}

template <Power kPower, class T>
void Forward(const LrnAttrs& a, int64_t begin, int64_t end, int64_t channels, const T* x, T* y) {
  Row squares(channels, a.radius);
  const V bias(a.bias), alpha(a.alpha);
  for (int64_t pixel = begin; pixel < end; ++pixel) {
    const T* in = x + pixel * channels;
    T* out = y + pixel * channels;
    for (int64_t c = 0; c < channels; c += kLanes) {
      const V v = LoadSome(in + c, channels - c);
      StoreVec(v * v, squares.at(c));
    }
    for (int64_t c = 0; c < channels; c += kLanes) {
      const V norm = bias + alpha * squares.Window(c);
      const V v = LoadSome(in + c, channels - c);
      StoreSome(v * NegativePower<kPower>(norm, a.beta), out + c, channels - c);
    }
  }
}

// dx[k] = dy[k] * norm[k]^-beta - 2 alpha beta x[k] * (sum over the window of dy y / norm)
template <Power kPower, class T>
void Backward(const LrnAttrs& a, int64_t begin, int64_t end, int64_t channels, const T* dy,
              const T* x, const T* y, T* dx) {
  Row squares(channels, a.radius), quotients(channels, a.radius), direct(channels, 0);
  const V bias(a.bias), alpha(a.alpha), factor(2 * a.alpha * a.beta);
  for (int64_t pixel = begin; pixel < end; ++pixel) {
    const int64_t first = pixel * channels;
    for (int64_t c = 0; c < channels; c += kLanes) {
      const V v = LoadSome(x + first + c, channels - c);
      StoreVec(v * v, squares.at(c));
    }
    for (int64_t c = 0; c < channels; c += kLanes) {
      const int64_t n = channels - c;
      const V norm = bias + alpha * squares.Window(c);
      const V gradient = LoadSome(dy + first + c, n);
      const V quotient = gradient * LoadSome(y + first + c, n) / norm;
      // Behind the last channel 0 / norm may be no number.
      StoreSome(quotient, quotients.at(c), n);
      StoreVec(gradient * NegativePower<kPower>(norm, a.beta), direct.at(c));
    }
    for (int64_t c = 0; c < channels; c += kLanes) {
      const int64_t n = channels - c;
      const V v = LoadSome(x + first + c, n);
      StoreSome(LoadVec(direct.at(c)) - factor * v * quotients.Window(c), dx + first + c, n);
    }
  }
}

// fn(a constant of the power), chosen by beta.
template <class Fn>
void DispatchPower(float beta, Fn fn) {
  switch (PowerOf(beta)) {
    case Power::kInverse:
      return fn(std::integral_constant<Power, Power::kInverse>());
    case Power::kInverseRoot:
      return fn(std::integral_constant<Power, Power::kInverseRoot>());
    case Power::kThreeQuarters:
      return fn(std::integral_constant<Power, Power::kThreeQuarters>());
    case Power::kGeneral:
      return fn(std::integral_constant<Power, Power::kGeneral>());
  }
}

// Nanoseconds for one pixel, about.
int64_t Cost(const LrnAttrs& a, int64_t channels) {
  return channels * (4 + std::min(a.radius, channels)) / 8 + 10;
}

class LrnKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const LrnAttrs attrs, ReadLrnAttrs(init.attrs));
    return std::make_unique<LrnKernel>(attrs);
  }
  explicit LrnKernel(const LrnAttrs& attrs) : attrs_(attrs) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    WB_RETURN_IF_ERROR(CheckLrnInputs(ctx));
    const Shape shape = x.shape();
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    if (shape.num_elements() == 0) return OkStatus();
    const int64_t channels = shape.dim(3);
    return DispatchTypes<float, Half, BFloat16>(x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      ctx.ParallelFor(shape.num_elements() / channels, Cost(attrs_, channels),
                      [&](int64_t begin, int64_t end) {
                        DispatchPower(attrs_.beta, [&](auto power) {
                          Forward<decltype(power)::value>(attrs_, begin, end, channels, x.data<T>(),
                                                          y->data<T>());
                        });
                      });
      return OkStatus();
    });
  }

 private:
  const LrnAttrs attrs_;
};

class LrnGradKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const LrnAttrs attrs, ReadLrnAttrs(init.attrs));
    return std::make_unique<LrnGradKernel>(attrs);
  }
  explicit LrnGradKernel(const LrnAttrs& attrs) : attrs_(attrs) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor &dy = ctx.input(0), &x = ctx.input(1), &y = ctx.input(2);
    WB_RETURN_IF_ERROR(CheckLrnInputs(ctx));
    const Shape shape = x.shape();
    WB_ASSIGN_OR_RETURN(Tensor * dx, ctx.Allocate(0, shape));
    if (shape.num_elements() == 0) return OkStatus();
    const int64_t channels = shape.dim(3);
    return DispatchTypes<float, Half, BFloat16>(x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      ctx.ParallelFor(shape.num_elements() / channels, 2 * Cost(attrs_, channels),
                      [&](int64_t begin, int64_t end) {
                        DispatchPower(attrs_.beta, [&](auto power) {
                          Backward<decltype(power)::value>(attrs_, begin, end, channels,
                                                           dy.data<T>(), x.data<T>(), y.data<T>(),
                                                           dx->data<T>());
                        });
                      });
      return OkStatus();
    });
  }

 private:
  const LrnAttrs attrs_;
};

Status LrnShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape shape, c.WithRank(0, 4));
  c.set_output(0, std::move(shape));
  return OkStatus();
}
Status LrnGradShape(ShapeContext& c) {
  PartialShape shape = PartialShape::UnknownOfRank(4);
  for (int i = 0; i < 3; ++i) {
    WB_ASSIGN_OR_RETURN(shape, PartialShape::Merge(shape, c.input(i)));
  }
  c.set_output(0, std::move(shape));
  return OkStatus();
}
Status LrnGradient(GradContext& c) {
  c.set_dx(0, EmitLike(c, "LRNGrad", {c.dy(0), c.x(0), c.y(0)}));
  return OkStatus();
}

constexpr TypeSet kLrnCpu = {DType::kHalf, DType::kFloat};
constexpr TypeSet kLrnGpu = {DType::kFloat};

}  // namespace

#define WB_LRN_ATTRS              \
  Attr("depth_radius: int = 5")   \
      .Attr("bias: float = 1.0")  \
      .Attr("alpha: float = 1.0") \
      .Attr("beta: float = 0.5")  \
      .Attr("T: {half, bfloat16, float} = float")

WB_OP("LRN").Input("input: T").Output("output: T").WB_LRN_ATTRS.Shape(LrnShape);
WB_OP("LRNGrad")
    .Input("input_grads: T")
    .Input("input_image: T")
    .Input("output_image: T")
    .Output("output: T")
    .WB_LRN_ATTRS.Shape(LrnGradShape);
WB_KERNEL("LRN", LrnKernel).Cpu({{"T", kLrnCpu}}).Gpu({{"T", kLrnGpu}});
WB_KERNEL("LRNGrad", LrnGradKernel).Cpu({{"T", kLrnCpu}}).Gpu({{"T", kLrnGpu}});
WB_GRADIENT("LRN", LrnGradient);

}  // namespace warpbeam::host_pass
