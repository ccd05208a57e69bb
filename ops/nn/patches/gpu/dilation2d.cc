// Dilation2D and its gradients on a GPU: a thread for each place and channel finds the greatest
// sum; the gradients then add to where it stood.
#include "ops/launch/math.h"
#include "ops/nn/gpu_loops/items.h"

#if WB_HOST_PASS
#include <algorithm>
#include <memory>

#include "ops/launch/dispatch.h"
#include "ops/nn/gpu_loops/zeros.h"
#include "ops/nn/patches/dilation.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

struct DilationWindow {
  Divisor channels, out_columns, out_rows;
  int64_t rows, columns, filter_rows, filter_columns, row_stride, column_stride, row_rate,
      column_rate, before_rows, before_columns;

  // Where the greatest sum of a place stands, in the data and in the filter; -1 where all is
  // padding.
  template <class T>
  struct Greatest {
    T sum;
    int64_t pixel, tap;
  };
  template <class T>
  WB_BLOCK Greatest<T> Find(int64_t place, const T* x, const T* filter) const {
    int64_t image = place;
    const int64_t channel = channels.Split(&image);
    const int64_t x0 = out_columns.Split(&image) * column_stride - before_columns;
    const int64_t y0 = out_rows.Split(&image) * row_stride - before_rows;
    Greatest<T> best{T(-static_cast<ComputeType<T>>(INFINITY)), -1, -1};
    for (int64_t i = 0; i < filter_rows; ++i) {
      const int64_t y = y0 + i * row_rate;
      if (y < 0 || y >= rows) continue;
      for (int64_t j = 0; j < filter_columns; ++j) {
        const int64_t at = x0 + j * column_rate;
        if (at < 0 || at >= columns) continue;
        const int64_t pixel = ((image * rows + y) * columns + at) * channels.value + channel;
        const int64_t tap = (i * filter_columns + j) * channels.value + channel;
        const T sum = x[pixel] + filter[tap];
        if (best.pixel < 0 || best.sum < sum) best = {sum, pixel, tap};
      }
    }
    return best;
  }
};

template <class T>
struct DilationBlock {
  DilationWindow window;
  int64_t count;
  const T *x, *filter;
  T* y;
  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count, [&](int64_t i) { y[i] = window.Find(i, x, filter).sum; });
  }
};

// The gradient of the data or of the filter, zero before.
template <class T>
struct DilationGradBlock {
  DilationWindow window;
  int64_t count;
  const T *x, *filter, *dy;
  T* gradient;
  bool of_filter;
  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count, [&](int64_t i) {
      const auto best = window.Find(i, x, filter);
      if (best.pixel >= 0) AtomicAdd(gradient + (of_filter ? best.tap : best.pixel), dy[i]);
    });
  }
};

#define WB_DILATION_FUNCTIONS(T)     \
  WB_GPU_FUNCTION(DilationBlock<T>); \
  WB_GPU_FUNCTION(DilationGradBlock<T>)
WB_DILATION_FUNCTIONS(Half);
WB_DILATION_FUNCTIONS(BFloat16);
WB_DILATION_FUNCTIONS(float);
WB_DILATION_FUNCTIONS(double);

#if WB_HOST_PASS
namespace {

DilationWindow WindowOf(const DilationGeometry& g) {
  const auto divisor = [](int64_t extent) { return DivisorOf(std::max<int64_t>(1, extent)); };
  return {
      divisor(g.channels), divisor(g.out_columns), divisor(g.out_rows), g.rows,          g.columns,
      g.filter_rows,       g.filter_columns,       g.row_stride,        g.column_stride, g.row_rate,
      g.column_rate,       g.before_rows,          g.before_columns};
}

template <DilationResult kResult>
class DilationOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const DilationAttrs attrs, ReadDilationAttrs(init.attrs));
    return std::make_unique<DilationOnGpu>(attrs);
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<DilationBlock<float>>(); }
  explicit DilationOnGpu(const DilationAttrs& attrs) : attrs_(attrs) {}

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    DilationGeometry g;
    WB_ASSIGN_OR_RETURN(const Shape shape, CheckDilation(ctx, attrs_, kResult, &g));
    WB_ASSIGN_OR_RETURN(Tensor * result, ctx.Allocate(0, shape));
    const DilationWindow window = WindowOf(g);
    const int64_t count = g.batch * g.out_rows * g.out_columns * g.channels;
    return DispatchTypes(FloatTypeList{}, result->dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      const T *x = ctx.input(0).data<T>(), *filter = ctx.input(1).data<T>();
      T* const to = result->data<T>();
      if constexpr (kResult == DilationResult::kOutput) {
        if (count == 0) return OkStatus();
        return Launch(stream, ElementGrid(count), DilationBlock<T>{window, count, x, filter, to});
      } else {
        WB_RETURN_IF_ERROR(LaunchZeros(stream, to, result->num_elements()));
        if (count == 0) return OkStatus();
        return Launch(stream, ElementGrid(count),
                      DilationGradBlock<T>{window, count, x, filter, ctx.input(2).data<T>(), to,
                                           kResult == DilationResult::kFilterGradient});
      }
    });
  }

 private:
  const DilationAttrs attrs_;
};

}  // namespace

WB_GPU_KERNEL("Dilation2D", DilationOnGpu<DilationResult::kOutput>);
WB_GPU_KERNEL("Dilation2DBackpropInput", DilationOnGpu<DilationResult::kInputGradient>);
WB_GPU_KERNEL("Dilation2DBackpropFilter", DilationOnGpu<DilationResult::kFilterGradient>);
#endif

}  // namespace warpbeam::WB_PASS
