// TemporaryVariable, DestroyTemporaryVariable: a variable that lives within one step.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/kernel_types.h"
#include "ops/state/same_on_gpu.h"
#include "ops/state/variable_access.h"
#include "ops/state/variable_update.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/step_context.h"

namespace warpbeam {
namespace {

// The session's temporary variables of one name. A step holds a variable until it ends: only then
// does nothing use it any more, and another step may have it.
class TemporaryVariables final : public Resource,
                                 public std::enable_shared_from_this<TemporaryVariables> {
 public:
  std::string DebugString() const override { return "temporary variables"; }

  // ALREADY_EXISTS while another node's variable of the name lives in the step. (That of the node
  // itself is another iteration's.)
  StatusOr<RefVariable*> Make(StepContext& step, const std::string& node, DType dtype,
                              const Shape& shape, Tensor value) {
    Held held{step.step_id(), node, nullptr};
    {
      std::lock_guard<std::mutex> lock(mutex_);
      for (const Held& other : held_) {
        if (other.step == held.step && other.node != node) {
          return AlreadyExists("the step has a temporary variable of this name already, of node '",
                               other.node, "'; give each a var_name of its own");
        }
      }
      held.variable = TakeFree(node, dtype, shape);
      held_.push_back(held);
    }
    RefVariable* const v = held.variable;
    v->Assign(std::move(value));
    // The step keeps the callback, and with it the loan, until it ends.
    std::shared_ptr<void> loan(v, [pool = shared_from_this(), v](void*) {
      v->Assign(Tensor());
      std::lock_guard<std::mutex> lock(pool->mutex_);
      pool->Forget(v);
      pool->free_.push_back(v);
    });
    if (step.OnCancel([loan] {}) == StepContext::kAlreadyCancelled) return step.cancel_reason();
    return v;
  }
  // Ends the life of a variable of the step; whether it lived.
  bool Destroy(RefVariable* v) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (!Forget(v)) return false;
    }
    v->Assign(Nothing(v->dtype()));
    return true;
  }

 private:
  // What lets go of the memory and is a value, so that a second destruction comes as far as here.
  static Tensor Nothing(DType dtype) {
    StatusOr<Tensor> nothing = Tensor::Allocate(dtype, Shape({0}));
    return nothing.ok() ? *std::move(nothing) : Tensor();
  }
  struct Held {
    int64_t step;
    std::string node;
    RefVariable* variable;
  };
  RefVariable* TakeFree(const std::string& node, DType dtype, const PartialShape& shape) {
    for (RefVariable*& v : free_) {
      if (v->dtype() != dtype || v->declared_shape() != shape) continue;
      RefVariable* const found = v;
      v = free_.back();
      free_.pop_back();
      return found;
    }
    all_.push_back(std::make_unique<RefVariable>(node, dtype, shape));
    return all_.back().get();
  }
  bool Forget(RefVariable* v) {
    const auto is_it = [v](const Held& held) { return held.variable == v; };
    const auto it = std::find_if(held_.begin(), held_.end(), is_it);
    if (it == held_.end()) return false;
    held_.erase(it);
    return true;
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<RefVariable>> all_;
  std::vector<RefVariable*> free_;
  std::vector<Held> held_;
};

StatusOr<std::shared_ptr<TemporaryVariables>> PoolOf(const KernelContext& ctx,
                                                     const std::string& name) {
  if (ctx.resources() == nullptr) return FailedPrecondition("the step has no resource store");
  return ctx.resources()->LookupOrCreate<TemporaryVariables>(
      "_temporary_variables", name, []() -> StatusOr<std::shared_ptr<TemporaryVariables>> {
        return std::make_shared<TemporaryVariables>();
      });
}

Status TemporaryVariableShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape shape, c.attr<PartialShape>("shape"));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

