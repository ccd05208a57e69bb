// GatherNd: slices of a tensor picked by index tuples.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/index/gather_gradient.h"
#include "ops/array/index/gather_slices.h"
#include "ops/array/index/scatter_rows.h"
#include "ops/array/kernel_types.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status GatherNdOpShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRankAtLeast(1, 1).status());
  WB_ASSIGN_OR_RETURN(PartialShape out, GatherNdPartialShape(c.input(0), c.input(1)));
  c.set_output(0, std::move(out));
  return OkStatus();
}

class GatherNdKernel final : public Kernel {
 public:
  explicit GatherNdKernel(BadIndex bad) : bad_(bad) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(BadIndex bad, BadIndexPolicy(init.attrs));
    return std::make_unique<GatherNdKernel>(bad);
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor& params = ctx.input(0);
    const Tensor& indices = ctx.input(1);
    WB_ASSIGN_OR_RETURN(Shape shape, GatherNdShape(params.shape(), indices.shape()));
    WB_RETURN_IF_ERROR(CheckHasSlices(params.shape(), indices.shape(), bad_));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    return GatherNdSlices(ctx, params, indices, bad_, y);
  }

 private:
  const BadIndex bad_;
};

WB_OP("GatherNd")
    .Input("params: Tparams")
    .Input("indices: Tindices")
    .Output("output: Tparams")
    .Attr("Tparams: type")
    .Attr("Tindices: {int16, int32, int64}")
    .Attr("bad_indices_policy: string = ''")
    .Shape(GatherNdOpShape);
WB_KERNEL("GatherNd", GatherNdKernel)
    .Cpu({{"Tparams", kMovableTypes | TypeSet{DType::kQInt32, DType::kQInt8, DType::kQUInt8}},
          {"Tindices", kIndexTypes | TypeSet{DType::kInt16}}})
    .Gpu({{"Tparams", kFloatingTypes | kComplexTypes | kIndexTypes}, {"Tindices", kIndexTypes}});

Status GatherNdGradient(GradContext& c) {
  c.set_dx(0, TupleGradient(c, c.dy(0), c.x(1), c.ShapeOf(c.x(0), c.type(c.x(1)))));
  return OkStatus();
}
WB_GRADIENT("GatherNd", GatherNdGradient);

}  // namespace
}  // namespace warpbeam
