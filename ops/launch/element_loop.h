// Going through elements by number, one for each thread at a time.
//
//   const GpuGrid grid = ElementGrid(count);                // on the host, for the launch
//   ForEachElement(block, count, [&](int64_t i) { … });     // in the block function
//
// Consecutive threads get consecutive numbers. The type of the number is that of `count`: uint32_t
// below kMost32, where divisions are cheap, else int64_t. Thread safety and errors: as
// ops/launch/gpu_block.h.
#ifndef WARPBEAM_OPS_LAUNCH_ELEMENT_LOOP_H_
#define WARPBEAM_OPS_LAUNCH_ELEMENT_LOOP_H_

#include <cstdint>

#include "ops/launch/gpu_block.h"

namespace warpbeam {

inline constexpr int64_t kMost32 = int64_t{1} << 30;

inline GpuGrid ElementGrid(int64_t count) {
  GpuGrid grid;
  grid.blocks = GpuBlocksFor((count + grid.threads - 1) / grid.threads);
  return grid;
}

}  // namespace warpbeam

namespace warpbeam::WB_PASS {

template <class Index, class Fn>
WB_BLOCK void ForEachElement(GpuBlock& block, Index count, const Fn& fn) {
  block.ForEach([&](int thread) {
    const auto step = static_cast<Index>(block.count() * block.threads());
    for (auto i = static_cast<Index>(block.index() * block.threads() + thread); i < count;
         i += step) {
      fn(i);
    }
  });
}

}  // namespace warpbeam::WB_PASS

#endif  // WARPBEAM_OPS_LAUNCH_ELEMENT_LOOP_H_
