// The key of a part of a tensor in a checkpoint's table: the tensor's name and the slice, coded so
// that keys sort as the values do.
//
//   std::string key = SliceKey("w", slice);
//
// Thread safety: pure. Errors: none.
#ifndef WARPBEAM_RUNTIME_CHECKPOINT_SLICE_KEY_H_
#define WARPBEAM_RUNTIME_CHECKPOINT_SLICE_KEY_H_

#include <string>

#include "absl/strings/string_view.h"
#include "runtime/checkpoint/tensor_slice.h"

namespace warpbeam {

std::string SliceKey(absl::string_view name, const TensorSlice& slice);
// Whether a key was made by SliceKey: those begin with a zero byte, which no tensor's name does.
inline bool IsSliceKey(absl::string_view key) { return !key.empty() && key[0] == '\0'; }

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_CHECKPOINT_SLICE_KEY_H_
