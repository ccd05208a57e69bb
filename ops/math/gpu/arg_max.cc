// ArgMax and ArgMin on a GPU: the threads of a group look through one result's elements.
#include <limits>

#include "ops/launch/gpu_function.h"
#include "ops/launch/math.h"

#if WB_HOST_PASS
#include <algorithm>
#include <memory>

#include "ops/launch/dispatch.h"
#include "ops/math/axes.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

// The best of x[row, :, j] for each row and j; `group` threads of a block share one result. Those
// of a group are neighbours where elements are, else threads of neighbouring results.
template <class T, bool kMax>
struct ArgBlock {
  using C = ComputeType<T>;
  struct Best {
    C value;
    int64_t at;  // -1: none yet that is better than nothing
  };

  const T* x;
  int64_t results, n, inner;
  int group;  // a power of two
  int32_t* narrow;
  int64_t* wide;  // one of the two is null

  WB_BLOCK void operator()(GpuBlock& block) const {
    Best* const best = block.Shared<Best>(block.threads());
    const int slots = block.threads() / group;
    const bool along = inner == 1;
    for (int64_t first = block.index() * slots; first < results; first += block.count() * slots) {
      const auto slot = [&](int thread) { return along ? thread / group : thread % slots; };
      const auto rank = [&](int thread) { return along ? thread % group : thread / slots; };
      block.ForEach([&](int thread) {
        const int64_t result = first + slot(thread);
        best[thread] = result < results ? Search(result, rank(thread)) : Best{C(), -1};
      });
      for (int half = group / 2; half > 0; half /= 2) {
        block.ForEach([&](int thread) {
          if (rank(thread) >= half) return;
          best[thread] = Better(best[thread], best[thread + half * (along ? 1 : slots)]);
        });
      }
      block.ForEach([&](int thread) {
        const int64_t result = first + slot(thread);
        if (rank(thread) != 0 || result >= results) return;
        const int64_t at = best[thread].at < 0 ? 0 : best[thread].at;
        if (wide != nullptr) {
          wide[result] = at;
        } else {
          narrow[result] = static_cast<int32_t>(at);
        }
      });
    }
  }

 private:
  WB_BLOCK static bool Beats(C a, C b) { return kMax ? a > b : a < b; }
  WB_BLOCK static C Worst() {
    using L = std::numeric_limits<C>;
    if constexpr (L::has_infinity) return kMax ? -L::infinity() : L::infinity();
    return kMax ? L::lowest() : L::max();
  }
  // The first of equals.
  WB_BLOCK static Best Better(Best a, Best b) {
    if (a.at < 0 || b.at < 0) return a.at < 0 ? b : a;
    if (Beats(b.value, a.value)) return b;
    if (Beats(a.value, b.value)) return a;
    return a.at < b.at ? a : b;
  }
  WB_BLOCK Best Search(int64_t result, int rank) const {
    const int64_t row = inner == 1 ? result : result / inner;
    const T* from = x + row * n * inner + (result - row * inner);
    Best best = {Worst(), -1};
    for (int64_t i = rank; i < n; i += group) {
      const C value = static_cast<C>(from[i * inner]);
      if (Beats(value, best.value)) best = {value, i};
    }
    return best;
  }
};

#define WB_ARG_BLOCKS(T)              \
  WB_GPU_FUNCTION(ArgBlock<T, true>); \
  WB_GPU_FUNCTION(ArgBlock<T, false>)
WB_ARG_BLOCKS(Half);
WB_ARG_BLOCKS(BFloat16);
WB_ARG_BLOCKS(float);
WB_ARG_BLOCKS(double);
WB_ARG_BLOCKS(bool);

#if WB_HOST_PASS
namespace {

template <bool kMax>
class ArgOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<ArgOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<ArgBlock<float, kMax>>(); }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(const int axis, ReadAxis(ctx.input(1), x.rank()));
    WB_RETURN_IF_ERROR(CheckNotEmpty(x.shape(), axis));
    WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, x.shape().Remove(axis)));
    if (out->num_elements() == 0) return OkStatus();
    using Types = ConcatTypes<FloatTypeList, TypeList<bool>>;
    return DispatchTypes(Types{}, x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      ArgBlock<T, kMax> search = {};
      search.x = x.data<T>();
      search.results = out->num_elements();
      search.n = x.dim(axis);
      search.inner = ElementsAfter(x.shape(), axis);
      if (out->dtype() == DType::kInt32) {
        search.narrow = out->data<int32_t>();
      } else {
        search.wide = out->data<int64_t>();
      }
      GpuGrid grid;
      // Threads along a row, or so many along columns that whole sectors are read.
      const int most = search.inner == 1 ? grid.threads : grid.threads / 32;
      for (search.group = 1; search.group * 2 <= std::min<int64_t>(most, search.n / 4);) {
        search.group *= 2;
      }
      const int64_t slots = grid.threads / search.group;
      grid.blocks = GpuBlocksFor((search.results + slots - 1) / slots);
      grid.shared_bytes = sizeof(typename ArgBlock<T, kMax>::Best) * grid.threads;
      return Launch(stream, grid, search);
    });
  }
};

}  // namespace

WB_GPU_KERNEL("ArgMax", ArgOnGpu<true>);
WB_GPU_KERNEL("ArgMin", ArgOnGpu<false>);
#endif

}  // namespace warpbeam::WB_PASS
