// The launches of RowOrderOnGpu and ShiftRowsOnGpu.
#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_flags.h"
#include "ops/launch/gpu_sort.h"

#if WB_HOST_PASS
#include <utility>

#include "ops/sparse/gpu/row_order.h"
#endif

namespace warpbeam::WB_PASS {

struct IndexColumnKeys {
  const int64_t* indices;
  int64_t rank, column;
  // In the order of numbers with a sign. Rows without columns are equal.
  WB_BLOCK uint64_t Key(int64_t row) const {
    if (rank == 0) return 0;
    return static_cast<uint64_t>(indices[row * rank + column]) ^ (uint64_t{1} << 63);
  }
};

// The bits in which a row's indices differ from those of the first row.
struct DifferentIndexBits {
  const int64_t* indices;
  int64_t rank;
  WB_BLOCK int64_t Flags(int64_t row) const {
    int64_t bits = 0;
    for (int64_t d = 0; d < rank; ++d) bits |= indices[row * rank + d] ^ indices[d];
    return bits;
  }
};

struct ShiftRowsBlock {
  const int64_t* from;
  int64_t* to;
  int64_t elements, rank, axis;
  int64_t by;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, elements, [&](int64_t i) {
      const auto shifted = static_cast<uint64_t>(from[i]) + static_cast<uint64_t>(by);
      to[i] = i % rank == axis ? static_cast<int64_t>(shifted) : from[i];
    });
  }
};

WB_GPU_SORT(IndexColumnKeys);
WB_GPU_FUNCTION(FlagsBlock<DifferentIndexBits>);
WB_GPU_FUNCTION(ShiftRowsBlock);

}  // namespace warpbeam::WB_PASS

#if WB_HOST_PASS
namespace warpbeam {

StatusOr<Tensor> RowOrderOnGpu(KernelContext& ctx, ReadableGpuStream& stream,
                               const int64_t* indices, int64_t count, int rank) {
  WB_ASSIGN_OR_RETURN(
      const int64_t bits,
      host_pass::ReadFlags(ctx, stream, host_pass::DifferentIndexBits{indices, rank}, count));
  Tensor order;
  int64_t column = rank - 1;
  do {
    const host_pass::IndexColumnKeys keys = {indices, rank, column};
    WB_ASSIGN_OR_RETURN(
        order, host_pass::SortedOrder(ctx, stream, keys, count, static_cast<uint64_t>(bits),
                                      std::move(order)));
  } while (--column >= 0);
  return order;
}

Status ShiftRowsOnGpu(GpuStream& stream, const int64_t* from, int64_t* to, int64_t count, int rank,
                      int axis, int64_t by) {
  const int64_t elements = count * rank;
  if (elements == 0) return OkStatus();
  return host_pass::Launch(stream, ElementGrid(elements),
                           host_pass::ShiftRowsBlock{from, to, elements, rank, axis, by});
}

}  // namespace warpbeam
#endif
