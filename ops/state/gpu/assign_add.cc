// AssignAdd, AssignSub and their forms for resource variables on a GPU.
#include "ops/launch/gpu_function.h"
#include "ops/launch/math.h"
#include "ops/launch/pass.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/launch/dispatch.h"
#include "ops/state/elementwise_update.h"
#include "ops/state/gpu/variable_update.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

// `to` may be `value`: each thread reads what it writes.
template <class T, bool kSubtract>
struct VariableSumBlock {
  const T* value;
  const T* delta;
  T* to;
  int64_t count;

  WB_BLOCK void operator()(GpuBlock& block) const {
    const int64_t step = block.count() * block.threads();
    block.ForEach([&](int thread) {
      for (int64_t i = block.index() * block.threads() + thread; i < count; i += step) {
        to[i] = kSubtract ? Minus(value[i], delta[i]) : Plus(value[i], delta[i]);
      }
    });
  }
};

#define WB_VARIABLE_SUM_BLOCKS(T)              \
  WB_GPU_FUNCTION(VariableSumBlock<T, false>); \
  WB_GPU_FUNCTION(VariableSumBlock<T, true>)
WB_VARIABLE_SUM_BLOCKS(Half);
WB_VARIABLE_SUM_BLOCKS(BFloat16);
WB_VARIABLE_SUM_BLOCKS(float);
WB_VARIABLE_SUM_BLOCKS(double);
WB_VARIABLE_SUM_BLOCKS(uint8_t);
WB_VARIABLE_SUM_BLOCKS(uint16_t);
WB_VARIABLE_SUM_BLOCKS(uint32_t);
WB_VARIABLE_SUM_BLOCKS(uint64_t);

#if WB_HOST_PASS
namespace {

// What sums of T are computed as: integers wrap around, whatever their sign, and a complex number
// is two real ones.
template <class T>
struct SummedAs {
  using type = T;
};
template <class T>
struct SummedAs<std::complex<T>> {
  using type = T;
};
template <>
struct SummedAs<int8_t> {
  using type = uint8_t;
};
template <>
struct SummedAs<int16_t> {
  using type = uint16_t;
};
template <>
struct SummedAs<int32_t> {
  using type = uint32_t;
};
template <>
struct SummedAs<int64_t> {
  using type = uint64_t;
};

template <bool is_resource, bool kSubtract>
class SumOnGpu final : public GpuKernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<SumOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) {
    return HasGpuFunction<VariableSumBlock<float, kSubtract>>();
  }

  absl::Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor& delta = ctx.input(1);
    return UpdateVariable<is_resource>(ctx, finder_, [&](Variable& v) {
      return v.Update([&](Tensor& value) -> absl::Status {
        WB_RETURN_IF_ERROR(CheckInitialized(v, value));
        WB_RETURN_IF_ERROR(CheckElementwiseUpdate(value, delta));
        WB_ASSIGN_OR_RETURN(Tensor sum, RoomForSuccessor(ctx, value));
        WB_RETURN_IF_ERROR(Add(stream, value, delta, &sum));
        value = std::move(sum);
        return absl::OkStatus();
      });
    });
  }

 private:
  static absl::Status Add(GpuStream& stream, const Tensor& value, const Tensor& delta,
                          Tensor* sum) {
    if (sum->num_elements() == 0) return absl::OkStatus();
    return DispatchTypes(NumberTypeList{}, sum->dtype(), [&](auto tag) {
      using S = typename SummedAs<typename decltype(tag)::type>::type;
      const auto count = static_cast<int64_t>(sum->bytes() / sizeof(S));
      GpuGrid grid;
      grid.blocks = GpuBlocksFor((count + grid.threads - 1) / grid.threads);
      return Launch(
          stream, grid,
          VariableSumBlock<S, kSubtract>{value.data<S>(), delta.data<S>(), sum->data<S>(), count});
    });
  }

  VariableFinder finder_;
};

}  // namespace

using AssignAddOnGpu = SumOnGpu<false, false>;
using AssignSubOnGpu = SumOnGpu<false, true>;
using AssignAddVariableOnGpu = SumOnGpu<true, false>;
using AssignSubVariableOnGpu = SumOnGpu<true, true>;
WB_GPU_KERNEL("AssignAdd", AssignAddOnGpu);
WB_GPU_KERNEL("AssignSub", AssignSubOnGpu);
WB_GPU_KERNEL("AssignAddVariableOp", AssignAddVariableOnGpu);
WB_GPU_KERNEL("AssignSubVariableOp", AssignSubVariableOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
