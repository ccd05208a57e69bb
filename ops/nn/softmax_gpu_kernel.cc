// Softmax and LogSoftmax on a GPU: a block of threads for each row.
#include "ops/launch/gpu_function.h"
#include "ops/launch/math.h"
#include "ops/launch/pass.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/launch/dispatch.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

// Where a NaN or a positive infinity is among the logits the sum is NaN, and so is the row. `y` may
// be `x`: each thread reads what it writes.
template <class T, bool kLogarithm>
struct SoftmaxBlock {
  const T* x;
  T* y;
  int64_t rows, columns;

  WB_BLOCK void operator()(GpuBlock& block) const {
    for (int64_t row = block.index(); row < rows; row += block.count()) {
      Row(block, x + row * columns, y + row * columns);
    }
  }

 private:
  using A = ComputeType<T>;

  WB_BLOCK void Row(GpuBlock& block, const T* from, T* to) const {
    const int step = block.threads();
    const A max = block.Reduce(
        [&](int thread) {
          A part = -static_cast<A>(INFINITY);
          for (int64_t c = thread; c < columns; c += step) part = Max(part, A(from[c]));
          return part;
        },
        [](A a, A b) { return Max(a, b); });
    const A sum = block.Reduce(
        [&](int thread) {
          A part = 0;
          for (int64_t c = thread; c < columns; c += step) part += Exp(A(from[c]) - max);
          return part;
        },
        [](A a, A b) { return a + b; });
    const A factor = kLogarithm ? Log(sum) : A(1) / sum;
    block.ForEach([&](int thread) {
      for (int64_t c = thread; c < columns; c += step) {
        const A shifted = A(from[c]) - max;
        to[c] = T(kLogarithm ? shifted - factor : Exp(shifted) * factor);
      }
    });
  }
};

#define WB_SOFTMAX_BLOCKS(T)               \
  WB_GPU_FUNCTION(SoftmaxBlock<T, false>); \
  WB_GPU_FUNCTION(SoftmaxBlock<T, true>)
WB_SOFTMAX_BLOCKS(Half);
WB_SOFTMAX_BLOCKS(BFloat16);
WB_SOFTMAX_BLOCKS(float);
WB_SOFTMAX_BLOCKS(double);

#if WB_HOST_PASS
namespace {

template <bool kLogarithm>
class SoftmaxOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<SoftmaxOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) {
    return HasGpuFunction<SoftmaxBlock<float, kLogarithm>>();
  }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor& x = ctx.input(0);
    if (x.rank() < 1) return InvalidArgument("the logits must have at least one dimension");
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.ForwardOrAllocate({0}, 0, x.shape()));
    if (y->num_elements() == 0) return OkStatus();
    const int64_t columns = x.dim(x.rank() - 1);
    const int64_t rows = y->num_elements() / columns;
    GpuGrid grid;
    grid.blocks = GpuBlocksFor(rows);
    grid.threads = columns <= 64 ? 32 : 256;
    return DispatchTypes(FloatTypeList{}, x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      return Launch(stream, grid,
                    SoftmaxBlock<T, kLogarithm>{x.data<T>(), y->data<T>(), rows, columns});
    });
  }
};

}  // namespace

WB_GPU_KERNEL("Softmax", SoftmaxOnGpu<false>);
WB_GPU_KERNEL("LogSoftmax", SoftmaxOnGpu<true>);
#endif

}  // namespace warpbeam::WB_PASS
