// Filters of convolutions in the order of another library: axes change places on a GPU.
#include "ops/launch/gpu_function.h"
#include "ops/launch/pass.h"

#if WB_HOST_PASS
#include <algorithm>

#include "ops/nn/conv/filter_order.h"
#endif

namespace warpbeam::WB_PASS {

// to[c, b, a] = from[a, b, c]. It goes by squares, so that threads side by side read and write
// elements side by side.
template <class T>
struct SwapOuterAxesBlock {
  static constexpr int kSide = 32;
  static constexpr int kPitch = kSide + 1;  // neighbours in a column lie in different banks
  const T* from;
  T* to;
  int64_t first, middle, last;

  WB_BLOCK void operator()(GpuBlock& block) const {
    T* const square = block.Shared<T>(kSide * kPitch);
    const int step = block.threads();
    const int64_t across = (last + kSide - 1) / kSide;
    const int64_t squares = (first + kSide - 1) / kSide * across;
    for (int64_t i = block.index(); i < squares * middle; i += block.count()) {
      const int64_t b = i / squares;
      const int64_t a = i % squares / across * kSide, c = i % squares % across * kSide;
      block.ForEach([&](int thread) {
        for (int at = thread; at < kSide * kSide; at += step) {
          const int row = at / kSide, column = at % kSide;
          if (a + row >= first || c + column >= last) continue;
          square[row * kPitch + column] = from[((a + row) * middle + b) * last + c + column];
        }
      });
      block.ForEach([&](int thread) {
        for (int at = thread; at < kSide * kSide; at += step) {
          const int row = at % kSide, column = at / kSide;
          if (a + row >= first || c + column >= last) continue;
          to[((c + column) * middle + b) * first + a + row] = square[row * kPitch + column];
        }
      });
    }
  }
};

WB_GPU_FUNCTION(SwapOuterAxesBlock<uint16_t>);
WB_GPU_FUNCTION(SwapOuterAxesBlock<uint32_t>);
WB_GPU_FUNCTION(SwapOuterAxesBlock<uint64_t>);

#if WB_HOST_PASS
namespace {

template <class T>
Status SwapOuterAxes(GpuStream& stream, const void* from, void* to, int64_t first, int64_t middle,
                     int64_t last) {
  using Block = SwapOuterAxesBlock<T>;
  const auto squares = [](int64_t extent) { return (extent + Block::kSide - 1) / Block::kSide; };
  GpuGrid grid;
  grid.blocks = GpuBlocksFor(squares(first) * squares(last) * middle);
  grid.shared_bytes = (Block::kSide * Block::kPitch * sizeof(T) + 15) / 16 * 16;
  return Launch(stream, grid,
                Block{static_cast<const T*>(from), static_cast<T*>(to), first, middle, last});
}

Status SwapOuterAxes(GpuStream& stream, DType dtype, const void* from, void* to, int64_t first,
                     int64_t middle, int64_t last) {
  switch (DTypeSize(dtype)) {
    case 2:
      return SwapOuterAxes<uint16_t>(stream, from, to, first, middle, last);
    case 4:
      return SwapOuterAxes<uint32_t>(stream, from, to, first, middle, last);
    case 8:
      return SwapOuterAxes<uint64_t>(stream, from, to, first, middle, last);
    default:
      return Unimplemented("filters of ", DTypeName(dtype), " in another order on GPUs");
  }
}

}  // namespace
#endif

}  // namespace warpbeam::WB_PASS

#if WB_HOST_PASS
namespace warpbeam {

Status FilterOrder::ToLibrary(GpuStream& stream, DType dtype, const void* from, void* to) const {
  return host_pass::SwapOuterAxes(stream, dtype, from, to, first_, middle_, last_);
}
Status FilterOrder::FromLibrary(GpuStream& stream, DType dtype, const void* from, void* to) const {
  return host_pass::SwapOuterAxes(stream, dtype, from, to, last_, middle_, first_);
}

}  // namespace warpbeam
#endif
