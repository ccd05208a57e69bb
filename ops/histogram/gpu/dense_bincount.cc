// DenseBincount on a GPU. Numbers that have no bin are left out, negative ones too: nobody can
// refuse them without waiting.
#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_function.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/histogram/dense_bincount.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

template <class T>
struct ClearBinsBlock {
  T* bins;
  int64_t count;
  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count, [&](int64_t i) { bins[i] = T(0); });
  }
};

template <class T, class Index>
struct CountBinsBlock {
  const Index* values;  // [rows, columns]
  const T* weights;     // alike, or null
  T* bins;              // [rows, size]
  int64_t count, columns, size;
  bool binary;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count, [&](int64_t i) {
      const int64_t value = values[i];
      if (value < 0 || value >= size) return;
      T* const bin = bins + i / columns * size + value;
      if (binary) {
        AtomicStore(bin, T(1));
      } else {
        AtomicAdd(bin, weights == nullptr ? T(1) : weights[i]);
      }
    });
  }
};

WB_GPU_FUNCTION(ClearBinsBlock<int32_t>);
WB_GPU_FUNCTION(ClearBinsBlock<float>);
WB_GPU_FUNCTION(CountBinsBlock<int32_t, int32_t>);
WB_GPU_FUNCTION(CountBinsBlock<int32_t, int64_t>);
WB_GPU_FUNCTION(CountBinsBlock<float, int32_t>);
WB_GPU_FUNCTION(CountBinsBlock<float, int64_t>);

#if WB_HOST_PASS
namespace {

class DenseBincountOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const bool binary, init.attr<bool>("binary_output"));
    return std::make_unique<DenseBincountOnGpu>(binary);
  }
  static bool HasGpuCode(const AttrMap&) {
    return HasGpuFunction<CountBinsBlock<float, int32_t>>();
  }
  explicit DenseBincountOnGpu(bool binary) : binary_(binary) {}

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor &values = ctx.input(0), &weights = ctx.input(2);
    WB_ASSIGN_OR_RETURN(const Shape shape, DenseBincountShape(ctx));
    WB_ASSIGN_OR_RETURN(Tensor * bins, ctx.Allocate(0, shape));
    const int64_t size = bins->num_elements(), count = values.num_elements();
    if (size == 0) return OkStatus();
    return DispatchTypes<int32_t, float>(bins->dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      WB_RETURN_IF_ERROR(
          Launch(stream, ElementGrid(size), ClearBinsBlock<T>{bins->data<T>(), size}));
      if (count == 0) return OkStatus();
      return DispatchIndex(values.dtype(), [&](auto index_tag) {
        using Index = typename decltype(index_tag)::type;
        CountBinsBlock<T, Index> block = {};
        block.values = values.data<Index>();
        block.weights = weights.num_elements() == 0 ? nullptr : weights.data<T>();
        block.bins = bins->data<T>();
        block.count = count;
        block.columns = values.rank() == 2 ? values.dim(1) : count;
        block.size = shape.dim(shape.rank() - 1);
        block.binary = binary_;
        return Launch(stream, ElementGrid(count), block);
      });
    });
  }

 private:
  const bool binary_;
};

}  // namespace

WB_GPU_KERNEL("DenseBincount", DenseBincountOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
