#include "ops/table/table_kernel.h"

namespace warpbeam {
namespace {

class TableKernel final : public NamedResourceKernel<LookupTable> {
 public:
  explicit TableKernel(std::unique_ptr<TableMaker> maker) : maker_(std::move(maker)) {}
  Status Init(KernelInit& init) { return InitNames(init, "LookupTable"); }

 private:
  StatusOr<std::shared_ptr<LookupTable>> MakeFrom(KernelContext& ctx,
                                                  const std::string& name) override {
    return maker_->Make(ctx, name);
  }
  Status CheckFound(const LookupTable& table) override { return table.CheckSame(maker_->spec()); }

  const std::unique_ptr<TableMaker> maker_;
};

// The table stays until the session closes, as its handle does not count it.
class AnonymousTableKernel final : public Kernel {
 public:
  explicit AnonymousTableKernel(std::unique_ptr<TableMaker> maker) : maker_(std::move(maker)) {}
  Status Compute(KernelContext& ctx) override {
    if (ctx.resources() == nullptr) return FailedPrecondition("the step has no resource store");
    const std::string name = UniqueResourceName("AnonymousTable");
    WB_ASSIGN_OR_RETURN(std::shared_ptr<LookupTable> table, maker_->Make(ctx, name));
    WB_RETURN_IF_ERROR(ctx.resources()->Create<LookupTable>("", name, std::move(table)));
    auto handle = MakeResourceHandle<LookupTable>("", "", name, "LookupTable");
    ctx.set_output(0, HandleTensor(std::move(handle), ctx.device()));
    return OkStatus();
  }

 private:
  const std::unique_ptr<TableMaker> maker_;
};

class PlainMaker final : public TableMaker {
 public:
  PlainMaker(TableSpec spec, PlainTableMaker make) : spec_(std::move(spec)), make_(make) {}
  StatusOr<std::shared_ptr<LookupTable>> Make(KernelContext&, const std::string& name) override {
    TableSpec spec = spec_;
    spec.name = name;
    return make_(std::move(spec));
  }
  const TableSpec& spec() const override { return spec_; }

 private:
  const TableSpec spec_;
  const PlainTableMaker make_;
};

}  // namespace

StatusOr<TableSpec> ReadTableSpec(const KernelInit& init) {
  TableSpec spec;
  spec.name = init.node_name;
  WB_ASSIGN_OR_RETURN(spec.key_dtype, init.attr<DType>("key_dtype"));
  WB_ASSIGN_OR_RETURN(spec.value_dtype, init.attr<DType>("value_dtype"));
  if (init.schema.FindAttr("value_shape") == nullptr) return spec;
  WB_ASSIGN_OR_RETURN(const PartialShape shape, init.attr<PartialShape>("value_shape"));
  if (!shape.IsFullyDefined()) {
    return InvalidArgument("Shape ", shape.ToString(), " is not fully defined");
  }
  WB_ASSIGN_OR_RETURN(spec.value_shape, shape.AsShape());
  return spec;
}

StatusOr<std::unique_ptr<Kernel>> NewTableKernel(KernelInit& init,
                                                 std::unique_ptr<TableMaker> maker,
                                                 bool anonymous) {
  if (anonymous) {
    return std::make_unique<AnonymousTableKernel>(std::move(maker));
  }
  auto kernel = std::make_unique<TableKernel>(std::move(maker));
  WB_RETURN_IF_ERROR(kernel->Init(init));
  return kernel;
}

StatusOr<std::unique_ptr<Kernel>> NewTableKernel(KernelInit& init, TableSpec spec,
                                                 PlainTableMaker make, bool anonymous) {
  return NewTableKernel(init, std::make_unique<PlainMaker>(std::move(spec), make), anonymous);
}

Status TableHandleShape(ShapeContext& c) {
  const bool is_reference = c.schema().outputs[0].is_ref;
  c.set_output(0, is_reference ? PartialShape({2}) : PartialShape(Shape()));
  WB_ASSIGN_OR_RETURN(const DType key, c.attr<DType>("key_dtype"));
  WB_ASSIGN_OR_RETURN(const DType value, c.attr<DType>("value_dtype"));
  PartialShape key_shape{Shape()};
  PartialShape value_shape{Shape()};
  if (c.num_inputs() > 0) key_shape = c.input(0);
  if (c.schema().FindAttr("value_shape") != nullptr) {
    WB_ASSIGN_OR_RETURN(value_shape, c.attr<PartialShape>("value_shape"));
  }
  c.set_output_handle(0, {{key, key_shape}, {value, value_shape}});
  return OkStatus();
}

}  // namespace warpbeam
