// VarHandleOp and what needs only the handle: VarIsInitializedOp, DestroyResourceOp,
// DisableCopyOnRead.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "ops/array/kernel_types.h"
#include "ops/state/variable_access.h"
#include "runtime/device/device.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status VarHandleShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(DType dtype, c.attr<DType>("dtype"));
  WB_ASSIGN_OR_RETURN(PartialShape shape, c.attr<PartialShape>("shape"));
  c.set_output(0, PartialShape(Shape()));
  c.set_output_handle(0, {{dtype, std::move(shape)}});
  return OkStatus();
}

// The handle is made once: kernels that use it recognise it by its address.
class VarHandleKernel final : public Kernel {
 public:
  explicit VarHandleKernel(Tensor handle) : handle_(std::move(handle)) {}

  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(DType dtype, init.attr<DType>("dtype"));
    WB_ASSIGN_OR_RETURN(PartialShape shape, init.attr<PartialShape>("shape"));
    auto handle = MakeResourceHandle<Variable>(
        init.device == nullptr ? "" : init.device->name().ToString(),
        init.attrs.GetOr<std::string>("container", ""),
        init.attrs.GetOr<std::string>("shared_name", ""),
        "N10tensorflow3VarE");  // what TensorFlow's handles of variables carry
    if (handle.name.empty()) handle.name = init.node_name;
    handle.dtypes_and_shapes = {{dtype, std::move(shape)}};
    return std::make_unique<VarHandleKernel>(Tensor::Scalar<ResourceHandle>(std::move(handle)));
  }

  Status Compute(KernelContext& ctx) override {
    ctx.set_output(0, handle_);
    return OkStatus();
  }

 private:
  const Tensor handle_;
};

Status WriteBool(KernelContext& ctx, bool value) {
  WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, Shape()));
  *out->data<bool>() = value;
  return OkStatus();
}

class VarIsInitializedKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<VarIsInitializedKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    WB_RETURN_IF_ERROR(HandleInput(ctx, 0).status());
    // What is no variable is no initialised one.
    const auto v = finder_.Find(ctx, 0);
    return WriteBool(ctx, v.ok() && (*v)->IsInitialized());
  }

 private:
  VariableFinder finder_;
};

class DestroyResourceKernel final : public Kernel {
 public:
  explicit DestroyResourceKernel(bool ignore_lookup_error)
      : ignore_lookup_error_(ignore_lookup_error) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(bool ignore, init.attr<bool>("ignore_lookup_error"));
    return std::make_unique<DestroyResourceKernel>(ignore);
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const ResourceHandle* h, HandleInput(ctx, 0));
    if (ctx.resources() == nullptr) return FailedPrecondition("the step has no resource store");
    // Kernels may remember the variable itself; its memory goes now.
    if (auto v = ctx.resources()->Lookup<Variable>(*h); v.ok()) (*v)->Assign(Tensor());
    Status s = ctx.resources()->Delete(*h);
    return IsNotFound(s) && ignore_lookup_error_ ? OkStatus() : s;
  }

 private:
  const bool ignore_lookup_error_;
};

// Readers share the buffer and writers copy when they must: there is nothing to switch off.
Status DoNothing(KernelContext&) { return OkStatus(); }

WB_OP("VarHandleOp")
    .Role(OpRole::kVariable)
    .Output("resource: resource")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Attr("debug_name: string = ''")
    .Attr("dtype: type")
    .Attr("shape: shape")
    .Attr("allowed_devices: list(string) = []")
    .Stateful()
    .Shape(VarHandleShape);
WB_KERNEL("VarHandleOp", VarHandleKernel)
    .Cpu()
    .Gpu({{"dtype", kPlainTypesButInt32 | TypeSet{DType::kInt2, DType::kInt4, DType::kUInt2,
                                                  DType::kUInt4, DType::kVariant}}})
    .HostMemory({"resource"})
    .Cheap();

WB_OP("VarIsInitializedOp")
    .Effect(StateEffect::kRead)
    .Input("resource: resource")
    .Output("is_initialized: bool")
    .Stateful()
    .Shape(shapes::Scalar);
WB_KERNEL("VarIsInitializedOp", VarIsInitializedKernel)
    .Cpu()
    .Gpu()
    .HostMemory({"resource", "is_initialized"})
    .Cheap();

WB_OP("DestroyResourceOp")
    .Input("resource: resource")
    .Attr("ignore_lookup_error: bool = true")
    .Stateful()
    .Shape(shapes::NoOutputs);
WB_KERNEL("DestroyResourceOp", DestroyResourceKernel).Cpu().Gpu().HostMemory({"resource"});

WB_OP("DisableCopyOnRead")
    .Effect(StateEffect::kNone)
    .Input("resource: resource")
    .Stateful()
    .Shape(shapes::NoOutputs);
WB_KERNEL("DisableCopyOnRead", FunctionKernel<DoNothing>)
    .Cpu()
    .Gpu()
    .HostMemory({"resource"})
    .Cheap();

WB_NO_GRADIENT("VarIsInitializedOp");

}  // namespace
}  // namespace warpbeam
