// ConjugateTranspose on a GPU: a transposition, then, of complex numbers, other signs.
#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_function.h"

#if WB_HOST_PASS
#include <memory>
#include <utility>

#include "ops/array/gpu_copier.h"
#include "ops/array/layout/transposed.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

// `count` parts of complex numbers, of which every second is imaginary; `y` may be `x`.
template <class T>
struct ConjugateBlock {
  T* y;
  const T* x;
  int64_t count;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count, [&](int64_t i) { y[i] = i % 2 == 0 ? x[i] : -x[i]; });
  }
};
WB_GPU_FUNCTION(ConjugateBlock<float>);
WB_GPU_FUNCTION(ConjugateBlock<double>);

#if WB_HOST_PASS
namespace {

class ConjugateTransposeOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<ConjugateTransposeOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<ConjugateBlock<float>>(); }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor& x = ctx.input(0);
    GpuCopier copier(stream);
    WB_ASSIGN_OR_RETURN(Tensor moved, Transposed(ctx, copier));
    WB_RETURN_IF_ERROR(copier.Finish());
    if (!IsComplex(x.dtype()) || moved.num_elements() == 0) {
      ctx.set_output(0, std::move(moved));
      return OkStatus();
    }
    // Where nothing moved, these are the input's bytes.
    Tensor y = moved;
    if (moved.raw_data() == x.raw_data()) {
      WB_ASSIGN_OR_RETURN(y, ctx.AllocateTemp(x.dtype(), moved.shape()));
    }
    WB_RETURN_IF_ERROR(x.dtype() == DType::kComplex64 ? Conjugate<float>(stream, moved, y)
                                                      : Conjugate<double>(stream, moved, y));
    ctx.set_output(0, std::move(y));
    return OkStatus();
  }

 private:
  template <class T>
  static Status Conjugate(GpuStream& stream, const Tensor& x, Tensor& y) {
    const int64_t count = 2 * x.num_elements();
    return Launch(stream, ElementGrid(count),
                  ConjugateBlock<T>{static_cast<T*>(y.raw_data()),
                                    static_cast<const T*>(x.raw_data()), count});
  }
};

}  // namespace

WB_GPU_KERNEL("ConjugateTranspose", ConjugateTransposeOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
