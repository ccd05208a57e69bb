// Assign, AssignAdd, AssignSub: changes of a variable through its reference.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/kernel_types.h"
#include "ops/state/assignment.h"
#include "ops/state/elementwise_update.h"
#include "ops/state/variable_access.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status AssignShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(bool validate, c.attr<bool>("validate_shape"));
  if (validate) return shapes::MergeInputs(c);
  c.set_output(0, c.input(1));
  return OkStatus();
}

class AssignKernel final : public Kernel {
 public:
  explicit AssignKernel(std::unique_ptr<ReferenceAssignment> assignment)
      : assignment_(std::move(assignment)) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(auto assignment, ReferenceAssignment::Create(init));
    return std::make_unique<AssignKernel>(std::move(assignment));
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(Tensor value, ValueToKeep(ctx, ctx.input(1)));
    return assignment_->Run(ctx, std::move(value));
  }

 private:
  const std::unique_ptr<ReferenceAssignment> assignment_;
};

template <ScatterOp op>
class UpdateReferenceKernel final : public Kernel, public BlockUpdate<op> {
 public:
  explicit UpdateReferenceKernel(DType dtype) : BlockUpdate<op>(dtype) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    return std::make_unique<UpdateReferenceKernel>(BaseType(init.input_types[1]));
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(RefVariable * v, RefInput(ctx, 0));
    WB_RETURN_IF_ERROR(ModifyVariable(
        ctx, *v, [&](Tensor& value) { return UpdateElementwise(ctx, op, value, ctx.input(1)); }));
    ctx.set_output_ref(0, v);
    return OkStatus();
  }
};

WB_OP("Assign")
    .Input("ref: Ref(T)")
    .Input("value: T")
    .Output("output_ref: Ref(T)")
    .Attr("T: type")
    .Attr("validate_shape: bool = true")
    .Attr("use_locking: bool = true")
    .AllowsUninitializedInput()
    .Shape(AssignShape);
WB_KERNEL("Assign", AssignKernel)
    .Cpu({{"T", kPlainTypes | kObjectTypes |
                    TypeSet{DType::kQInt32, DType::kQInt8, DType::kQUInt16, DType::kQUInt8}}})
    .Gpu({{"T", kPlainTypesButInt32}});

WB_OP("AssignAdd")
    .Input("ref: Ref(T)")
    .Input("value: T")
    .Output("output_ref: Ref(T)")
    .Attr("T: numbertype")
    .Attr("use_locking: bool = false")
    .Shape(shapes::MergeInputs);
WB_KERNEL("AssignAdd", UpdateReferenceKernel<ScatterOp::kAdd>)
    .Cpu({{"T", kNumberTypes}})
    .Gpu({{"T",
           kFloatingTypes | kUnsignedTypes | TypeSet{DType::kInt16, DType::kInt64, DType::kInt8}}});

WB_OP("AssignSub")
    .Input("ref: Ref(T)")
    .Input("value: T")
    .Output("output_ref: Ref(T)")
    .Attr("T: numbertype")
    .Attr("use_locking: bool = false")
    .Shape(shapes::MergeInputs);
WB_KERNEL("AssignSub", UpdateReferenceKernel<ScatterOp::kSub>)
    .Cpu({{"T", kNumberTypes}})
    .Gpu({{"T",
           kFloatingTypes | kUnsignedTypes | TypeSet{DType::kInt16, DType::kInt64, DType::kInt8}}});

WB_NO_GRADIENT("Assign");
WB_NO_GRADIENT("AssignAdd");
WB_NO_GRADIENT("AssignSub");

}  // namespace
}  // namespace warpbeam
