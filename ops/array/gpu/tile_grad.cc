// TileGrad on a GPU: each element of the result adds up its repetitions, in the order of the CPU.
#include "ops/launch/complex_number.h"
#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_function.h"
#include "ops/launch/math.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/array/layout/tile_grad.h"
#include "ops/array/strided_copy.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

template <class T>
struct SumTilesBlock {
  static constexpr int kMaxRank = 8;

  const T* x;
  T* y;
  int64_t count, tiles;
  int rank;
  int64_t extents[kMaxRank];  // of the result
  int64_t times[kMaxRank];
  int64_t strides[kMaxRank];  // of x

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count, [&](int64_t i) {
      const T* const from = x + Offset(i, extents, /*is_tile=*/false);
      T sum(0);
      for (int64_t tile = 0; tile < tiles; ++tile)
        sum = Plus(sum, from[Offset(tile, times, /*is_tile=*/true)]);
      y[i] = sum;
    });
  }

 private:
  // Where number i of `dims` is in x: an element of a tile, or a tile.
  WB_BLOCK int64_t Offset(int64_t i, const int64_t (&dims)[kMaxRank], bool is_tile) const {
    int64_t offset = 0;
    for (int d = kMaxRank - 1; d >= 0; --d) {  // from a constant, so that dims get registers
      if (d >= rank) continue;
      const int64_t outer = i / dims[d];
      offset += (i - outer * dims[d]) * strides[d] * (is_tile ? extents[d] : 1);
      i = outer;
    }
    return offset;
  }
};
WB_GPU_FUNCTION(SumTilesBlock<Half>);
WB_GPU_FUNCTION(SumTilesBlock<BFloat16>);
WB_GPU_FUNCTION(SumTilesBlock<float>);
WB_GPU_FUNCTION(SumTilesBlock<double>);
WB_GPU_FUNCTION(SumTilesBlock<int16_t>);
WB_GPU_FUNCTION(SumTilesBlock<int32_t>);
WB_GPU_FUNCTION(SumTilesBlock<int64_t>);
WB_GPU_FUNCTION(SumTilesBlock<ComplexNumber<float>>);
WB_GPU_FUNCTION(SumTilesBlock<ComplexNumber<double>>);

#if WB_HOST_PASS
namespace {

class TileGradOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<TileGradOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<SumTilesBlock<float>>(); }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(const Shape shape, RepeatedShape(ctx));
    if (shape == x.shape()) {
      ctx.set_output(0, x);
      return OkStatus();
    }
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    if (x.num_elements() == 0) return OkStatus();
    using Types = ConcatTypes<FloatTypeList, ComplexTypeList, TypeList<int16_t, int32_t, int64_t>>;
    return DispatchTypes(Types{}, x.dtype(), [&](auto tag) {
      return SumTilesOnGpu<typename decltype(tag)::type>(stream, x, y);
    });
  }

 private:
  template <class T>
  static Status SumTilesOnGpu(GpuStream& stream, const Tensor& x, Tensor* y) {
    using Block = SumTilesBlock<GpuElement<T>>;
    Block sum = {};
    if (x.rank() > Block::kMaxRank) {
      return Unimplemented("tiles on a GPU have at most ", Block::kMaxRank, " dimensions, not ",
                           x.rank());
    }
    sum.x = GpuData(x.data<T>());
    sum.y = GpuData(y->data<T>());
    sum.count = y->num_elements();
    sum.tiles = x.num_elements() / sum.count;
    sum.rank = x.rank();
    const auto strides = RowMajorStrides(x.shape());
    for (int d = 0; d < x.rank(); ++d) {
      sum.extents[d] = y->dim(d);
      sum.times[d] = x.dim(d) / y->dim(d);
      sum.strides[d] = strides[static_cast<size_t>(d)];
    }
    return Launch(stream, ElementGrid(sum.count), sum);
  }
};

}  // namespace

WB_GPU_KERNEL("TileGrad", TileGradOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
