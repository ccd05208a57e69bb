// LookupTableInsert, LookupTableImport, LookupTableRemove and their V2: changes of a table.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/queue/named_resource.h"
#include "ops/table/lookup_shapes.h"
#include "ops/table/lookup_table.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

template <Status (LookupTable::*Change)(const Tensor&, const Tensor&)>
class ChangeKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<ChangeKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const std::shared_ptr<LookupTable> table, finder_.Find(ctx, 0));
    return (*table.*Change)(ctx.input(1), ctx.input(2));
  }

 private:
  ResourceFinder<LookupTable> finder_;
};
using InsertKernel = ChangeKernel<&LookupTable::Insert>;
using ImportKernel = ChangeKernel<&LookupTable::Import>;

class RemoveKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<RemoveKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const std::shared_ptr<LookupTable> table, finder_.Find(ctx, 0));
    return table->Remove(ctx.input(1));
  }

 private:
  ResourceFinder<LookupTable> finder_;
};

WB_OP("LookupTableInsert")
    .Input("table_handle: Ref(string)")
    .Input("keys: Tin")
    .Input("values: Tout")
    .Attr("Tin: type")
    .Attr("Tout: type")
    .Shape(ChangeShape);
WB_KERNEL("LookupTableInsert", InsertKernel).Cpu();
WB_NO_GRADIENT("LookupTableInsert");

WB_OP("LookupTableInsertV2")
    .Input("table_handle: resource")
    .Input("keys: Tin")
    .Input("values: Tout")
    .Attr("Tin: type")
    .Attr("Tout: type")
    .Stateful()
    .Shape(ChangeShape);
WB_KERNEL("LookupTableInsertV2", InsertKernel).Cpu();
WB_NO_GRADIENT("LookupTableInsertV2");

WB_OP("LookupTableImport")
    .Input("table_handle: Ref(string)")
    .Input("keys: Tin")
    .Input("values: Tout")
    .Attr("Tin: type")
    .Attr("Tout: type")
    .Shape(ChangeShape);
WB_KERNEL("LookupTableImport", ImportKernel).Cpu();

WB_OP("LookupTableImportV2")
    .Input("table_handle: resource")
    .Input("keys: Tin")
    .Input("values: Tout")
    .Attr("Tin: type")
    .Attr("Tout: type")
    .Stateful()
    .Shape(ChangeShape);
WB_KERNEL("LookupTableImportV2", ImportKernel).Cpu();

WB_OP("LookupTableRemoveV2")
    .Input("table_handle: resource")
    .Input("keys: Tin")
    .Attr("Tin: type")
    .Stateful()
    .Shape(CheckHandle);
WB_KERNEL("LookupTableRemoveV2", RemoveKernel).Cpu();

}  // namespace
}  // namespace warpbeam