class TemporaryVariableKernel final : public Kernel {
 public:
  TemporaryVariableKernel(std::string name, std::string node, DType dtype, Shape shape)
      : name_(std::move(name)), node_(std::move(node)), dtype_(dtype), shape_(std::move(shape)) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) { return Make(init); }
  static StatusOr<std::unique_ptr<TemporaryVariableKernel>> Make(const KernelInit& init) {
    WB_ASSIGN_OR_RETURN(DType dtype, init.attr<DType>("dtype"));
    WB_ASSIGN_OR_RETURN(PartialShape shape, init.attr<PartialShape>("shape"));
    WB_ASSIGN_OR_RETURN(Shape full, shape.AsShape());
    std::string name = init.attrs.GetOr<std::string>("var_name", "");
    if (name.empty()) name = init.node_name;
    return std::make_unique<TemporaryVariableKernel>(std::move(name), init.node_name, dtype,
                                                     std::move(full));
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(Tensor value, ctx.AllocateTemp(dtype_, shape_));
    if (IsPlainData(dtype_)) memset(value.raw_data(), 0, value.bytes());
    return MakeVariable(ctx, std::move(value));
  }
  Status Enqueue(KernelContext& ctx, GpuStream& stream) const {
    WB_ASSIGN_OR_RETURN(Tensor value, ctx.AllocateTemp(dtype_, shape_));
    WB_RETURN_IF_ERROR(ZeroOnGpu(ctx, stream, value.raw_data(), value.bytes()));
    return MakeVariable(ctx, std::move(value));
  }

 private:
  // The variable has memory of its shape at once; its contents are whatever an Assign gives it.
  Status MakeVariable(KernelContext& ctx, Tensor value) const {
    WB_ASSIGN_OR_RETURN(std::shared_ptr<TemporaryVariables> pool, PoolOf(ctx, name_));
    if (ctx.step() == nullptr) return FailedPrecondition("there is no step to keep it in");
    WB_ASSIGN_OR_RETURN(RefVariable * v,
                        pool->Make(*ctx.step(), node_, dtype_, shape_, std::move(value)));
    ctx.set_output_ref(0, v);
    return OkStatus();
  }

  const std::string name_, node_;
  const DType dtype_;
  const Shape shape_;
};

class TemporaryVariableOnGpu final : public GpuKernel {
 public:
  explicit TemporaryVariableOnGpu(std::unique_ptr<TemporaryVariableKernel> kernel)
      : kernel_(std::move(kernel)) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(auto kernel, TemporaryVariableKernel::Make(init));
    return std::make_unique<TemporaryVariableOnGpu>(std::move(kernel));
  }
  static bool HasGpuCode(const AttrMap&) { return true; }
  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    return kernel_->Enqueue(ctx, stream);
  }

 private:
  const std::unique_ptr<TemporaryVariableKernel> kernel_;
};

class DestroyTemporaryVariableKernel final : public Kernel {
 public:
  explicit DestroyTemporaryVariableKernel(std::string name) : name_(std::move(name)) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(std::string name, init.attr<std::string>("var_name"));
    return std::make_unique<DestroyTemporaryVariableKernel>(std::move(name));
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(RefVariable * v, RefInput(ctx, 0));
    const Tensor value = v->Read();
    WB_ASSIGN_OR_RETURN(std::shared_ptr<TemporaryVariables> pool, PoolOf(ctx, name_));
    if (!pool->Destroy(v)) {
      return NotFound("the step has no temporary variable '", name_,
                      "' to destroy: it was never made, or is destroyed already");
    }
    ctx.set_output(0, value);
    return OkStatus();
  }

 private:
  const std::string name_;
};

WB_OP("TemporaryVariable")
    .Output("ref: Ref(dtype)")
    .Attr("shape: shape")
    .Attr("dtype: type")
    .Attr("var_name: string = ''")
    .Stateful()
    .Shape(TemporaryVariableShape);
WB_KERNEL("TemporaryVariable", TemporaryVariableKernel)
    .Cpu()
    .Gpu({{"dtype",
           kFloatingTypes | kComplexTypes | TypeSet{DType::kBool, DType::kInt64, DType::kUInt32}}});
WB_GPU_KERNEL("TemporaryVariable", TemporaryVariableOnGpu);

WB_OP("DestroyTemporaryVariable")
    .Input("ref: Ref(T)")
    .Output("value: T")
    .Attr("T: type")
    .Attr("var_name: string")
    .Shape(shapes::Unchanged);
WB_KERNEL("DestroyTemporaryVariable", DestroyTemporaryVariableKernel)
    .Cpu()
    .Gpu({{"T",
           kFloatingTypes | kComplexTypes | TypeSet{DType::kBool, DType::kInt64, DType::kUInt32}}});
WB_GPU_KERNEL("DestroyTemporaryVariable", SameOnGpu<DestroyTemporaryVariableKernel>);

}  // namespace
}  // namespace warpbeam
