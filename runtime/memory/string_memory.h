// StringMemory: the limit of host memory, for strings: what tensors of them hold counts as the
// bytes of other tensors do (graph/types/object_memory.h).
//
//   WB_RETURN_IF_ERROR(StringMemory::CheckRoom(shape, bytes));  // before they are written
//   …
//   WB_RETURN_IF_ERROR(StringMemory::Count(*out));              // once they are
//
// Thread safety: any thread. Errors: RESOURCE_EXHAUSTED, in the words of Tensor::Allocate, so that
// the step can say who holds the memory (runtime/step/live_tensors.h).
#ifndef WARPBEAM_RUNTIME_MEMORY_STRING_MEMORY_H_
#define WARPBEAM_RUNTIME_MEMORY_STRING_MEMORY_H_

#include "graph/types/errors.h"
#include "graph/types/tensor.h"

namespace warpbeam {

class StringMemory {
 public:
  // Whether a tensor of strings that hold `contents` bytes in all still fits.
  static Status CheckRoom(const Shape& shape, double contents);
  // The same for `bytes` that are in no tensor yet, such as those of a file: a string that does not
  // fit ends the process.
  static Status CheckRoom(absl::string_view what, size_t bytes);
  // The same for a tensor that repeats the elements of `from`, whatever its type.
  static Status CheckRoomForCopies(const Tensor& from, const Shape& shape);
  // Counts what the strings hold. Tensors of other types are counted where they are allocated.
  static Status Count(const Tensor& tensor);
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_MEMORY_STRING_MEMORY_H_
