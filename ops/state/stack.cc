// StackV2, StackPushV2, StackPopV2, StackCloseV2 and their forebears, whose handles are references
// to strings: tensors put aside and taken back, last one first.
//
// Every execution of StackV2 makes a stack of its own, which lives no longer than its step.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "ops/array/index/index_argument.h"
#include "ops/array/kernel_types.h"
#include "ops/state/kept_tensor.h"
#include "ops/state/same_on_gpu.h"
#include "ops/state/step_resource.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

constexpr char kContainer[] = "_stacks";

class TensorStack final : public Resource {
 public:
  TensorStack(std::string name, DType dtype, int64_t max_size)
      : name_(std::move(name)), dtype_(dtype), max_size_(max_size) {}
  std::string DebugString() const override { return absl::StrCat("the stack '", name_, "'"); }

  Status Push(const KernelContext &ctx, const Tensor &value) {
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
    values_.push_back(KeptTensor::Of(ctx, value));
    return OkStatus();
  }
  StatusOr<Tensor> Pop(KernelContext &ctx) {
    KeptTensor value;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (closed_) return InvalidArgument("the stack '", name_, "' has been closed");
      if (values_.empty()) return InvalidArgument("the stack '", name_, "' is empty");
      value = std::move(values_.back());
      values_.pop_back();
    }
    return value.Get(ctx);
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
  std::vector<KeptTensor> values_;
};

class StackKernel final : public Kernel {
 public:
  StackKernel(const KernelInit &init, std::string name, DType dtype)
      : name_(std::move(name)), dtype_(dtype), handle_type_(init.output_types[0]) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit &init) {
    WB_ASSIGN_OR_RETURN(DType dtype, init.attr<DType>("elem_type"));
    std::string name = init.attrs.GetOr<std::string>("stack_name", "");
    if (name.empty()) name = init.node_name;
    return std::make_unique<StackKernel>(init, std::move(name), dtype);
  }
  Status Compute(KernelContext &ctx) override {
    int64_t max_size = -1;
    if (ctx.num_inputs() > 0) {
      if (ctx.input(0).rank() != 0) return InvalidArgument("'max_size' must be a scalar");
      WB_ASSIGN_OR_RETURN(max_size, ReadIndex(ctx.input(0), "max_size"));
    }
    std::string name = UniqueStepName(name_);
    auto stack = std::make_shared<TensorStack>(name, dtype_, max_size);
    WB_ASSIGN_OR_RETURN(Tensor handle, NewStepHandle(ctx, handle_type_, kContainer, std::move(name),
                                                     std::move(stack)));
    if (!IsRef(handle_type_)) {
      ctx.set_output(0, std::move(handle));
      return OkStatus();
    }
    WB_ASSIGN_OR_RETURN(RefVariable * reference, references_.New(ctx, std::move(handle)));
    ctx.set_output_ref(0, reference);
    return OkStatus();
  }

 private:
  const std::string name_;
  const DType dtype_;
  const DType handle_type_;
  StepReferences references_;
};

Status RunPush(KernelContext &ctx) {
  WB_ASSIGN_OR_RETURN(std::shared_ptr<TensorStack> stack, FindInStep<TensorStack>(ctx, 0));
  WB_RETURN_IF_ERROR(stack->Push(ctx, ctx.input(1)));
  ctx.set_output(0, ctx.input(1));
  return OkStatus();
}

Status RunPop(KernelContext &ctx) {
  WB_ASSIGN_OR_RETURN(std::shared_ptr<TensorStack> stack, FindInStep<TensorStack>(ctx, 0));
  WB_ASSIGN_OR_RETURN(Tensor value, stack->Pop(ctx));
  if (value.dtype() != ctx.output_type(0)) {
    return InvalidArgument("the stack holds ", DTypeName(value.dtype()), ", not ",
                           DTypeName(ctx.output_type(0)));
  }
  ctx.set_output(0, std::move(value));
  return OkStatus();
}

Status RunClose(KernelContext &ctx) {
  WB_ASSIGN_OR_RETURN(std::shared_ptr<TensorStack> stack, FindInStep<TensorStack>(ctx, 0));
  stack->Close();
  return OkStatus();
}

Status PushShape(ShapeContext &c) {
  c.set_output(0, c.input(1));
  return OkStatus();
}

