// LRN and LRNGrad on a GPU: a thread for each element; neighbouring threads read nearly the same
// neighbours.
#include "ops/launch/math.h"
#include "ops/nn/gpu_loops/items.h"

#if WB_HOST_PASS
#include <algorithm>
#include <memory>

#include "ops/nn/norm/lrn_inputs.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

struct LrnWindow {
  int64_t count, channels, radius;
  float bias, alpha, beta;

  // The sum of fn(element) over the neighbours of element `at`.
  template <class Fn>
  WB_BLOCK float Sum(int64_t at, const Fn& fn) const {
    const int64_t first = Quotient(at, channels) * channels, channel = at - first;
    const int64_t begin = channel < radius ? 0 : channel - radius;
    const int64_t end = channel + radius < channels ? channel + radius + 1 : channels;
    float sum = 0;
    for (int64_t c = begin; c < end; ++c) sum += fn(first + c);
    return sum;
  }
  WB_BLOCK float Norm(const float* x, int64_t at) const {
    return bias + alpha * Sum(at, [&](int64_t i) { return x[i] * x[i]; });
  }
  // norm^-beta
  WB_BLOCK float NegativePower(float norm) const {
    if (beta == 1.0f) return 1.0f / norm;
    if (beta == 0.5f) return 1.0f / Sqrt(norm);
    if (beta == 0.75f) return 1.0f / (Sqrt(norm) * Sqrt(Sqrt(norm)));
    return Exp(-beta * Log(norm));
  }
};

struct LrnBlock {
  LrnWindow window;
  const float* x;
  float* y;
  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, window.count,
                   [&](int64_t i) { y[i] = x[i] * window.NegativePower(window.Norm(x, i)); });
  }
};

// quotients = dy y / norm, direct = dy norm^-beta
struct LrnQuotientsBlock {
  LrnWindow window;
  const float *dy, *x, *y;
  float *quotients, *direct;
  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, window.count, [&](int64_t i) {
      const float norm = window.Norm(x, i);
      quotients[i] = dy[i] * y[i] / norm;
      direct[i] = dy[i] * window.NegativePower(norm);
    });
  }
};

// dx, which is `direct` before, -= 2 alpha beta x * the sum of quotients over the window.
struct LrnGradBlock {
  LrnWindow window;
  const float *x, *quotients;
  float* dx;
  WB_BLOCK void operator()(GpuBlock& block) const {
    const float factor = 2 * window.alpha * window.beta;
    ForEachElement(block, window.count, [&](int64_t i) {
      dx[i] -= factor * x[i] * window.Sum(i, [&](int64_t j) { return quotients[j]; });
    });
  }
};

WB_GPU_FUNCTION(LrnBlock);
WB_GPU_FUNCTION(LrnQuotientsBlock);
WB_GPU_FUNCTION(LrnGradBlock);

#if WB_HOST_PASS
namespace {

template <bool kGradient>
class LrnOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const LrnAttrs attrs, ReadLrnAttrs(init.attrs));
    return std::make_unique<LrnOnGpu>(attrs);
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<LrnBlock>(); }
  explicit LrnOnGpu(const LrnAttrs& attrs) : attrs_(attrs) {}

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    WB_RETURN_IF_ERROR(CheckLrnInputs(ctx));
    const Shape shape = ctx.input(0).shape();
    WB_ASSIGN_OR_RETURN(Tensor * result, ctx.Allocate(0, shape));
    const int64_t count = shape.num_elements();
    if (count == 0) return OkStatus();
    const LrnWindow window{count,       shape.dim(3), std::min(attrs_.radius, shape.dim(3)),
                           attrs_.bias, attrs_.alpha, attrs_.beta};
    const GpuGrid grid = ElementGrid(count);
    const auto input = [&](int i) { return ctx.input(i).data<float>(); };
    float* const to = result->data<float>();
    if (!kGradient) return Launch(stream, grid, LrnBlock{window, input(0), to});
    WB_ASSIGN_OR_RETURN(Tensor memory, ctx.AllocateTemp(DType::kFloat, shape));
    float* const quotients = memory.data<float>();
    WB_RETURN_IF_ERROR(Launch(
        stream, grid, LrnQuotientsBlock{window, input(0), input(1), input(2), quotients, to}));
    return Launch(stream, grid, LrnGradBlock{window, input(1), quotients, to});
  }

 private:
  const LrnAttrs attrs_;
};

}  // namespace

WB_GPU_KERNEL("LRN", LrnOnGpu<false>);
WB_GPU_KERNEL("LRNGrad", LrnOnGpu<true>);
#endif

}  // namespace warpbeam::WB_PASS
