// Cumsum, Cumprod: running sums and products along one dimension, from either end, with or without
// the element itself. 16-bit floats are rounded at every step.

#include <algorithm>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "ops/launch/math.h"
#include "ops/math/axes.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/stoppable_loop.h"

namespace warpbeam::host_pass {
namespace {

struct Direction {
  bool exclusive = false;
  bool reverse = false;
};

// n vectors of `inner` elements: y[i] = x[0] op … op x[i], element by element.
template <bool kProduct, class T>
void Scan(const T* x, int64_t n, int64_t inner, Direction direction, T* y) {
  const auto join = [](T a, T b) {
    if constexpr (kProduct) {
      return Times(a, b);
    } else {
      return Plus(a, b);
    }
  };
  const int64_t step = direction.reverse ? -inner : inner;
  const int64_t start = direction.reverse ? (n - 1) * inner : 0;
  const T* from = x + start;
  T* to = y + start;
  if (direction.exclusive) {
    std::fill_n(to, inner, T(kProduct ? 1 : 0));
  } else {
    std::copy_n(from, inner, to);
  }
  for (int64_t i = 1; i < n; ++i) {
    const T* element = direction.exclusive ? from : from + step;
    const T* last = to;
    from += step;
    to += step;
#pragma GCC ivdep
    for (int64_t j = 0; j < inner; ++j) to[j] = join(last[j], element[j]);
  }
}

template <bool kProduct>
class ScanKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    Direction direction;
    WB_ASSIGN_OR_RETURN(direction.exclusive, init.attr<bool>("exclusive"));
    WB_ASSIGN_OR_RETURN(direction.reverse, init.attr<bool>("reverse"));
    return std::make_unique<ScanKernel>(direction);
  }
  explicit ScanKernel(Direction direction) : direction_(direction) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(const int axis, ReadAxis(ctx.input(1), x.rank(), "scan axis"));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
    if (y->num_elements() == 0) return OkStatus();
    const int64_t n = x.dim(axis);
    int64_t inner = 1;
    for (int i = axis + 1; i < x.rank(); ++i) inner *= x.dim(i);
    const int64_t block = n * inner;
    return DispatchTypes(NumberTypeList{}, x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      StoppableFor(ctx, x.num_elements() / block, block + 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          Scan<kProduct>(x.data<T>() + i * block, n, inner, direction_, y->data<T>() + i * block);
        }
      });
      return OkStatus();
    });
  }

 private:
  const Direction direction_;
};

OutputRef Backwards(GradContext& c, OutputRef dy) {
  return c.Emit("Cumsum", {dy, c.x(1)},
                {{"exclusive", c.attr_or<bool>("exclusive", false)},
                 {"reverse", !c.attr_or<bool>("reverse", false)}});
}
Status CumsumGradient(GradContext& c) {
  c.set_dx(0, Backwards(c, c.dy(0)));
  return OkStatus();
}
// Not defined where an element is zero, as in TensorFlow.
Status CumprodGradient(GradContext& c) {
  const OutputRef x = c.x(0);
  const OutputRef product = c.Emit("Cumprod", {x, c.x(1)},
                                   {{"exclusive", c.attr_or<bool>("exclusive", false)},
                                    {"reverse", c.attr_or<bool>("reverse", false)}});
  const OutputRef sums = Backwards(c, c.Conj(c.Mul(product, c.Conj(c.dy(0)))));
  c.set_dx(0, c.Div(sums, c.Conj(x)));
  return OkStatus();
}

constexpr TypeSet kScanGpu = kFloatingTypes | kIndexTypes;

}  // namespace

#define WB_SCAN(op)                                                                         \
  WB_OP(op)                                                                                 \
      .Input("x: T")                                                                        \
      .Input("axis: Tidx")                                                                  \
      .Output("out: T")                                                                     \
      .Attr("exclusive: bool = false")                                                      \
      .Attr("reverse: bool = false")                                                        \
      .Attr(                                                                                \
          "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, " \
          "qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}")   \
      .Attr("Tidx: {int32, int64} = int32")                                                 \
      .Shape(shapes::Unchanged)

WB_SCAN("Cumsum");
WB_SCAN("Cumprod");
WB_KERNEL("Cumsum", ScanKernel<false>)
    .Cpu({{"T", kNumberTypes}, {"Tidx", kIndexTypes}})
    .Gpu({{"T", kScanGpu}, {"Tidx", kIndexTypes}})
    .HostMemory({"axis"});
WB_KERNEL("Cumprod", ScanKernel<true>)
    .Cpu({{"T", kNumberTypes}, {"Tidx", kIndexTypes}})
    .Gpu({{"T", kScanGpu}, {"Tidx", kIndexTypes}})
    .HostMemory({"axis"});
WB_GRADIENT("Cumsum", CumsumGradient);
WB_GRADIENT("Cumprod", CumprodGradient);

}  // namespace warpbeam::host_pass
