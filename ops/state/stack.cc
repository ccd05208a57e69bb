// StackV2, StackPushV2, StackPopV2, StackCloseV2: tensors put aside and taken
// back, last one first.
//
// Every execution of StackV2 makes a stack of its own. One that is never closed
// lives as long as its session.
#include <atomic>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "ops/array/index_argument.h"
#include "ops/array/kernel_types.h"
#include "ops/state/variable_access.h"
#include "runtime/device/device.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

constexpr char kContainer[] = "_stacks";

class TensorStack final : public Resource {
 public:
  TensorStack(std::string name, DType dtype, int64_t max_size)
      : name_(std::move(name)), dtype_(dtype), max_size_(max_size) {}
  std::string DebugString() const override { return absl::StrCat("the stack '", name_, "'"); }

  absl::Status Push(Tensor value) {
    if (value.dtype() != dtype_) {
      return InvalidArgument("the stack '", name_, "' holds ", DTypeName(dtype_), ", not ",
                             DTypeName(value.dtype()));
    }
    std::lock_guard<std::mutex> lock(mutex_);
    if (closed_) return InvalidArgument("the stack '", name_, "' has been closed");
    if (max_size_ >= 0 && static_cast<int64_t>(values_.size()) >= max_size_) {
      return InvalidArgument("the stack '", name_, "' holds its max_size of ", max_size_,
                             " tensors");
    }
    values_.push_back(std::move(value));
    return absl::OkStatus();
  }
  absl::StatusOr<Tensor> Pop() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (closed_) return InvalidArgument("the stack '", name_, "' has been closed");
    if (values_.empty()) return InvalidArgument("the stack '", name_, "' is empty");
    Tensor value = std::move(values_.back());
    values_.pop_back();
    return value;
  }
  void Close() {
    std::lock_guard<std::mutex> lock(mutex_);
    closed_ = true;
    values_.clear();
  }

 private:
  const std::string name_;
  const DType dtype_;
  const int64_t max_size_;
  std::mutex mutex_;
  bool closed_ = false;
  std::vector<Tensor> values_;
};

class StackKernel final : public Kernel {
 public:
  StackKernel(std::string name, DType dtype, std::string device)
      : name_(std::move(name)), dtype_(dtype), device_(std::move(device)) {}
  static absl::StatusOr<std::unique_ptr<Kernel>> Create(KernelInit &init) {
    WB_ASSIGN_OR_RETURN(DType dtype, init.attr<DType>("elem_type"));
    std::string name = init.attrs.GetOr<std::string>("stack_name", "");
    if (name.empty()) name = init.node_name;
    return std::make_unique<StackKernel>(
        std::move(name), dtype, init.device == nullptr ? "" : init.device->name().ToString());
  }
  absl::Status Compute(KernelContext &ctx) override {
    static std::atomic<int64_t> count{0};
    if (ctx.resources() == nullptr) return FailedPrecondition("the step has no resource store");
    if (ctx.input(0).rank() != 0) return InvalidArgument("'max_size' must be a scalar");
    WB_ASSIGN_OR_RETURN(int64_t max_size, ReadIndex(ctx.input(0), "max_size"));
    ResourceHandle handle;
    handle.device = device_;
    handle.container = kContainer;
    handle.name = absl::StrCat(name_, "_", count.fetch_add(1));
    WB_RETURN_IF_ERROR(ctx.resources()->Create<TensorStack>(
        handle.container, handle.name,
        std::make_shared<TensorStack>(handle.name, dtype_, max_size)));
    ctx.set_output(0, Tensor::Scalar<ResourceHandle>(std::move(handle)));
    return absl::OkStatus();
  }

 private:
  const std::string name_;
  const DType dtype_;
  const std::string device_;
};

absl::StatusOr<std::shared_ptr<TensorStack>> StackOf(const KernelContext &ctx) {
  if (ctx.resources() == nullptr) return FailedPrecondition("the step has no resource store");
  WB_ASSIGN_OR_RETURN(const ResourceHandle *handle, HandleInput(ctx, 0));
  return ctx.resources()->Lookup<TensorStack>(*handle);
}

absl::Status RunPush(KernelContext &ctx) {
  WB_ASSIGN_OR_RETURN(std::shared_ptr<TensorStack> stack, StackOf(ctx));
  WB_RETURN_IF_ERROR(stack->Push(ctx.input(1)));
  ctx.set_output(0, ctx.input(1));
  return absl::OkStatus();
}

absl::Status RunPop(KernelContext &ctx) {
  WB_ASSIGN_OR_RETURN(std::shared_ptr<TensorStack> stack, StackOf(ctx));
  WB_ASSIGN_OR_RETURN(Tensor value, stack->Pop());
  if (value.dtype() != ctx.output_type(0)) {
    return InvalidArgument("the stack holds ", DTypeName(value.dtype()), ", not ",
                           DTypeName(ctx.output_type(0)));
  }
  ctx.set_output(0, std::move(value));
  return absl::OkStatus();
}

absl::Status RunClose(KernelContext &ctx) {
  WB_ASSIGN_OR_RETURN(std::shared_ptr<TensorStack> stack, StackOf(ctx));
  stack->Close();
  WB_ASSIGN_OR_RETURN(const ResourceHandle *handle, HandleInput(ctx, 0));
  return ctx.resources()->Delete(handle->container, handle->name);
}

absl::Status PushShape(ShapeContext &c) {
  c.set_output(0, c.input(1));
  return absl::OkStatus();
}

WB_OP("StackV2")
    .Input("max_size: int32")
    .Output("handle: resource")
    .Attr("elem_type: type")
    .Attr("stack_name: string = ''")
    .Stateful()
    .Shape(shapes::Scalar);
WB_KERNEL("StackV2", StackKernel).Cpu().Gpu().HostMemory({"max_size", "handle"}).Cheap();

WB_OP("StackPushV2")
    .Input("handle: resource")
    .Input("elem: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("swap_memory: bool = false")
    .Stateful()
    .Shape(PushShape);
WB_KERNEL("StackPushV2", FunctionKernel<RunPush>)
    .Cpu()
    .Gpu({{"T", TypeSet{DType::kBool, DType::kInt32}}})
    .HostMemory({"handle", "elem", "output"})
    .Cheap();
WB_KERNEL("StackPushV2", FunctionKernel<RunPush>)
    .Gpu({{"T", kFloatingTypes | kUnsignedTypes | kComplexTypes |
                    TypeSet{DType::kInt16, DType::kInt64, DType::kInt8}}})
    .HostMemory({"handle"})
    .Cheap();

WB_OP("StackPopV2")
    .Input("handle: resource")
    .Output("elem: elem_type")
    .Attr("elem_type: type")
    .Stateful()
    .Shape(shapes::Unknown);
WB_KERNEL("StackPopV2", FunctionKernel<RunPop>)
    .Cpu()
    .Gpu({{"elem_type", TypeSet{DType::kBool, DType::kInt32}}})
    .HostMemory({"handle", "elem"})
    .Cheap();
WB_KERNEL("StackPopV2", FunctionKernel<RunPop>)
    .Gpu({{"elem_type", kFloatingTypes | kUnsignedTypes | kComplexTypes |
                            TypeSet{DType::kInt16, DType::kInt64, DType::kInt8}}})
    .HostMemory({"handle"})
    .Cheap();

WB_OP("StackCloseV2").Input("handle: resource").Stateful().Shape(shapes::NoOutputs);
WB_KERNEL("StackCloseV2", FunctionKernel<RunClose>).Cpu().Gpu().HostMemory({"handle"}).Cheap();

}  // namespace
}  // namespace warpbeam
