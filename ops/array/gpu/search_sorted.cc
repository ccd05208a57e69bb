// LowerBound and UpperBound on a GPU: a binary search for each value.
#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_function.h"
#include "ops/launch/type_list.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/array/index/sorted_search.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

template <class T>
struct SearchSortedBlock {
  const T* sorted;
  const T* values;
  int64_t width, per_row, count;
  bool upper;
  int32_t* narrow;  // the result, of one of these types
  int64_t* wide;

  WB_BLOCK void operator()(GpuBlock& block) const {
    using V = ComputeType<T>;
    ForEachElement(block, count, [&](int64_t i) {
      const T* const row = sorted + i / per_row * width;
      const V value = static_cast<V>(values[i]);
      int64_t first = 0, length = width;
      while (length > 0) {
        const int64_t half = length / 2;
        const V middle = static_cast<V>(row[first + half]);
        const bool is_behind = upper ? !(value < middle) : middle < value;
        first = is_behind ? first + half + 1 : first;
        length = is_behind ? length - half - 1 : half;
      }
      if (narrow != nullptr) {
        narrow[i] = static_cast<int32_t>(first);
      } else {
        wide[i] = first;
      }
    });
  }
};
WB_GPU_FUNCTION(SearchSortedBlock<Half>);
WB_GPU_FUNCTION(SearchSortedBlock<BFloat16>);
WB_GPU_FUNCTION(SearchSortedBlock<float>);
WB_GPU_FUNCTION(SearchSortedBlock<double>);
WB_GPU_FUNCTION(SearchSortedBlock<int8_t>);
WB_GPU_FUNCTION(SearchSortedBlock<int16_t>);
WB_GPU_FUNCTION(SearchSortedBlock<int32_t>);
WB_GPU_FUNCTION(SearchSortedBlock<int64_t>);
WB_GPU_FUNCTION(SearchSortedBlock<uint8_t>);
WB_GPU_FUNCTION(SearchSortedBlock<uint16_t>);
WB_GPU_FUNCTION(SearchSortedBlock<uint32_t>);
WB_GPU_FUNCTION(SearchSortedBlock<uint64_t>);

#if WB_HOST_PASS
namespace {

template <bool kUpper>
class SearchSortedOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<SearchSortedOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<SearchSortedBlock<float>>(); }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor &sorted = ctx.input(0), &values = ctx.input(1);
    WB_RETURN_IF_ERROR(CheckSortedSearch(sorted.shape(), values.shape(), ctx.output_type(0)));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, values.shape()));
    if (y->num_elements() == 0) return OkStatus();
    const bool is_narrow = y->dtype() == DType::kInt32;
    return DispatchTypes(RealTypeList{}, sorted.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      return Launch(
          stream, ElementGrid(y->num_elements()),
          SearchSortedBlock<T>{sorted.data<T>(), values.data<T>(), sorted.dim(1), values.dim(1),
                               y->num_elements(), kUpper, is_narrow ? y->data<int32_t>() : nullptr,
                               is_narrow ? nullptr : y->data<int64_t>()});
    });
  }
};

}  // namespace

WB_GPU_KERNEL("LowerBound", SearchSortedOnGpu<false>);
WB_GPU_KERNEL("UpperBound", SearchSortedOnGpu<true>);
#endif

}  // namespace warpbeam::WB_PASS
