// LookupTableSize, LookupTableExport and their V2: how much is in a table, and all of it.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/queue/named_resource.h"
#include "ops/table/lookup_shapes.h"
#include "ops/table/lookup_table.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

class SizeKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<SizeKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const std::shared_ptr<LookupTable> table, finder_.Find(ctx, 0));
    ctx.set_output(0, Tensor::Scalar<int64_t>(table->size()));
    return OkStatus();
  }

 private:
  ResourceFinder<LookupTable> finder_;
};

class ExportKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<ExportKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const std::shared_ptr<LookupTable> table, finder_.Find(ctx, 0));
    const TableSpec& spec = table->spec();
    if (spec.key_dtype != ctx.output_type(0) || spec.value_dtype != ctx.output_type(1)) {
      return InvalidArgument("the table ", spec.name, " maps ", DTypeName(spec.key_dtype), " to ",
                             DTypeName(spec.value_dtype), ", not ", DTypeName(ctx.output_type(0)),
                             " to ", DTypeName(ctx.output_type(1)));
    }
    WB_ASSIGN_OR_RETURN(LookupTable::Contents contents, table->Export());
    ctx.set_output(0, std::move(contents.keys));
    ctx.set_output(1, std::move(contents.values));
    return OkStatus();
  }

 private:
  ResourceFinder<LookupTable> finder_;
};

Status SizeShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(CheckHandle(c));
  return shapes::Scalar(c);
}

// Dense tables export rows even of scalars, so that no rank is known.
Status ExportShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(CheckHandle(c));
  WB_RETURN_IF_ERROR(ReadTableShapes(c, "Tkeys", "Tvalues").status());
  return shapes::Unknown(c);
}

WB_OP("LookupTableSize")
    .Effect(StateEffect::kLookUp)
    .Input("table_handle: Ref(string)")
    .Output("size: int64")
    .Shape(SizeShape);
WB_KERNEL("LookupTableSize", SizeKernel).Cpu();
WB_NO_GRADIENT("LookupTableSize");

WB_OP("LookupTableSizeV2")
    .Effect(StateEffect::kLookUp)
    .Input("table_handle: resource")
    .Output("size: int64")
    .Stateful()
    .Shape(SizeShape);
WB_KERNEL("LookupTableSizeV2", SizeKernel).Cpu();
WB_NO_GRADIENT("LookupTableSizeV2");

WB_OP("LookupTableExport")
    .Effect(StateEffect::kLookUp)
    .Input("table_handle: Ref(string)")
    .Output("keys: Tkeys")
    .Output("values: Tvalues")
    .Attr("Tkeys: type")
    .Attr("Tvalues: type")
    .Shape(ExportShape);
WB_KERNEL("LookupTableExport", ExportKernel).Cpu();

WB_OP("LookupTableExportV2")
    .Effect(StateEffect::kLookUp)
    .Input("table_handle: resource")
    .Output("keys: Tkeys")
    .Output("values: Tvalues")
    .Attr("Tkeys: type")
    .Attr("Tvalues: type")
    .Stateful()
    .Shape(ExportShape);
WB_KERNEL("LookupTableExportV2", ExportKernel).Cpu();

}  // namespace
}  // namespace warpbeam
