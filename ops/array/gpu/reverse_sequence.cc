// ReverseSequence on a GPU. Nobody looks at the lengths before: one out of range is taken for the
// nearest in it.
#include "ops/array/gpu/fast_divisor.h"
#include "ops/array/gpu/index_reader.h"
#include "ops/array/gpu/moved_element.h"
#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_function.h"
#include "ops/launch/math.h"

#if WB_HOST_PASS
#include <algorithm>
#include <memory>

#include "ops/array/layout/sequence_dims.h"
#include "ops/array/strided_copy.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

template <class T, class Index>
struct ReverseSequenceBlock {
  T* y;
  const T* x;
  IndexReader lengths;
  Index count;
  DivisorFor<Index> seq_stride, seq_extent, batch_stride, batch_extent;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count, [&](Index i) {
      const int64_t at = Place(i, seq_stride, seq_extent);
      const int64_t length = Min<int64_t>(
          Max<int64_t>(lengths[Place(i, batch_stride, batch_extent)], 0), seq_extent.divisor);
      const int64_t from = at < length ? length - 1 - at : at;
      y[i] = x[i + (from - at) * static_cast<int64_t>(seq_stride.divisor)];
    });
  }

 private:
  WB_BLOCK static int64_t Place(Index i, const DivisorFor<Index>& stride,
                                const DivisorFor<Index>& extent) {
    const auto line = static_cast<Index>(stride.Quotient(i));
    return line - static_cast<Index>(extent.Quotient(line)) * static_cast<Index>(extent.divisor);
  }
};

#define WB_REVERSE_SEQUENCE_BLOCKS(T)                 \
  WB_GPU_FUNCTION(ReverseSequenceBlock<T, uint32_t>); \
  WB_GPU_FUNCTION(ReverseSequenceBlock<T, int64_t>);
WB_FOR_MOVED_ELEMENTS(WB_REVERSE_SEQUENCE_BLOCKS)
#undef WB_REVERSE_SEQUENCE_BLOCKS

#if WB_HOST_PASS
namespace {

class ReverseSequenceOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const SequenceDims dims, SequenceDims::FromAttrs(init.attrs));
    return std::make_unique<ReverseSequenceOnGpu>(dims);
  }
  static bool HasGpuCode(const AttrMap&) {
    return HasGpuFunction<ReverseSequenceBlock<uint32_t, uint32_t>>();
  }
  explicit ReverseSequenceOnGpu(const SequenceDims& dims) : dims_(dims) {}

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor &x = ctx.input(0), &lengths = ctx.input(1);
    WB_RETURN_IF_ERROR(dims_.Check(x.shape(), lengths.shape()));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
    if (y->num_elements() == 0) return OkStatus();
    const int inner = static_cast<int>(std::max(dims_.seq, dims_.batch)) + 1;
    const int64_t size = static_cast<int64_t>(DTypeSize(x.dtype()));
    const int64_t row_bytes = ElementsOf(x.shape(), inner, x.rank()) * size;
    const int width =
        WidestElement(AddressBits(y->raw_data(), x.raw_data()) | static_cast<uint64_t>(row_bytes));
    const int64_t count = x.num_elements() * size / width;
    return DispatchWidth(width, [&](auto tag) {
      using T = typename decltype(tag)::type;
      return count < kMost32 ? Enqueue<T, uint32_t>(stream, x, lengths, count, y)
                             : Enqueue<T, int64_t>(stream, x, lengths, count, y);
    });
  }

 private:
  template <class T, class Index>
  Status Enqueue(GpuStream& stream, const Tensor& x, const Tensor& lengths, int64_t count,
                 Tensor* y) const {
    // Strides in elements of T.
    const auto stride = [&](int64_t dim) {
      const int64_t inner = ElementsOf(x.shape(), static_cast<int>(dim) + 1, x.rank());
      return DivisorFor<Index>(inner * static_cast<int64_t>(DTypeSize(x.dtype())) /
                               static_cast<int64_t>(sizeof(T)));
    };
    const auto extent = [&](int64_t dim) {
      return DivisorFor<Index>(x.dim(static_cast<int>(dim)));
    };
    return Launch(stream, ElementGrid(count),
                  ReverseSequenceBlock<T, Index>{
                      static_cast<T*>(y->raw_data()), static_cast<const T*>(x.raw_data()),
                      IndexReader(lengths), static_cast<Index>(count), stride(dims_.seq),
                      extent(dims_.seq), stride(dims_.batch), extent(dims_.batch)});
  }

  const SequenceDims dims_;
};

}  // namespace

WB_GPU_KERNEL("ReverseSequence", ReverseSequenceOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
