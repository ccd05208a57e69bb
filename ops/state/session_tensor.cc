// GetSessionHandle, GetSessionHandleV2, GetSessionTensor, DeleteSessionTensor: tensors that stay in
// the session between its steps, where they were made, and are known to the client by a handle.
//
// Handles are TensorFlow's, whose clients take them apart: "node;number;device".
#include <map>
#include <mutex>
#include <string>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/array/function_kernel.h"
#include "ops/array/kernel_types.h"
#include "ops/state/kept_tensor.h"
#include "ops/state/same_on_gpu.h"
#include "ops/state/variable_update.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/state/session_tensors.h"

namespace warpbeam {
namespace {

class KeptTensors final : public SessionTensors {
 public:
  std::string DebugString() const override { return "the session's tensors"; }
  StatusOr<Tensor> OnHost(const std::string& handle) const override {
    WB_ASSIGN_OR_RETURN(const KeptTensor kept, Find(handle));
    return kept.CopyToHost();
  }

  static StatusOr<std::shared_ptr<KeptTensors>> Of(const KernelContext& ctx) {
    if (ctx.resources() == nullptr) return FailedPrecondition("the step has no resource store");
    WB_ASSIGN_OR_RETURN(
        std::shared_ptr<SessionTensors> tensors,
        ctx.resources()->LookupOrCreate<SessionTensors>(
            kSessionTensorContainer, "", []() -> StatusOr<std::shared_ptr<SessionTensors>> {
              return std::make_shared<KeptTensors>();
            }));
    return std::static_pointer_cast<KeptTensors>(std::move(tensors));  // nobody makes others
  }

  std::string Add(const std::string& node, const std::string& device, KeptTensor value) {
    std::lock_guard<std::mutex> lock(mutex_);
    std::string handle = absl::StrCat(node, ";", next_++, ";", device);
    tensors_[handle] = std::move(value);
    return handle;
  }
  StatusOr<KeptTensor> Find(const std::string& handle) const {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = tensors_.find(handle);
    if (found != tensors_.end()) return found->second;
    return InvalidArgument("The tensor with handle '", handle, "' is not in the session store.");
  }
  Status Delete(const std::string& handle) {
    KeptTensor gone;  // dies without the lock
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = tensors_.find(handle);
    if (found == tensors_.end()) {
      return InvalidArgument("Failed to delete a tensor with handle '", handle,
                             "' in the session store.");
    }
    std::swap(gone, found->second);
    tensors_.erase(found);
    return OkStatus();
  }

 private:
  mutable std::mutex mutex_;
  int64_t next_ = 0;
  std::map<std::string, KeptTensor> tensors_;
};

// What makes a handle of the value that a kernel has put aside.
class HandleMaker {
 public:
  explicit HandleMaker(const KernelInit& init) : node_(init.node_name) {
    if (init.device != nullptr) device_ = init.device->name().ToString();
  }
  Status Keep(KernelContext& ctx, Tensor value) const {
    WB_ASSIGN_OR_RETURN(const std::shared_ptr<KeptTensors> tensors, KeptTensors::Of(ctx));
    std::string name = tensors->Add(node_, device_, KeptTensor::Of(ctx, std::move(value)));
    if (ctx.output_type(0) == DType::kString) {
      ctx.set_output(0, Tensor::Scalar<std::string>(std::move(name)));
      return OkStatus();
    }
    ResourceHandle handle;
    handle.device = device_;
    handle.container = kSessionTensorContainer;
    handle.name = std::move(name);
    handle.type_name = kSessionTensorContainer;
    ctx.set_output(0, Tensor::Scalar<ResourceHandle>(std::move(handle)));
    return OkStatus();
  }

 private:
  const std::string node_;
  std::string device_;
};

class GetHandleKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    return std::make_unique<GetHandleKernel>(init);
  }
  explicit GetHandleKernel(const KernelInit& init) : handles_(init) {}
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(Tensor value, ValueToKeep(ctx, ctx.input(0)));
    return handles_.Keep(ctx, std::move(value));
  }

 private:
  const HandleMaker handles_;
};

class GetHandleOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    return std::make_unique<GetHandleOnGpu>(init);
  }
  static bool HasGpuCode(const AttrMap&) { return true; }
  explicit GetHandleOnGpu(const KernelInit& init) : handles_(init) {}
  // Each step makes a handle of its own.
  bool is_replayable() const override { return false; }
  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    WB_ASSIGN_OR_RETURN(Tensor value, ValueToKeepOnGpu(ctx, stream, ctx.input(0)));
    return handles_.Keep(ctx, std::move(value));
  }

 private:
  const HandleMaker handles_;
};

StatusOr<std::string> HandleOf(const KernelContext& ctx) {
  if (ctx.input(0).rank() == 0) return ctx.input(0).scalar<std::string>();
  return InvalidArgument("handle must be scalar, not of shape ", ctx.input(0).shape().ToString());
}

Status GetTensor(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(const std::string handle, HandleOf(ctx));
  WB_ASSIGN_OR_RETURN(const std::shared_ptr<KeptTensors> tensors, KeptTensors::Of(ctx));
  WB_ASSIGN_OR_RETURN(const KeptTensor kept, tensors->Find(handle));
  if (kept.dtype() != ctx.output_type(0)) {
    return Internal("the tensor with handle '", handle, "' is of type ", DTypeName(kept.dtype()),
                    ", not of the declared type ", DTypeName(ctx.output_type(0)));
  }
  WB_ASSIGN_OR_RETURN(Tensor value, kept.Get(ctx));
  ctx.set_output(0, std::move(value));
  return OkStatus();
}

Status DeleteTensor(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(const std::string handle, HandleOf(ctx));
  WB_ASSIGN_OR_RETURN(const std::shared_ptr<KeptTensors> tensors, KeptTensors::Of(ctx));
  return tensors->Delete(handle);
}

WB_OP("GetSessionHandle")
    .Input("value: T")
    .Output("handle: string")
    .Attr("T: type")
    .Stateful()
    .Shape(shapes::Scalar);
WB_KERNEL("GetSessionHandle", GetHandleKernel)
    .Cpu()
    .Gpu({{"T", kPlainTypes}})
    .HostMemory({"handle"});
WB_GPU_KERNEL("GetSessionHandle", GetHandleOnGpu);
WB_NO_GRADIENT("GetSessionHandle");

WB_OP("GetSessionHandleV2")
    .Input("value: T")
    .Output("handle: resource")
    .Attr("T: type")
    .Stateful()
    .Shape(shapes::Scalar);
WB_KERNEL("GetSessionHandleV2", GetHandleKernel)
    .Cpu()
    .Gpu({{"T", kPlainTypes}})
    .HostMemory({"handle"});
WB_GPU_KERNEL("GetSessionHandleV2", GetHandleOnGpu);
WB_NO_GRADIENT("GetSessionHandleV2");

WB_OP("GetSessionTensor")
    .Input("handle: string")
    .Output("value: dtype")
    .Attr("dtype: type")
    .Stateful();
WB_KERNEL("GetSessionTensor", FunctionKernel<GetTensor>)
    .Cpu()
    .Gpu({{"dtype", kPlainTypes}})
    .HostMemory({"handle"});
WB_GPU_KERNEL("GetSessionTensor", SameOnGpu<FunctionKernel<GetTensor>>);
WB_NO_GRADIENT("GetSessionTensor");

WB_OP("DeleteSessionTensor").Input("handle: string").Stateful().Shape(shapes::NoOutputs);
WB_KERNEL("DeleteSessionTensor", FunctionKernel<DeleteTensor>).Cpu().Gpu().HostMemory({"handle"});
WB_NO_GRADIENT("DeleteSessionTensor");

}  // namespace
}  // namespace warpbeam
