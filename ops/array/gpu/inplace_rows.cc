// InplaceUpdate, InplaceAdd and InplaceSub on a GPU, in the order of their rows.
#include "ops/array/gpu/ordered_rows.h"
#include "ops/launch/gpu_function.h"
#include "ops/launch/math.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/array/gpu_copier.h"
#include "ops/array/index/inplace_rows.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

enum class InplaceChange { kUpdate, kAdd, kSub };

// Integers wrap around, so that those without a sign do for all.
template <class T>
struct InplaceRowsBlock {
  InplaceChange change;
  const int32_t* numbers;
  const T* v;
  T* y;
  int64_t begin, end;  // of the numbers
  int64_t rows, width;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForRowsInOrder(
        block, begin, end,
        // Any number is good for a row: they count round and round.
        [&](int64_t i) { return (numbers[i] % rows + rows) % rows; },
        [&](int64_t row, int64_t i) {
          block.ForEach([&](int thread) {
            for (int64_t c = thread; c < width; c += block.threads()) {
              T& at = y[row * width + c];
              at = Changed(at, v[i * width + c]);
            }
          });
        });
  }

 private:
  WB_BLOCK T Changed(T a, T b) const {
    if (change == InplaceChange::kUpdate) return b;
    return change == InplaceChange::kAdd ? Plus(a, b) : Minus(a, b);
  }
};
WB_GPU_FUNCTION(InplaceRowsBlock<Half>);
WB_GPU_FUNCTION(InplaceRowsBlock<BFloat16>);
WB_GPU_FUNCTION(InplaceRowsBlock<float>);
WB_GPU_FUNCTION(InplaceRowsBlock<double>);
WB_GPU_FUNCTION(InplaceRowsBlock<uint8_t>);
WB_GPU_FUNCTION(InplaceRowsBlock<uint64_t>);

#if WB_HOST_PASS
namespace {

DType InplaceNumber(DType dtype) {
  switch (dtype) {
    case DType::kBool:
    case DType::kInt8:
      return DType::kUInt8;
    case DType::kInt64:
      return DType::kUInt64;
    default:
      return dtype;
  }
}

template <InplaceChange kChange>
class InplaceOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<InplaceOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<InplaceRowsBlock<float>>(); }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor &x = ctx.input(0), &numbers = ctx.input(1), &v = ctx.input(2);
    WB_RETURN_IF_ERROR(CheckInplaceRows(x, numbers, v));
    if (x.num_elements() == 0 || numbers.num_elements() == 0) {
      ctx.set_output(0, x);
      return OkStatus();
    }
    return EnqueueRows(ctx, stream);
  }

 private:
  static Status EnqueueRows(KernelContext& ctx, GpuStream& stream) {
    WB_ASSIGN_OR_RETURN(Tensor * y, ForwardOrCopy(ctx, stream));
    const Tensor &numbers = ctx.input(1), &v = ctx.input(2);
    const int64_t rows = y->dim(0), width = y->num_elements() / rows;
    using Types = TypeList<Half, BFloat16, float, double, uint8_t, uint64_t>;
    return DispatchTypes(Types{}, InplaceNumber(y->dtype()), [&](auto tag) {
      using T = typename decltype(tag)::type;
      const auto* from = static_cast<const T*>(v.raw_data());
      auto* to = static_cast<T*>(y->raw_data());
      return LaunchRowsInOrder(
          numbers.num_elements(), [&](int64_t begin, int64_t end, const GpuGrid& grid) {
            return Launch(stream, grid,
                          InplaceRowsBlock<T>{kChange, numbers.data<int32_t>(), from, to, begin,
                                              end, rows, width});
          });
    });
  }
};

}  // namespace

WB_GPU_KERNEL("InplaceUpdate", InplaceOnGpu<InplaceChange::kUpdate>);
WB_GPU_KERNEL("InplaceAdd", InplaceOnGpu<InplaceChange::kAdd>);
WB_GPU_KERNEL("InplaceSub", InplaceOnGpu<InplaceChange::kSub>);
#endif

}  // namespace warpbeam::WB_PASS
