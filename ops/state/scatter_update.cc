// Scatter*, ResourceScatter*: rows of a variable changed by index.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "ops/array/index/scatter_rows.h"
#include "ops/array/kernel_types.h"
#include "ops/array/strided_copy.h"
#include "ops/state/update_checks.h"
#include "ops/state/variable_access.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status CheckStatic(const PartialShape& value, const PartialShape& indices,
                   const PartialShape& updates) {
  if (value.has_rank() && value.rank() < 1) {
    return InvalidArgument("the variable must be at least a vector");
  }
  if (!value.IsFullyDefined() || !indices.IsFullyDefined() || !updates.IsFullyDefined()) {
    return OkStatus();
  }
  WB_ASSIGN_OR_RETURN(Shape v, value.AsShape());
  WB_ASSIGN_OR_RETURN(Shape i, indices.AsShape());
  WB_ASSIGN_OR_RETURN(Shape u, updates.AsShape());
  return CheckRowUpdateShapes(v, i, u);
}

Status ScatterShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(CheckStatic(c.input(0), c.input(1), c.input(2)));
  c.set_output(0, c.input(0));
  return OkStatus();
}

Status ResourceScatterShape(ShapeContext& c) {
  if (c.input_handle(0).empty()) return OkStatus();
  return CheckStatic(c.input_handle(0)[0].shape, c.input(1), c.input(2));
}

Status Scatter(KernelContext& ctx, ScatterOp op, Variable& variable) {
  const Tensor& indices = ctx.input(1);
  const Tensor& updates = ctx.input(2);
  return ModifyVariable(ctx, variable, [&](Tensor& value) -> Status {
    WB_RETURN_IF_ERROR(CheckRowUpdates(value, indices, updates));
    WB_ASSIGN_OR_RETURN(std::vector<int64_t> rows, CheckRows(indices, value.dim(0)));
    return ScatterRows(op, value.dtype(), value.raw_data(), rows,
                       ElementsOf(value.shape(), 1, value.rank()),
                       {updates.raw_data(), updates.rank() == 0});
  });
}

template <ScatterOp op>
Status RunScatter(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(RefVariable * v, RefInput(ctx, 0));
  WB_RETURN_IF_ERROR(Scatter(ctx, op, *v));
  ctx.set_output_ref(0, v);
  return OkStatus();
}

template <ScatterOp op>
class ResourceScatterKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<ResourceScatterKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(std::shared_ptr<Variable> v, finder_.Find(ctx, 0));
    if (ctx.input(1).num_elements() == 0) return OkStatus();  // whatever the updates
    return Scatter(ctx, op, *v);
  }

 private:
  VariableFinder finder_;
};

WB_OP("ScatterUpdate")
    .Input("ref: Ref(T)")
    .Input("indices: Tindices")
    .Input("updates: T")
    .Output("output_ref: Ref(T)")
    .Attr("T: type")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = true")
    .Shape(ScatterShape);
WB_KERNEL("ScatterUpdate", FunctionKernel<RunScatter<ScatterOp::kUpdate>>)
    .Cpu({{"T", kPlainTypes | kObjectTypes}, {"Tindices", kIndexTypes}})
    .Gpu({{"T", kFloatingTypes}, {"Tindices", kIndexTypes}});

// Updates that compute: alike but for the arithmetic and the types that have it.
#define WB_SCATTER_OP(name, op, types, CpuTypes)             \
  WB_OP(name)                                                \
      .Input("ref: Ref(T)")                                  \
      .Input("indices: Tindices")                            \
      .Input("updates: T")                                   \
      .Output("output_ref: Ref(T)")                          \
      .Attr("T: " types)                                     \
      .Attr("Tindices: {int32, int64}")                      \
      .Attr("use_locking: bool = false")                     \
      .Shape(ScatterShape);                                  \
  WB_KERNEL(name, FunctionKernel<RunScatter<ScatterOp::op>>) \
      .Cpu({{"T", CpuTypes}, {"Tindices", kIndexTypes}})     \
      .Gpu({{"T", kFloatingTypes}, {"Tindices", kIndexTypes}})

