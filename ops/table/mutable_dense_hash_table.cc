// MutableDenseHashTable, its V2 and anonymous kind: tables in one array, whose empty and deleted
// buckets have keys that nothing else may have.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/table/table_kernel.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

class DenseMaker final : public TableMaker {
 public:
  DenseMaker(TableSpec spec, int64_t num_buckets, float max_load_factor)
      : spec_(std::move(spec)), num_buckets_(num_buckets), max_load_factor_(max_load_factor) {}

  StatusOr<std::shared_ptr<LookupTable>> Make(KernelContext& ctx,
                                              const std::string& name) override {
    TableSpec spec = spec_;
    spec.name = name;
    spec.key_shape = ctx.input(0).shape();
    if (spec.key_shape.rank() > 1) {
      return InvalidArgument("Empty key must be a scalar or a vector, got shape ",
                             spec.key_shape.ToString());
    }
    if (spec.key_shape.num_elements() == 0) return InvalidArgument("an empty_key of no elements");
    DenseSpec dense;
    dense.num_buckets = num_buckets_;
    dense.max_load_factor = max_load_factor_;
    WB_ASSIGN_OR_RETURN(dense.empty_key, ctx.input(0).Clone());
    if (ctx.num_inputs() > 1) {
      if (ctx.input(1).shape() != spec.key_shape) {
        return InvalidArgument("Empty and deleted keys must have same shape, got shapes: ",
                               spec.key_shape.ToString(), " and ", ctx.input(1).shape().ToString());
      }
      WB_ASSIGN_OR_RETURN(dense.deleted_key, ctx.input(1).Clone());
    }
    return NewDenseTable(std::move(spec), std::move(dense));
  }
  const TableSpec& spec() const override { return spec_; }

 private:
  const TableSpec spec_;
  const int64_t num_buckets_;
  const float max_load_factor_;
};

template <bool kAnonymous>
struct DenseTableKernel {
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(TableSpec spec, ReadTableSpec(init));
    WB_ASSIGN_OR_RETURN(const int64_t buckets, init.attr<int64_t>("initial_num_buckets"));
    WB_ASSIGN_OR_RETURN(const float load, init.attr<float>("max_load_factor"));
    return NewTableKernel(init, std::make_unique<DenseMaker>(std::move(spec), buckets, load),
                          kAnonymous);
  }
};

constexpr TypeSet kKeys = {DType::kInt32, DType::kInt64, DType::kString};
constexpr TypeSet kValues = {DType::kDouble, DType::kFloat, DType::kInt32};
constexpr TypeSet kLongKeys = {DType::kInt64, DType::kString};
constexpr TypeSet kLongValues = {DType::kInt64, DType::kBool};

WB_OP("MutableDenseHashTable")
    .Input("empty_key: key_dtype")
    .Output("table_handle: Ref(string)")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Attr("use_node_name_sharing: bool = false")
    .Attr("key_dtype: type")
    .Attr("value_dtype: type")
    .Attr("value_shape: shape = { }")
    .Attr("initial_num_buckets: int = 131072")
    .Attr("max_load_factor: float = 0.8")
    .Stateful()
    .Shape(TableHandleShape);
WB_OP("MutableDenseHashTableV2")
    .Input("empty_key: key_dtype")
    .Input("deleted_key: key_dtype")
    .Output("table_handle: resource")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Attr("use_node_name_sharing: bool = false")
    .Attr("key_dtype: type")
    .Attr("value_dtype: type")
    .Attr("value_shape: shape = { }")
    .Attr("initial_num_buckets: int = 131072")
    .Attr("max_load_factor: float = 0.8")
    .Stateful()
    .Shape(TableHandleShape);
WB_OP("AnonymousMutableDenseHashTable")
    .Input("empty_key: key_dtype")
    .Input("deleted_key: key_dtype")
    .Output("table_handle: resource")
    .Attr("key_dtype: type")
    .Attr("value_dtype: type")
    .Attr("value_shape: shape = { }")
    .Attr("initial_num_buckets: int = 131072")
    .Attr("max_load_factor: float = 0.8")
    .Stateful()
    .Shape(TableHandleShape);

#define WB_DENSE_TABLE_KERNELS(op, Class)                                                         \
  WB_KERNEL(op, Class).Cpu({{"key_dtype", kKeys}, {"value_dtype", kValues}});                     \
  WB_KERNEL(op, Class).Cpu({{"key_dtype", kLongKeys}, {"value_dtype", kLongValues}});             \
  WB_KERNEL(op, Class).Cpu({{"key_dtype", {DType::kInt64}}, {"value_dtype", {DType::kVariant}}}); \
  WB_KERNEL(op, Class).Cpu({{"key_dtype", {DType::kString}}, {"value_dtype", {DType::kResource}}})
WB_DENSE_TABLE_KERNELS("MutableDenseHashTable", DenseTableKernel<false>);
WB_DENSE_TABLE_KERNELS("MutableDenseHashTableV2", DenseTableKernel<false>);
WB_DENSE_TABLE_KERNELS("AnonymousMutableDenseHashTable", DenseTableKernel<true>);
#undef WB_DENSE_TABLE_KERNELS

WB_NO_GRADIENT("MutableDenseHashTable");
WB_NO_GRADIENT("MutableDenseHashTableV2");

}  // namespace
}  // namespace warpbeam
