// HashTable, HashTableV2, AnonymousHashTable: tables that an initialiser fills once.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/table/table_kernel.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

template <bool kAnonymous>
struct HashTableKernel {
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(TableSpec spec, ReadTableSpec(init));
    return NewTableKernel(init, std::move(spec), &NewStaticTable, kAnonymous);
  }
};

constexpr TypeSet kKeys = {DType::kInt32, DType::kInt64, DType::kString};
constexpr TypeSet kValues = {DType::kDouble, DType::kFloat, DType::kInt32, DType::kString};
constexpr TypeSet kLongKeys = {DType::kInt64, DType::kString};

WB_OP("HashTable")
    .Output("table_handle: Ref(string)")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Attr("use_node_name_sharing: bool = false")
    .Attr("key_dtype: type")
    .Attr("value_dtype: type")
    .Stateful()
    .Shape(TableHandleShape);
WB_OP("HashTableV2")
    .Output("table_handle: resource")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Attr("use_node_name_sharing: bool = false")
    .Attr("key_dtype: type")
    .Attr("value_dtype: type")
    .Stateful()
    .Shape(TableHandleShape);
WB_OP("AnonymousHashTable")
    .Output("table_handle: resource")
    .Attr("key_dtype: type")
    .Attr("value_dtype: type")
    .Stateful()
    .Shape(TableHandleShape);

#define WB_HASH_TABLE_KERNELS(op, Class)                                                  \
  WB_KERNEL(op, Class).Cpu({{"key_dtype", kKeys}, {"value_dtype", kValues}});             \
  WB_KERNEL(op, Class).Cpu({{"key_dtype", kLongKeys}, {"value_dtype", {DType::kInt64}}}); \
  WB_KERNEL(op, Class).Cpu({{"key_dtype", {DType::kString}}, {"value_dtype", {DType::kBool}}})
WB_HASH_TABLE_KERNELS("HashTable", HashTableKernel<false>);
WB_HASH_TABLE_KERNELS("HashTableV2", HashTableKernel<false>);
WB_HASH_TABLE_KERNELS("AnonymousHashTable", HashTableKernel<true>);
#undef WB_HASH_TABLE_KERNELS

WB_NO_GRADIENT("HashTable");
WB_NO_GRADIENT("HashTableV2");

}  // namespace
}  // namespace warpbeam
