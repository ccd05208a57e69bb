// MatrixBatch: the matrices that stand in a tensor's last two dimensions, and work shared out by
// matrix.
//
//   WB_ASSIGN_OR_RETURN(MatrixBatch x, SquareMatricesOf(ctx.input(0), "input"));
//   WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, ctx.input(0).shape()));
//   return ForEachMatrix(ctx, x.count, /*flops=*/2e3, [&](int64_t i) -> Status { … });
//
// A decomposition runs on one thread; a batch of them runs on all.
//
// Thread safety: pure but for what the given function does. Errors: INVALID_ARGUMENT naming the
// argument for a tensor that holds no matrices, or no square ones; of several matrices that fail,
// the first one's error, with its number. A library that finds no memory gives RESOURCE_EXHAUSTED.
#ifndef WARPBEAM_OPS_LINALG_MATRIX_BATCH_H_
#define WARPBEAM_OPS_LINALG_MATRIX_BATCH_H_

#include <algorithm>
#include <cstdint>
#include <initializer_list>

#include "graph/op/shape_context.h"
#include "graph/types/tensor.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

struct MatrixBatch {
  int64_t count = 0, rows = 0, cols = 0;
  int64_t size() const { return rows * cols; }
  bool empty() const { return count == 0 || rows == 0 || cols == 0; }
};

StatusOr<MatrixBatch> MatricesOf(const Tensor& tensor, absl::string_view argument);
StatusOr<MatrixBatch> SquareMatricesOf(const Tensor& tensor, absl::string_view argument);

// The leading dimensions of a tensor of matrices, then `own`.
StatusOr<Shape> BatchShape(const Tensor& matrices, std::initializer_list<int64_t> own);
PartialShape BatchShape(const PartialShape& matrices, std::initializer_list<int64_t> own);

// Both arguments have the same leading dimensions and agree in the number of rows.
Status CheckSystem(const Tensor& matrix, const Tensor& rhs);

// Runs `fn` for every index below `count`. `flops` of one call decide how many threads share them.
Status ForEachMatrix(const KernelContext& ctx, int64_t count, double flops,
                     absl::FunctionRef<Status(int64_t index)> fn);

// Shape functions.
StatusOr<PartialShape> MatrixInput(const ShapeContext& c, int input);
// The input's shape, of which both last dimensions are known where one is.
StatusOr<PartialShape> SquareInput(const ShapeContext& c, int input);
// The smaller one of two dimensions; -1 where one is unknown.
inline int64_t LeastDim(int64_t a, int64_t b) { return a < 0 || b < 0 ? -1 : std::min(a, b); }
namespace shapes {
Status SquareUnchanged(ShapeContext& c);  // output 0: square matrices like input 0
}  // namespace shapes

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_LINALG_MATRIX_BATCH_H_
