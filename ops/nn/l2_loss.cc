// L2Loss: half the sum of the squares of all elements.

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/math/reduction.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

class L2LossKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<L2LossKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(Tensor * loss, ctx.Allocate(0, Shape()));
    return Reduce(ctx, Reduction::kHalfNorm, ctx.input(0), ~uint64_t{0}, loss);
  }
};

Status L2LossGradient(GradContext& c) {
  c.set_dx(0, c.Mul(c.x(0), c.dy(0)));
  return OkStatus();
}

}  // namespace

WB_OP("L2Loss")
    .Input("t: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double}")
    .Shape(shapes::Scalar);
WB_KERNEL("L2Loss", L2LossKernel).Cpu({{"T", kFloatingTypes}}).Gpu({{"T", kFloatingTypes}});
WB_GRADIENT("L2Loss", L2LossGradient);

}  // namespace warpbeam
