// DataFormatDimMap and DataFormatVecPermute on a GPU.
#include "ops/launch/gpu_function.h"
#include "ops/nn/gpu_loops/items.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/launch/dispatch.h"
#include "ops/nn/data_format.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

// Up to 16 places, of 4 bits each.
struct PackedPlaces {
  uint64_t bits = 0;
  int count = 0;

#if WB_HOST_PASS
  explicit PackedPlaces(const std::vector<int>& places) : count(static_cast<int>(places.size())) {
    for (int i = 0; i < count; ++i) bits |= static_cast<uint64_t>(places[i]) << (4 * i);
  }
#endif
  WB_HD int operator[](int64_t i) const { return static_cast<int>(bits >> (4 * i) & 15); }
};

template <class T>
struct MapDimsBlock {
  const T* x;
  T* y;
  int64_t count;
  PackedPlaces places;

  WB_BLOCK void operator()(GpuBlock& block) const {
    const T n = static_cast<T>(places.count);
    // Numbers outside count around, as negative ones do.
    ForEachElement(block, count,
                   [&](int64_t i) { y[i] = static_cast<T>(places[(x[i] % n + n) % n]); });
  }
};

template <class T>
struct PermuteNumbersBlock {
  const T* x;
  T* y;
  int64_t width;  // numbers that stay together
  PackedPlaces places;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, places.count * width, [&](int64_t i) {
      const int64_t row = i / width;
      y[i] = x[places[row] * width + (i - row * width)];
    });
  }
};
WB_GPU_FUNCTION(MapDimsBlock<int32_t>);
WB_GPU_FUNCTION(MapDimsBlock<int64_t>);
WB_GPU_FUNCTION(PermuteNumbersBlock<int32_t>);
WB_GPU_FUNCTION(PermuteNumbersBlock<int64_t>);

#if WB_HOST_PASS
namespace {

class DimMapOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const Formats formats, ReadFormats(init));
    return std::make_unique<DimMapOnGpu>(PackedPlaces(MappedPlaces(formats)));
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<MapDimsBlock<int32_t>>(); }
  explicit DimMapOnGpu(PackedPlaces places) : places_(places) {}

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor& x = ctx.input(0);
    const int64_t count = x.num_elements();
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
    if (count == 0) return OkStatus();
    return DispatchIndex(x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      return Launch(stream, ElementGrid(count),
                    MapDimsBlock<T>{x.data<T>(), y->data<T>(), count, places_});
    });
  }

 private:
  const PackedPlaces places_;
};

class VecPermuteOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const Formats formats, ReadFormats(init));
    return std::make_unique<VecPermuteOnGpu>(formats);
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<PermuteNumbersBlock<int32_t>>(); }
  explicit VecPermuteOnGpu(const Formats& formats) : formats_(formats) {}

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(const std::vector<int> places, PermutedPlaces(formats_, x.shape()));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
    const int64_t width = x.rank() == 2 ? 2 : 1;
    return DispatchIndex(x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      return Launch(stream, GpuGrid(),
                    PermuteNumbersBlock<T>{x.data<T>(), y->data<T>(), width, PackedPlaces(places)});
    });
  }

 private:
  const Formats formats_;
};

}  // namespace

WB_GPU_KERNEL("DataFormatDimMap", DimMapOnGpu);
WB_GPU_KERNEL("DataFormatVecPermute", VecPermuteOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
