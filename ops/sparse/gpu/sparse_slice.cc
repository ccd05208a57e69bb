// SparseSlice on a GPU: the rows within the box are counted, the host is told how many there are,
// and then they are moved. SparseSliceGrad: each row of the tensor looks for itself among those of
// the slice, which are in order; one that is not there, or not in order, has no gradient, where the
// CPU would refuse it.
#include "ops/array/gpu/moved_element.h"
#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_select.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/array/gpu_copier.h"
#include "ops/array/gpu_rows.h"
#include "ops/launch/dispatch.h"
#include "ops/sparse/sparse_box.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/read_back_kernel.h"
#endif

namespace warpbeam::WB_PASS {

struct RowsInBox {
  static constexpr int kMostDims = 64;

  const int64_t* indices;  // [rows, rank]
  int64_t* sliced;         // [selected, rank]
  int64_t* kept;           // [selected]: which rows these are
  int rank;
  int64_t start[kMostDims], end[kMostDims];

  WB_BLOCK bool Selects(int64_t i) const {
    for (int d = 0; d < rank; ++d) {
      const int64_t at = indices[i * rank + d];
      if (at < start[d] || at >= end[d]) return false;
    }
    return true;
  }
  WB_BLOCK void Place(int64_t i, int64_t position) const {
    kept[position] = i;
    for (int d = 0; d < rank; ++d) {
      sliced[position * rank + d] = indices[i * rank + d] - start[d];
    }
  }
};

template <class T>
struct SliceGradientBlock {
  const T* dy;              // [sliced]
  const int64_t* indices;   // [rows, rank]
  const int64_t* start;     // [rank]
  const int64_t* of_slice;  // [sliced, rank], in order
  T* dx;                    // [rows]
  int64_t rows, sliced, rank;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, rows, [&](int64_t i) {
      int64_t low = 0, high = sliced;
      while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (Compare(i, middle) > 0) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      dx[i] = low < sliced && Compare(i, low) == 0 ? dy[low] : T{};
    });
  }

 private:
  // Row i of the tensor with row j of the slice. What overflows is in no slice.
  WB_BLOCK int Compare(int64_t i, int64_t j) const {
    for (int64_t d = 0; d < rank; ++d) {
      const int64_t at = indices[i * rank + d], first = start[d];
      const int64_t of_row = of_slice[j * rank + d];
      const auto moved =
          static_cast<int64_t>(static_cast<uint64_t>(at) - static_cast<uint64_t>(first));
      if (moved != of_row) return moved < of_row ? -1 : 1;
    }
    return 0;
  }
};

WB_GPU_SELECTION(RowsInBox);
WB_GPU_FUNCTION(SliceGradientBlock<uint8_t>);
WB_GPU_FUNCTION(SliceGradientBlock<uint16_t>);
WB_GPU_FUNCTION(SliceGradientBlock<uint32_t>);
WB_GPU_FUNCTION(SliceGradientBlock<uint64_t>);
WB_GPU_FUNCTION(SliceGradientBlock<Wide>);

#if WB_HOST_PASS
namespace {

class SparseSliceOnGpu final : public ReadBackKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<SparseSliceOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<CountSelectedBlock<RowsInBox>>(); }

  Status EnqueueReading(KernelContext& ctx, ReadableGpuStream& stream) override {
    WB_ASSIGN_OR_RETURN(const SparseView x, ReadSparse(ctx, 0));
    WB_ASSIGN_OR_RETURN(const SparseBox box, SparseBox::Read(x, ctx.input(3), ctx.input(4)));
    RowsInBox rows = {x.indices, nullptr, nullptr, x.rank, {}, {}};
    if (x.rank > RowsInBox::kMostDims) {
      return Unimplemented("a slice on a GPU of a sparse tensor of rank ", x.rank, ": at most ",
                           RowsInBox::kMostDims);
    }
    for (int d = 0; d < x.rank; ++d) {
      rows.start[d] = box.start[d];
      rows.end[d] = box.end[d];
    }
    WB_ASSIGN_OR_RETURN(const GpuSelection selection,
                        GpuSelection::Count(ctx, stream, rows, x.count));
    RowMoves moves;
    WB_RETURN_IF_ERROR(stream.Read(selection.total(), 1, &moves.count));
    WB_ASSIGN_OR_RETURN(Tensor * indices, ctx.Allocate(0, Shape({moves.count, x.rank})));
    WB_ASSIGN_OR_RETURN(Tensor * values, ctx.Allocate(1, Shape({moves.count})));
    WB_ASSIGN_OR_RETURN(Tensor * shape, ctx.Allocate(2, Shape({x.rank})));
    WB_RETURN_IF_ERROR(WriteIndices(box.dims, shape));
    WB_ASSIGN_OR_RETURN(Tensor kept, ctx.AllocateTemp(DType::kInt64, Shape({moves.count})));
    rows.sliced = indices->data<int64_t>();
    rows.kept = kept.data<int64_t>();
    moves.from = rows.kept;
    WB_RETURN_IF_ERROR(selection.Place(stream, rows));
    return MoveRowsOnGpu(stream, static_cast<int64_t>(DTypeSize(values->dtype())),
                         x.values->raw_data(), moves, values->raw_data());
  }
};

class SparseSliceGradOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<SparseSliceGradOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<SliceGradientBlock<uint32_t>>(); }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor &dy = ctx.input(0), &start = ctx.input(2);
    WB_ASSIGN_OR_RETURN(const SparseView x, ReadRows(ctx.input(1), "input_indices"));
    WB_RETURN_IF_ERROR(CheckBoxVector(start, x.rank, "input_start"));
    WB_ASSIGN_OR_RETURN(const SparseView y, ReadRows(ctx.input(3), "output_indices"));
    WB_RETURN_IF_ERROR(CheckSliceGradient(x, y, dy));
    WB_ASSIGN_OR_RETURN(Tensor * dx, ctx.Allocate(0, Shape({x.count})));
    if (x.count == 0) return OkStatus();
    const GpuGrid grid = ElementGrid(x.count);
    return DispatchWidth(static_cast<int>(DTypeSize(dy.dtype())), [&](auto tag) {
      using T = typename decltype(tag)::type;
      SliceGradientBlock<T> block = {};
      block.dy = static_cast<const T*>(dy.raw_data());
      block.indices = x.indices;
      block.start = start.data<int64_t>();
      block.of_slice = y.indices;
      block.dx = static_cast<T*>(dx->raw_data());
      block.rows = x.count;
      block.sliced = y.count;
      block.rank = x.rank;
      return Launch(stream, grid, block);
    });
  }
};

}  // namespace

WB_GPU_KERNEL("SparseSlice", SparseSliceOnGpu);
WB_GPU_KERNEL("SparseSliceGrad", SparseSliceGradOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
