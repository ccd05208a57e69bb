// ResizeBilinear and its gradient on a GPU. A pixel of the gradient adds up what the pixels around
// it were mixed of in the CPU's order, so that no sum depends on which thread comes first.
#include "ops/image/gpu/resize_places.h"
#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_function.h"

#if WB_HOST_PASS
#include <memory>

#include "runtime/kernel/gpu_kernel.h"
#endif

namespace warpbeam::WB_PASS {

template <class T, class Index>
struct BilinearBlock {
  const T* x;
  float* y;
  ResizePlaces rows, columns;
  int64_t channels;
  PixelCounter<Index> counter;  // of y
  Index count;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count, [&](Index i) {
      const auto pixel = counter.At(i);
      const PixelsBetween column = columns.Between(pixel.column);
      const PixelsBetween row = rows.Between(pixel.row);
      const T* const image = x + pixel.image * rows.in * columns.in * channels + pixel.channel;
      const T* const top = image + row.lower * columns.in * channels;
      const T* const bottom = image + row.upper * columns.in * channels;
      const int64_t left = column.lower * channels, right = column.upper * channels;
      const float tl = static_cast<float>(top[left]), tr = static_cast<float>(top[right]);
      const float bl = static_cast<float>(bottom[left]), br = static_cast<float>(bottom[right]);
      const float upper = tl + (tr - tl) * column.lerp;
      const float lower = bl + (br - bl) * column.lerp;
      y[i] = upper + (lower - upper) * row.lerp;
    });
  }
};

template <class T, class Index>
struct BilinearGradBlock {
  const float* dy;
  T* dx;
  ResizePlaces rows, columns;
  int64_t channels;
  PixelCounter<Index> counter;  // of dx
  Index count;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count, [&](Index i) {
      const auto pixel = counter.At(i);
      const float* const image =
          dy + pixel.image * rows.out * columns.out * channels + pixel.channel;
      dx[i] = static_cast<T>(Sum(image, pixel.row, pixel.column));
    });
  }

 private:
  using A = ComputeType<T>;

  WB_BLOCK static int64_t FirstNear(const ResizePlaces& places, int64_t at) {
    return places.FirstOf(places.Guess(at, 1),
                          [&](int64_t i) { return places.Between(i).upper >= at; });
  }
  WB_BLOCK A Sum(const float* grads, int64_t at_y, int64_t at_x) const {
    A sum = 0;
    const int64_t first_x = FirstNear(columns, at_x);
    for (int64_t r = FirstNear(rows, at_y); r < rows.out; ++r) {
      const PixelsBetween row = rows.Between(r);
      if (row.lower > at_y) break;
      for (int64_t x = first_x; x < columns.out; ++x) {
        const PixelsBetween column = columns.Between(x);
        if (column.lower > at_x) break;
        const float grad = grads[(r * columns.out + x) * channels];
        const float upper = grad * (1 - row.lerp), lower = grad * row.lerp;
        if (row.lower == at_y) sum = Add(sum, column, at_x, upper);
        if (row.upper == at_y) sum = Add(sum, column, at_x, lower);
      }
    }
    return sum;
  }
  WB_BLOCK static A Add(A sum, const PixelsBetween& column, int64_t at_x, float part) {
    if (column.lower == at_x) sum += static_cast<A>(part * (1 - column.lerp));
    if (column.upper == at_x) sum += static_cast<A>(part * column.lerp);
    return sum;
  }
};

#define WB_BILINEAR_BLOCKS(T)                      \
  WB_GPU_FUNCTION(BilinearBlock<T, uint32_t>);     \
  WB_GPU_FUNCTION(BilinearBlock<T, int64_t>);      \
  WB_GPU_FUNCTION(BilinearGradBlock<T, uint32_t>); \
  WB_GPU_FUNCTION(BilinearGradBlock<T, int64_t>)
WB_BILINEAR_BLOCKS(Half);
WB_BILINEAR_BLOCKS(BFloat16);
WB_BILINEAR_BLOCKS(float);
WB_BILINEAR_BLOCKS(double);
#undef WB_BILINEAR_BLOCKS

#if WB_HOST_PASS
namespace {

template <bool kGradient>
class BilinearOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const ResizeMode mode, ReadResizeMode(init.attrs));
    return std::make_unique<BilinearOnGpu>(mode);
  }
  static bool HasGpuCode(const AttrMap&) {
    return HasGpuFunction<BilinearBlock<float, uint32_t>>();
  }
  explicit BilinearOnGpu(const ResizeMode& mode) : mode_(mode) {}

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor& from = ctx.input(0);
    StatusOr<ResizeGrid> grid = kGradient
                                    ? MakeResizeGradGrid(from.shape(), ctx.input(1).shape(), mode_)
                                    : MakeResizeGrid(ctx, mode_);
    WB_RETURN_IF_ERROR(grid.status());
    WB_ASSIGN_OR_RETURN(Tensor * to,
                        ctx.Allocate(0, kGradient ? grid->in_shape() : grid->out_shape()));
    if (to->num_elements() == 0) return OkStatus();
    return DispatchTypes(FloatTypeList{}, (kGradient ? *to : from).dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      return to->num_elements() < kMost32 ? Enqueue<T, uint32_t>(stream, *grid, from, to)
                                          : Enqueue<T, int64_t>(stream, *grid, from, to);
    });
  }

 private:
  template <class T, class Index>
  static Status Enqueue(GpuStream& stream, const ResizeGrid& g, const Tensor& from, Tensor* to) {
    using D = DivisorFor<Index>;
    const int64_t count = to->num_elements();
    const PixelCounter<Index> counter{D(g.channels), D(kGradient ? g.x.in : g.x.out),
                                      D(kGradient ? g.y.in : g.y.out)};
    const ResizePlaces rows(g.y), columns(g.x);
    if constexpr (kGradient) {
      return Launch(stream, ElementGrid(count),
                    BilinearGradBlock<T, Index>{from.data<float>(), to->data<T>(), rows, columns,
                                                g.channels, counter, static_cast<Index>(count)});
    } else {
      return Launch(stream, ElementGrid(count),
                    BilinearBlock<T, Index>{from.data<T>(), to->data<float>(), rows, columns,
                                            g.channels, counter, static_cast<Index>(count)});
    }
  }

  const ResizeMode mode_;
};

}  // namespace

WB_GPU_KERNEL("ResizeBilinear", BilinearOnGpu<false>);
WB_GPU_KERNEL("ResizeBilinearGrad", BilinearOnGpu<true>);
#endif

}  // namespace warpbeam::WB_PASS
