// LookupTableFind and its V2: the values of keys, defaults for those that are not there.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/queue/named_resource.h"
#include "ops/table/lookup_shapes.h"
#include "ops/table/lookup_table.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

class FindKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<FindKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const std::shared_ptr<LookupTable> table, finder_.Find(ctx, 0));
    if (table->spec().value_dtype != ctx.output_type(0)) {
      return InvalidArgument("the table ", table->spec().name, " holds ",
                             DTypeName(table->spec().value_dtype), ", not ",
                             DTypeName(ctx.output_type(0)));
    }
    WB_ASSIGN_OR_RETURN(Tensor values, table->Find(ctx.input(1), ctx.input(2)));
    ctx.set_output(0, std::move(values));
    return OkStatus();
  }

 private:
  ResourceFinder<LookupTable> finder_;
};

Status FindShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(CheckHandle(c));
  WB_ASSIGN_OR_RETURN(const TableShapes table, ReadTableShapes(c, "Tin", "Tout"));
  c.set_output(0, ValuesShape(c.input(1), table));
  return OkStatus();
}

WB_OP("LookupTableFind")
    .Effect(StateEffect::kLookUp)
    .Input("table_handle: Ref(string)")
    .Input("keys: Tin")
    .Input("default_value: Tout")
    .Output("values: Tout")
    .Attr("Tin: type")
    .Attr("Tout: type")
    .Shape(FindShape);
WB_KERNEL("LookupTableFind", FindKernel).Cpu();
WB_NO_GRADIENT("LookupTableFind");

WB_OP("LookupTableFindV2")
    .Effect(StateEffect::kLookUp)
    .Input("table_handle: resource")
    .Input("keys: Tin")
    .Input("default_value: Tout")
    .Output("values: Tout")
    .Attr("Tin: type")
    .Attr("Tout: type")
    .Stateful()
    .Shape(FindShape);
WB_KERNEL("LookupTableFindV2", FindKernel).Cpu();
WB_NO_GRADIENT("LookupTableFindV2");

}  // namespace
}  // namespace warpbeam
