// MoveRowsOnGpu: rows of one tensor to places in another, by numbers on the GPU.
//
//   RowMoves moves;
//   moves.from = order.data<int64_t>();                  // y[i] = x[order[i]]
//   moves.count = order.num_elements();
//   WB_RETURN_IF_ERROR(MoveRowsOnGpu(stream, row_bytes, x.raw_data(), moves, y.raw_data()));
//
// No two rows may go to one place. Thread safety: one thread. Errors: those of launches.
#ifndef WARPBEAM_OPS_ARRAY_GPU_ROWS_H_
#define WARPBEAM_OPS_ARRAY_GPU_ROWS_H_

#include <cstdint>

#include "runtime/kernel/gpu_kernel.h"

namespace warpbeam {

struct RowMoves {
  // On the GPU, [count]; null: move i is from, or to, row i. A move to a negative row is none.
  const int64_t* from = nullptr;
  const int64_t* to = nullptr;
  int64_t count = 0;
};

Status MoveRowsOnGpu(GpuStream& stream, int64_t row_bytes, const void* from, const RowMoves& moves,
                     void* to);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_ARRAY_GPU_ROWS_H_
