// DynamicStitch on a GPU. The indices are in host memory, where it is decided which of several rows
// for one place is the last; only that one is moved. They travel with the launches.
#include <memory>
#include <utility>
#include <vector>

#include "ops/array/gpu_copier.h"
#include "ops/array/gpu_rows.h"
#include "ops/array/index/index_argument.h"
#include "ops/array/index/stitch.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

class DynamicStitchOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<DynamicStitchOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) { return GpuCopier::HasCode(); }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    WB_ASSIGN_OR_RETURN(const Shape shape, StitchedShape(ctx));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    if (y->num_elements() == 0) return OkStatus();
    const int n = ctx.num_inputs() / 2;
    const int64_t row_bytes = static_cast<int64_t>(y->bytes()) / shape.dim(0);
    WB_ASSIGN_OR_RETURN(const std::vector<Dims> places, LastPlaces(ctx, n, shape.dim(0)));
    GpuCopier copier(stream);
    // Rows that no index names are zero, as on the CPU.
    WB_RETURN_IF_ERROR(copier.Zero(y->dtype(), y->raw_data(), y->num_elements()));
    for (int i = 0; i < n; ++i) {
      const Dims& rows = places[static_cast<size_t>(i)];
      RowMoves moves;
      moves.count = static_cast<int64_t>(rows.size());
      WB_ASSIGN_OR_RETURN(Tensor to, ctx.AllocateTemp(DType::kInt64, Shape({moves.count})));
      moves.to = to.data<int64_t>();
      WB_RETURN_IF_ERROR(
          copier.CopyFromHost(to.raw_data(), rows.data(), static_cast<int64_t>(to.bytes())));
      WB_RETURN_IF_ERROR(
          MoveRowsOnGpu(stream, row_bytes, ctx.input(n + i).raw_data(), moves, y->raw_data()));
    }
    return OkStatus();
  }

 private:
  // Of each input the places of its rows; -1 of those that a later row takes.
  static StatusOr<std::vector<Dims>> LastPlaces(const KernelContext& ctx, int n, int64_t rows) {
    std::vector<Dims> places;
    for (int i = 0; i < n; ++i) {
      WB_ASSIGN_OR_RETURN(Dims indices, ReadIndices(ctx.input(i), "indices"));
      places.push_back(std::move(indices));
    }
    std::vector<bool> is_taken(static_cast<size_t>(rows), false);
    for (size_t i = places.size(); i-- > 0;) {
      for (size_t row = places[i].size(); row-- > 0;) {
        int64_t& place = places[i][row];
        const auto at = static_cast<size_t>(place);
        if (is_taken[at]) place = -1;
        is_taken[at] = true;
      }
    }
    return places;
  }
};

}  // namespace

WB_GPU_KERNEL("DynamicStitch", DynamicStitchOnGpu);

}  // namespace warpbeam
