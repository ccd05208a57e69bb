// Rows in order: what updates rows by index on a GPU, where a row may be named more than once. Its
// updates are then done in the order of the indices, as on the CPU, without atomic operations; so
// results are the same in every run.
//
//   ForRowsInOrder(block, begin, end, row_of, update)   calls update(row, i) in order
//
// A block takes an index and looks at all others of [begin, end): if it is the first that names its
// row it does all updates of the row, else none. That is fast for some thousand indices; what has
// more launches once for each kMostOrderedRows of them, and the stream keeps the order.
//
// Thread safety: no two blocks touch a row.
#ifndef WARPBEAM_OPS_ARRAY_GPU_ORDERED_ROWS_H_
#define WARPBEAM_OPS_ARRAY_GPU_ORDERED_ROWS_H_

#include <cstdint>

#include "ops/launch/gpu_block.h"
#include "ops/launch/math.h"
#include "ops/launch/pass.h"
#if WB_HOST_PASS
#include "graph/types/errors.h"
#endif

namespace warpbeam::WB_PASS {

constexpr int64_t kMostOrderedRows = 8192;

// The first index of [begin, end) that names the row, else `end`.
template <class RowOf>
WB_BLOCK int64_t NextOfRow(GpuBlock& block, int64_t row, int64_t begin, int64_t end,
                           const RowOf& row_of) {
  return block.Reduce(
      [&](int thread) {
        for (int64_t i = begin + thread; i < end; i += block.threads()) {
          if (row_of(i) == row) return i;
        }
        return end;
      },
      [](int64_t a, int64_t b) { return Min(a, b); });
}

// Calls update(row, i), for all threads of a block alike, for each i of [begin, end) whose row is
// not negative.
template <class RowOf, class Update>
WB_BLOCK void ForRowsInOrder(GpuBlock& block, int64_t begin, int64_t end, const RowOf& row_of,
                             const Update& update) {
  for (int64_t first = begin + block.index(); first < end; first += block.count()) {
    const int64_t row = row_of(first);
    if (row < 0 || NextOfRow(block, row, begin, first, row_of) < first) continue;
    for (int64_t i = first; i < end; i = NextOfRow(block, row, i + 1, end, row_of)) update(row, i);
  }
}

#if WB_HOST_PASS
// Calls launch(begin, end, grid) for the parts of `count` indices, in order.
template <class LaunchPart>
Status LaunchRowsInOrder(int64_t count, const LaunchPart& launch) {
  for (int64_t begin = 0; begin < count; begin += kMostOrderedRows) {
    const int64_t end = count - begin < kMostOrderedRows ? count : begin + kMostOrderedRows;
    GpuGrid grid;
    grid.blocks = GpuBlocksFor(end - begin);
    WB_RETURN_IF_ERROR(launch(begin, end, grid));
  }
  return OkStatus();
}
#endif

}  // namespace warpbeam::WB_PASS

#endif  // WARPBEAM_OPS_ARRAY_GPU_ORDERED_ROWS_H_
