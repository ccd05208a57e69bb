// Views of the first dimension: slices that need no copy.
//
//   if (std::optional<Tensor> rows = AlignedRows(x, 8, 16)) ctx.set_output(0, *std::move(rows));
//
// Kernels may load whole vectors from the first element of a tensor, so a view must begin on the
// alignment that allocators give; a slice that does not is copied.
//
// Thread safety: pure.
#ifndef WARPBEAM_OPS_ARRAY_VIEW_H_
#define WARPBEAM_OPS_ARRAY_VIEW_H_

#include <cstdint>
#include <optional>

#include "graph/types/tensor.h"

namespace warpbeam {

// Rows [begin, end) of `x` sharing its buffer, when they begin on an aligned address.
inline std::optional<Tensor> AlignedRows(const Tensor& x, int64_t begin, int64_t end) {
  Tensor rows = x.Rows(begin, end);
  if (reinterpret_cast<uintptr_t>(rows.raw_data()) % Allocator::kAlignment != 0) {
    return std::nullopt;
  }
  return rows;
}

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_ARRAY_VIEW_H_
