// CropAndResize and its gradients on a GPU. A box of an image that is not there, or with corners
// that are no numbers, is wholly outside of it; the gradient of images is added up in any order.
#include "ops/image/resize/crop_axis.h"
#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_function.h"
#include "ops/launch/type_list.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/array/gpu_copier.h"
#include "ops/image/resize/crop_sizes.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

// Boxes, and where in an image the pixels of their crops lie.
struct CropPlaces {
  const float* boxes;
  const int32_t* box_index;
  int64_t batch, height, width, depth;
  int64_t number, crop_height, crop_width;

#if WB_HOST_PASS
  CropPlaces(const CropSizes& s, const Tensor& all, const Tensor& index)
      : boxes(all.data<float>()),
        box_index(index.data<int32_t>()),
        batch(s.batch),
        height(s.height),
        width(s.width),
        depth(s.depth),
        number(s.boxes),
        crop_height(s.crop_height),
        crop_width(s.crop_width) {}
#endif
  WB_HD CropAxis Rows(int64_t b) const {
    return CropAxis(boxes[4 * b], boxes[4 * b + 2], height, crop_height);
  }
  WB_HD CropAxis Columns(int64_t b) const {
    return CropAxis(boxes[4 * b + 1], boxes[4 * b + 3], width, crop_width);
  }
  WB_HD bool HasImage(int64_t b) const { return box_index[b] >= 0 && box_index[b] < batch; }
  // The element of the images at a row, a column and a channel of the box's image.
  WB_HD int64_t At(int64_t b, int64_t row, int64_t column, int64_t channel) const {
    return ((box_index[b] * height + row) * width + column) * depth + channel;
  }

  // pixel(element of the crops, box, channel, y and x in the image, whether they are inside of it).
  template <class Pixel>
  WB_BLOCK void ForEach(GpuBlock& block, const Pixel& pixel) const {
    ForEachElement(block, number * crop_height * crop_width * depth, [&](int64_t i) {
      const int64_t channel = i % depth, place = i / depth;
      const int64_t column = place % crop_width, line = place / crop_width;
      const int64_t row = line % crop_height, b = line / crop_height;
      const CropAxis rows = Rows(b), columns = Columns(b);
      const float y = rows.At(row), x = columns.At(column);
      pixel(i, b, channel, y, x, HasImage(b) && rows.Has(y) && columns.Has(x));
    });
  }
};

template <class T>
struct CropBlock {
  const T* images;
  float* crops;
  CropPlaces places;
  bool nearest;
  float outside;

  WB_BLOCK void operator()(GpuBlock& block) const {
    places.ForEach(block, [&](int64_t i, int64_t b, int64_t c, float in_y, float in_x, bool has) {
      crops[i] = has ? Mixed(b, c, CropAround(in_y), CropAround(in_x)) : outside;
    });
  }

 private:
  WB_BLOCK float Pixel(int64_t b, int64_t row, int64_t column, int64_t c) const {
    return static_cast<float>(images[places.At(b, row, column, c)]);
  }
  WB_BLOCK float Mixed(int64_t b, int64_t c, const CropAround& y, const CropAround& x) const {
    if (nearest) return Pixel(b, y.nearest, x.nearest, c);
    const float left = Pixel(b, y.lower, x.lower, c), low_left = Pixel(b, y.upper, x.lower, c);
    const float top = left + (Pixel(b, y.lower, x.upper, c) - left) * x.lerp;
    const float bottom = low_left + (Pixel(b, y.upper, x.upper, c) - low_left) * x.lerp;
    return top + (bottom - top) * y.lerp;
  }
};

template <class T>
struct CropImageGradBlock {
  const float* grads;
  T* images;  // zeros before
  CropPlaces places;
  bool nearest;

  WB_BLOCK void operator()(GpuBlock& block) const {
    places.ForEach(block, [&](int64_t i, int64_t b, int64_t c, float in_y, float in_x, bool has) {
      if (!has) return;
      const CropAround y(in_y), x(in_x);
      if (nearest) {
        Add(b, y.nearest, x.nearest, c, grads[i]);
        return;
      }
      const float top = (1 - y.lerp) * grads[i], bottom = y.lerp * grads[i];
      Add(b, y.lower, x.lower, c, (1 - x.lerp) * top);
      Add(b, y.lower, x.upper, c, x.lerp * top);
      Add(b, y.upper, x.lower, c, (1 - x.lerp) * bottom);
      Add(b, y.upper, x.upper, c, x.lerp * bottom);
    });
  }

 private:
  WB_BLOCK void Add(int64_t b, int64_t row, int64_t column, int64_t c, float part) const {
    AtomicAdd(images + places.At(b, row, column, c), static_cast<T>(part));
  }
};

// A block of threads sums up each box.
template <class T>
struct CropBoxesGradBlock {
  struct Ends {
    float y1, x1, y2, x2;
  };
  const float* grads;
  const T* images;
  float* out;
  CropPlaces places;

  WB_BLOCK void operator()(GpuBlock& block) const {
    for (int64_t b = block.index(); b < places.number; b += block.count()) {
      const Ends sum =
          block.Reduce([&](int thread) { return Part(b, thread, block.threads()); },
                       [](const Ends& a, const Ends& c) {
                         return Ends{a.y1 + c.y1, a.x1 + c.x1, a.y2 + c.y2, a.x2 + c.x2};
                       });
      block.ForEach([&](int thread) {
        if (thread != 0) return;
        out[4 * b] = sum.y1;
        out[4 * b + 1] = sum.x1;
        out[4 * b + 2] = sum.y2;
        out[4 * b + 3] = sum.x2;
      });
    }
  }

