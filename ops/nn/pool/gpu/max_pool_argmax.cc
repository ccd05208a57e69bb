// MaxPoolWithArgmax and its gradients on a GPU.
#include "ops/launch/math.h"
#include "ops/nn/pool/gpu/pool_windows.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/launch/dispatch.h"
#include "ops/nn/gpu_loops/zeros.h"
#include "ops/nn/pool/max_pool.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

// A place is that of the element in its image, or with `batch_in_index` in all images.
template <class T, int kWidth>
struct ArgmaxBlock {
  PoolWindows windows;
  const T* x;
  T* y;
  int64_t* argmax;
  bool batch_in_index;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, windows.OutputItems(), [&](int64_t item) {
      const PoolWindows::Item place = windows.Output(item, kWidth);
      const int64_t base = windows.InputBase(place);
      Pack<T, kWidth> best;
      Pack<int64_t, kWidth> found;
      for (int i = 0; i < kWidth; ++i) {
        best.at[i] = T(0.0f);
        found.at[i] = -1;
      }
      windows.Taps(place).ForEach(windows.input, [&](int32_t pixel, int32_t, int32_t, int32_t) {
        const int32_t offset = pixel * windows.channels;
        const Pack<T, kWidth> v = LoadPack<kWidth>(x + base + offset);
        for (int i = 0; i < kWidth; ++i) {
          if (found.at[i] >= 0 && !(best.at[i] < v.at[i])) continue;
          best.at[i] = v.at[i];
          found.at[i] = offset + place.channel + i;
        }
      });
      const int64_t first = batch_in_index ? base - place.channel : 0;
      for (int64_t& at : found.at) at += first;
      StorePack(best, y + item * kWidth);
      StorePack(found, argmax + item * kWidth);
    });
  }
};
WB_POOL_FUNCTION(ArgmaxBlock);

// dx, zero before, += dy where each maximum stood. What names no place of its image adds nothing.
template <class T>
struct ArgmaxGradBlock {
  const T* dy;
  const int64_t* argmax;
  T* dx;
  int64_t count, image;  // elements of all places, and of an image
  Divisor places;        // elements of an image's places
  bool batch_in_index;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count, [&](int64_t i) {
      const int64_t first = places.Quotient(i) * image;
      const int64_t begin = batch_in_index ? first : 0, at = argmax[i];
      if (at >= begin && at < begin + image) AtomicAdd(dx + first - begin + at, dy[i]);
    });
  }
};

WB_GPU_FUNCTION(ArgmaxGradBlock<Half>);
WB_GPU_FUNCTION(ArgmaxGradBlock<BFloat16>);
WB_GPU_FUNCTION(ArgmaxGradBlock<float>);
WB_GPU_FUNCTION(ArgmaxGradBlock<double>);

// y = dy where each maximum stood; what names no place of its image gives zero.
template <class T>
struct ArgmaxSelectBlock {
  const T* dy;
  const int64_t* argmax;
  T* y;
  int64_t count, image;
  Divisor places;
  bool batch_in_index;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count, [&](int64_t i) {
      const int64_t first = places.Quotient(i) * image;
      const int64_t begin = batch_in_index ? first : 0, at = argmax[i];
      y[i] = at >= begin && at < begin + image ? dy[first - begin + at] : T(0.0f);
    });
  }
};

WB_GPU_FUNCTION(ArgmaxSelectBlock<Half>);
WB_GPU_FUNCTION(ArgmaxSelectBlock<BFloat16>);
WB_GPU_FUNCTION(ArgmaxSelectBlock<float>);
WB_GPU_FUNCTION(ArgmaxSelectBlock<double>);

#if WB_HOST_PASS
namespace {

enum class ArgmaxPart { kForward, kGradient, kSecondGradient };

template <ArgmaxPart kPart>
class ArgmaxOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const PoolAttrs attrs, PoolKernelAttrs(init, 2));
    return std::make_unique<ArgmaxOnGpu>(attrs,
                                         init.attrs.GetOr<bool>("include_batch_in_index", false));
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<ArgmaxGradBlock<float>>(); }
  ArgmaxOnGpu(const PoolAttrs& attrs, bool batch_in_index)
      : attrs_(attrs), batch_in_index_(batch_in_index) {}

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    return DispatchTypes(FloatTypeList{}, ctx.input(0).dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      if (kPart == ArgmaxPart::kForward) return Forward<T>(ctx, stream);
      return kPart == ArgmaxPart::kGradient ? Gradient<T>(ctx, stream)
                                            : SecondGradient<T>(ctx, stream);
    });
  }

 private:
  template <class T>
  Status Forward(KernelContext& ctx, GpuStream& stream) const {
    PoolGeometry g;
    WB_ASSIGN_OR_RETURN(const Shape shape, MakeArgmaxGeometry(ctx, attrs_, &g));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    WB_ASSIGN_OR_RETURN(Tensor * argmax, ctx.Allocate(1, shape));
    WB_ASSIGN_OR_RETURN(const PoolWindows windows, PoolWindowsOf(g, false));
    return LaunchPool<ArgmaxBlock, T>(stream, windows, true, ctx.input(0).data<T>(), y->data<T>(),
                                      argmax->data<int64_t>(), batch_in_index_);
  }

  template <class T>
  Status Gradient(KernelContext& ctx, GpuStream& stream) const {
    PoolGeometry g;
    WB_ASSIGN_OR_RETURN(const Shape shape, MakeArgmaxGradGeometry(ctx, attrs_, true, &g));
    WB_ASSIGN_OR_RETURN(Tensor * dx, ctx.Allocate(0, shape));
    const int64_t count = dx->num_elements(), sums = ctx.input(1).num_elements();
    if (count == 0) return OkStatus();
    T* const to = dx->data<T>();
    WB_RETURN_IF_ERROR(LaunchZeros(stream, to, count));
    if (sums == 0) return OkStatus();
    return Launch(stream, ElementGrid(sums),
                  ArgmaxGradBlock<T>{ctx.input(1).data<T>(), ctx.input(2).data<int64_t>(), to, sums,
                                     count / g.batch, DivisorOf(sums / g.batch), batch_in_index_});
  }

  template <class T>
  Status SecondGradient(KernelContext& ctx, GpuStream& stream) const {
    PoolGeometry g;
    WB_ASSIGN_OR_RETURN(const Shape shape, MakeArgmaxGradGeometry(ctx, attrs_, false, &g));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    const int64_t count = y->num_elements();
    if (count == 0) return OkStatus();
    return Launch(stream, ElementGrid(count),
                  ArgmaxSelectBlock<T>{ctx.input(1).data<T>(), ctx.input(2).data<int64_t>(),
                                       y->data<T>(), count, ctx.input(1).num_elements() / g.batch,
                                       DivisorOf(count / g.batch), batch_in_index_});
  }

  const PoolAttrs attrs_;
  const bool batch_in_index_;
};

}  // namespace

WB_GPU_KERNEL("MaxPoolWithArgmax", ArgmaxOnGpu<ArgmaxPart::kForward>);
WB_GPU_KERNEL("MaxPoolGradWithArgmax", ArgmaxOnGpu<ArgmaxPart::kGradient>);
WB_GPU_KERNEL("MaxPoolGradGradWithArgmax", ArgmaxOnGpu<ArgmaxPart::kSecondGradient>);
#endif

}  // namespace warpbeam::WB_PASS
