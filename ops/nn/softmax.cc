// Softmax, LogSoftmax: over the last dimension.

#include <memory>
#include <vector>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "ops/nn/softmax_rows.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam::host_pass {
namespace {

template <bool kLogarithm, class T>
void Rows(const T* x, int64_t begin, int64_t end, int64_t n, T* y) {
  using A = ComputeType<T>;
  // 16-bit rows are computed in a row of floats and rounded once.
  std::vector<A> wide(std::is_same_v<A, T> ? 0 : n);
  for (int64_t i = begin; i < end; ++i) {
    T* out = y + i * n;
    A* row;
    if constexpr (std::is_same_v<A, T>) {
      row = out;
    } else {
      row = wide.data();
    }
    const SoftmaxRow<A> found = ExponentialsOf<kLogarithm>(x + i * n, n, row);
    if constexpr (kLogarithm) {
      ShiftRow(row, n, Log(found.sum), out);
    } else {
      ScaleRow(row, n, A(1) / found.sum, out);
    }
  }
}

template <bool kLogarithm>
class SoftmaxKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<SoftmaxKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    if (x.rank() < 1) return InvalidArgument("the logits must have at least one dimension");
    const Shape shape = x.shape();
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.ForwardOrAllocate({0}, 0, shape));
    if (shape.num_elements() == 0) return OkStatus();
    const int64_t n = shape.dim(shape.rank() - 1);
    return DispatchTypes(FloatTypeList{}, x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      const T* from = x.data<T>();
      T* to = y->data<T>();
      ctx.ParallelFor(shape.num_elements() / n, n + 20, [&](int64_t begin, int64_t end) {
        Rows<kLogarithm, T>(from, begin, end, n, to);
      });
      return OkStatus();
    });
  }
};

Status SoftmaxShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape logits, c.WithRankAtLeast(0, 1));
  c.set_output(0, std::move(logits));
  return OkStatus();
}

OutputRef SumOfLast(GradContext& c, OutputRef x) {
  return c.Emit("Sum", {x, c.Scalar<int32_t>(-1)}, {{"keep_dims", true}});
}
Status SoftmaxGradient(GradContext& c) {
  const OutputRef y = c.y(0), dy = c.dy(0);
  c.set_dx(0, c.Mul(c.Sub(dy, SumOfLast(c, c.Mul(dy, y))), y));
  return OkStatus();
}
Status LogSoftmaxGradient(GradContext& c) {
  const OutputRef dy = c.dy(0), softmax = c.Emit("Exp", {c.y(0)});
  c.set_dx(0, c.Sub(dy, c.Mul(SumOfLast(c, dy), softmax)));
  return OkStatus();
}

}  // namespace

WB_OP("Softmax")
    .Input("logits: T")
    .Output("softmax: T")
    .Attr("T: {half, bfloat16, float, double}")
    .Shape(SoftmaxShape);
WB_OP("LogSoftmax")
    .Input("logits: T")
    .Output("logsoftmax: T")
    .Attr("T: {half, bfloat16, float, double}")
    .Shape(SoftmaxShape);
WB_KERNEL("Softmax", SoftmaxKernel<false>)
    .Cpu({{"T", kFloatingTypes}})
    .Gpu({{"T", kFloatingTypes}});
WB_KERNEL("LogSoftmax", SoftmaxKernel<true>)
    .Cpu({{"T", kFloatingTypes}})
    .Gpu({{"T", kFloatingTypes}});
WB_GRADIENT("Softmax", SoftmaxGradient);
WB_GRADIENT("LogSoftmax", LogSoftmaxGradient);

}  // namespace warpbeam::host_pass
