// MirrorPadGrad on a GPU: each element adds up the places that mirror it, in a fixed order.
#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_function.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/array/mirror_borders.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

template <class T>
struct MirrorPadGradBlock {
  static constexpr int kMaxDims = 8;
  struct Dim {
    int64_t extent, before, after;  // the extent without paddings
    int64_t stride;                 // of dy
  };
  T* dx;
  const T* dy;
  int64_t count;
  int rank;
  int skip;  // 1 where the edge is no part of the mirror
  Dim dims[kMaxDims];

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count, [&](int64_t i) { dx[i] = static_cast<T>(Sum(i)); });
  }

 private:
  using A = ComputeType<T>;

  // The place in dy's dimension that is, or mirrors, place `at`: 0 the place itself, 1 in the
  // padding before, 2 in that after; -1 where there is none.
  WB_BLOCK int64_t Source(const Dim& d, int64_t at, int which) const {
    if (which == 0) return d.before + at;
    const int64_t from_edge = (which == 1 ? at : d.extent - 1 - at) - skip;
    if (from_edge < 0 || from_edge >= (which == 1 ? d.before : d.after)) return -1;
    return which == 1 ? d.before - 1 - from_edge : d.before + d.extent + from_edge;
  }

  WB_BLOCK A Sum(int64_t i) const {
    int64_t at[kMaxDims];
    int combinations = 1;
    for (int d = kMaxDims - 1; d >= 0; --d) {
      if (d >= rank) continue;
      at[d] = i % dims[d].extent;
      i /= dims[d].extent;
      combinations *= 3;
    }
    A sum = 0;
    for (int c = 0; c < combinations; ++c) {
      int64_t offset = 0;
      bool exists = true;
      int digits = c;
      for (int d = 0; d < kMaxDims; ++d) {
        if (d >= rank) break;
        const int64_t source = Source(dims[d], at[d], digits % 3);
        digits /= 3;
        exists = exists && source >= 0;
        offset += source * dims[d].stride;
      }
      if (exists) sum += static_cast<A>(dy[offset]);
    }
    return sum;
  }
};
WB_GPU_FUNCTION(MirrorPadGradBlock<Half>);
WB_GPU_FUNCTION(MirrorPadGradBlock<BFloat16>);
WB_GPU_FUNCTION(MirrorPadGradBlock<float>);
WB_GPU_FUNCTION(MirrorPadGradBlock<double>);

#if WB_HOST_PASS
namespace {

class MirrorPadGradOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const bool reflect, Reflects(init));
    return std::make_unique<MirrorPadGradOnGpu>(reflect);
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<MirrorPadGradBlock<float>>(); }
  explicit MirrorPadGradOnGpu(bool reflect) : reflect_(reflect) {}

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor& dy = ctx.input(0);
    WB_ASSIGN_OR_RETURN(Paddings pads, ReadPaddings(ctx.input(1), dy.rank()));
    WB_ASSIGN_OR_RETURN(Shape shape, WithoutBorders(dy.shape(), pads, reflect_));
    WB_ASSIGN_OR_RETURN(Tensor * dx, ctx.Allocate(0, shape));
    if (dx->num_elements() == 0) return OkStatus();
    return DispatchTypes(FloatTypeList{}, dy.dtype(), [&](auto tag) -> Status {
      using Block = MirrorPadGradBlock<typename decltype(tag)::type>;
      Block sums{};
      sums.dx = dx->data<typename decltype(tag)::type>();
      sums.dy = dy.data<typename decltype(tag)::type>();
      sums.count = dx->num_elements();
      sums.skip = reflect_ ? 1 : 0;
      const auto strides = RowMajorStrides(dy.shape());
      // Dimensions side by side without paddings count as one.
      bool was_plain = false;
      for (int i = 0; i < shape.rank(); ++i) {
        const Padding pad = pads[static_cast<size_t>(i)];
        const int64_t stride = strides[static_cast<size_t>(i)];
        const bool is_plain = pad.both() == 0;
        if (is_plain && was_plain) {
          sums.dims[sums.rank - 1].extent *= shape.dim(i);
          sums.dims[sums.rank - 1].stride = stride;
          continue;
        }
        if (sums.rank == Block::kMaxDims) {
          return Unimplemented("a gradient of MirrorPad on a GPU has at most ", Block::kMaxDims,
                               " dimensions with paddings and between");
        }
        sums.dims[sums.rank++] = {shape.dim(i), pad.before, pad.after, stride};
        was_plain = is_plain;
      }
      return Launch(stream, ElementGrid(sums.count), sums);
    });
  }

 private:
  const bool reflect_;
};

}  // namespace

WB_GPU_KERNEL("MirrorPadGrad", MirrorPadGradOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
