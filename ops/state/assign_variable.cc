// AssignVariableOp, AssignAddVariableOp, AssignSubVariableOp: changes of a resource variable.
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/kernel_types.h"
#include "ops/state/assignment.h"
#include "ops/state/elementwise_update.h"
#include "ops/state/variable_access.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status AssignVariableShape(ShapeContext& c) {
  if (c.input_handle(0).empty()) return OkStatus();
  const HandleShape& handle = c.input_handle(0)[0];
  WB_ASSIGN_OR_RETURN(DType dtype, c.attr<DType>("dtype"));
  if (handle.dtype != dtype) {
    return InvalidArgument("a variable of ", DTypeName(handle.dtype), " cannot take ",
                           DTypeName(dtype));
  }
  auto merged = PartialShape::Merge(handle.shape, c.input(1));
  return merged.ok() ? OkStatus()
                     : Annotate(merged.status(), "the value does not fit the variable's shape");
}

class AssignVariableKernel final : public Kernel {
 public:
  explicit AssignVariableKernel(std::unique_ptr<ResourceAssignment> assignment)
      : assignment_(std::move(assignment)) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(auto assignment, ResourceAssignment::Create(init));
    return std::make_unique<AssignVariableKernel>(std::move(assignment));
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(Tensor value, ValueToKeep(ctx, ctx.input(1)));
    return assignment_->Run(ctx, std::move(value));
  }

 private:
  const std::unique_ptr<ResourceAssignment> assignment_;
};

template <ScatterOp op>
class UpdateVariableKernel final : public Kernel, public BlockUpdate<op> {
 public:
  explicit UpdateVariableKernel(DType dtype) : BlockUpdate<op>(dtype) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    return std::make_unique<UpdateVariableKernel>(init.input_types[1]);
  }
  Status Compute(KernelContext& ctx) override {
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