#define WB_ORDERED "{half, bfloat16, float, double, int32, int64}"
WB_SCATTER_OP("ScatterAdd", kAdd, "numbertype", kNumberTypes);
WB_SCATTER_OP("ScatterSub", kSub, "numbertype", kNumberTypes);
WB_SCATTER_OP("ScatterMul", kMul, "numbertype", kNumberTypes);
WB_SCATTER_OP("ScatterDiv", kDiv, "numbertype", kNumberTypes);
WB_SCATTER_OP("ScatterMin", kMin, WB_ORDERED, kRealTypes);
WB_SCATTER_OP("ScatterMax", kMax, WB_ORDERED, kRealTypes);

WB_OP("ResourceScatterUpdate")
    .Input("resource: resource")
    .Input("indices: Tindices")
    .Input("updates: dtype")
    .Attr("dtype: type")
    .Attr("Tindices: {int32, int64}")
    .Stateful()
    .Shape(ResourceScatterShape);
WB_KERNEL("ResourceScatterUpdate", ResourceScatterKernel<ScatterOp::kUpdate>)
    .Cpu({{"dtype", kPlainTypes | TypeSet{DType::kString, DType::kVariant}},
          {"Tindices", TypeSet{DType::kInt32}}})
    .Gpu({{"dtype", kFloatingTypes | kUnsignedTypes |
                        TypeSet{DType::kBool, DType::kInt16, DType::kInt64, DType::kInt8}},
          {"Tindices", TypeSet{DType::kInt32}}})
    .HostMemory({"resource"});
WB_KERNEL("ResourceScatterUpdate", ResourceScatterKernel<ScatterOp::kUpdate>)
    .Cpu({{"dtype", kPlainTypes | TypeSet{DType::kString, DType::kVariant}},
          {"Tindices", TypeSet{DType::kInt64}}})
    .Gpu({{"dtype",
           kFloatingTypes | kUnsignedTypes | TypeSet{DType::kInt16, DType::kInt64, DType::kInt8}},
          {"Tindices", TypeSet{DType::kInt64}}})
    .HostMemory({"resource"});
WB_KERNEL("ResourceScatterUpdate", ResourceScatterKernel<ScatterOp::kUpdate>)
    .Gpu({{"dtype", TypeSet{DType::kVariant}}, {"Tindices", kIndexTypes}})
    .HostMemory({"resource", "indices"});

#define WB_RESOURCE_SCATTER_OP(name, op, CpuTypes)                              \
  WB_OP(name)                                                                   \
      .Input("resource: resource")                                              \
      .Input("indices: Tindices")                                               \
      .Input("updates: dtype")                                                  \
      .Attr("dtype: numbertype")                                                \
      .Attr("Tindices: {int32, int64}")                                         \
      .Stateful()                                                               \
      .Shape(ResourceScatterShape);                                             \
  WB_KERNEL(name, ResourceScatterKernel<ScatterOp::op>)                         \
      .Cpu({{"dtype", CpuTypes}, {"Tindices", kIndexTypes}})                    \
      .Gpu({{"dtype", kFloatingTypes | kUnsignedTypes |                         \
                          TypeSet{DType::kInt16, DType::kInt64, DType::kInt8}}, \
            {"Tindices", kIndexTypes}})                                         \
      .HostMemory({"resource"})

WB_RESOURCE_SCATTER_OP("ResourceScatterAdd", kAdd, kNumberTypes);
WB_RESOURCE_SCATTER_OP("ResourceScatterSub", kSub, kNumberTypes);
WB_RESOURCE_SCATTER_OP("ResourceScatterMul", kMul, kNumberTypes);
WB_RESOURCE_SCATTER_OP("ResourceScatterDiv", kDiv, kNumberTypes);
WB_RESOURCE_SCATTER_OP("ResourceScatterMin", kMin, kRealTypes);
WB_RESOURCE_SCATTER_OP("ResourceScatterMax", kMax, kRealTypes);

WB_NO_GRADIENT("ScatterAdd");
WB_NO_GRADIENT("ScatterSub");
WB_NO_GRADIENT("ScatterMul");
WB_NO_GRADIENT("ScatterDiv");

}  // namespace
}  // namespace warpbeam
