// TridiagonalSolve on a GPU, in the steps of the CPU: a block for each system. One thread makes the
// matrix triangular and notes how; then each thread solves for right-hand sides of its own.
#include <limits>

#include "ops/launch/complex_number.h"
#include "ops/launch/gpu_function.h"
#include "ops/linalg/pivot_size.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/launch/dispatch.h"
#include "ops/linalg/tridiagonal_systems.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

// What was done to a row to eliminate the one below it.
enum class Elimination : uint8_t { kNone, kSubtracted, kExchanged };

template <class T>
struct TridiagonalSolveBlock {
  using R = decltype(PivotSize(T()));

  const T* diagonals;  // [systems, 3, n]
  const T* rhs;        // [systems, n, columns]
  T* x;                // the same
  T* memory;           // [systems, 4, n]
  Elimination* steps;  // [systems, n]
  int64_t systems, n, columns;
  bool pivoting, perturb;

  WB_BLOCK void operator()(GpuBlock& block) const {
    bool* const is_regular = block.Shared<bool>(1);
    R* const step = block.Shared<R>(1);
    for (int64_t s = block.index(); s < systems; s += block.count()) {
      const System system = SystemAt(s);
      block.ForEach([&](int thread) {
        if (thread == 0) *is_regular = Eliminate(system, step);
      });
      block.ForEach([&](int thread) {
        for (int64_t j = thread; j < columns; j += block.threads()) {
          if (*is_regular) {
            Solve(system, j, *step);
          } else {
            Fill(system, j);
          }
        }
      });
    }
  }

 private:
  // U's diagonals, the factors of the rows, and the right-hand sides.
  struct System {
    const T* given;
    T *above, *on, *second, *factors;
    Elimination* steps;
    const T* rhs;
    T* x;
  };
  WB_BLOCK System SystemAt(int64_t s) const {
    T* const own = memory + s * 4 * n;
    const int64_t size = n * columns;
    return {diagonals + s * 3 * n, own,           own + n,        own + 2 * n,
            own + 3 * n,           steps + s * n, rhs + s * size, x + s * size};
  }

  // False at a pivot of zero, but where it may stay. *step: by how much pivots are moved.
  WB_BLOCK bool Eliminate(const System& s, R* step) const {
    for (int64_t i = 0; i < n; ++i) {
      s.above[i] = i + 1 < n ? s.given[i] : T(R(0));
      s.on[i] = s.given[n + i];
      s.second[i] = s.factors[i] = T(R(0));
      s.steps[i] = Elimination::kNone;
    }
    const T zero = T(R(0));
    for (int64_t i = 0; i + 1 < n; ++i) {
      const T below = s.given[2 * n + i + 1];
      if (pivoting && PivotSize(below) > PivotSize(s.on[i])) {
        const T factor = s.on[i] / below, on = s.on[i + 1], above = s.above[i + 1];
        s.on[i + 1] = s.above[i] - factor * on;
        s.above[i + 1] = -(factor * above);
        s.on[i] = below;
        s.above[i] = on;
        s.second[i] = above;
        s.factors[i] = factor;
        s.steps[i] = Elimination::kExchanged;
      } else if (s.on[i] != zero) {
        const T factor = below / s.on[i];
        s.on[i + 1] = s.on[i + 1] - factor * s.above[i];
        s.factors[i] = factor;
        s.steps[i] = Elimination::kSubtracted;
      } else if (!perturb) {
        return false;
      }
    }
    if (perturb) *step = PerturbationOf(s);
    return perturb || s.on[n - 1] != zero;
  }
  WB_BLOCK R PerturbationOf(const System& s) const {
    R largest = 0;
    for (int64_t i = 0; i < n; ++i) {
      largest = Larger(largest, PivotSize(s.on[i]));
      largest = Larger(largest, PivotSize(s.above[i]));
      largest = Larger(largest, PivotSize(s.second[i]));
    }
    return Larger(largest * std::numeric_limits<R>::epsilon(), std::numeric_limits<R>::min());
  }
  WB_BLOCK static R Larger(R a, R b) { return a < b ? b : a; }

