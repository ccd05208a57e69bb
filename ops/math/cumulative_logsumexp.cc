// CumulativeLogsumexp: the logarithm of the running sum of exponentials along one dimension,
// without leaving the range of the numbers. 16-bit floats are rounded at every step.

#include <cmath>
#include <limits>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "ops/math/axes.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/stoppable_loop.h"

namespace warpbeam {
namespace {

template <class C>
C LogSumExp(C a, C b) {
  if (a != a || b != b) return a + b;
  const C larger = a > b ? a : b, smaller = a > b ? b : a;
  if (larger == -std::numeric_limits<C>::infinity()) return larger;
  return larger + std::log1p(std::exp(smaller - larger));
}

// A vector of n elements that stand `step` apart; `step` is negative for running from the end.
template <class T>
void Scan(const T* x, int64_t n, int64_t step, bool exclusive, T* y) {
  using C = ComputeType<T>;
  T sum = T(-std::numeric_limits<C>::infinity());
  for (int64_t i = 0; i < n; ++i, x += step, y += step) {
    // The output may stand where the input does.
    const T next = i == 0 ? *x : T(LogSumExp<C>(static_cast<C>(sum), static_cast<C>(*x)));
    *y = exclusive ? sum : next;
    sum = next;
  }
}

class CumulativeLogsumexpKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const bool exclusive, init.attr<bool>("exclusive"));
    WB_ASSIGN_OR_RETURN(const bool reverse, init.attr<bool>("reverse"));
    return std::make_unique<CumulativeLogsumexpKernel>(exclusive, reverse);
  }
  CumulativeLogsumexpKernel(bool exclusive, bool reverse)
      : exclusive_(exclusive), reverse_(reverse) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(const int axis, ReadAxis(ctx.input(1), x.rank(), "scan axis"));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
    if (y->num_elements() == 0) return OkStatus();
    const int64_t n = x.dim(axis);
    int64_t inner = 1;
    for (int i = axis + 1; i < x.rank(); ++i) inner *= x.dim(i);
    const int64_t first = reverse_ ? (n - 1) * inner : 0, step = reverse_ ? -inner : inner;
    return DispatchTypes(FloatTypeList{}, x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      StoppableFor(ctx, x.num_elements() / n, 20 * n, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const int64_t start = i / inner * n * inner + i % inner + first;
          Scan(x.data<T>() + start, n, step, exclusive_, y->data<T>() + start);
        }
      });
      return OkStatus();
    });
  }

 private:
  const bool exclusive_;
  const bool reverse_;
};

double Lowest(DType type) {
  switch (type) {
    case DType::kHalf:
      return -65504;
    case DType::kBFloat16:
      return -3.38953139e38;
    case DType::kFloat:
      return -static_cast<double>(std::numeric_limits<float>::max());
    default:
      return -std::numeric_limits<double>::max();
  }
}

// In logarithms too, for which the positive and the negative part of dy go apart.
Status CumulativeLogsumexpGradient(GradContext& c) {
  const OutputRef x = c.x(0), y = c.y(0), dy = c.dy(0), zero = c.ScalarLike(dy, 0);
  const OutputRef lowest = c.ScalarLike(dy, Lowest(c.type(dy)));
  const bool exclusive = c.attr_or<bool>("exclusive", false);
  const bool reverse = c.attr_or<bool>("reverse", false);
  const auto part = [&](OutputRef is_in, OutputRef size) {
    const OutputRef log = c.Emit("SelectV2", {is_in, c.Emit("Log", {size}), lowest});
    const OutputRef sums = c.Emit("CumulativeLogsumexp", {c.Sub(log, y), c.x(1)},
                                  {{"exclusive", exclusive}, {"reverse", !reverse}});
    return c.Emit("Exp", {c.Add(sums, x)});
  };
  const OutputRef positive = part(c.Emit("Greater", {dy, zero}), dy);
  const OutputRef negative = part(c.Emit("Less", {dy, zero}), c.Neg(dy));
  c.set_dx(0, c.Sub(positive, negative));
  return OkStatus();
}

WB_OP("CumulativeLogsumexp")
    .Input("x: T")
    .Input("axis: Tidx")
    .Output("out: T")
    .Attr("exclusive: bool = false")
    .Attr("reverse: bool = false")
    .Attr("T: {bfloat16, half, float, double}")
    .Attr("Tidx: {int32, int64} = int32")
    .Shape(shapes::Unchanged);
WB_KERNEL("CumulativeLogsumexp", CumulativeLogsumexpKernel)
    .Cpu({{"T", kFloatingTypes}, {"Tidx", kIndexTypes}})
    .Gpu({{"T", kFloatingTypes}, {"Tidx", kIndexTypes}})
    .HostMemory({"axis"});
WB_GRADIENT("CumulativeLogsumexp", CumulativeLogsumexpGradient);

}  // namespace
}  // namespace warpbeam