WB_OP("Stack")
    .Effect(StateEffect::kNone)
    .Output("handle: Ref(string)")
    .Attr("elem_type: type")
    .Attr("stack_name: string = ''")
    .Stateful()
    .Shape(shapes::Unknown);
WB_KERNEL("Stack", StackKernel).Cpu().Gpu().HostMemory({"handle"}).Cheap();
WB_NO_GRADIENT("Stack");

WB_OP("StackV2")
    .Effect(StateEffect::kNone)
    .Input("max_size: int32")
    .Output("handle: resource")
    .Attr("elem_type: type")
    .Attr("stack_name: string = ''")
    .Stateful()
    .Shape(shapes::Scalar);
WB_KERNEL("StackV2", StackKernel).Cpu().Gpu().HostMemory({"max_size", "handle"}).Cheap();

constexpr TypeSet kHosted = {DType::kBool, DType::kInt32};
constexpr TypeSet kOnGpu = kFloatingTypes | kUnsignedTypes | kComplexTypes |
                           TypeSet{DType::kInt16, DType::kInt64, DType::kInt8};

#define WB_STACK_PUSH(op, handle)        \
  WB_OP(op)                              \
      .Effect(StateEffect::kNone)        \
      .Input(handle)                     \
      .Input("elem: T")                  \
      .Output("output: T")               \
      .Attr("T: type")                   \
      .Attr("swap_memory: bool = false") \
      .Shape(PushShape)
WB_STACK_PUSH("StackPush", "handle: Ref(string)");
WB_STACK_PUSH("StackPushV2", "handle: resource").Stateful();
#define WB_STACK_PUSH_KERNELS(op)                        \
  WB_KERNEL(op, FunctionKernel<RunPush>)                 \
      .Cpu()                                             \
      .Gpu({{"T", kOnGpu}})                              \
      .HostMemory({"handle"})                            \
      .Cheap();                                          \
  WB_GPU_KERNEL(op, SameOnGpu<FunctionKernel<RunPush>>); \
  WB_KERNEL(op, FunctionKernel<RunPush>)                 \
      .Gpu({{"T", kHosted}})                             \
      .HostMemory({"handle", "elem", "output"})          \
      .Cheap()
WB_STACK_PUSH_KERNELS("StackPush");
WB_STACK_PUSH_KERNELS("StackPushV2");
WB_NO_GRADIENT("StackPush");

#define WB_STACK_POP(op, handle)  \
  WB_OP(op)                       \
      .Effect(StateEffect::kNone) \
      .Input(handle)              \
      .Output("elem: elem_type")  \
      .Attr("elem_type: type")    \
      .Shape(shapes::Unknown)
WB_STACK_POP("StackPop", "handle: Ref(string)");
WB_STACK_POP("StackPopV2", "handle: resource").Stateful();
#define WB_STACK_POP_KERNELS(op)                        \
  WB_KERNEL(op, FunctionKernel<RunPop>)                 \
      .Cpu()                                            \
      .Gpu({{"elem_type", kOnGpu}})                     \
      .HostMemory({"handle"})                           \
      .Cheap();                                         \
  WB_GPU_KERNEL(op, SameOnGpu<FunctionKernel<RunPop>>); \
  WB_KERNEL(op, FunctionKernel<RunPop>)                 \
      .Gpu({{"elem_type", kHosted}})                    \
      .HostMemory({"handle", "elem"})                   \
      .Cheap()
WB_STACK_POP_KERNELS("StackPop");
WB_STACK_POP_KERNELS("StackPopV2");
WB_NO_GRADIENT("StackPop");

WB_OP("StackClose")
    .Effect(StateEffect::kNone)
    .Input("handle: Ref(string)")
    .Shape(shapes::NoOutputs);
WB_OP("StackCloseV2")
    .Effect(StateEffect::kNone)
    .Input("handle: resource")
    .Stateful()
    .Shape(shapes::NoOutputs);
WB_KERNEL("StackClose", FunctionKernel<RunClose>).Cpu().Gpu().HostMemory({"handle"}).Cheap();
WB_KERNEL("StackCloseV2", FunctionKernel<RunClose>).Cpu().Gpu().HostMemory({"handle"}).Cheap();
WB_NO_GRADIENT("StackClose");

}  // namespace
}  // namespace warpbeam
