// AddN, AccumulateNV2 and _Average on a GPU: every input is read once, 16 bytes at a time.
#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_function.h"
#include "ops/launch/math.h"

#if WB_HOST_PASS
#include <cmath>

#include "ops/launch/dispatch.h"
#include "ops/math/add_n.h"
#include "runtime/kernel/block_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

// y = x[0] + x[1] + … of numbers of T, in this order, times `scale` after a division. A launch
// takes the addresses of all of its inputs with it: kMost of them.
template <class T, int kMost>
struct AddNBlock {
  static constexpr int kPack = 16 / static_cast<int>(sizeof(T));
  struct alignas(16) Pack {
    T at[kPack];
  };

  const T* x[kMost];
  int inputs;
  T* y;
  int64_t count;
  bool aligned;        // all addresses are multiples of 16
  bool rounds = true;  // after every addition, as AddN does
  double divisor = 1, scale = 1;

  WB_BLOCK void operator()(GpuBlock& block) const {
    const int64_t packs = aligned ? count / kPack : 0, rest = packs * kPack;
    ForEachElement(block, packs, [&](int64_t p) {
      const auto at = [&](int k) { return reinterpret_cast<const Pack*>(x[k])[p]; };
      reinterpret_cast<Pack*>(y)[p] = SumOfPacks(at);
    });
    ForEachElement(block, count - rest, [&](int64_t j) {
      const int64_t i = rest + j;
      A sum = A(x[0][i]);
      for (int k = 1; k < kMost; ++k) {
        if (k >= inputs) break;
        sum = Added(sum, x[k][i]);
      }
      y[i] = Finished(sum);
    });
  }

 private:
  using A = ComputeType<T>;

  // Loops over inputs have a constant length: where it is short they are unrolled, and no address
  // is looked up in memory.
  template <class At>
  WB_BLOCK Pack SumOfPacks(const At& at) const {
    Pack next = at(0);
    A sum[kPack];
    for (int j = 0; j < kPack; ++j) sum[j] = A(next.at[j]);
    for (int k = 1; k < kMost; ++k) {
      if (k >= inputs) break;
      next = at(k);
      for (int j = 0; j < kPack; ++j) sum[j] = Added(sum[j], next.at[j]);
    }
    for (int j = 0; j < kPack; ++j) next.at[j] = Finished(sum[j]);
    return next;
  }
  WB_BLOCK A Added(A sum, T x) const {
    const A all = Plus(sum, A(x));
    return sizeof(A) != sizeof(T) && rounds ? A(T(all)) : all;
  }
  WB_BLOCK T Finished(A sum) const {
    if constexpr (std::is_floating_point_v<A>) {
      if (!rounds) {
        // Dividing by a power of two is multiplying by its inverse.
        sum = divisor == 1 ? sum * A(scale) : sum / A(divisor) * A(scale);
      }
    }
    return T(sum);
  }
};

#define WB_ADD_N_BLOCKS(T)          \
  WB_GPU_FUNCTION(AddNBlock<T, 8>); \
  WB_GPU_FUNCTION(AddNBlock<T, 256>)
WB_ADD_N_BLOCKS(Half);
WB_ADD_N_BLOCKS(BFloat16);
WB_ADD_N_BLOCKS(float);
WB_ADD_N_BLOCKS(double);
WB_ADD_N_BLOCKS(uint32_t);
WB_ADD_N_BLOCKS(uint64_t);