 private:
  WB_BLOCK Ends Part(int64_t b, int thread, int threads) const {
    Ends ends{};
    if (!places.HasImage(b)) return ends;
    const CropAxis rows = places.Rows(b), columns = places.Columns(b);
    const int64_t size = places.crop_height * places.crop_width * places.depth;
    for (int64_t i = thread; i < size; i += threads) {
      const int64_t c = i % places.depth, place = i / places.depth;
      const int64_t column = place % places.crop_width, row = place / places.crop_width;
      const float in_y = rows.At(row), in_x = columns.At(column);
      if (!rows.Has(in_y) || !columns.Has(in_x)) continue;
      const CropAround y(in_y), x(in_x);
      const float tl = Pixel(b, y.lower, x.lower, c), tr = Pixel(b, y.lower, x.upper, c);
      const float bl = Pixel(b, y.upper, x.lower, c), br = Pixel(b, y.upper, x.upper, c);
      const float slope_y = (1 - x.lerp) * (bl - tl) + x.lerp * (br - tr);
      const float slope_x = (1 - y.lerp) * (tr - tl) + y.lerp * (br - bl);
      const float dy = grads[b * size + i];
      rows.AddEnds(row, dy * slope_y, &ends.y1, &ends.y2);
      columns.AddEnds(column, dy * slope_x, &ends.x1, &ends.x2);
    }
    return ends;
  }
  WB_BLOCK float Pixel(int64_t b, int64_t row, int64_t column, int64_t c) const {
    return static_cast<float>(images[places.At(b, row, column, c)]);
  }
};

#define WB_CROP_BLOCKS(T)                 \
  WB_GPU_FUNCTION(CropBlock<T>);          \
  WB_GPU_FUNCTION(CropImageGradBlock<T>); \
  WB_GPU_FUNCTION(CropBoxesGradBlock<T>)
WB_CROP_BLOCKS(Half);
WB_CROP_BLOCKS(float);
WB_CROP_BLOCKS(double);
#undef WB_CROP_BLOCKS

#if WB_HOST_PASS
namespace {

using CropTypes = TypeList<Half, float, double>;

class CropOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const bool nearest, IsNearest(init));
    WB_ASSIGN_OR_RETURN(const float outside, init.attr<float>("extrapolation_value"));
    return std::make_unique<CropOnGpu>(nearest, outside);
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<CropBlock<float>>(); }
  CropOnGpu(bool nearest, float outside) : nearest_(nearest), outside_(outside) {}

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    WB_ASSIGN_OR_RETURN(const CropSizes s, CropSizes::OfCrops(ctx));
    WB_ASSIGN_OR_RETURN(const Shape shape,
                        Shape::Make({s.boxes, s.crop_height, s.crop_width, s.depth}));
    WB_ASSIGN_OR_RETURN(Tensor * crops, ctx.Allocate(0, shape));
    if (crops->num_elements() == 0) return OkStatus();
    const CropPlaces places(s, ctx.input(1), ctx.input(2));
    return DispatchTypes(CropTypes{}, ctx.input(0).dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      return Launch(
          stream, ElementGrid(crops->num_elements()),
          CropBlock<T>{ctx.input(0).data<T>(), crops->data<float>(), places, nearest_, outside_});
    });
  }

 private:
  const bool nearest_;
  const float outside_;
};

class CropImageGradOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const bool nearest, IsNearest(init));
    return std::make_unique<CropImageGradOnGpu>(nearest);
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<CropImageGradBlock<float>>(); }
  explicit CropImageGradOnGpu(bool nearest) : nearest_(nearest) {}

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    WB_ASSIGN_OR_RETURN(const CropSizes s, CropSizes::OfImageGradient(ctx));
    WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make({s.batch, s.height, s.width, s.depth}));
    WB_ASSIGN_OR_RETURN(Tensor * images, ctx.Allocate(0, shape));
    GpuCopier copier(stream);
    WB_RETURN_IF_ERROR(copier.Zero(images->dtype(), images->raw_data(), images->num_elements()));
    const Tensor& grads = ctx.input(0);
    if (grads.num_elements() == 0) return OkStatus();
    const CropPlaces places(s, ctx.input(1), ctx.input(2));
    return DispatchTypes(CropTypes{}, images->dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      return Launch(
          stream, ElementGrid(grads.num_elements()),
          CropImageGradBlock<T>{grads.data<float>(), images->data<T>(), places, nearest_});
    });
  }

 private:
  const bool nearest_;
};

class CropBoxesGradOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<CropBoxesGradOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<CropBoxesGradBlock<float>>(); }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    WB_ASSIGN_OR_RETURN(const CropSizes s, CropSizes::OfBoxesGradient(ctx));
    WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, Shape({s.boxes, 4})));
    if (s.boxes == 0) return OkStatus();
    const CropPlaces places(s, ctx.input(2), ctx.input(3));
    GpuGrid grid;
    grid.blocks = GpuBlocksFor(s.boxes);
    return DispatchTypes(CropTypes{}, ctx.input(1).dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      return Launch(stream, grid,
                    CropBoxesGradBlock<T>{ctx.input(0).data<float>(), ctx.input(1).data<T>(),
                                          out->data<float>(), places});
    });
  }
};

}  // namespace

WB_GPU_KERNEL("CropAndResize", CropOnGpu);
WB_GPU_KERNEL("CropAndResizeGradImage", CropImageGradOnGpu);
WB_GPU_KERNEL("CropAndResizeGradBoxes", CropBoxesGradOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
