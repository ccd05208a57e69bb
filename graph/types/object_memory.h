// ObjectMemory: how much host memory tensors of strings, resource handles and variants hold.
//
// Their objects are counted where they are made (AllocateObjects). What the strings hold besides
// shows only once somebody has written them; whoever knows that a tensor is complete has its
// contents counted, once, and the buffer takes them off again when it goes. Tensors of numbers from
// HostAllocator() count here too, and what objects hold in other forms
// (runtime/memory/held_memory.h).
//
//   const int64_t bytes = ObjectMemory::ContentsOf(names);      // counted from here on
//   if (ObjectMemory::bytes_in_use() > limit) …
//
// Ownership: none. Thread safety: any thread, for tensors that nobody writes any more. Errors:
// none; limits are runtime/memory's (string_memory.h).
#ifndef WARPBEAM_GRAPH_TYPES_OBJECT_MEMORY_H_
#define WARPBEAM_GRAPH_TYPES_OBJECT_MEMORY_H_

#include <cstdint>

#include "graph/types/tensor.h"

namespace warpbeam {

class ObjectMemory {
 public:
  static int64_t bytes_in_use();
  // What all strings of the tensor's buffer hold beside their objects; 0 for other tensors.
  static int64_t ContentsOf(const Tensor& tensor);
  // What strings hold beside their objects, without counting it; 0 for other dtypes.
  static int64_t HeldBy(const Tensor& tensor, int64_t begin, int64_t count);
  // So many bytes more; negative: less.
  static void Add(int64_t bytes);
};

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_TYPES_OBJECT_MEMORY_H_
