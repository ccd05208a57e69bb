// StubResourceHandleOp, ResourceCreateOp, ResourceInitializedOp, ResourceUsingOp: a resource that
// holds nothing, by which TensorFlow's programs and tests see how resources behave: made once,
// found by container and name, destroyed by DestroyResourceOp.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "ops/state/variable_access.h"
#include "runtime/device/device.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/state/resource_store.h"

namespace warpbeam {
namespace {

class StubResource final : public Resource {
 public:
  std::string DebugString() const override { return "a stub"; }
};

class StubHandleKernel final : public Kernel {
 public:
  explicit StubHandleKernel(Tensor handle) : handle_(std::move(handle)) {}

  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto handle = MakeResourceHandle<StubResource>(
        init.device == nullptr ? "" : init.device->name().ToString(),
        init.attrs.GetOr<std::string>("container", ""),
        init.attrs.GetOr<std::string>("shared_name", ""), "N10tensorflow12StubResourceE");
    if (handle.name.empty()) handle.name = init.node_name;
    return std::make_unique<StubHandleKernel>(Tensor::Scalar<ResourceHandle>(std::move(handle)));
  }
  Status Compute(KernelContext& ctx) override {
    ctx.set_output(0, handle_);
    return OkStatus();
  }

 private:
  const Tensor handle_;
};

StatusOr<std::shared_ptr<StubResource>> FindStub(const KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(const ResourceHandle* handle, HandleInput(ctx, 0));
  if (ctx.resources() == nullptr) return FailedPrecondition("the step has no resource store");
  return ctx.resources()->Lookup<StubResource>(*handle);
}

Status CreateStub(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(const ResourceHandle* handle, HandleInput(ctx, 0));
  if (ctx.resources() == nullptr) return FailedPrecondition("the step has no resource store");
  return ctx.resources()->Create(*handle, std::make_shared<StubResource>());
}

Status UseStub(KernelContext& ctx) { return FindStub(ctx).status(); }

// A resource of another kind is no stub: the answer to that is no, not an error.
Status StubIsInitialized(KernelContext& ctx) {
  WB_RETURN_IF_ERROR(HandleInput(ctx, 0).status());
  WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, Shape()));
  *out->data<bool>() = FindStub(ctx).ok();
  return OkStatus();
}

WB_OP("StubResourceHandleOp")
    .Output("resource: resource")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Stateful()
    .Shape(shapes::Scalar);
WB_OP("ResourceCreateOp").Input("resource: resource").Stateful().Shape(shapes::NoOutputs);
WB_OP("ResourceUsingOp").Input("resource: resource").Stateful().Shape(shapes::NoOutputs);
WB_OP("ResourceInitializedOp")
    .Input("resource: resource")
    .Output("initialized: bool")
    .Stateful()
    .Shape(shapes::Scalar);
WB_KERNEL("StubResourceHandleOp", StubHandleKernel).Cpu().Cheap();
WB_KERNEL("ResourceCreateOp", FunctionKernel<CreateStub>).Cpu().Cheap();
WB_KERNEL("ResourceUsingOp", FunctionKernel<UseStub>).Cpu().Cheap();
WB_KERNEL("ResourceInitializedOp", FunctionKernel<StubIsInitialized>).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
