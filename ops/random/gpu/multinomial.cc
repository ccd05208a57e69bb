// Multinomial and StatelessMultinomial on a GPU, from the numbers that the CPU draws by. A first
// launch adds up the weights of each row's classes, a second one finds the samples' places in them.
#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_function.h"
#include "ops/launch/math.h"
#include "ops/random/philox_rounds.h"
#include "ops/random/random_values.h"

#if WB_HOST_PASS
#include <algorithm>
#include <memory>
#include <utility>

#include "ops/launch/dispatch.h"
#include "ops/random/multinomial_draw.h"
#include "ops/random/random_stream.h"
#include "ops/random/stateless_seed.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

// Sums of exp(logit - largest) up to each class; infinite and NaN logits add nothing.
template <class T>
struct ClassWeightsBlock {
  const T* logits;
  double* sums;
  int64_t rows, classes;

  WB_BLOCK void operator()(GpuBlock& block) const {
    double* const scan = block.Shared<double>(block.threads());
    for (int64_t row = block.index(); row < rows; row += block.count()) {
      Row(block, scan, logits + row * classes, sums + row * classes);
    }
  }

 private:
  WB_BLOCK static bool IsFinite(double x) { return x - x == 0; }

  WB_BLOCK void Row(GpuBlock& block, double* scan, const T* from, double* to) const {
    const int threads = block.threads();
    const double largest = block.Reduce(
        [&](int thread) {
          double most = -static_cast<double>(INFINITY);
          for (int64_t c = thread; c < classes; c += threads) {
            const double logit = static_cast<double>(from[c]);
            if (IsFinite(logit)) most = Max(most, logit);
          }
          return most;
        },
        [](double a, double b) { return Max(a, b); });
    Private<double> before(block), sum(block);
    block.ForEach([&](int thread) { before[thread] = 0; });
    for (int64_t first = 0; first < classes; first += threads) {
      block.ForEach([&](int thread) {
        const double logit =
            first + thread < classes ? static_cast<double>(from[first + thread]) : INFINITY;
        scan[thread] = IsFinite(logit) ? Exp(logit - largest) : 0;
      });
      for (int reach = 1; reach < threads; reach *= 2) {
        block.ForEach([&](int thread) {
          sum[thread] = scan[thread] + (thread >= reach ? scan[thread - reach] : 0);
        });
        block.ForEach([&](int thread) { scan[thread] = sum[thread]; });
      }
      block.ForEach([&](int thread) {
        if (first + thread < classes) to[first + thread] = before[thread] + scan[thread];
        before[thread] += scan[threads - 1];
      });
    }
  }
};

template <class Out>
struct DrawClassesBlock {
  Out* y;
  const double* sums;
  int64_t classes, samples, count;
  PhiloxState state;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count, [&](int64_t i) {
      PhiloxState own = state;
      SkipBlocks(own.counter, static_cast<uint64_t>(i) / 2);
      uint32_t numbers[4];
      PhiloxRounds(own.key, own.counter, numbers);
      const double* const row = sums + i / samples * classes;
      const double at = UniformOf<double>(i % 2 == 0 ? numbers : numbers + 2) * row[classes - 1];
      int64_t first = 0, length = classes;
      while (length > 0) {
        const int64_t half = length / 2;
        const bool is_behind = !(at < row[first + half]);
        first = is_behind ? first + half + 1 : first;
        length = is_behind ? length - half - 1 : half;
      }
      y[i] = static_cast<Out>(first);
    });
  }
};
WB_GPU_FUNCTION(ClassWeightsBlock<Half>);
WB_GPU_FUNCTION(ClassWeightsBlock<float>);
WB_GPU_FUNCTION(ClassWeightsBlock<double>);
WB_GPU_FUNCTION(DrawClassesBlock<int32_t>);
WB_GPU_FUNCTION(DrawClassesBlock<int64_t>);

#if WB_HOST_PASS
namespace {

using LogitTypes = TypeList<Half, float, double>;

Status EnqueueDraw(KernelContext& ctx, GpuStream& stream, const MultinomialDraw& d,
                   const Philox& numbers) {
  WB_ASSIGN_OR_RETURN(Shape shape, Shape::Make({d.rows, d.samples}));
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
  if (y->num_elements() == 0) return OkStatus();
  const Tensor& logits = ctx.input(0);
  WB_ASSIGN_OR_RETURN(Tensor sums, ctx.AllocateTemp(DType::kDouble, logits.shape()));
  GpuGrid rows;
  rows.blocks = GpuBlocksFor(d.rows);
  rows.shared_bytes = sizeof(double) * static_cast<size_t>(rows.threads);
  WB_RETURN_IF_ERROR(DispatchTypes(LogitTypes{}, logits.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    return Launch(stream, rows,
                  ClassWeightsBlock<T>{logits.data<T>(), sums.data<double>(), d.rows, d.classes});
  }));
  PhiloxState state;
  std::copy_n(numbers.key().begin(), 2, state.key);
  std::copy_n(numbers.counter().begin(), 4, state.counter);
  return DispatchIndex(y->dtype(), [&](auto tag) {
    using Out = typename decltype(tag)::type;
    return Launch(stream, ElementGrid(y->num_elements()),
                  DrawClassesBlock<Out>{y->data<Out>(), sums.data<double>(), d.classes, d.samples,
                                        y->num_elements(), state});
  });
}

class MultinomialOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(std::unique_ptr<RandomStream> stream, RandomStream::FromAttrs(init));
    return std::make_unique<MultinomialOnGpu>(std::move(stream));
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<DrawClassesBlock<int64_t>>(); }
  explicit MultinomialOnGpu(std::unique_ptr<RandomStream> stream) : stream_(std::move(stream)) {}

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    WB_ASSIGN_OR_RETURN(const MultinomialDraw d, MultinomialDraw::Read(ctx));
    return EnqueueDraw(ctx, stream, d, stream_->ReserveForElements(d.reserved()));
  }
  bool is_replayable() const override { return false; }

 private:
  const std::unique_ptr<RandomStream> stream_;
};

class StatelessMultinomialOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<StatelessMultinomialOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<DrawClassesBlock<int64_t>>(); }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    WB_ASSIGN_OR_RETURN(const MultinomialDraw d, MultinomialDraw::Read(ctx));
    WB_ASSIGN_OR_RETURN(const Philox numbers, StreamFromSeed(ctx.input(2)));
    return EnqueueDraw(ctx, stream, d, numbers);
  }
};

}  // namespace

WB_GPU_KERNEL("Multinomial", MultinomialOnGpu);
WB_GPU_KERNEL("StatelessMultinomial", StatelessMultinomialOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
