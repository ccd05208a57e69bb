// Cross: the cross product of vectors of three elements, which are the last dimension.

#include "ops/math/cross.h"

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {

Status CheckCross(const Shape& a, const Shape& b) {
  if (a != b) {
    return InvalidArgument("'a' and 'b' must have one shape, but have ", a.ToString(), " and ",
                           b.ToString());
  }
  if (a.rank() < 1) return InvalidArgument("'a' and 'b' must have at least one dimension");
  if (a.dim(a.rank() - 1) == 3) return OkStatus();
  return FailedPrecondition("the cross product is of vectors of 3 elements, but the inputs ",
                            "have shape ", a.ToString());
}

}  // namespace warpbeam

namespace warpbeam::host_pass {
namespace {

class CrossKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<CrossKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor &a = ctx.input(0), &b = ctx.input(1);
    WB_RETURN_IF_ERROR(CheckCross(a.shape(), b.shape()));
    WB_ASSIGN_OR_RETURN(Tensor * product, ctx.Allocate(0, a.shape()));
    return DispatchTypes(RealTypeList{}, a.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      ctx.ParallelFor(a.num_elements() / 3, 5, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          CrossVectors(a.data<T>() + 3 * i, b.data<T>() + 3 * i, product->data<T>() + 3 * i);
        }
      });
      return OkStatus();
    });
  }
};

Status CrossShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape a, c.WithRankAtLeast(0, 1));
  WB_ASSIGN_OR_RETURN(const PartialShape b, c.WithRankAtLeast(1, 1));
  WB_ASSIGN_OR_RETURN(PartialShape both, PartialShape::Merge(a, b));
  if (both.has_rank()) {
    const int64_t last = both.dim(both.rank() - 1);
    if (last >= 0 && last != 3) {
      return InvalidArgument("the cross product is of vectors of 3 elements, not of ", last);
    }
  }
  c.set_output(0, std::move(both));
  return OkStatus();
}

Status CrossGradient(GradContext& c) {
  c.set_dx(0, c.Emit("Cross", {c.x(1), c.dy(0)}));
  c.set_dx(1, c.Emit("Cross", {c.dy(0), c.x(0)}));
  return OkStatus();
}

}  // namespace

WB_OP("Cross")
    .Input("a: T")
    .Input("b: T")
    .Output("product: T")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, "
        "uint64}")
    .Shape(CrossShape);
WB_KERNEL("Cross", CrossKernel).Cpu({{"T", kRealTypes}}).Gpu({{"T", kRealTypes}});
WB_GRADIENT("Cross", CrossGradient);

}  // namespace warpbeam::host_pass
