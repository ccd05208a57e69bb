// TensorMap: tensors under keys that are tensors, as a value, the element of a scalar DT_VARIANT
// tensor.
//
//   WB_ASSIGN_OR_RETURN(const TensorMap* map, MapInput(ctx, 0));
//   WB_ASSIGN_OR_RETURN(const std::string key, TensorMap::KeyOf(ctx.input(1)));
//   const auto at = map->entries.find(key);
//
// Keys are equal when dtype, shape and all bytes are. Maps are values: an op that changes one gives
// out a new one, and works in place where nobody else can see the old one.
//
// Ownership: a map shares its tensors' buffers. Thread safety: values; const access from many
// threads. Errors: INVALID_ARGUMENT for a tensor that is no map, and for keys without a value of
// their own (resources, variants).
#ifndef WARPBEAM_OPS_LIST_TENSOR_MAP_H_
#define WARPBEAM_OPS_LIST_TENSOR_MAP_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "graph/types/tensor.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

// That it can tell how many variants share it is what in-place changes rest on.
struct TensorMap : std::enable_shared_from_this<TensorMap> {
  struct Entry {
    Tensor key, value;
    int64_t order = 0;  // increases with each new key
  };

  static StatusOr<std::string> KeyOf(const Tensor& key);
  // A key that is there keeps its place.
  void Set(std::string key_bytes, Tensor key, Tensor value);
  // In the order in which the keys came.
  std::vector<const Entry*> InOrder() const;

  std::map<std::string, Entry> entries;
  int64_t next_order = 0;
};

StatusOr<const TensorMap*> MapInput(const KernelContext& ctx, int input);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_LIST_TENSOR_MAP_H_
