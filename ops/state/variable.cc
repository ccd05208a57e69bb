// Variable, VariableV2: a variable of the session as a reference. IsVariableInitialized.
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "ops/array/kernel_types.h"
#include "ops/state/same_on_gpu.h"
#include "ops/state/variable_access.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status VariableV2Shape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape shape, c.attr<PartialShape>("shape"));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

// Old graphs wrote a scalar shape where they knew none.
Status VariableShapeV1(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape shape, c.attr<PartialShape>("shape"));
  if (shape.rank() != 0) c.set_output(0, std::move(shape));
  return OkStatus();
}

// The variable belongs to the resource store; the kernel keeps a counted pointer, so that the
// reference it gives out is good for as long as the plan is.
class VariableKernel final : public Kernel {
 public:
  VariableKernel(std::string container, std::string name, DType dtype, PartialShape shape)
      : container_(std::move(container)),
        name_(std::move(name)),
        dtype_(dtype),
        shape_(std::move(shape)) {}

  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(DType dtype, init.attr<DType>("dtype"));
    WB_ASSIGN_OR_RETURN(PartialShape shape, init.attr<PartialShape>("shape"));
    std::string name = init.attrs.GetOr<std::string>("shared_name", "");
    if (name.empty()) name = init.node_name;
    if (init.schema.name == "Variable" && shape.rank() == 0) shape = PartialShape();
    return std::make_unique<VariableKernel>(init.attrs.GetOr<std::string>("container", ""),
                                            std::move(name), dtype, std::move(shape));
  }

  Status Compute(KernelContext& ctx) override {
    RefVariable* v = ready_.load(std::memory_order_acquire);
    if (v == nullptr) {
      WB_ASSIGN_OR_RETURN(v, LookUp(ctx));
    }
    ctx.set_output_ref(0, v);
    return OkStatus();
  }

 private:
  StatusOr<RefVariable*> LookUp(const KernelContext& ctx) {
    if (ctx.resources() == nullptr) return FailedPrecondition("the step has no resource store");
    std::lock_guard<std::mutex> lock(mutex_);
    if (variable_ == nullptr) {
      WB_ASSIGN_OR_RETURN(std::shared_ptr<RefVariable> v,
                          ctx.resources()->LookupOrCreate<RefVariable>(
                              container_, name_, [&]() -> StatusOr<std::shared_ptr<RefVariable>> {
                                return std::make_shared<RefVariable>(name_, dtype_, shape_);
                              }));
      if (v->dtype() != dtype_) {
        return InvalidArgument("variable '", name_, "' holds ", DTypeName(v->dtype()), ", not ",
                               DTypeName(dtype_));
      }
      variable_ = std::move(v);
      ready_.store(variable_.get(), std::memory_order_release);
    }
    return variable_.get();
  }

  const std::string container_, name_;
  const DType dtype_;
  const PartialShape shape_;
  std::mutex mutex_;
  std::shared_ptr<RefVariable> variable_;
  std::atomic<RefVariable*> ready_{nullptr};
};

Status RunIsVariableInitialized(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(RefVariable * v, RefInput(ctx, 0));
  WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, Shape()));
  *out->data<bool>() = v->IsInitialized();
  return OkStatus();
}

WB_OP("Variable")
    .Role(OpRole::kVariable)
    .Output("ref: Ref(dtype)")
    .Attr("shape: shape")
    .Attr("dtype: type")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Stateful()
    .Shape(VariableShapeV1);
WB_KERNEL("Variable", VariableKernel)
    .Cpu()
    .Gpu({{"dtype",
           kFloatingTypes | kComplexTypes | TypeSet{DType::kBool, DType::kInt64, DType::kUInt32}}})
    .Cheap();

WB_OP("VariableV2")
    .Role(OpRole::kVariable)
    .Output("ref: Ref(dtype)")
    .Attr("shape: shape")
    .Attr("dtype: type")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Stateful()
    .Shape(VariableV2Shape);
WB_KERNEL("VariableV2", VariableKernel)
    .Cpu()
    .Gpu({{"dtype",
           kFloatingTypes | kComplexTypes | TypeSet{DType::kBool, DType::kInt64, DType::kUInt32}}})
    .Cheap();

WB_OP("IsVariableInitialized")
    .Effect(StateEffect::kRead)
    .Input("ref: Ref(dtype)")
    .Output("is_initialized: bool")
    .Attr("dtype: type")
    .AllowsUninitializedInput()
    .Shape(shapes::Scalar);
WB_KERNEL("IsVariableInitialized", FunctionKernel<RunIsVariableInitialized>)
    .Cpu()
    .Gpu({{"dtype",
           kFloatingTypes | kComplexTypes | TypeSet{DType::kBool, DType::kInt64, DType::kUInt32}}})
    .HostMemory({"is_initialized"})
    .Cheap();
WB_GPU_KERNEL("IsVariableInitialized", SameOnGpu<FunctionKernel<RunIsVariableInitialized>>);

}  // namespace
}  // namespace warpbeam
