// IteratorGetDevice: the device of an iterator, which is where this op runs.

#include "graph/op/shape_context.h"
#include "ops/data/iterator/iterator_resource.h"
#include "runtime/device/device.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

class IteratorGetDeviceKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<IteratorGetDeviceKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    WB_RETURN_IF_ERROR(FindIterator(ctx, 0).status());
    ctx.set_output(0, Tensor::Scalar<std::string>(ctx.device()->name().ToString()));
    return OkStatus();
  }
};

WB_OP("IteratorGetDevice")
    .Input("resource: resource")
    .Output("device: string")
    .Stateful()
    .Shape(shapes::Scalar);
WB_OP("ExperimentalIteratorGetDevice")
    .Input("resource: resource")
    .Output("device: string")
    .Stateful()
    .Shape(shapes::Scalar);
WB_KERNEL("IteratorGetDevice", IteratorGetDeviceKernel).Cpu().Cheap();
WB_KERNEL("ExperimentalIteratorGetDevice", IteratorGetDeviceKernel).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
