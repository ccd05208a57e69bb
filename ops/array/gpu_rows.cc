// The launch of MoveRowsOnGpu.
#include "ops/array/gpu/fast_divisor.h"
#include "ops/array/gpu/moved_element.h"
#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_function.h"

#if WB_HOST_PASS
#include "ops/array/gpu_rows.h"
#endif

namespace warpbeam::WB_PASS {

// Index counts the elements of all rows.
template <class T, class Index>
struct MoveRowsBlock {
  T* to;
  const T* from;
  const int64_t* to_row;
  const int64_t* from_row;
  Index count;
  DivisorFor<Index> width;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count, [&](Index i) {
      const auto move = static_cast<Index>(width.Quotient(i));
      const int64_t within = i - move * static_cast<Index>(width.divisor);
      const int64_t source = from_row == nullptr ? move : from_row[move];
      const int64_t target = to_row == nullptr ? move : to_row[move];
      if (target >= 0) to[target * width.divisor + within] = from[source * width.divisor + within];
    });
  }
};

#define WB_MOVE_ROWS_BLOCKS(T)                 \
  WB_GPU_FUNCTION(MoveRowsBlock<T, uint32_t>); \
  WB_GPU_FUNCTION(MoveRowsBlock<T, int64_t>);
WB_FOR_MOVED_ELEMENTS(WB_MOVE_ROWS_BLOCKS)
#undef WB_MOVE_ROWS_BLOCKS

#if WB_HOST_PASS
namespace {

template <class T, class Index>
Status LaunchMoves(GpuStream& stream, int64_t width, const void* from, const RowMoves& moves,
                   void* to) {
  MoveRowsBlock<T, Index> move{};
  move.to = static_cast<T*>(to);
  move.from = static_cast<const T*>(from);
  move.to_row = moves.to;
  move.from_row = moves.from;
  move.count = static_cast<Index>(moves.count * width);
  move.width = DivisorFor<Index>(width);
  return Launch(stream, ElementGrid(moves.count * width), move);
}

}  // namespace
#endif

}  // namespace warpbeam::WB_PASS

#if WB_HOST_PASS
namespace warpbeam {

Status MoveRowsOnGpu(GpuStream& stream, int64_t row_bytes, const void* from, const RowMoves& moves,
                     void* to) {
  if (row_bytes == 0 || moves.count == 0) return OkStatus();
  const int element = WidestElement(AddressBits(from, to) | static_cast<uint64_t>(row_bytes));
  const int64_t width = row_bytes / element;
  return DispatchWidth(element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return moves.count * width < kMost32
               ? host_pass::LaunchMoves<T, uint32_t>(stream, width, from, moves, to)
               : host_pass::LaunchMoves<T, int64_t>(stream, width, from, moves, to);
  });
}

}  // namespace warpbeam
#endif
