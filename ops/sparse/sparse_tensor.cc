#include "ops/sparse/sparse_tensor.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/str_join.h"
#include "ops/launch/dispatch.h"

namespace warpbeam {
namespace {

std::string Operand(absl::string_view name, absl::string_view part) {
  return name.empty() ? std::string(part) : absl::StrCat("'", name, "' ", part);
}

}  // namespace

StatusOr<SparseView> ReadSparse(const Tensor& indices, const Tensor& values, const Tensor& shape,
                                absl::string_view name) {
  if (indices.rank() != 2) {
    return InvalidArgument(Operand(name, "indices"), " must be a matrix, but have shape ",
                           indices.shape().ToString());
  }
  if (values.rank() != 1 || values.dim(0) != indices.dim(0)) {
    return InvalidArgument(Operand(name, "values"), " must be a vector with one value per index, ",
                           "but have shape ", values.shape().ToString(), " for indices of shape ",
                           indices.shape().ToString());
  }
  if (shape.rank() != 1 || shape.dim(0) != indices.dim(1)) {
    return InvalidArgument(Operand(name, "dense shape"), " must be a vector of ", indices.dim(1),
                           " extents, one per column of the indices, but has shape ",
                           shape.shape().ToString());
  }
  SparseView x;
  x.indices = indices.data<int64_t>();
  x.values = &values;
  x.count = indices.dim(0);
  x.dims.assign(shape.data<int64_t>(), shape.data<int64_t>() + shape.dim(0));
  if (x.dims.size() > kMaxRank) {
    return InvalidArgument(Operand(name, "dense shape"), " has ", x.dims.size(),
                           " dimensions, more than ", kMaxRank);
  }
  x.rank = static_cast<int>(x.dims.size());
  for (const int64_t d : x.dims) {
    if (d < 0) {
      return InvalidArgument(Operand(name, "dense shape"),
                             " holds a negative extent: ", RowToString(x.dims.data(), x.rank));
    }
  }
  return x;
}

StatusOr<SparseView> ReadSparse(const KernelContext& ctx, int first_input, absl::string_view name) {
  return ReadSparse(ctx.input(first_input), ctx.input(first_input + 1), ctx.input(first_input + 2),
                    name);
}

StatusOr<SparseView> ReadRows(const Tensor& indices, absl::string_view name) {
  if (indices.rank() != 2 || indices.dim(1) > kMaxRank) {
    return InvalidArgument("'", name, "' must be a matrix of indices, but has shape ",
                           indices.shape().ToString());
  }
  SparseView x;
  x.indices = indices.data<int64_t>();
  x.count = indices.dim(0);
  x.rank = static_cast<int>(indices.dim(1));
  return x;
}

StatusOr<Shape> DenseShape(const SparseView& x) { return Shape::Make(x.dims); }

Status CheckBounds(const SparseView& x) {
  for (int64_t i = 0; i < x.count; ++i) {
    for (int d = 0; d < x.rank; ++d) {
      const int64_t at = x.row(i)[d];
      if (at < 0 || at >= x.dims[d]) {
        return InvalidArgument("index ", i, " is ", RowToString(x.row(i), x.rank),
                               ", out of bounds of the dense shape ",
                               RowToString(x.dims.data(), x.rank));
      }
    }
  }
  return OkStatus();
}

Status CheckOrder(const SparseView& x) {
  for (int64_t i = 1; i < x.count; ++i) {
    const int order = CompareRows(x.row(i - 1), x.row(i), x.rank);
    if (order == 0) {
      return InvalidArgument("index ", i, ", ", RowToString(x.row(i), x.rank), ", is repeated");
    }
    if (order > 0) {
      return InvalidArgument("index ", i, ", ", RowToString(x.row(i), x.rank),
                             ", is out of order; SparseReorder puts indices in order");
    }
  }
  return OkStatus();
}

std::vector<int64_t> RowOrder(const SparseView& x, Span<const int> columns) {
  std::vector<int64_t> order(static_cast<size_t>(x.count));
  std::iota(order.begin(), order.end(), int64_t{0});
  const auto before = [&](int64_t i, int64_t j) {
    const int64_t *a = x.row(i), *b = x.row(j);
    for (const int d : columns) {
      if (a[d] != b[d]) return a[d] < b[d];
    }
    return false;
  };
  if (!std::is_sorted(order.begin(), order.end(), before)) {
    std::stable_sort(order.begin(), order.end(), before);
  }
  return order;
}

std::vector<int64_t> RowOrder(const SparseView& x) {
  std::vector<int> columns(static_cast<size_t>(x.rank));
  std::iota(columns.begin(), columns.end(), 0);
  return RowOrder(x, columns);
}

Status TakeValues(const Tensor& from, Span<const int64_t> order, Tensor* to) {
  return DispatchElements(from.dtype(), [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    const T* x = from.data<T>();
    T* y = to->data<T>();
    for (size_t i = 0; i < order.size(); ++i) y[i] = x[order[i]];
    return OkStatus();
  });
}

void TakeRows(const SparseView& from, Span<const int64_t> order, int64_t* to) {
  for (const int64_t i : order) to = std::copy_n(from.row(i), from.rank, to);
}

std::string RowToString(const int64_t* row, int rank) {
  return absl::StrCat("[", absl::StrJoin(row, row + rank, ","), "]");
}

Status CheckSameShape(const SparseView& a, const SparseView& b) {
  if (a.dims == b.dims) return OkStatus();
  return InvalidArgument(
      a.rank != b.rank ? "Operands do not have the same ranks" : "Operands' shapes do not match",
      "; got shapes: ", RowToString(a.dims.data(), a.rank), " and ",
      RowToString(b.dims.data(), b.rank));
}

StatusOr<PartialShape> SparseInputShape(const ShapeContext& c, int first) {
  WB_ASSIGN_OR_RETURN(const PartialShape indices, c.WithRank(first, 2));
  WB_ASSIGN_OR_RETURN(const PartialShape values, c.WithRank(first + 1, 1));
  WB_ASSIGN_OR_RETURN(const PartialShape shape, c.WithRank(first + 2, 1));
  WB_ASSIGN_OR_RETURN(const int64_t count, MergeExtents(indices.dim(0), values.dim(0)));
  WB_ASSIGN_OR_RETURN(const int64_t rank, MergeExtents(indices.dim(1), shape.dim(0)));
  return PartialShape({count, rank});
}

void SetSparseOutput(ShapeContext& c, int first, int64_t count, int64_t rank) {
  c.set_output(first, PartialShape({count, rank}));
  c.set_output(first + 1, PartialShape({count}));
  c.set_output(first + 2, PartialShape({rank}));
}

}  // namespace warpbeam
