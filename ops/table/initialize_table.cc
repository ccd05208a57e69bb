// InitializeTable and its V2: fill a table that is filled once.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/queue/named_resource.h"
#include "ops/table/lookup_shapes.h"
#include "ops/table/lookup_table.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

class InitializeKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<InitializeKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const std::shared_ptr<LookupTable> table, finder_.Find(ctx, 0));
    return table->Initialize(ctx.input(1), ctx.input(2));
  }

 private:
  ResourceFinder<LookupTable> finder_;
};

Status InitializeShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(CheckHandle(c));
  WB_ASSIGN_OR_RETURN(const PartialShape keys, c.WithRank(1, 1));
  return PartialShape::Merge(keys, c.input(2)).status();
}

WB_OP("InitializeTable")
    .Input("table_handle: Ref(string)")
    .Input("keys: Tkey")
    .Input("values: Tval")
    .Attr("Tkey: type")
    .Attr("Tval: type")
    .Shape(InitializeShape);
WB_KERNEL("InitializeTable", InitializeKernel).Cpu();
WB_NO_GRADIENT("InitializeTable");

WB_OP("InitializeTableV2")
    .Input("table_handle: resource")
    .Input("keys: Tkey")
    .Input("values: Tval")
    .Attr("Tkey: type")
    .Attr("Tval: type")
    .Stateful()
    .Shape(InitializeShape);
WB_KERNEL("InitializeTableV2", InitializeKernel).Cpu();
WB_NO_GRADIENT("InitializeTableV2");

}  // namespace
}  // namespace warpbeam
