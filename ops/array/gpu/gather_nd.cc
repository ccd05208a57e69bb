// GatherNd on a GPU. As on TensorFlow's, a tuple out of range gives zeros.
#include "ops/array/gpu/moved_element.h"
#include "ops/array/gpu/tuple_rows.h"
#include "ops/launch/gpu_function.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/array/index/gather_slices.h"
#include "ops/array/strided_copy.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

template <class T>
struct GatherNdBlock {
  T* y;
  const T* params;
  TupleRows rows;
  int64_t width;
  int lanes;

  WB_BLOCK void operator()(GpuBlock& block) const {
    rows.ForEach(block, width, lanes, [&](int64_t i, int64_t row, int64_t column) {
      y[i * width + column] = row < 0 ? T{} : params[row * width + column];
    });
  }
};

#define WB_GATHER_ND_BLOCK(T) WB_GPU_FUNCTION(GatherNdBlock<T>);
WB_FOR_MOVED_ELEMENTS(WB_GATHER_ND_BLOCK)
#undef WB_GATHER_ND_BLOCK

#if WB_HOST_PASS
namespace {

class GatherNdOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(BadIndex bad, BadIndexPolicy(init.attrs));
    return std::make_unique<GatherNdOnGpu>(bad);
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<GatherNdBlock<uint32_t>>(); }
  explicit GatherNdOnGpu(BadIndex bad) : bad_(bad) {}

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor &params = ctx.input(0), &indices = ctx.input(1);
    WB_ASSIGN_OR_RETURN(Shape shape, GatherNdShape(params.shape(), indices.shape()));
    WB_RETURN_IF_ERROR(CheckHasSlices(params.shape(), indices.shape(), bad_));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    if (y->num_elements() == 0) return OkStatus();
    WB_ASSIGN_OR_RETURN(const TupleRows rows, TupleRows::Make(indices, params.shape()));
    const int64_t bytes = ElementsOf(params.shape(), rows.depth, params.rank()) *
                          static_cast<int64_t>(DTypeSize(params.dtype()));
    const int width =
        WidestElement(AddressBits(y->raw_data(), params.raw_data()) | static_cast<uint64_t>(bytes));
    return DispatchWidth(width, [&](auto tag) {
      using T = typename decltype(tag)::type;
      const int64_t columns = bytes / width;
      const int lanes = TupleRows::LanesOf(columns, GpuGrid().threads);
      return Launch(
          stream, rows.Grid(lanes),
          GatherNdBlock<T>{static_cast<T*>(y->raw_data()), static_cast<const T*>(params.raw_data()),
                           rows, columns, lanes});
    });
  }

 private:
  const BadIndex bad_;
};

}  // namespace

WB_GPU_KERNEL("GatherNd", GatherNdOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
