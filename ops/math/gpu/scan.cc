// Cumsum, Cumprod and CumulativeLogsumexp on a GPU. A block goes along one vector in tiles, in
// which its threads first join what each has before it and then run through their own elements.
// Where there are vectors enough, or short ones, each has a thread of its own. 16-bit floats are
// joined in float.
#include <limits>

#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_function.h"
#include "ops/launch/math.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/launch/dispatch.h"
#include "ops/math/axes.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

template <class A>
struct RunningSum {
  WB_HD static A Neutral() { return A(0); }
  WB_HD static A Join(A a, A b) { return Plus(a, b); }
};
template <class A>
struct RunningProduct {
  WB_HD static A Neutral() { return A(1); }
  WB_HD static A Join(A a, A b) { return Times(a, b); }
};
template <class A>
struct RunningLogSumExp {
  WB_HD static A Neutral() { return -std::numeric_limits<A>::infinity(); }
  WB_HD static A Join(A a, A b) {
    if (a != a || b != b) return a + b;
    const A larger = a > b ? a : b, smaller = a > b ? b : a;
    if (larger == Neutral()) return larger;
    return larger + Log1p(Exp(smaller - larger));
  }
};

// Vectors of n elements, `inner` apart from each other; those of neighbouring vectors are
// neighbours.
struct ScanPlan {
  int64_t vectors, n, inner;
  bool exclusive, reverse;

  WB_HD int64_t Start(int64_t vector) const {
    const int64_t outer = vector / inner;
    return outer * n * inner + (vector - outer * inner) + (reverse ? (n - 1) * inner : 0);
  }
  WB_HD int64_t step() const { return reverse ? -inner : inner; }
};

// Element i and those that follow it, up to `end`: from what stands before them to what stands
// behind them.
template <class R, class T, class A>
WB_HD A ScanRun(const ScanPlan& plan, const T* x, T* y, int64_t i, int64_t end, A sum) {
  for (; i < end; ++i) {
    const int64_t at = i * plan.step();
    const A next = R::Join(sum, static_cast<A>(x[at]));
    y[at] = static_cast<T>(plan.exclusive ? sum : next);
    sum = next;
  }
  return sum;
}

template <template <class> class Running, class T>
struct ScanTilesBlock {
  using A = ComputeType<T>;
  using R = Running<A>;
  static constexpr int kRun = 8;  // elements of a thread in a tile

  const T* x;
  T* y;
  ScanPlan plan;

  WB_BLOCK void operator()(GpuBlock& block) const {
    A* from = block.Shared<A>(block.threads());
    A* to = block.Shared<A>(block.threads());
    Private<A> before(block);  // what stands before the tile
    for (int64_t vector = block.index(); vector < plan.vectors; vector += block.count()) {
      const int64_t start = plan.Start(vector);
      block.ForEach([&](int thread) { before[thread] = R::Neutral(); });
      for (int64_t tile = 0; tile < plan.n; tile += int64_t{kRun} * block.threads()) {
        const auto first = [&](int thread) { return Least(tile + int64_t{thread} * kRun); };
        block.ForEach([&](int thread) {
          A sum = R::Neutral();
          for (int64_t i = first(thread); i < first(thread + 1); ++i) {
            sum = R::Join(sum, static_cast<A>(x[start + i * plan.step()]));
          }
          from[thread] = sum;
        });
        for (int apart = 1; apart < block.threads(); apart *= 2) {
          block.ForEach([&](int thread) {
            to[thread] =
                thread < apart ? from[thread] : R::Join(from[thread - apart], from[thread]);
          });
          A* const joined = to;
          to = from;
          from = joined;
        }
        block.ForEach([&](int thread) {
          const A sum = thread == 0 ? before[thread] : R::Join(before[thread], from[thread - 1]);
          ScanRun<R>(plan, x + start, y + start, first(thread), first(thread + 1), sum);
          before[thread] = R::Join(before[thread], from[block.threads() - 1]);
        });
      }
    }
  }

