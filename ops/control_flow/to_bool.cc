// ToBool: what If and While take for true. FakeParam: a value that nobody looks at.
#include <utility>
#include <vector>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "ops/array/moving_kernel.h"
#include "ops/control_flow/function_call.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status RunToBool(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(bool is_true, IsTrue(ctx.input(0)));
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, Shape()));
  *y->data<bool>() = is_true;
  return OkStatus();
}

Status FakeParamShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape shape, c.attr<PartialShape>("shape"));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

// Stands for an intermediate value that the other branch of an If has and this one has not; unknown
// extents are empty.
class FakeParam {
 public:
  explicit FakeParam(Shape shape) : shape_(std::move(shape)) {}
  static StatusOr<FakeParam> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(PartialShape shape, init.attr<PartialShape>("shape"));
    std::vector<int64_t> dims;
    if (shape.has_rank()) dims = shape.dims();
    for (int64_t& d : dims) d = d < 0 ? 0 : d;
    if (!shape.has_rank()) dims = {0};
    WB_ASSIGN_OR_RETURN(Shape full, Shape::Make(dims));
    return FakeParam(std::move(full));
  }
  Status Run(KernelContext& ctx, StridedCopier& copier) const {
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape_));
    if (!IsPlainData(y->dtype())) return OkStatus();
    return copier.Zero(y->dtype(), y->raw_data(), y->num_elements());
  }

 private:
  const Shape shape_;
};

WB_OP("ToBool").Input("input: T").Output("output: bool").Attr("T: type").Shape(shapes::Scalar);
WB_KERNEL("ToBool", FunctionKernel<RunToBool>).Cpu().Cheap();

WB_OP("FakeParam")
    .Output("output: dtype")
    .Attr("dtype: type")
    .Attr("shape: shape")
    .Shape(FakeParamShape);
WB_KERNEL("FakeParam", MovingKernel<FakeParam>).Cpu().Gpu();
WB_GPU_KERNEL("FakeParam", MovingKernelOnGpu<FakeParam>);

}  // namespace
}  // namespace warpbeam
