// The rows of a sparse tensor's index matrix in a GPU's memory: their order, and moving them along
// a dimension.
//
//   WB_ASSIGN_OR_RETURN(const Tensor order, RowOrderOnGpu(ctx, stream, indices, count, rank));
//   WB_RETURN_IF_ERROR(ShiftRowsOnGpu(stream, from, to, count, rank, /*axis=*/0, /*by=*/-3));
//
// Thread safety: one thread. Errors: RESOURCE_EXHAUSTED, those of launches and of reading.
#ifndef WARPBEAM_OPS_SPARSE_GPU_ROW_ORDER_H_
#define WARPBEAM_OPS_SPARSE_GPU_ROW_ORDER_H_

#include <cstdint>

#include "runtime/kernel/read_back_kernel.h"

namespace warpbeam {

// The numbers of the rows of indices[count, rank] in lexicographic order; equal rows stay as they
// are. Reads back which bits of the indices differ.
StatusOr<Tensor> RowOrderOnGpu(KernelContext& ctx, ReadableGpuStream& stream,
                               const int64_t* indices, int64_t count, int rank);

// to = from, with `by` added to each row's index along `axis`. They may be the same.
Status ShiftRowsOnGpu(GpuStream& stream, const int64_t* from, int64_t* to, int64_t count, int rank,
                      int axis, int64_t by);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_SPARSE_GPU_ROW_ORDER_H_
