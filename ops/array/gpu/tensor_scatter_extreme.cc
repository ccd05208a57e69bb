// TensorScatterMin and TensorScatterMax on a GPU, in the order of the updates. A tuple out of range
// is left out: nobody can refuse it without waiting.
#include "ops/array/gpu/ordered_rows.h"
#include "ops/array/gpu/tuple_rows.h"
#include "ops/launch/gpu_function.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/array/gpu_copier.h"
#include "ops/array/index/scatter_rows.h"
#include "ops/array/strided_copy.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

template <class T, bool kMax>
struct ScatterExtremeBlock {
  T* y;
  const T* updates;
  TupleRows rows;
  int64_t begin, end;  // of the tuples
  int64_t width;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForRowsInOrder(
        block, begin, end, [&](int64_t i) { return rows.RowOf(i); },
        [&](int64_t row, int64_t i) {
          block.ForEach([&](int thread) {
            for (int64_t c = thread; c < width; c += block.threads()) {
              T& at = y[row * width + c];
              const T update = updates[i * width + c];
              if (kMax ? at < update : update < at) at = update;
            }
          });
        });
  }
};
#define WB_SCATTER_EXTREME_BLOCKS(T)             \
  WB_GPU_FUNCTION(ScatterExtremeBlock<T, true>); \
  WB_GPU_FUNCTION(ScatterExtremeBlock<T, false>)
WB_SCATTER_EXTREME_BLOCKS(float);
WB_SCATTER_EXTREME_BLOCKS(double);
WB_SCATTER_EXTREME_BLOCKS(int64_t);

#if WB_HOST_PASS
namespace {

template <bool kMax>
class ScatterExtremeOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_RETURN_IF_ERROR(BadIndexPolicy(init.attrs).status());
    return std::make_unique<ScatterExtremeOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) {
    return HasGpuFunction<ScatterExtremeBlock<float, kMax>>();
  }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor& x = ctx.input(0);
    if (x.rank() < 1) return InvalidArgument("the tensor must be at least a vector");
    const Tensor &indices = ctx.input(1), &updates = ctx.input(2);
    WB_RETURN_IF_ERROR(CheckScatterShapes(indices.shape(), updates.shape(), x.shape()));
    WB_ASSIGN_OR_RETURN(Tensor * y, ForwardOrCopy(ctx, stream));
    if (y->num_elements() == 0 || updates.num_elements() == 0) return OkStatus();
    WB_ASSIGN_OR_RETURN(const TupleRows rows, TupleRows::Make(indices, y->shape()));
    const int64_t width = ElementsOf(y->shape(), rows.depth, y->rank());
    return DispatchTypes<float, double, int64_t>(y->dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      return LaunchRowsInOrder(rows.count, [&](int64_t begin, int64_t end, const GpuGrid& grid) {
        return Launch(
            stream, grid,
            ScatterExtremeBlock<T, kMax>{y->data<T>(), updates.data<T>(), rows, begin, end, width});
      });
    });
  }
};

}  // namespace

WB_GPU_KERNEL("TensorScatterMax", ScatterExtremeOnGpu<true>);
WB_GPU_KERNEL("TensorScatterMin", ScatterExtremeOnGpu<false>);
#endif

}  // namespace warpbeam::WB_PASS
