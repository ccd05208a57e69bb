// AssignVariableOp, AssignAddVariableOp, AssignSubVariableOp: changes of a resource variable.
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/kernel_types.h"
#include "ops/state/elementwise_update.h"
#include "ops/state/variable_access.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

absl::Status AssignVariableShape(ShapeContext& c) {
  if (c.input_handle(0).empty()) return absl::OkStatus();
  const HandleShape& handle = c.input_handle(0)[0];
  WB_ASSIGN_OR_RETURN(DType dtype, c.attr<DType>("dtype"));
  if (handle.dtype != dtype) {
    return InvalidArgument("a variable of ", DTypeName(handle.dtype), " cannot take ",
                           DTypeName(dtype));
  }
  auto merged = PartialShape::Merge(handle.shape, c.input(1));
  return merged.ok() ? absl::OkStatus()
                     : Annotate(merged.status(), "the value does not fit the variable's shape");
}

class AssignVariableKernel final : public Kernel {
 public:
  AssignVariableKernel(DType dtype, bool validate_shape)
      : dtype_(dtype), validate_shape_(validate_shape) {}
  static absl::StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(DType dtype, init.attr<DType>("dtype"));
    return std::make_unique<AssignVariableKernel>(dtype,
                                                  init.attrs.GetOr<bool>("validate_shape", false));
  }

  absl::Status Compute(KernelContext& ctx) override {
    auto found = finder_.Find(ctx, 0);
    if (absl::IsNotFound(found.status())) found = Make(ctx);
    WB_RETURN_IF_ERROR(found.status());
    Variable& v = **found;
    if (v.dtype() != dtype_) {
      return InvalidArgument("the variable '", v.name(), "' holds ", DTypeName(v.dtype()),
                             " and cannot take ", DTypeName(dtype_));
    }
    WB_ASSIGN_OR_RETURN(Tensor value, ValueToKeep(ctx, ctx.input(1)));
    return v.Update([&](Tensor& current) -> absl::Status {
      if (validate_shape_ && current.has_value() && current.shape() != value.shape()) {
        return InvalidArgument("the variable '", v.name(), "' is of shape ",
                               current.shape().ToString(), ", the value of ",
                               value.shape().ToString());
      }
      std::swap(current, value);
      return absl::OkStatus();
    });
  }

 private:
  absl::StatusOr<std::shared_ptr<Variable>> Make(KernelContext& ctx) const {
    WB_ASSIGN_OR_RETURN(const ResourceHandle* h, HandleInput(ctx, 0));
    return ctx.resources()->LookupOrCreate<Variable>(
        *h, [&]() -> absl::StatusOr<std::shared_ptr<Variable>> {
          return std::make_shared<Variable>(h->name, dtype_);
        });
  }

  const DType dtype_;
  const bool validate_shape_;
  VariableFinder finder_;
};

template <ScatterOp op>
class UpdateVariableKernel final : public Kernel, public BlockUpdate<op> {
 public:
  explicit UpdateVariableKernel(DType dtype) : BlockUpdate<op>(dtype) {}
  static absl::StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    return std::make_unique<UpdateVariableKernel>(init.input_types[1]);
  }
  absl::Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(std::shared_ptr<Variable> v, finder_.Find(ctx, 0));
    return ModifyVariable(
        ctx, *v, [&](Tensor& value) { return UpdateElementwise(ctx, op, value, ctx.input(1)); });
  }

 private:
  VariableFinder finder_;
};

WB_OP("AssignVariableOp")
    .Input("resource: resource")
    .Input("value: dtype")
    .Attr("dtype: type")
    .Attr("validate_shape: bool = false")
    .Stateful()
    .Shape(AssignVariableShape);
WB_KERNEL("AssignVariableOp", AssignVariableKernel)
    .Cpu({{"dtype",
           kMovableTypes | TypeSet{DType::kFloat4E2M1FN, DType::kInt2, DType::kInt4, DType::kQInt32,
                                   DType::kQInt8, DType::kQUInt8, DType::kUInt2, DType::kUInt4}}})
    .Gpu({{"dtype",
           kMovableTypes | TypeSet{DType::kFloat4E2M1FN, DType::kInt2, DType::kInt4, DType::kQInt32,
                                   DType::kQInt8, DType::kQUInt8, DType::kUInt2, DType::kUInt4}}})
    .HostMemory({"resource"});

WB_OP("AssignAddVariableOp")
    .Input("resource: resource")
    .Input("value: dtype")
    .Attr("dtype: type")
    .Stateful()
    .Shape(AssignVariableShape);
WB_KERNEL("AssignAddVariableOp", UpdateVariableKernel<ScatterOp::kAdd>)
    .Cpu({{"dtype", kNumberTypes}})
    .Gpu({{"dtype", kNumberTypes}})
    .HostMemory({"resource"});

WB_OP("AssignSubVariableOp")
    .Input("resource: resource")
    .Input("value: dtype")
    .Attr("dtype: type")
    .Stateful()
    .Shape(AssignVariableShape);
WB_KERNEL("AssignSubVariableOp", UpdateVariableKernel<ScatterOp::kSub>)
    .Cpu({{"dtype", kNumberTypes}})
    .Gpu({{"dtype", kNumberTypes}})
    .HostMemory({"resource"});

}  // namespace
}  // namespace warpbeam