#if WB_HOST_PASS
namespace {

constexpr int kMostInputs = 256;

// The factors of an average; AddN has none.
struct AverageFactors {
  bool averages = false;
  double divisor = 1, scale = 1;
};

template <class T, int kMost>
Status LaunchSum(GpuStream& stream, const AverageFactors& factors, const T* const* x, int n, T* y,
                 int64_t count) {
  AddNBlock<T, kMost> sum = {};
  sum.inputs = n;
  sum.y = y;
  sum.count = count;
  sum.rounds = !factors.averages;
  sum.divisor = factors.divisor;
  sum.scale = factors.scale;
  auto addresses = reinterpret_cast<uintptr_t>(y);
  for (int k = 0; k < n; ++k) {
    sum.x[k] = x[k];
    addresses |= reinterpret_cast<uintptr_t>(x[k]);
  }
  sum.aligned = addresses % 16 == 0;
  return Launch(stream, ElementGrid(sum.aligned ? count / sum.kPack : count), sum);
}

// All inputs, or as many as fit at a time, with what there is of the sum as the first of them.
template <class T>
Status SumOnGpu(KernelContext& ctx, GpuStream& stream, const AverageFactors& factors, int64_t count,
                Tensor* out) {
  const int n = ctx.num_inputs();
  T* const y = static_cast<T*>(out->raw_data());
  const T* x[kMostInputs];
  int have = 0;
  for (int k = 0; k < n; ++k) {
    x[have++] = static_cast<const T*>(ctx.input(k).raw_data());
    if (have < kMostInputs && k + 1 < n) continue;
    if (have <= 8) {
      WB_RETURN_IF_ERROR((LaunchSum<T, 8>(stream, factors, x, have, y, count)));
    } else {
      WB_RETURN_IF_ERROR((LaunchSum<T, kMostInputs>(stream, factors, x, have, y, count)));
    }
    x[0] = y;
    have = 1;
  }
  return OkStatus();
}

Status EnqueueSum(KernelContext& ctx, GpuStream& stream, const AverageFactors& factors) {
  WB_RETURN_IF_ERROR(CheckSameShapes(ctx));
  const Shape shape = ctx.input(0).shape();
  WB_ASSIGN_OR_RETURN(Tensor * out, ctx.ForwardOrAllocate({0}, 0, shape));
  const int64_t count = out->num_elements();
  if (count == 0) return OkStatus();
  // Complex numbers are two real ones each; integers wrap around, whatever their sign.
  switch (out->dtype()) {
    case DType::kComplex64:
      return SumOnGpu<float>(ctx, stream, factors, 2 * count, out);
    case DType::kComplex128:
      return SumOnGpu<double>(ctx, stream, factors, 2 * count, out);
    case DType::kInt64:
      return SumOnGpu<uint64_t>(ctx, stream, factors, count, out);
    default:
      return DispatchTypes(ConcatTypes<FloatTypeList, TypeList<uint32_t>>{}, out->dtype(),
                           [&](auto tag) {
                             using T = typename decltype(tag)::type;
                             return SumOnGpu<T>(ctx, stream, factors, count, out);
                           });
  }
}

class AddNOnGpu final : public GpuKernel, public GpuStepKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<AddNOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<AddNBlock<float, 8>>(); }
  // Of two tensors it is an addition.
  bool AcceptsInputs(Span<const Tensor* const> inputs) const override { return inputs.size() == 2; }
  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    if (ctx.num_inputs() > 1) return EnqueueSum(ctx, stream, {});
    ctx.set_output(0, ctx.input(0));
    return OkStatus();
  }
};

class AverageOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    if (init.input_types.size() > kMostInputs) {
      return Unimplemented("an average of more than ", kMostInputs, " tensors on a GPU");
    }
    AverageFactors factors;
    factors.averages = true;
    factors.divisor = init.attrs.GetOr<float>("divisor", 1);
    factors.scale = init.attrs.GetOr<float>("scale", 1);
    int exponent;
    if (std::frexp(factors.divisor, &exponent) == 0.5) {
      factors.scale /= factors.divisor;
      factors.divisor = 1;
    }
    return std::make_unique<AverageOnGpu>(factors);
  }
  static bool HasGpuCode(const AttrMap& attrs) { return AddNOnGpu::HasGpuCode(attrs); }
  explicit AverageOnGpu(const AverageFactors& factors) : factors_(factors) {}
  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    return EnqueueSum(ctx, stream, factors_);
  }

 private:
  const AverageFactors factors_;
};

}  // namespace

WB_GPU_KERNEL("AddN", AddNOnGpu);
WB_GPU_KERNEL("AccumulateNV2", AddNOnGpu);
WB_GPU_KERNEL("_Average", AverageOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
