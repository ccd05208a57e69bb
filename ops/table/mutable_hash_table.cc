// MutableHashTable, MutableHashTableOfTensors and their V2 and anonymous kinds: tables that ops
// fill and change, of scalars and of vectors.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/table/table_kernel.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

template <bool kAnonymous>
struct MutableTableKernel {
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(TableSpec spec, ReadTableSpec(init));
    const bool is_of_tensors = init.schema.FindAttr("value_shape") != nullptr;
    if (is_of_tensors && spec.value_shape.rank() != 1) {
      return InvalidArgument("Default value must be a vector, got shape ",
                             spec.value_shape.ToString());
    }
    return NewTableKernel(init, std::move(spec), &NewMutableTable, kAnonymous);
  }
};

constexpr TypeSet kKeys = {DType::kInt32, DType::kInt64, DType::kString};
constexpr TypeSet kValues = {DType::kDouble, DType::kFloat, DType::kInt32};
constexpr TypeSet kLongKeys = {DType::kInt64, DType::kString};
constexpr TypeSet kObjects = {DType::kString, DType::kVariant};

WB_OP("MutableHashTable")
    .Output("table_handle: Ref(string)")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Attr("use_node_name_sharing: bool = false")
    .Attr("key_dtype: type")
    .Attr("value_dtype: type")
    .Stateful()
    .Shape(TableHandleShape);
WB_OP("MutableHashTableV2")
    .Output("table_handle: resource")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Attr("use_node_name_sharing: bool = false")
    .Attr("key_dtype: type")
    .Attr("value_dtype: type")
    .Stateful()
    .Shape(TableHandleShape);
WB_OP("AnonymousMutableHashTable")
    .Output("table_handle: resource")
    .Attr("key_dtype: type")
    .Attr("value_dtype: type")
    .Stateful()
    .Shape(TableHandleShape);

WB_OP("MutableHashTableOfTensors")
    .Output("table_handle: Ref(string)")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Attr("use_node_name_sharing: bool = false")
    .Attr("key_dtype: type")
    .Attr("value_dtype: type")
    .Attr("value_shape: shape = { }")
    .Stateful()
    .Shape(TableHandleShape);
WB_OP("MutableHashTableOfTensorsV2")
    .Output("table_handle: resource")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Attr("use_node_name_sharing: bool = false")
    .Attr("key_dtype: type")
    .Attr("value_dtype: type")
    .Attr("value_shape: shape = { }")
    .Stateful()
    .Shape(TableHandleShape);
WB_OP("AnonymousMutableHashTableOfTensors")
    .Output("table_handle: resource")
    .Attr("key_dtype: type")
    .Attr("value_dtype: type")
    .Attr("value_shape: shape = { }")
    .Stateful()
    .Shape(TableHandleShape);

#define WB_MUTABLE_TABLE_KERNELS(op, Class, objects)                                      \
  WB_KERNEL(op, Class).Cpu({{"key_dtype", kKeys}, {"value_dtype", kValues}});             \
  WB_KERNEL(op, Class).Cpu({{"key_dtype", {DType::kInt64}}, {"value_dtype", objects}});   \
  WB_KERNEL(op, Class).Cpu({{"key_dtype", kLongKeys}, {"value_dtype", {DType::kInt64}}}); \
  WB_KERNEL(op, Class).Cpu({{"key_dtype", {DType::kString}}, {"value_dtype", {DType::kBool}}})
WB_MUTABLE_TABLE_KERNELS("MutableHashTable", MutableTableKernel<false>, kObjects);
WB_MUTABLE_TABLE_KERNELS("MutableHashTableV2", MutableTableKernel<false>, kObjects);
WB_MUTABLE_TABLE_KERNELS("AnonymousMutableHashTable", MutableTableKernel<true>, kObjects);
constexpr TypeSet kStrings = {DType::kString};
WB_MUTABLE_TABLE_KERNELS("MutableHashTableOfTensors", MutableTableKernel<false>, kStrings);
WB_MUTABLE_TABLE_KERNELS("MutableHashTableOfTensorsV2", MutableTableKernel<false>, kStrings);
WB_MUTABLE_TABLE_KERNELS("AnonymousMutableHashTableOfTensors", MutableTableKernel<true>, kStrings);
#undef WB_MUTABLE_TABLE_KERNELS

WB_NO_GRADIENT("MutableHashTable");
WB_NO_GRADIENT("MutableHashTableV2");
WB_NO_GRADIENT("MutableHashTableOfTensors");
WB_NO_GRADIENT("MutableHashTableOfTensorsV2");

}  // namespace
}  // namespace warpbeam
