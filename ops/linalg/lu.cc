// Lu: L and U of P A = L U in one matrix, and P as the rows of A in their new order.
#include <algorithm>
#include <vector>

#include "graph/op/op_registry.h"
#include "ops/launch/dispatch.h"
#include "ops/linalg/eigen_matrix.h"
#include "ops/linalg/lu_factors.h"
#include "ops/linalg/matrix_batch.h"
#include "ops/linalg/refusals.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status LuShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape in, SquareInput(c, 0));
  c.set_output(0, in);
  if (in.has_rank()) c.set_output(1, BatchShape(in, {in.dim(in.rank() - 1)}));
  return OkStatus();
}

class LuKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<LuKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(const MatrixBatch batch, SquareMatricesOf(x, "input"));
    WB_ASSIGN_OR_RETURN(const Shape rows_shape, BatchShape(x, {batch.rows}));
    WB_ASSIGN_OR_RETURN(Tensor * lu, ctx.Allocate(0, x.shape()));
    WB_ASSIGN_OR_RETURN(Tensor * rows, ctx.Allocate(1, rows_shape));
    if (batch.empty()) return OkStatus();
    return DispatchTypes(FieldTypes{}, x.dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      return Factor(ctx, batch, x.data<T>(), lu->data<T>(), rows);
    });
  }

 private:
  template <class T>
  static Status Factor(const KernelContext& ctx, const MatrixBatch& batch, const T* x, T* lu,
                       Tensor* rows) {
    const double n = static_cast<double>(batch.rows);
    return ForEachMatrix(ctx, batch.count, n * n * n, [&](int64_t i) -> Status {
      const int64_t at = i * batch.size();
      std::copy_n(x + at, batch.size(), lu + at);
      std::vector<int32_t> permutation(batch.rows);
      FactorLu(batch.rows, lu + at, permutation.data());
      if (!IsInvertible(batch.rows, lu + at)) return HasZeroPivot();
      return DispatchIndex(rows->dtype(), [&](auto tag) -> Status {
        using Index = typename decltype(tag)::type;
        std::copy(permutation.begin(), permutation.end(), rows->data<Index>() + i * batch.rows);
        return OkStatus();
      });
    });
  }
};

WB_OP("Lu")
    .Input("input: T")
    .Output("lu: T")
    .Output("p: output_idx_type")
    .Attr("T: {double, float, half, complex64, complex128}")
    .Attr("output_idx_type: {int32, int64} = DT_INT32")
    .Shape(LuShape);
WB_KERNEL("Lu", LuKernel).Cpu({{"T", kFieldTypes}}).Gpu({{"T", kFieldTypes}});

}  // namespace
}  // namespace warpbeam
