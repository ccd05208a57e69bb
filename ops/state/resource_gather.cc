// ResourceGather, ResourceGatherNd: slices of a resource variable.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/index/gather_gradient.h"
#include "ops/array/index/gather_slices.h"
#include "ops/array/kernel_types.h"
#include "ops/state/gather_checks.h"
#include "ops/state/variable_access.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status ResourceGatherShape(ShapeContext& c) {
  if (c.input_handle(0).empty()) return OkStatus();
  WB_ASSIGN_OR_RETURN(int64_t batch_dims, c.attr<int64_t>("batch_dims"));
  const int64_t axis =
      batch_dims < 0 && c.input(1).has_rank() ? batch_dims + c.input(1).rank() : batch_dims;
  WB_ASSIGN_OR_RETURN(PartialShape out,
                      GatherPartialShape(c.input_handle(0)[0].shape, c.input(1), axis, batch_dims));
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status ResourceGatherNdShape(ShapeContext& c) {
  if (c.input_handle(0).empty()) return OkStatus();
  WB_RETURN_IF_ERROR(c.WithRankAtLeast(1, 1).status());
  WB_ASSIGN_OR_RETURN(PartialShape out,
                      GatherNdPartialShape(c.input_handle(0)[0].shape, c.input(1)));
  c.set_output(0, std::move(out));
  return OkStatus();
}

class ResourceGatherKernel final : public Kernel {
 public:
  explicit ResourceGatherKernel(int64_t batch_dims) : batch_dims_(batch_dims) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    return std::make_unique<ResourceGatherKernel>(init.attrs.GetOr<int64_t>("batch_dims", 0));
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(Tensor params, ReadGatherParams(ctx, finder_));
    const Tensor& indices = ctx.input(1);
    WB_ASSIGN_OR_RETURN(const int axis, GatherBatchDims(params, indices, batch_dims_));
    WB_ASSIGN_OR_RETURN(Shape shape, GatherShape(params.shape(), indices.shape(), axis, axis));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    return GatherSlices(ctx, params, indices, axis, axis, y);
  }

 private:
  const int64_t batch_dims_;
  VariableFinder finder_;
};

class ResourceGatherNdKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<ResourceGatherNdKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(Tensor params, ReadGatherParams(ctx, finder_));
    const Tensor& indices = ctx.input(1);
    WB_ASSIGN_OR_RETURN(Shape shape, GatherNdShape(params.shape(), indices.shape()));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    return GatherNdSlices(ctx, params, indices, BadIndex::kError, y);
  }

 private:
  VariableFinder finder_;
};

WB_OP("ResourceGather")
    .Effect(StateEffect::kRead)
    .Input("resource: resource")
    .Input("indices: Tindices")
    .Output("output: dtype")
    .Attr("batch_dims: int = 0")
    .Attr("validate_indices: bool = true")
    .Attr("dtype: type")
    .Attr("Tindices: {int32, int64}")
    .Stateful()
    .Shape(ResourceGatherShape);
WB_KERNEL("ResourceGather", ResourceGatherKernel)
    .Cpu({{"dtype",
           kPlainTypes | kObjectTypes | TypeSet{DType::kQInt32, DType::kQInt8, DType::kQUInt8}},
          {"Tindices", kIndexTypes}})
    .Gpu({{"dtype", kPlainTypesButInt32}, {"Tindices", kIndexTypes}})
    .HostMemory({"resource"});
WB_KERNEL("ResourceGather", ResourceGatherKernel)
    .Gpu({{"dtype", TypeSet{DType::kVariant}}, {"Tindices", kIndexTypes}})
    .HostMemory({"resource", "indices"});

WB_OP("ResourceGatherNd")
    .Effect(StateEffect::kRead)
    .Input("resource: resource")
    .Input("indices: Tindices")
    .Output("output: dtype")
    .Attr("dtype: type")
    .Attr("Tindices: {int32, int64}")
    .Stateful()
    .Shape(ResourceGatherNdShape);
WB_KERNEL("ResourceGatherNd", ResourceGatherNdKernel)
    .Cpu({{"dtype", kPlainTypes | kObjectTypes}, {"Tindices", kIndexTypes}})
    .Gpu({{"dtype",
           kFloatingTypes | kUnsignedTypes | TypeSet{DType::kInt16, DType::kInt64, DType::kInt8}},
          {"Tindices", kIndexTypes}})
    .HostMemory({"resource"});

PartialShape KnownShape(const GradContext& c) {
  const Node& handle = c.graph().node(c.x(0).node);
  const HandleShapes& shapes = handle.output_handle(c.x(0).index);
  return shapes.empty() ? PartialShape() : shapes[0].shape;
}

Status ResourceGatherGradient(GradContext& c) {
  if (c.attr_or<int64_t>("batch_dims", 0) != 0) {
    return Unimplemented(
        "the gradient of a ResourceGather with batch_dims; gather from the read "
        "value instead");
  }
  const OutputRef shape = c.Emit("VariableShape", {c.x(0)});
  c.set_dx(0, RowSlices(c, c.dy(0), c.x(1), KnownShape(c), shape));
  return OkStatus();
}
WB_GRADIENT("ResourceGather", ResourceGatherGradient);

Status ResourceGatherNdGradient(GradContext& c) {
  const OutputRef shape = c.Emit("VariableShape", {c.x(0)}, {{"out_type", c.type(c.x(1))}});
  c.set_dx(0, TupleGradient(c, c.dy(0), c.x(1), shape));
  return OkStatus();
}
WB_GRADIENT("ResourceGatherNd", ResourceGatherNdGradient);

}  // namespace
}  // namespace warpbeam
