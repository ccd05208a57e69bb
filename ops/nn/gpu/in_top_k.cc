// InTopKV2 on a GPU: a block of threads for each row counts what is better than the label.
#include "ops/launch/math.h"
#include "ops/nn/gpu_loops/items.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/launch/dispatch.h"
#include "ops/nn/in_top_k.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

template <class Index>
struct InTopKBlock {
  const float* predictions;
  const Index *targets, *k;
  bool* among;
  int64_t rows, classes;

  WB_BLOCK void operator()(GpuBlock& block) const {
    for (int64_t row = block.index(); row < rows; row += block.count()) {
      const float* const x = predictions + row * classes;
      const int64_t target = static_cast<int64_t>(targets[row]);
      const bool is_class = target >= 0 && target < classes;
      const float of_target = is_class ? x[target] : 0;
      // A number that is not finite counts as more than there can be.
      const int64_t better = block.Reduce(
          [&](int thread) {
            int64_t part = 0;
            for (int64_t c = thread; c < classes; c += block.threads()) {
              part += !(Abs(x[c]) < INFINITY) ? classes : x[c] > of_target;
            }
            return part;
          },
          [](int64_t a, int64_t b) { return a + b; });
      block.ForEach([&](int thread) {
        const int64_t most = static_cast<int64_t>(*k);
        if (thread == 0) among[row] = is_class && better < classes && better < most;
      });
    }
  }
};
WB_GPU_FUNCTION(InTopKBlock<int32_t>);
WB_GPU_FUNCTION(InTopKBlock<int64_t>);

#if WB_HOST_PASS
namespace {

class InTopKOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<InTopKOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<InTopKBlock<int32_t>>(); }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    WB_RETURN_IF_ERROR(CheckInTopK(ctx));
    const Tensor &predictions = ctx.input(0), &targets = ctx.input(1);
    const int64_t rows = predictions.dim(0), classes = predictions.dim(1);
    WB_ASSIGN_OR_RETURN(Tensor * among, ctx.Allocate(0, targets.shape()));
    if (rows == 0) return OkStatus();
    return DispatchIndex(targets.dtype(), [&](auto tag) {
      using Index = typename decltype(tag)::type;
      return Launch(
          stream, RowGrid(rows, classes),
          InTopKBlock<Index>{predictions.data<float>(), targets.data<Index>(),
                             ctx.input(2).data<Index>(), among->data<bool>(), rows, classes});
    });
  }
};

}  // namespace

WB_GPU_KERNEL("InTopKV2", InTopKOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
