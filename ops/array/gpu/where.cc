// Where on a GPU: elements that are not zero are counted, the host is told how many there are, and
// then each writes its coordinates.
#include "ops/launch/gpu_select.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/array/index/where_input.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/read_back_kernel.h"
#endif

namespace warpbeam::WB_PASS {

// An element is `parts` numbers.
template <class T>
struct NonzeroPlaces {
  static constexpr int kMostDims = 64;

  const T* x;
  int64_t* y;  // [selected, rank]
  int parts, rank;
  int64_t dims[kMostDims];

  WB_BLOCK bool Selects(int64_t i) const {
    const T* const element = x + i * parts;
    return element[0] != T(0) || (parts == 2 && element[1] != T(0));
  }
  WB_BLOCK void Place(int64_t i, int64_t position) const {
    int64_t* const row = y + position * rank;
    for (int d = rank - 1; d > 0; --d) {
      const int64_t outer = i / dims[d];
      row[d] = i - outer * dims[d];
      i = outer;
    }
    row[0] = i;
  }
};

WB_GPU_SELECTION(NonzeroPlaces<uint8_t>);
WB_GPU_SELECTION(NonzeroPlaces<int64_t>);
WB_GPU_SELECTION(NonzeroPlaces<float>);
WB_GPU_SELECTION(NonzeroPlaces<double>);

#if WB_HOST_PASS
namespace {

class WhereOnGpu final : public ReadBackKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<WhereOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) {
    return HasGpuFunction<CountSelectedBlock<NonzeroPlaces<float>>>();
  }

  Status EnqueueReading(KernelContext& ctx, ReadableGpuStream& stream) override {
    const Tensor& x = ctx.input(0);
    WB_RETURN_IF_ERROR(CheckWhereInput(x));
    switch (x.dtype()) {
      case DType::kFloat:
        return Find<float>(ctx, stream, 1);
      case DType::kComplex64:
        return Find<float>(ctx, stream, 2);
      case DType::kDouble:
        return Find<double>(ctx, stream, 1);
      case DType::kComplex128:
        return Find<double>(ctx, stream, 2);
      case DType::kInt64:
        return Find<int64_t>(ctx, stream, 1);
      default:  // bool, int8, uint8
        return Find<uint8_t>(ctx, stream, 1);
    }
  }

 private:
  template <class T>
  Status Find(KernelContext& ctx, ReadableGpuStream& stream, int parts) const {
    const Tensor& x = ctx.input(0);
    NonzeroPlaces<T> places = {static_cast<const T*>(x.raw_data()), nullptr, parts, x.rank(), {}};
    if (x.rank() > NonzeroPlaces<T>::kMostDims) {
      return Unimplemented("Where on a GPU of a tensor of rank ", x.rank(), ": at most ",
                           NonzeroPlaces<T>::kMostDims);
    }
    for (int d = 0; d < x.rank(); ++d) places.dims[d] = x.dim(d);
    WB_ASSIGN_OR_RETURN(const GpuSelection selection,
                        GpuSelection::Count(ctx, stream, places, x.num_elements()));
    int64_t count = 0;
    WB_RETURN_IF_ERROR(stream.Read(selection.total(), 1, &count));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, Shape({count, x.rank()})));
    places.y = y->data<int64_t>();
    return selection.Place(stream, places);
  }
};

}  // namespace

WB_GPU_KERNEL("Where", WhereOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
