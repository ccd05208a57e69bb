// SquareFunctionKernel: ops of one input and one output, both batches of square matrices of one
// shape, computed in double.
//
//   struct Negated {
//     static constexpr double kFlops = 1;                        // times n^3
//     template <class T>
//     static void Apply(RowMatrix<T>* a) { *a = -*a; }           // T: double or complex<double>
//   };
//   WB_KERNEL("Negated", SquareFunctionKernel<Negated>).Cpu({{"T", kFieldTypes}});
//
// A matrix that has no result becomes NaN; only shapes are refused (INVALID_ARGUMENT). Thread
// safety: kernels have no state.
#ifndef WARPBEAM_OPS_LINALG_SQUARE_FUNCTION_H_
#define WARPBEAM_OPS_LINALG_SQUARE_FUNCTION_H_

#include <limits>
#include <memory>

#include "ops/launch/dispatch.h"
#include "ops/linalg/matrix_batch.h"
#include "ops/linalg/wide_matrix.h"
#include "runtime/kernel/kernel.h"

namespace warpbeam {

template <class Function>
class SquareFunctionKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<SquareFunctionKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(const MatrixBatch batch, SquareMatricesOf(x, "input"));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
    if (batch.empty()) return OkStatus();
    const double n = static_cast<double>(batch.rows);
    return DispatchTypes(FieldTypes{}, x.dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      return ForEachMatrix(ctx, batch.count, Function::kFlops * n * n * n, [&](int64_t i) {
        auto a = LoadWide(x.data<T>() + i * batch.size(), batch.rows, batch.cols);
        Function::Apply(&a);
        StoreWide(a, y->data<T>() + i * batch.size());
        return OkStatus();
      });
    });
  }
};

template <class T>
void FillWithNan(RowMatrix<T>* a) {
  a->setConstant(T(std::numeric_limits<double>::quiet_NaN()));
}

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_LINALG_SQUARE_FUNCTION_H_
