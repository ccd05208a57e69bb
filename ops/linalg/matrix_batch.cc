#include "ops/linalg/matrix_batch.h"

#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "ops/linalg/refusals.h"
#include "runtime/kernel/running_step.h"
#include "runtime/kernel/stoppable_loop.h"

namespace warpbeam {

StatusOr<MatrixBatch> MatricesOf(const Tensor& tensor, absl::string_view argument) {
  const int rank = tensor.rank();
  if (rank < 2) {
    return InvalidArgument("'", argument, "' must hold matrices, so have a rank of at least 2; it ",
                           "is of shape ", tensor.shape().ToString());
  }
  MatrixBatch batch{1, tensor.dim(rank - 2), tensor.dim(rank - 1)};
  for (int i = 0; i < rank - 2; ++i) batch.count *= tensor.dim(i);
  return batch;
}

StatusOr<MatrixBatch> SquareMatricesOf(const Tensor& tensor, absl::string_view argument) {
  WB_ASSIGN_OR_RETURN(const MatrixBatch batch, MatricesOf(tensor, argument));
  if (batch.rows != batch.cols) {
    return InvalidArgument("the matrices of '", argument, "' must be square, not of shape ",
                           tensor.shape().ToString());
  }
  return batch;
}

StatusOr<Shape> BatchShape(const Tensor& matrices, std::initializer_list<int64_t> own) {
  const Span<const int64_t> dims = matrices.shape().dims();
  std::vector<int64_t> all(dims.begin(), dims.end() - 2);
  all.insert(all.end(), own.begin(), own.end());
  return Shape::Make(all);
}

PartialShape BatchShape(const PartialShape& matrices, std::initializer_list<int64_t> own) {
  if (!matrices.has_rank()) return PartialShape::Unknown();
  std::vector<int64_t> all(matrices.dims().begin(), matrices.dims().end() - 2);
  all.insert(all.end(), own.begin(), own.end());
  return PartialShape(std::move(all));
}

Status CheckSystem(const Tensor& matrix, const Tensor& rhs) {
  const Span<const int64_t> m = matrix.shape().dims(), r = rhs.shape().dims();
  if (m.size() < 2 || m.size() != r.size() ||
      m.subspan(0, m.size() - 1) != r.subspan(0, r.size() - 1)) {
    return InvalidArgument(
        "'matrix' and 'rhs' must hold matrices with the same leading dimensions and as many rows; "
        "they are of shapes ",
        matrix.shape().ToString(), " and ", rhs.shape().ToString());
  }
  return OkStatus();
}

namespace {

// A large allocation that fails inside a library comes as an exception.
Status Guarded(absl::FunctionRef<Status(int64_t)> fn, int64_t index) {
  try {
    return fn(index);
  } catch (const std::bad_alloc&) {
    return ResourceExhausted("no memory for a matrix to work in");
  }
}

}  // namespace

Status ForEachMatrix(const KernelContext& ctx, int64_t count, double flops,
                     absl::FunctionRef<Status(int64_t index)> fn) {
  constexpr double kFlopsPerNanosecond = 2, kMostNanoseconds = 1e12;
  const double ns = std::min(flops / kFlopsPerNanosecond, kMostNanoseconds);
  std::mutex mutex;
  int64_t failed = count;
  Status status;
  StoppableFor(ctx, count, static_cast<int64_t>(ns) + 200, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end && !RunningStep::IsOver(); ++i) {
      Status one = Guarded(fn, i);
      if (one.ok()) continue;
      std::lock_guard<std::mutex> lock(mutex);
      if (i < failed) {
        failed = i;
        status = std::move(one);
      }
      return;
    }
  });
  if (ctx.IsCancelled()) return StepIsOver();
  return OfMatrix(std::move(status), failed, count);
}

StatusOr<PartialShape> MatrixInput(const ShapeContext& c, int input) {
  return c.WithRankAtLeast(input, 2);
}

StatusOr<PartialShape> SquareInput(const ShapeContext& c, int input) {
  WB_ASSIGN_OR_RETURN(PartialShape in, c.WithRankAtLeast(input, 2));
  if (!in.has_rank()) return in;
  const int rank = in.rank();
  const int64_t rows = in.dim(rank - 2), cols = in.dim(rank - 1);
  if (rows >= 0 && cols >= 0 && rows != cols) {
    return InvalidArgument("input ", input, " must hold square matrices; it is of shape ",
                           in.ToString());
  }
  in.set_dim(rank - 2, std::max(rows, cols));
  in.set_dim(rank - 1, std::max(rows, cols));
  return in;
}

namespace shapes {

Status SquareUnchanged(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape in, SquareInput(c, 0));
  c.set_output(0, std::move(in));
  return OkStatus();
}

}  // namespace shapes
}  // namespace warpbeam
