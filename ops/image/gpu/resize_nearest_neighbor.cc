// ResizeNearestNeighbor and its gradient on a GPU. A pixel of the gradient adds up those that were
// taken from it, in their order.
#include "ops/image/gpu/resize_places.h"
#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_function.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/image/resize/nearest_grid.h"
#include "runtime/kernel/gpu_kernel.h"
#endif

namespace warpbeam::WB_PASS {

template <class T, class Index>
struct NearestBlock {
  const T* x;
  T* y;
  ResizePlaces rows, columns;
  bool rounds;
  int64_t channels;
  PixelCounter<Index> counter;  // of y
  Index count;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count, [&](Index i) {
      const auto pixel = counter.At(i);
      const int64_t row = pixel.image * rows.in + rows.Nearest(pixel.row, rounds);
      y[i] =
          x[(row * columns.in + columns.Nearest(pixel.column, rounds)) * channels + pixel.channel];
    });
  }
};

template <class T, class Index>
struct NearestGradBlock {
  const T* dy;
  T* dx;
  ResizePlaces rows, columns;
  bool rounds;
  int64_t channels;
  PixelCounter<Index> counter;  // of dx
  Index count;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count, [&](Index i) {
      const auto pixel = counter.At(i);
      const T* const image = dy + pixel.image * rows.out * columns.out * channels + pixel.channel;
      const int64_t last_x = First(columns, pixel.column + 1);
      const int64_t last_y = First(rows, pixel.row + 1);
      ComputeType<T> sum = 0;
      for (int64_t r = First(rows, pixel.row); r < last_y; ++r) {
        for (int64_t c = First(columns, pixel.column); c < last_x; ++c) {
          sum += static_cast<ComputeType<T>>(image[(r * columns.out + c) * channels]);
        }
      }
      dx[i] = static_cast<T>(sum);
    });
  }

 private:
  // The first place of the new image that was taken from `at` or behind.
  WB_BLOCK int64_t First(const ResizePlaces& places, int64_t at) const {
    return places.FirstOf(places.Guess(at, 0.5f),
                          [&](int64_t i) { return places.Nearest(i, rounds) >= at; });
  }
};

#define WB_NEAREST_BLOCKS(T)                      \
  WB_GPU_FUNCTION(NearestBlock<T, uint32_t>);     \
  WB_GPU_FUNCTION(NearestBlock<T, int64_t>);      \
  WB_GPU_FUNCTION(NearestGradBlock<T, uint32_t>); \
  WB_GPU_FUNCTION(NearestGradBlock<T, int64_t>)
WB_NEAREST_BLOCKS(Half);
WB_NEAREST_BLOCKS(BFloat16);
WB_NEAREST_BLOCKS(float);
WB_NEAREST_BLOCKS(double);
#undef WB_NEAREST_BLOCKS

#if WB_HOST_PASS
namespace {

template <bool kGradient>
class NearestOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const ResizeMode mode, ReadResizeMode(init.attrs));
    return std::make_unique<NearestOnGpu>(mode);
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<NearestBlock<float, uint32_t>>(); }
  explicit NearestOnGpu(const ResizeMode& mode) : mode_(mode) {}

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor& from = ctx.input(0);
    StatusOr<ResizeGrid> grid = kGradient ? MakeNearestGradGrid(from.shape(), ctx.input(1), mode_)
                                          : MakeResizeGrid(ctx, mode_);
    WB_RETURN_IF_ERROR(grid.status());
    WB_ASSIGN_OR_RETURN(Tensor * to,
                        ctx.Allocate(0, kGradient ? grid->in_shape() : grid->out_shape()));
    if (to->num_elements() == 0) return OkStatus();
    return DispatchTypes(FloatTypeList{}, from.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      return to->num_elements() < kMost32 ? Enqueue<T, uint32_t>(stream, *grid, from, to)
                                          : Enqueue<T, int64_t>(stream, *grid, from, to);
    });
  }

 private:
  template <class T, class Index>
  Status Enqueue(GpuStream& stream, const ResizeGrid& g, const Tensor& from, Tensor* to) const {
    using D = DivisorFor<Index>;
    using Block = std::conditional_t<kGradient, NearestGradBlock<T, Index>, NearestBlock<T, Index>>;
    const int64_t count = to->num_elements();
    const PixelCounter<Index> counter{D(g.channels), D(kGradient ? g.x.in : g.x.out),
                                      D(kGradient ? g.y.in : g.y.out)};
    return Launch(stream, ElementGrid(count),
                  Block{from.data<T>(), to->data<T>(), ResizePlaces(g.y), ResizePlaces(g.x),
                        mode_.align_corners, g.channels, counter, static_cast<Index>(count)});
  }

  const ResizeMode mode_;
};

}  // namespace

WB_GPU_KERNEL("ResizeNearestNeighbor", NearestOnGpu<false>);
WB_GPU_KERNEL("ResizeNearestNeighborGrad", NearestOnGpu<true>);
#endif

}  // namespace warpbeam::WB_PASS