 private:
  WB_BLOCK int64_t Least(int64_t i) const { return i < plan.n ? i : plan.n; }
};

template <template <class> class Running, class T>
struct ScanVectorsBlock {
  using A = ComputeType<T>;
  using R = Running<A>;

  const T* x;
  T* y;
  ScanPlan plan;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, plan.vectors, [&](int64_t v) {
      const int64_t start = plan.Start(v);
      ScanRun<R>(plan, x + start, y + start, 0, plan.n, R::Neutral());
    });
  }
};

#define WB_SCAN_BLOCKS(R, T)             \
  WB_GPU_FUNCTION(ScanTilesBlock<R, T>); \
  WB_GPU_FUNCTION(ScanVectorsBlock<R, T>)
#define WB_SCAN_FLOATS(R)      \
  WB_SCAN_BLOCKS(R, Half);     \
  WB_SCAN_BLOCKS(R, BFloat16); \
  WB_SCAN_BLOCKS(R, float);    \
  WB_SCAN_BLOCKS(R, double)
WB_SCAN_FLOATS(RunningSum);
WB_SCAN_FLOATS(RunningProduct);
WB_SCAN_FLOATS(RunningLogSumExp);
WB_SCAN_BLOCKS(RunningSum, int32_t);
WB_SCAN_BLOCKS(RunningSum, int64_t);
WB_SCAN_BLOCKS(RunningProduct, int32_t);
WB_SCAN_BLOCKS(RunningProduct, int64_t);

#if WB_HOST_PASS
namespace {

template <template <class> class Running, class Types>
class ScanOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const bool exclusive, init.attr<bool>("exclusive"));
    WB_ASSIGN_OR_RETURN(const bool reverse, init.attr<bool>("reverse"));
    return std::make_unique<ScanOnGpu>(exclusive, reverse);
  }
  static bool HasGpuCode(const AttrMap&) {
    return HasGpuFunction<ScanTilesBlock<Running, float>>();
  }
  ScanOnGpu(bool exclusive, bool reverse) : exclusive_(exclusive), reverse_(reverse) {}

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(const int axis, ReadAxis(ctx.input(1), x.rank(), "scan axis"));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
    if (y->num_elements() == 0) return OkStatus();
    ScanPlan plan = {0, x.dim(axis), ElementsAfter(x.shape(), axis), exclusive_, reverse_};
    plan.vectors = x.num_elements() / plan.n;
    return DispatchTypes(Types{}, x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      GpuGrid grid;
      constexpr int64_t kMany = 8192, kShort = 32;
      if (plan.n <= kShort || (plan.inner > 1 && plan.vectors >= kMany)) {
        grid.blocks = GpuBlocksFor((plan.vectors + grid.threads - 1) / grid.threads);
        return Launch(stream, grid, ScanVectorsBlock<Running, T>{x.data<T>(), y->data<T>(), plan});
      }
      grid.blocks = GpuBlocksFor(plan.vectors);
      grid.threads = plan.n <= 512 ? 64 : 256;
      grid.shared_bytes = 2 * sizeof(ComputeType<T>) * static_cast<size_t>(grid.threads);
      return Launch(stream, grid, ScanTilesBlock<Running, T>{x.data<T>(), y->data<T>(), plan});
    });
  }

 private:
  const bool exclusive_;
  const bool reverse_;
};
using ScanTypes = ConcatTypes<FloatTypeList, TypeList<int32_t, int64_t>>;

}  // namespace

using CumsumOnGpu = ScanOnGpu<RunningSum, ScanTypes>;
using CumprodOnGpu = ScanOnGpu<RunningProduct, ScanTypes>;
using CumulativeLogsumexpOnGpu = ScanOnGpu<RunningLogSumExp, FloatTypeList>;
WB_GPU_KERNEL("Cumsum", CumsumOnGpu);
WB_GPU_KERNEL("Cumprod", CumprodOnGpu);
WB_GPU_KERNEL("CumulativeLogsumexp", CumulativeLogsumexpOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
