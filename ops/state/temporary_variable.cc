// TemporaryVariable, DestroyTemporaryVariable: a variable that lives within one step.
#include <map>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/kernel_types.h"
#include "ops/state/variable_access.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/step_context.h"

namespace warpbeam {
namespace {

// The session's temporary variables of one name. A step takes one and gives it back when it
// destroys it. A step that failed in between may still use its variable, so that one is not handed
// out again; only its memory is dropped.
class TemporaryVariables final : public Resource {
 public:
  std::string DebugString() const override { return "temporary variables"; }

  RefVariable* Take(const std::string& name, DType dtype, const PartialShape& shape) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (free_.empty()) {
      all_.push_back(std::make_unique<RefVariable>(name, dtype, shape));
      return all_.back().get();
    }
    RefVariable* v = free_.back();
    free_.pop_back();
    return v;
  }
  void GiveBack(RefVariable* v) {
    v->Assign(Tensor());
    std::lock_guard<std::mutex> lock(mutex_);
    free_.push_back(v);
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<RefVariable>> all_;
  std::vector<RefVariable*> free_;
};

absl::StatusOr<std::shared_ptr<TemporaryVariables>> PoolOf(const KernelContext& ctx,
                                                           const std::string& name) {
  if (ctx.resources() == nullptr) return FailedPrecondition("the step has no resource store");
  return ctx.resources()->LookupOrCreate<TemporaryVariables>(
      "_temporary_variables", name, []() -> absl::StatusOr<std::shared_ptr<TemporaryVariables>> {
        return std::make_shared<TemporaryVariables>();
      });
}

absl::Status TemporaryVariableShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape shape, c.attr<PartialShape>("shape"));
  c.set_output(0, std::move(shape));
  return absl::OkStatus();
}

class TemporaryVariableKernel final : public Kernel {
 public:
  TemporaryVariableKernel(std::string name, DType dtype, Shape shape)
      : name_(std::move(name)), dtype_(dtype), shape_(std::move(shape)) {}
  static absl::StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(DType dtype, init.attr<DType>("dtype"));
    WB_ASSIGN_OR_RETURN(PartialShape shape, init.attr<PartialShape>("shape"));
    WB_ASSIGN_OR_RETURN(Shape full, shape.AsShape());
    std::string name = init.attrs.GetOr<std::string>("var_name", "");
    if (name.empty()) name = init.node_name;
    return std::make_unique<TemporaryVariableKernel>(std::move(name), dtype, std::move(full));
  }
  // The variable has memory of its shape at once; its contents are whatever an Assign gives it.
  absl::Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(std::shared_ptr<TemporaryVariables> pool, PoolOf(ctx, name_));
    WB_ASSIGN_OR_RETURN(Tensor value, ctx.AllocateTemp(dtype_, shape_));
    if (IsPlainData(dtype_)) memset(value.raw_data(), 0, value.bytes());
    RefVariable* v = pool->Take(name_, dtype_, shape_);
    v->Assign(std::move(value));
    if (ctx.step() != nullptr) {
      ctx.step()->OnCancel([pool, v] { v->Assign(Tensor()); });
    }
    ctx.set_output_ref(0, v);
    return absl::OkStatus();
  }

 private:
  const std::string name_;
  const DType dtype_;
  const Shape shape_;
};

class DestroyTemporaryVariableKernel final : public Kernel {
 public:
  explicit DestroyTemporaryVariableKernel(std::string name) : name_(std::move(name)) {}
  static absl::StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(std::string name, init.attr<std::string>("var_name"));
    return std::make_unique<DestroyTemporaryVariableKernel>(std::move(name));
  }
  absl::Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(RefVariable * v, RefInput(ctx, 0));
    WB_ASSIGN_OR_RETURN(Tensor value, v->ReadInitialized());
    ctx.set_output(0, std::move(value));
    WB_ASSIGN_OR_RETURN(std::shared_ptr<TemporaryVariables> pool, PoolOf(ctx, name_));
    pool->GiveBack(v);
    return absl::OkStatus();
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

}  // namespace
}  // namespace warpbeam