  WB_BLOCK void Solve(const System& s, int64_t j, R step) const {
    for (int64_t i = 0; i < n; ++i) s.x[i * columns + j] = s.rhs[i * columns + j];
    for (int64_t i = 0; i + 1 < n; ++i) {
      T& upper = s.x[i * columns + j];
      T& lower = s.x[(i + 1) * columns + j];
      if (s.steps[i] == Elimination::kExchanged) {
        const T before = upper;
        upper = lower;
        lower = before - s.factors[i] * upper;
      } else if (s.steps[i] == Elimination::kSubtracted) {
        lower = lower - s.factors[i] * upper;
      }
    }
    for (int64_t i = n - 1; i >= 0; --i) {
      // Less what the unknowns already found contribute.
      T left = s.x[i * columns + j];
      if (i + 1 < n) left = left - s.above[i] * s.x[(i + 1) * columns + j];
      if (i + 2 < n && s.second[i] != T(R(0))) {
        left = left - s.second[i] * s.x[(i + 2) * columns + j];
      }
      s.x[i * columns + j] = left / (perturb ? Moved(s.on[i], left, step) : s.on[i]);
    }
  }
  // A pivot away from zero until the quotient is in the type's range.
  WB_BLOCK static T Moved(T pivot, T left, R step) {
    constexpr R kSmallest = std::numeric_limits<R>::min();
    T move = pivot == T(R(0)) ? T(step) : pivot / PivotSize(pivot) * step;
    while (PivotSize(pivot) < 1 &&
           (PivotSize(pivot) < kSmallest || PivotSize(left) > PivotSize(pivot) * (1 / kSmallest))) {
      pivot = pivot + move;
      move = move * R(2);
    }
    return pivot;
  }
  WB_BLOCK void Fill(const System& s, int64_t j) const {
    for (int64_t i = 0; i < n; ++i) {
      s.x[i * columns + j] = T(std::numeric_limits<R>::quiet_NaN());
    }
  }
};
WB_GPU_FUNCTION(TridiagonalSolveBlock<float>);
WB_GPU_FUNCTION(TridiagonalSolveBlock<double>);
WB_GPU_FUNCTION(TridiagonalSolveBlock<ComplexNumber<float>>);
WB_GPU_FUNCTION(TridiagonalSolveBlock<ComplexNumber<double>>);

#if WB_HOST_PASS
namespace {

class TridiagonalSolveOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const TridiagonalOptions options, TridiagonalOptions::Read(init));
    return std::make_unique<TridiagonalSolveOnGpu>(options);
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<TridiagonalSolveBlock<float>>(); }
  explicit TridiagonalSolveOnGpu(TridiagonalOptions options) : options_(options) {}

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    WB_ASSIGN_OR_RETURN(const MatrixBatch batch, TridiagonalSystems(ctx));
    const Tensor& rhs = ctx.input(1);
    WB_ASSIGN_OR_RETURN(Tensor * x, ctx.Allocate(0, rhs.shape()));
    if (batch.empty()) return OkStatus();
    const Shape four({batch.count, 4, batch.rows});
    WB_ASSIGN_OR_RETURN(Tensor memory, ctx.AllocateTemp(rhs.dtype(), four));
    WB_ASSIGN_OR_RETURN(Tensor steps,
                        ctx.AllocateTemp(DType::kUInt8, Shape({batch.count, batch.rows})));
    using Types = ConcatTypes<TypeList<float, double>, ComplexTypeList>;
    return DispatchTypes(Types{}, rhs.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      using Element = GpuElement<T>;
      TridiagonalSolveBlock<Element> block = {};
      block.diagonals = GpuData(ctx.input(0).data<T>());
      block.rhs = GpuData(rhs.data<T>());
      block.x = GpuData(x->data<T>());
      block.memory = GpuData(memory.data<T>());
      block.steps = static_cast<Elimination*>(steps.raw_data());
      block.systems = batch.count;
      block.n = batch.rows;
      block.columns = batch.cols;
      block.pivoting = options_.pivoting;
      block.perturb = options_.perturb;
      GpuGrid grid;
      grid.blocks = GpuBlocksFor(batch.count);
      grid.threads = batch.cols <= 32 ? 32 : 128;
      grid.shared_bytes = 32;
      return Launch(stream, grid, block);
    });
  }

 private:
  const TridiagonalOptions options_;
};

}  // namespace

WB_GPU_KERNEL("TridiagonalSolve", TridiagonalSolveOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
