#include "ops/nn/gpu_loops/items.h"

#if WB_HOST_PASS
#include "ops/nn/gpu_loops/zeros.h"
#endif

namespace warpbeam::WB_PASS {

struct ZeroPairsBlock {
  uint16_t* to;
  int64_t count;
  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count, [&](int64_t i) { to[i] = 0; });
  }
};
WB_GPU_FUNCTION(ZeroPairsBlock);

}  // namespace warpbeam::WB_PASS

#if WB_HOST_PASS
namespace warpbeam {

Status LaunchZeroBytes(GpuStream& stream, void* to, int64_t bytes) {
  if (bytes == 0) return OkStatus();
  return host_pass::Launch(stream, ElementGrid(bytes / 2),
                           host_pass::ZeroPairsBlock{static_cast<uint16_t*>(to), bytes / 2});
}

}  // namespace warpbeam
#endif
