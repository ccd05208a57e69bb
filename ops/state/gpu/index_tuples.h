// IndexTuples: index tuples in a GPU's memory, each of which names a row of a tensor; in both
// passes.
//
//   WB_ASSIGN_OR_RETURN(const IndexTuples tuples, TuplesOf(indices, 2, value.shape()));
//   const int64_t row = tuples.Row(i);   // in a block, too
//
// The host cannot refuse an index that only the device knows: one out of range names no row, which
// is -1. Ops leave its update out or give zeros, as TensorFlow's kernels of GPUs do.
//
// Ownership: the indices are the launching kernel's. Thread safety: values.
#ifndef WARPBEAM_OPS_STATE_GPU_INDEX_TUPLES_H_
#define WARPBEAM_OPS_STATE_GPU_INDEX_TUPLES_H_

#include <cstdint>

#include "ops/launch/pass.h"
#if WB_HOST_PASS
#include "graph/types/errors.h"
#include "graph/types/tensor.h"
#endif

namespace warpbeam {

struct IndexTuples {
  static constexpr int kMostEntries = 8;

  const void* indices = nullptr;
  bool are_int32 = false;
  int entries = 1;
  int64_t extents[kMostEntries] = {};

  WB_HD int64_t Row(int64_t i) const {
    int64_t row = 0;
    for (int e = 0; e < kMostEntries; ++e) {  // a constant, so that extents get registers
      if (e >= entries) break;
      const int64_t k = i * entries + e;
      const int64_t at = are_int32 ? static_cast<const int32_t*>(indices)[k]
                                   : static_cast<const int64_t*>(indices)[k];
      if (at < 0 || at >= extents[e]) return -1;
      row = row * extents[e] + at;
    }
    return row;
  }
};

#if WB_HOST_PASS
// Tuples of so many of the first dimensions of `shape`. UNIMPLEMENTED for more than kMostEntries.
inline StatusOr<IndexTuples> TuplesOf(const Tensor& indices, int entries, const Shape& shape) {
  if (entries > IndexTuples::kMostEntries) {
    return Unimplemented("on a GPU an index tuple has at most ", IndexTuples::kMostEntries,
                         " entries, not ", entries);
  }
  IndexTuples tuples;
  tuples.indices = indices.raw_data();
  tuples.are_int32 = indices.dtype() == DType::kInt32;
  tuples.entries = entries;
  for (int e = 0; e < entries; ++e) tuples.extents[e] = shape.dim(e);
  return tuples;
}
#endif

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_STATE_GPU_INDEX_TUPLES_H_
