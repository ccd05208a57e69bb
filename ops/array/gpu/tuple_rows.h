// TupleRows: which rows of a tensor index tuples in a GPU's memory name, for gathering and
// scattering; and LanesOf, how the threads of a block share the rows.
//
//   WB_ASSIGN_OR_RETURN(const TupleRows rows, TupleRows::Make(indices, params.shape()));
//   rows.ForEach(block, width, lanes, [&](int64_t i, int64_t row, int64_t column) { … });
//
// A tuple out of range names row -1. Thread safety: reads only. Errors: INVALID_ARGUMENT for tuples
// longer than the shape's rank; UNIMPLEMENTED for tuples of more entries than kMaxDepth.
#ifndef WARPBEAM_OPS_ARRAY_GPU_TUPLE_ROWS_H_
#define WARPBEAM_OPS_ARRAY_GPU_TUPLE_ROWS_H_

#include <cstdint>

#include "ops/array/gpu/index_reader.h"
#include "ops/launch/gpu_block.h"
#if WB_HOST_PASS
#include "graph/types/errors.h"
#include "graph/types/shape.h"
#endif

namespace warpbeam::WB_PASS {

struct TupleRows {
  static constexpr int kMaxDepth = 8;

  IndexReader indices;
  int64_t count = 0;  // of tuples
  int depth = 0;
  int64_t extents[kMaxDepth] = {};

#if WB_HOST_PASS
  static StatusOr<TupleRows> Make(const Tensor& indices, const Shape& shape) {
    const int64_t depth = indices.dim(indices.rank() - 1);
    if (depth > shape.rank()) {
      return InvalidArgument("index tuples have ", depth, " entries, more than the rank of shape ",
                             shape.ToString());
    }
    if (depth > kMaxDepth) {
      return Unimplemented("index tuples on a GPU have at most ", kMaxDepth, " entries, not ",
                           depth);
    }
    TupleRows rows;
    rows.indices = IndexReader(indices);
    rows.count = 1;
    for (int i = 0; i + 1 < indices.rank(); ++i) rows.count *= indices.dim(i);
    rows.depth = static_cast<int>(depth);
    for (int i = 0; i < rows.depth; ++i) rows.extents[i] = shape.dim(i);
    return rows;
  }
  // Neighbouring threads that share a row: a power of two.
  static int LanesOf(int64_t width, int threads) {
    int lanes = 1;
    while (lanes < width && lanes < threads) lanes *= 2;
    return lanes;
  }
  GpuGrid Grid(int lanes) const {
    GpuGrid grid;
    const int64_t rows_at_once = grid.threads / lanes;
    grid.blocks = GpuBlocksFor((count + rows_at_once - 1) / rows_at_once);
    return grid;
  }
#endif

  WB_HD int64_t RowOf(int64_t tuple) const {
    int64_t row = 0;
    // To the constant end, so that the extents are found without an index of a register.
    for (int d = 0; d < kMaxDepth; ++d) {
      if (d >= depth) break;
      const int64_t at = indices[tuple * depth + d];
      if (at < 0 || at >= extents[d]) return -1;
      row = row * extents[d] + at;
    }
    return row;
  }

  // element(tuple, row, column) for all tuples and all columns of [0, width).
  template <class Element>
  WB_BLOCK void ForEach(GpuBlock& block, int64_t width, int lanes, const Element& element) const {
    block.ForEach([&](int thread) {
      const int rows_at_once = block.threads() / lanes;
      for (int64_t i = block.index() * rows_at_once + thread / lanes; i < count;
           i += block.count() * rows_at_once) {
        const int64_t row = RowOf(i);
        for (int64_t column = thread % lanes; column < width; column += lanes) {
          element(i, row, column);
        }
      }
    });
  }
};

}  // namespace warpbeam::WB_PASS

#endif  // WARPBEAM_OPS_ARRAY_GPU_TUPLE_ROWS_H_
