// GPU functions: functors over blocks (ops/launch/gpu_block.h), compiled for the host and, with
// --config=cuda, for GPUs, and launched by kernels on whatever GPU they are on.
//
//   struct FillBlock {                                  // in namespace warpbeam::WB_PASS
//     float* y;
//     WB_BLOCK void operator()(GpuBlock& block) const {
//       block.ForEach([&](int thread) { y[thread] = 1; });
//     }
//   };
//   WB_GPU_FUNCTION(FillBlock);                         // in both passes
//   return Launch(stream, GpuGrid(), FillBlock{y});     // in a kernel, of the host's pass
//
// A functor is plain data, addresses on the device among it; the launch copies it. The passes find
// each other by the functor's name, which has to be its own in the whole program.
//
// Ownership: registrations are static. Thread safety: registration before main only; Launch from
// any thread. Errors: UNIMPLEMENTED on a real GPU in a build without its code; INTERNAL from the
// driver.
#ifndef WARPBEAM_OPS_LAUNCH_GPU_FUNCTION_H_
#define WARPBEAM_OPS_LAUNCH_GPU_FUNCTION_H_

#include <cstdint>
#include <type_traits>

#include "ops/launch/gpu_block.h"
#include "ops/launch/pass.h"

namespace warpbeam {

// Launches the functor at `functor` on a CUstream; the result is a cudaError_t.
using GpuFunctionLaunch = int (*)(const void* functor, const GpuGrid& grid, void* stream);

struct GpuFunctionEntry {
  const char* name;
  GpuFunctionLaunch launch;
  GpuFunctionEntry* next;
};
void RegisterGpuFunction(GpuFunctionEntry* entry);    // of the CUDA pass
GpuFunctionLaunch FindGpuFunction(const char* name);  // null in a build without it

}  // namespace warpbeam

#if WB_CUDA_PASS

#include <cuda_runtime.h>

namespace warpbeam::cuda_pass {

template <class Fn>
__global__ void RunBlocks(Fn fn) {
  GpuBlock block;
  fn(block);
}

template <class Fn>
int LaunchBlocks(const void* functor, const GpuGrid& grid, void* stream) {
  void* arguments[] = {const_cast<void*>(functor)};
  return cudaLaunchKernel(reinterpret_cast<const void*>(&RunBlocks<Fn>),
                          dim3(static_cast<unsigned>(grid.blocks)),
                          dim3(static_cast<unsigned>(grid.threads)), arguments, grid.block_bytes(),
                          static_cast<cudaStream_t>(stream));
}

struct GpuFunctionRegistration {
  GpuFunctionRegistration(const char* name, GpuFunctionLaunch launch)
      : entry{name, launch, nullptr} {
    RegisterGpuFunction(&entry);
  }
  GpuFunctionEntry entry;
};

}  // namespace warpbeam::cuda_pass

#define WB_GPU_FUNCTION_AT(id, ...) WB_GPU_FUNCTION_AS(id, __VA_ARGS__)
#define WB_GPU_FUNCTION_AS(id, ...)                                           \
  static ::warpbeam::cuda_pass::GpuFunctionRegistration wb_gpu_function_##id( \
      #__VA_ARGS__, &::warpbeam::cuda_pass::LaunchBlocks<__VA_ARGS__>)
#define WB_GPU_FUNCTION(...) WB_GPU_FUNCTION_AT(__COUNTER__, __VA_ARGS__)

#else

#include <cstddef>
#include <vector>

namespace warpbeam::WB_PASS {

namespace internal {
// The code of a functor: compiled for each, where all else of a launch is compiled once.
using BlockFunction = void (*)(const void* functor, GpuBlock& block);

inline namespace WB_RACES {
struct LaunchOnHost {
  const void* functor;
  BlockFunction run;
  const GpuGrid& grid;
  ::warpbeam::internal::BlockOrder order;
  size_t block_bytes;
  char* memory;  // of blocks that take turns

  static void RunBlock(const void* of, int64_t i) {
    const auto& all = *static_cast<const LaunchOnHost*>(of);
    const auto side = static_cast<size_t>(i % ::warpbeam::internal::kBlocksAtOnce);
    GpuBlock block(all.grid, all.order.At(i), all.memory + side * all.block_bytes);
    all.run(all.functor, block);
  }
};
inline void RunBlocks(const void* functor, BlockFunction run, const GpuGrid& grid) {
  const size_t words = grid.block_bytes() / sizeof(std::max_align_t) + 1;
  std::vector<std::max_align_t> memory(words * ::warpbeam::internal::kBlocksAtOnce);
  const LaunchOnHost all = {functor,
                            run,
                            grid,
                            ::warpbeam::internal::BlockOrder(grid.blocks),
                            words * sizeof(std::max_align_t),
                            reinterpret_cast<char*>(memory.data())};
  ::warpbeam::internal::ForEachBlock(grid.blocks, &LaunchOnHost::RunBlock, &all);
}
}  // namespace WB_RACES
}  // namespace internal

// Of a host that stands for a GPU, at once.
template <class Fn>
void RunBlocks(const Fn& fn, const GpuGrid& grid) {
  internal::RunBlocks(
      &fn, [](const void* of, GpuBlock& block) { (*static_cast<const Fn*>(of))(block); }, grid);
}

// As in the pass of real GPUs, but that the blocks have run when it returns.
template <class Fn>
int LaunchBlocks(const void* functor, const GpuGrid& grid, void*) {
  RunBlocks(*static_cast<const Fn*>(functor), grid);
  return 0;
}

}  // namespace warpbeam::WB_PASS

#endif  // WB_CUDA_PASS

#if WB_HOST_PASS

#include "graph/types/errors.h"
#include "ops/launch/gpu_launch.h"
#include "runtime/kernel/gpu_kernel.h"

namespace warpbeam::host_pass {

// By functor: its name, which is set before main.
template <class Fn>
struct GpuFunctionName {
  static inline const char* value = nullptr;
  explicit GpuFunctionName(const char* name) { value = name; }
};

template <class Fn>
bool HasGpuFunction() {
  return FindGpuFunction(GpuFunctionName<Fn>::value) != nullptr;
}

// On any stream of a GPU, a Stream or a GpuStream.
template <class AnyStream, class Fn>
Status LaunchOn(AnyStream& stream, bool runs_host_code, const GpuGrid& grid, const Fn& fn) {
  static_assert(std::is_trivially_copyable_v<Fn>, "a launch copies the functor to the device");
  if (runs_host_code) {
    return stream.RunOnHost([fn, grid] { RunBlocks(fn, grid); });
  }
  static const GpuFunctionLaunch launch = FindGpuFunction(GpuFunctionName<Fn>::value);
  if (launch == nullptr) {
    return Unimplemented("this build has no GPU code of ", GpuFunctionName<Fn>::value);
  }
  return GpuStatus(launch(&fn, grid, stream.native_handle()), GpuFunctionName<Fn>::value);
}

template <class Fn>
Status Launch(GpuStream& stream, const GpuGrid& grid, const Fn& fn) {
  return LaunchOn(stream, stream.runs_host_code(), grid, fn);
}

}  // namespace warpbeam::host_pass

#define WB_GPU_FUNCTION(...)                                                  \
  static const ::warpbeam::host_pass::GpuFunctionName<__VA_ARGS__> WB_CONCAT( \
      wb_gpu_function_, __COUNTER__)(#__VA_ARGS__)

#endif  // WB_HOST_PASS

#endif  // WARPBEAM_OPS_LAUNCH_GPU_FUNCTION_H_
