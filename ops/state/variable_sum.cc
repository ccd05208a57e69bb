// What elements_here.h says of sums on a GPU.
#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_function.h"
#include "ops/launch/math.h"
#include "ops/launch/pass.h"
#include "ops/state/gpu/neighbours.h"

#if WB_HOST_PASS
#include "ops/launch/dispatch.h"
#include "ops/state/elements_here.h"
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
    constexpr int kCount = kMostNeighbours<T>;
    const int64_t packs = AreFitForNeighbours(value, delta, to) ? count / kCount : 0;
    const int64_t rest = packs * kCount;
    ForEachElement(block, packs, [&](int64_t i) { Sum<kCount>(i); });
    ForEachElement(block, count - rest, [&](int64_t i) { Sum<1>(rest + i); });
  }

 private:
  // In units of `size` elements.
  template <int size>
  WB_BLOCK void Sum(int64_t i) const {
    using Pack = Neighbours<T, size>;
    const Pack a = reinterpret_cast<const Pack*>(value)[i];
    const Pack b = reinterpret_cast<const Pack*>(delta)[i];
    Pack sum;
    for (int k = 0; k < size; ++k) {
      sum.at[k] = kSubtract ? Minus(a.at[k], b.at[k]) : Plus(a.at[k], b.at[k]);
    }
    reinterpret_cast<Pack*>(to)[i] = sum;
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

template <bool kSubtract>
Status EnqueueSumOf(GpuStream& stream, const Tensor& value, const Tensor& delta, Tensor* to) {
  return DispatchTypes(NumberTypeList{}, to->dtype(), [&](auto tag) {
    using S = typename SummedAs<typename decltype(tag)::type>::type;
    const auto count = static_cast<int64_t>(to->bytes() / sizeof(S));
    GpuGrid grid;
    grid.blocks = GpuBlocksFor((count + grid.threads - 1) / grid.threads);
    return Launch(
        stream, grid,
        VariableSumBlock<S, kSubtract>{value.data<S>(), delta.data<S>(), to->data<S>(), count});
  });
}

}  // namespace
#endif

}  // namespace warpbeam::WB_PASS

#if WB_HOST_PASS
namespace warpbeam {

bool HasSumsOnGpu() {
  return host_pass::HasGpuFunction<host_pass::VariableSumBlock<float, false>>();
}

Status EnqueueSum(GpuStream& stream, bool subtracts, const Tensor& value, const Tensor& delta,
                  Tensor* to) {
  if (to->num_elements() == 0) return OkStatus();
  return subtracts ? host_pass::EnqueueSumOf<true>(stream, value, delta, to)
                   : host_pass::EnqueueSumOf<false>(stream, value, delta, to);
}

}  // namespace warpbeam
#endif
