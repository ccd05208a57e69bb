// StridedSliceAssign, ResourceStridedSliceAssign: a slice of a variable replaced.
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/kernel_types.h"
#include "ops/array/strided_slice_spec.h"
#include "ops/state/update_checks.h"
#include "ops/state/variable_access.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status AssignedShape(ShapeContext& c) {
  c.set_output(0, c.input(0));
  return OkStatus();
}

template <bool is_resource>
class StridedSliceAssignKernel final : public Kernel {
 public:
  explicit StridedSliceAssignKernel(SliceMasks masks) : masks_(masks) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(SliceMasks masks, SliceMasks::FromAttrs(init.attrs));
    return std::make_unique<StridedSliceAssignKernel>(masks);
  }
  Status Compute(KernelContext& ctx) override {
    if constexpr (is_resource) {
      WB_ASSIGN_OR_RETURN(std::shared_ptr<Variable> v, finder_.Find(ctx, 0));
      return Assign(ctx, *v);
    } else {
      WB_ASSIGN_OR_RETURN(RefVariable * v, RefInput(ctx, 0));
      WB_RETURN_IF_ERROR(Assign(ctx, *v));
      ctx.set_output_ref(0, v);
      return OkStatus();
    }
  }

 private:
  Status Assign(KernelContext& ctx, Variable& variable) const {
    const Tensor& update = ctx.input(4);
    return ModifyVariable(ctx, variable, [&](Tensor& value) -> Status {
      WB_RETURN_IF_ERROR(CheckUpdateType(value, update, "value"));
      WB_ASSIGN_OR_RETURN(SliceSpec spec, ResolveSlice(masks_, ctx, 1, value.shape()));
      return AssignSlice(ctx, spec, update, &value);
    });
  }

  const SliceMasks masks_;
  VariableFinder finder_;
};

WB_OP("StridedSliceAssign")
    .Input("ref: Ref(T)")
    .Input("begin: Index")
    .Input("end: Index")
    .Input("strides: Index")
    .Input("value: T")
    .Output("output_ref: Ref(T)")
    .Attr("T: type")
    .Attr("Index: {int32, int64}")
    .Attr("begin_mask: int = 0")
    .Attr("end_mask: int = 0")
    .Attr("ellipsis_mask: int = 0")
    .Attr("new_axis_mask: int = 0")
    .Attr("shrink_axis_mask: int = 0")
    .Shape(AssignedShape);
WB_KERNEL("StridedSliceAssign", StridedSliceAssignKernel<false>)
    .Gpu({{"T", TypeSet{DType::kInt32}}})
    .HostMemory({"ref", "begin", "end", "strides", "value"});
WB_KERNEL("StridedSliceAssign", StridedSliceAssignKernel<false>)
    .Cpu({{"T", kMovableTypes | TypeSet{DType::kQInt32, DType::kQInt8, DType::kQUInt8}}})
    .Gpu({{"T", kPlainTypesButInt32}})
    .HostMemory({"begin", "end", "strides"});

WB_OP("ResourceStridedSliceAssign")
    .Input("ref: resource")
    .Input("begin: Index")
    .Input("end: Index")
    .Input("strides: Index")
    .Input("value: T")
    .Attr("T: type")
    .Attr("Index: {int32, int64}")
    .Attr("begin_mask: int = 0")
    .Attr("end_mask: int = 0")
    .Attr("ellipsis_mask: int = 0")
    .Attr("new_axis_mask: int = 0")
    .Attr("shrink_axis_mask: int = 0")
    .Stateful()
    .Shape(shapes::NoOutputs);
WB_KERNEL("ResourceStridedSliceAssign", StridedSliceAssignKernel<true>)
    .Gpu({{"T", TypeSet{DType::kInt32}}})
    .HostMemory({"ref", "begin", "end", "strides", "value"});
WB_KERNEL("ResourceStridedSliceAssign", StridedSliceAssignKernel<true>)
    .Cpu({{"T", kMovableTypes | TypeSet{DType::kQInt32, DType::kQInt8, DType::kQUInt8}}})
    .Gpu({{"T", kPlainTypesButInt32}})
    .HostMemory({"ref", "begin", "end", "strides"});

}  // namespace
}  // namespace warpbeam
