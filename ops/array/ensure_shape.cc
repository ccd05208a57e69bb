// EnsureShape: pass a tensor on, or fail when its shape is not as promised.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/hand_on_kernel.h"
#include "ops/array/kernel_types.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status EnsureShapeShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape shape, c.attr<PartialShape>("shape"));
  WB_ASSIGN_OR_RETURN(PartialShape merged, PartialShape::Merge(shape, c.input(0)));
  c.set_output(0, std::move(merged));
  return OkStatus();
}

class EnsureShape {
 public:
  explicit EnsureShape(PartialShape shape) : shape_(std::move(shape)) {}

  static StatusOr<EnsureShape> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(PartialShape shape, init.attr<PartialShape>("shape"));
    return EnsureShape(std::move(shape));
  }

  Status Run(KernelContext& ctx, const Nothing&) const {
    const Tensor& x = ctx.input(0);
    if (!shape_.IsCompatibleWith(x.shape())) {
      return InvalidArgument("Shape of tensor ", x.shape().ToString(),
                             " is not compatible with expected shape ", shape_.ToString());
    }
    ctx.set_output(0, x);
    return OkStatus();
  }

 private:
  PartialShape shape_;
};

WB_OP("EnsureShape")
    .PassesOn(PassOn::kChecked)
    .Input("input: T")
    .Output("output: T")
    .Attr("shape: shape")
    .Attr("T: type")
    .Shape(EnsureShapeShape);
WB_KERNEL("EnsureShape", HandOnKernel<EnsureShape>)
    .Cpu()
    .Gpu({{"T", kFloatingTypes | kUnsignedTypes | kComplexTypes |
                    TypeSet{DType::kInt16, DType::kInt64, DType::kInt8, DType::kVariant}}})
    .Cheap();
WB_KERNEL("EnsureShape", HandOnKernel<EnsureShape>)
    .Gpu({{"T", kHostedTypes | TypeSet{DType::kBool}}})
    .HostMemory({"input", "output"})
    .Cheap();
WB_GPU_KERNEL("EnsureShape", HandOnKernelOnGpu<EnsureShape>);

Status HandBack(GradContext& c) {
  c.set_dx(0, c.dy_value(0));
  return OkStatus();
}
WB_GRADIENT("EnsureShape", HandBack);

}  // namespace
}  // namespace warpbeam
