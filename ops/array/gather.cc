// Gather, GatherV2: slices of a tensor picked by index along one axis.
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "ops/array/gather_slices.h"
#include "ops/array/index_argument.h"
#include "ops/array/kernel_types.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

absl::Status GatherOpShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRankAtLeast(0, 1).status());
  WB_ASSIGN_OR_RETURN(PartialShape out, GatherPartialShape(c.input(0), c.input(1), 0, 0));
  c.set_output(0, std::move(out));
  return absl::OkStatus();
}

absl::Status GatherV2Shape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRankAtLeast(0, 1).status());
  WB_RETURN_IF_ERROR(c.WithRank(2, 0).status());
  WB_ASSIGN_OR_RETURN(int64_t batch_dims, c.attr<int64_t>("batch_dims"));
  WB_ASSIGN_OR_RETURN(PartialShape out,
                      GatherPartialShape(c.input(0), c.input(1), c.ConstantScalar(2), batch_dims));
  c.set_output(0, std::move(out));
  return absl::OkStatus();
}

absl::Status GatherAlong(KernelContext& ctx, int64_t axis, int64_t batch_dims) {
  const Tensor& params = ctx.input(0);
  const Tensor& indices = ctx.input(1);
  if (params.rank() < 1) return InvalidArgument("params must be at least a vector");
  WB_ASSIGN_OR_RETURN(int a, ResolveAxis(axis, params.rank()));
  if (batch_dims < 0) batch_dims += indices.rank();
  if (batch_dims < 0 || batch_dims > indices.rank() || batch_dims > a) {
    return InvalidArgument("'batch_dims' must be between 0 and the axis ", a,
                           " and the rank of indices, ", indices.rank(), "; it is ", batch_dims);
  }
  const int batch = static_cast<int>(batch_dims);
  WB_ASSIGN_OR_RETURN(Shape shape, GatherShape(params.shape(), indices.shape(), a, batch));
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
  return GatherSlices(ctx, params, indices, a, batch, y);
}

absl::Status RunGather(KernelContext& ctx) { return GatherAlong(ctx, 0, 0); }

class GatherV2Kernel final : public Kernel {
 public:
  explicit GatherV2Kernel(int64_t batch_dims) : batch_dims_(batch_dims) {}
  static absl::StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    return std::make_unique<GatherV2Kernel>(init.attrs.GetOr<int64_t>("batch_dims", 0));
  }
  absl::Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(int64_t axis, ReadIndex(ctx.input(2), "axis"));
    return GatherAlong(ctx, axis, batch_dims_);
  }

 private:
  const int64_t batch_dims_;
};

WB_OP("Gather")
    .Input("params: Tparams")
    .Input("indices: Tindices")
    .Output("output: Tparams")
    .Attr("validate_indices: bool = true")
    .Attr("Tparams: type")
    .Attr("Tindices: {int32, int64}")
    .Shape(GatherOpShape);
WB_KERNEL("Gather", FunctionKernel<RunGather>)
    .Cpu({{"Tparams", kMovableTypes | kQuantizedTypes},
          {"Tindices", kIndexTypes | TypeSet{DType::kInt16}}})
    .Gpu({{"Tparams",
           kFloatingTypes | kComplexTypes | kIndexTypes | kFloat8Types | TypeSet{DType::kBool}},
          {"Tindices", kIndexTypes}});

WB_OP("GatherV2")
    .Input("params: Tparams")
    .Input("indices: Tindices")
    .Input("axis: Taxis")
    .Output("output: Tparams")
    .Attr("batch_dims: int = 0")
    .Attr("Tparams: type")
    .Attr("Tindices: {int16, int32, int64}")
    .Attr("Taxis: {int32, int64}")
    .Shape(GatherV2Shape);
WB_KERNEL("GatherV2", GatherV2Kernel)
    .Cpu({{"Tparams", kMovableTypes | kQuantizedTypes},
          {"Tindices", kIndexTypes | TypeSet{DType::kInt16}}})
    .Gpu({{"Tparams",
           kFloatingTypes | kComplexTypes | kIndexTypes | kFloat8Types | TypeSet{DType::kBool}},
          {"Tindices", kIndexTypes}})
    .HostMemory({"axis"});

}  // namespace
}  // namespace warpbeam
