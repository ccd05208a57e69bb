// Gather and GatherV2 on a GPU. As on TensorFlow's, an index out of range gives zeros.
#include "ops/array/gpu/fast_divisor.h"
#include "ops/array/gpu/index_reader.h"
#include "ops/array/gpu/moved_element.h"
#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_function.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/array/index/gather_plan.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

// Index counts the elements of the result.
template <class T, class Index>
struct GatherBlock {
  T* y;
  const T* params;
  IndexReader indices;
  Index count;
  int64_t limit;
  DivisorFor<Index> inner, per_batch, outer;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count, [&](Index i) {
      const auto slice = static_cast<Index>(inner.Quotient(i));
      const auto row = static_cast<Index>(per_batch.Quotient(slice));  // of batch and outer
      const auto batch = static_cast<Index>(outer.Quotient(row));
      const int64_t place = slice - row * static_cast<Index>(per_batch.divisor);
      const int64_t at = indices[int64_t{batch} * per_batch.divisor + place];
      const int64_t within = i - slice * static_cast<Index>(inner.divisor);
      const bool inside = at >= 0 && at < limit;
      y[i] = inside ? params[(int64_t{row} * limit + at) * inner.divisor + within] : T{};
    });
  }
};

#define WB_GATHER_BLOCKS(T)                  \
  WB_GPU_FUNCTION(GatherBlock<T, uint32_t>); \
  WB_GPU_FUNCTION(GatherBlock<T, int64_t>);
WB_FOR_MOVED_ELEMENTS(WB_GATHER_BLOCKS)
#undef WB_GATHER_BLOCKS

#if WB_HOST_PASS
namespace {

class GatherOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    return std::make_unique<GatherOnGpu>(init.attrs.GetOr<int64_t>("batch_dims", 0));
  }
  static bool HasGpuCode(const AttrMap&) {
    return HasGpuFunction<GatherBlock<uint32_t, uint32_t>>();
  }
  explicit GatherOnGpu(int64_t batch_dims) : batch_dims_(batch_dims) {}

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor &params = ctx.input(0), &indices = ctx.input(1);
    WB_ASSIGN_OR_RETURN(const int64_t axis, GatherAxis(ctx));
    WB_ASSIGN_OR_RETURN(const GatherPlan plan,
                        GatherPlan::Make(params, indices, axis, batch_dims_));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, plan.shape));
    if (y->num_elements() == 0) return OkStatus();
    const int64_t bytes = plan.inner * static_cast<int64_t>(DTypeSize(params.dtype()));
    const int width =
        WidestElement(AddressBits(y->raw_data(), params.raw_data()) | static_cast<uint64_t>(bytes));
    const int64_t inner = bytes / width;
    const int64_t count = y->num_elements() / plan.inner * inner;
    return DispatchWidth(width, [&](auto tag) {
      using T = typename decltype(tag)::type;
      return count < kMost32 ? Enqueue<T, uint32_t>(stream, plan, inner, count, indices, params, y)
                             : Enqueue<T, int64_t>(stream, plan, inner, count, indices, params, y);
    });
  }

 private:
  template <class T, class Index>
  static Status Enqueue(GpuStream& stream, const GatherPlan& plan, int64_t inner, int64_t count,
                        const Tensor& indices, const Tensor& params, Tensor* y) {
    GatherBlock<T, Index> gather{};
    gather.y = static_cast<T*>(y->raw_data());
    gather.params = static_cast<const T*>(params.raw_data());
    gather.indices = IndexReader(indices);
    gather.count = static_cast<Index>(count);
    gather.limit = plan.limit;
    gather.inner = DivisorFor<Index>(inner);
    gather.per_batch = DivisorFor<Index>(plan.indices);
    gather.outer = DivisorFor<Index>(plan.outer);
    return Launch(stream, ElementGrid(count), gather);
  }

  const int64_t batch_dims_;
};

}  // namespace

WB_GPU_KERNEL("Gather", GatherOnGpu);
WB_GPU_KERNEL("GatherV2", GatherOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
