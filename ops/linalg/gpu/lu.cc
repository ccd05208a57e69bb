// Lu on a GPU.
#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_function.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/launch/dispatch.h"
#include "ops/linalg/gpu/gpu_lu.h"
#include "ops/linalg/gpu_matrix_copy.h"
#include "ops/linalg/refusals.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

// The rows in the order that the exchanges leave; a thread for each matrix.
template <class Index>
struct OrderRowsBlock {
  const int64_t* pivots;
  Index* rows;
  int64_t count, n;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count, [&](int64_t index) {
      Index* const order = rows + index * n;
      for (int64_t i = 0; i < n; ++i) order[i] = static_cast<Index>(i);
      for (int64_t i = 0; i < n; ++i) {
        const int64_t other = pivots[index * n + i] - 1;
        const Index row = order[i];
        order[i] = order[other];
        order[other] = row;
      }
    });
  }
};
WB_GPU_FUNCTION(OrderRowsBlock<int32_t>);
WB_GPU_FUNCTION(OrderRowsBlock<int64_t>);

#if WB_HOST_PASS
namespace {

class LuOnGpu final : public ReadBackKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<LuOnGpu>();
  }
  static bool HasGpuCode(const AttrMap& attrs) {
    return GpuLu::HasCode(attrs.GetOr<DType>("T", DType::kInvalid));
  }
  Status EnqueueReading(KernelContext& ctx, ReadableGpuStream& stream) override {
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(const MatrixBatch batch, SquareMatricesOf(x, "input"));
    WB_ASSIGN_OR_RETURN(const Shape rows_shape, BatchShape(x, {batch.rows}));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
    WB_ASSIGN_OR_RETURN(Tensor * rows, ctx.Allocate(1, rows_shape));
    if (batch.empty()) return OkStatus();
    WB_ASSIGN_OR_RETURN(const GpuLu lu, GpuLu::Enqueue(ctx, stream, x, batch, /*adjoint=*/false));
    WB_RETURN_IF_ERROR(lu.CheckInvertible(ctx, stream, HasZeroPivot()));
    MatrixCopy copy;
    copy.from = lu.matrices.raw_data();
    copy.to = y->raw_data();
    copy.count = batch.count;
    copy.rows = copy.columns = batch.rows;
    copy.transpose = true;
    WB_RETURN_IF_ERROR(EnqueueCopy(stream, x.dtype(), copy));
    return DispatchIndex(rows->dtype(), [&](auto tag) {
      using Index = typename decltype(tag)::type;
      return Launch(stream, ElementGrid(batch.count),
                    OrderRowsBlock<Index>{lu.pivots.data<int64_t>(), rows->data<Index>(),
                                          batch.count, batch.rows});
    });
  }
};

}  // namespace

WB_GPU_KERNEL("Lu", LuOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
