// SparseFillEmptyRowsGrad and RaggedFillEmptyRowsGrad on a GPU. A place out of range gives zero:
// nobody can refuse it without waiting.
#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_function.h"
#include "ops/launch/math.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/array/gpu_copier.h"
#include "ops/launch/dispatch.h"
#include "ops/sparse/sparse_fill_empty_rows_grad.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

// Integers wrap around, so that those without a sign do for all.
template <class T>
struct TakeFilledBlock {
  const int64_t* map;  // [count]
  const T* dy;         // [total]
  T* dx;
  uint8_t* there;  // [total]: whether a value is of the map, zero before
  int64_t count, total;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count, [&](int64_t i) {
      const int64_t at = map[i];
      const bool inside = at >= 0 && at < total;
      dx[i] = inside ? dy[at] : T(0.0f);
      if (inside) AtomicStore(there + at, uint8_t{1});
    });
  }
};

// The sum of all others, by one block.
template <class T>
struct SumFilledBlock {
  const T* dy;
  const uint8_t* there;
  T* sum;
  int64_t total;

  WB_BLOCK void operator()(GpuBlock& block) const {
    using C = ComputeType<T>;
    const C all = block.Reduce(
        [&](int thread) {
          C part(0);
          for (int64_t i = thread; i < total; i += block.threads()) {
            if (there[i] == 0) part = Plus(part, static_cast<C>(dy[i]));
          }
          return part;
        },
        [](C a, C b) { return Plus(a, b); });
    block.ForEach([&](int thread) {
      if (thread == 0) *sum = static_cast<T>(all);
    });
  }
};
#define WB_FILLED_BLOCKS(T)            \
  WB_GPU_FUNCTION(TakeFilledBlock<T>); \
  WB_GPU_FUNCTION(SumFilledBlock<T>)
WB_FILLED_BLOCKS(Half);
WB_FILLED_BLOCKS(BFloat16);
WB_FILLED_BLOCKS(float);
WB_FILLED_BLOCKS(double);
WB_FILLED_BLOCKS(uint8_t);
WB_FILLED_BLOCKS(uint16_t);
WB_FILLED_BLOCKS(uint32_t);
WB_FILLED_BLOCKS(uint64_t);

#if WB_HOST_PASS
namespace {

template <class Fn>
Status DispatchFilled(DType dtype, const Fn& fn) {
  if (IsFloating(dtype)) return DispatchTypes(FloatTypeList{}, dtype, fn);
  switch (DTypeSize(dtype)) {
    case 1:
      return fn(TypeTag<uint8_t>{});
    case 2:
      return fn(TypeTag<uint16_t>{});
    case 4:
      return fn(TypeTag<uint32_t>{});
    default:
      return fn(TypeTag<uint64_t>{});
  }
}

class FillGradOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<FillGradOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<SumFilledBlock<float>>(); }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    WB_RETURN_IF_ERROR(CheckFillGradient(ctx));
    const Tensor &map = ctx.input(0), &dy = ctx.input(1);
    const int64_t count = map.dim(0), total = dy.dim(0);
    WB_ASSIGN_OR_RETURN(Tensor * dx, ctx.Allocate(0, map.shape()));
    WB_ASSIGN_OR_RETURN(Tensor * dfill, ctx.Allocate(1, Shape()));
    WB_ASSIGN_OR_RETURN(Tensor there, ctx.AllocateTemp(DType::kUInt8, Shape({total})));
    GpuCopier copier(stream);
    WB_RETURN_IF_ERROR(copier.Zero(DType::kUInt8, there.raw_data(), total));
    return DispatchFilled(dy.dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      const auto* const from = static_cast<const T*>(dy.raw_data());
      auto* const seen = there.data<uint8_t>();
      if (count > 0) {
        WB_RETURN_IF_ERROR(
            Launch(stream, ElementGrid(count),
                   TakeFilledBlock<T>{map.data<int64_t>(), from, static_cast<T*>(dx->raw_data()),
                                      seen, count, total}));
      }
      GpuGrid grid;
      grid.threads = 1024;
      return Launch(stream, grid,
                    SumFilledBlock<T>{from, seen, static_cast<T*>(dfill->raw_data()), total});
    });
  }
};

}  // namespace

WB_GPU_KERNEL("SparseFillEmptyRowsGrad", FillGradOnGpu);
WB_GPU_KERNEL("RaggedFillEmptyRowsGrad", FillGradOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
