// Reading arguments that are numbers rather than data: shapes, axes, permutations, paddings.
//
//   WB_ASSIGN_OR_RETURN(Dims perm, ReadIndices(ctx.input(1), "perm"));
//   WB_ASSIGN_OR_RETURN(int64_t axis, ReadIndex(ctx.input(1), "axis"));
//   WB_ASSIGN_OR_RETURN(int a, ResolveAxis(axis, x.rank()));         // -1 is the last one
//   WB_ASSIGN_OR_RETURN(Shape shape, ReadShape(ctx.input(1), "shape"));
//
// Inputs are host tensors of an integer type. Thread safety: pure. Errors: INVALID_ARGUMENT naming
// the argument and its value.
#ifndef WARPBEAM_OPS_ARRAY_INDEX_INDEX_ARGUMENT_H_
#define WARPBEAM_OPS_ARRAY_INDEX_INDEX_ARGUMENT_H_

#include <cstdint>
#include <optional>

#include "absl/container/inlined_vector.h"
#include "graph/op/shape_context.h"
#include "graph/types/tensor.h"

namespace warpbeam {

using Dims = absl::InlinedVector<int64_t, 8>;

// All elements in row-major order, whatever the tensor's rank.
StatusOr<Dims> ReadIndices(const Tensor& t, absl::string_view argument);
// A scalar, or any tensor of one element.
StatusOr<int64_t> ReadIndex(const Tensor& t, absl::string_view argument);
// A vector of extents, none negative; a scalar is refused unless `scalar_is_vector`.
StatusOr<Shape> ReadShape(const Tensor& t, absl::string_view argument,
                          bool scalar_is_vector = false);
// Writes `values` as a vector of the output's dtype (int32 or int64) into `t`, which has room for
// them. OUT_OF_RANGE is impossible for int64; for int32 a value beyond it is INVALID_ARGUMENT.
Status WriteIndices(Span<const int64_t> values, Tensor* t);

// An axis in [-rank, rank) as one in [0, rank).
StatusOr<int> ResolveAxis(int64_t axis, int rank);

// A constant input of a shape function, as indices; nullopt when it is not known.
StatusOr<std::optional<Dims>> ConstantIndices(const ShapeContext& c, int input);

// Extents multiplied and added with the "unknown" of partial shapes (-1) kept; so is what int64
// cannot hold, for no tensor has it.
inline int64_t MultiplyExtents(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return 0;
  int64_t product;
  return a < 0 || b < 0 || __builtin_mul_overflow(a, b, &product) ? -1 : product;
}
inline int64_t AddExtents(int64_t a, int64_t b) {
  int64_t sum;
  return a < 0 || b < 0 || __builtin_add_overflow(a, b, &sum) ? -1 : sum;
}
// What two views of one extent say together; INVALID_ARGUMENT when they differ.
StatusOr<int64_t> MergeExtents(int64_t a, int64_t b);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_ARRAY_INDEX_INDEX_ARGUMENT_H_
