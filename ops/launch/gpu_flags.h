// Flags of many items on a GPU, or'ed together for the host: whether there is something among them
// that has to be refused. Besides, one of the items may give a number that the host is to know.
//
//   struct IsNegative {                                  // in namespace warpbeam::WB_PASS
//     const int32_t* x;
//     WB_BLOCK int64_t Flags(int64_t i) const { return x[i] < 0 ? 1 : 0; }
//   };
//   WB_GPU_FUNCTION(FlagsBlock<IsNegative>);             // in both passes
//
//   WB_ASSIGN_OR_RETURN(const int64_t flags,             // in a kernel that reads back
//                       ReadFlags(ctx, stream, IsNegative{x}, n));
//   if (flags != 0) return InvalidArgument("…");
//
// Thread safety: one thread. Errors: RESOURCE_EXHAUSTED, those of launches and of reading.
#ifndef WARPBEAM_OPS_LAUNCH_GPU_FLAGS_H_
#define WARPBEAM_OPS_LAUNCH_GPU_FLAGS_H_

#include <cstdint>

#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_function.h"
#if WB_HOST_PASS
#include <vector>

#include "runtime/kernel/read_back_kernel.h"
#endif

namespace warpbeam::WB_PASS {

template <class Test>
struct FlagsBlock {
  Test test;
  int64_t items;
  int64_t* found;  // of each block

  WB_BLOCK void operator()(GpuBlock& block) const {
    const int64_t flags = block.Reduce(
        [&](int thread) {
          int64_t own = 0;
          const int64_t step = block.count() * block.threads();
          for (int64_t i = block.index() * block.threads() + thread; i < items; i += step) {
            own |= test.Flags(i);
          }
          return own;
        },
        [](int64_t a, int64_t b) { return a | b; });
    block.ForEach([&](int thread) {
      if (thread == 0) found[block.index()] = flags;
    });
  }
};

#if WB_HOST_PASS

template <class Test>
StatusOr<int64_t> ReadFlags(KernelContext& ctx, ReadableGpuStream& stream, const Test& test,
                            int64_t items) {
  if (items == 0) return 0;
  const GpuGrid grid = ElementGrid(items);
  WB_ASSIGN_OR_RETURN(Tensor found, ctx.AllocateTemp(DType::kInt64, Shape({grid.blocks})));
  auto* const by_block = found.data<int64_t>();
  WB_RETURN_IF_ERROR(Launch(stream, grid, FlagsBlock<Test>{test, items, by_block}));
  std::vector<int64_t> read(static_cast<size_t>(grid.blocks));
  WB_RETURN_IF_ERROR(stream.Read(by_block, grid.blocks, read.data()));
  int64_t flags = 0;
  for (const int64_t own : read) flags |= own;
  return flags;
}

#endif

}  // namespace warpbeam::WB_PASS

#endif  // WARPBEAM_OPS_LAUNCH_GPU_FLAGS_H_
