// SparseToDense on a GPU. Indices out of range are left out, and of several values for a place
// nobody knows which one comes last: they cannot be refused without waiting.
#include "ops/array/gpu/moved_element.h"
#include "ops/array/gpu/tuple_rows.h"
#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_function.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/array/gpu_copier.h"
#include "ops/sparse/sparse_to_dense.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

// An element is only moved: T has its size.
template <class T>
struct SetPlacesBlock {
  const T* values;
  T* y;
  TupleRows places;
  bool one_value;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, places.count, [&](int64_t i) {
      const int64_t at = places.RowOf(i);
      if (at >= 0) y[at] = values[one_value ? 0 : i];
    });
  }
};
WB_GPU_FUNCTION(SetPlacesBlock<uint8_t>);
WB_GPU_FUNCTION(SetPlacesBlock<uint16_t>);
WB_GPU_FUNCTION(SetPlacesBlock<uint32_t>);
WB_GPU_FUNCTION(SetPlacesBlock<uint64_t>);

#if WB_HOST_PASS
namespace {

class SparseToDenseOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<SparseToDenseOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<SetPlacesBlock<uint32_t>>(); }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor& values = ctx.input(2);
    WB_ASSIGN_OR_RETURN(const DensePlan plan, MakeDensePlan(ctx));
    TupleRows places;
    if (plan.rank > TupleRows::kMaxDepth) {
      return Unimplemented("index tuples on a GPU have at most ", TupleRows::kMaxDepth,
                           " entries, not ", plan.rank);
    }
    places.indices = IndexReader(ctx.input(0));
    places.count = plan.count;
    places.depth = static_cast<int>(plan.rank);
    for (int d = 0; d < places.depth; ++d) places.extents[d] = plan.shape.dim(d);
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, plan.shape));
    WB_RETURN_IF_ERROR(GpuCopier(stream).Fill(y->dtype(), y->raw_data(), ctx.input(3).raw_data(),
                                              y->num_elements()));
    if (plan.count == 0) return OkStatus();
    return DispatchWidth(static_cast<int>(DTypeSize(y->dtype())), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_integral_v<T>) {
        return Launch(
            stream, ElementGrid(plan.count),
            SetPlacesBlock<T>{static_cast<const T*>(values.raw_data()),
                              static_cast<T*>(y->raw_data()), places, values.rank() == 0});
      } else {
        return Unimplemented("SparseToDense of ", DTypeName(y->dtype()), " on a GPU");
      }
    });
  }
};

}  // namespace

WB_GPU_KERNEL("SparseToDense", SparseToDenseOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
