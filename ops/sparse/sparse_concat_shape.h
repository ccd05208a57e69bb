// What the kernels of SparseConcat have in common, whatever device they are on.
//
//   WB_ASSIGN_OR_RETURN(const SparseConcatParts parts, SparseConcatParts::Read(ctx, concat_dim));
//   for (const SparseView& x : parts.parts) Use(x);
//
// Ownership: the views borrow the step's tensors. Thread safety: a pure function. Errors:
// INVALID_ARGUMENT for what is no sparse tensor, for shapes that differ but along the axis, and for
// extents that add up to too much.
#ifndef WARPBEAM_OPS_SPARSE_SPARSE_CONCAT_SHAPE_H_
#define WARPBEAM_OPS_SPARSE_SPARSE_CONCAT_SHAPE_H_

#include <cstdint>
#include <vector>

#include "ops/sparse/sparse_tensor.h"

namespace warpbeam {

struct SparseConcatParts {
  std::vector<SparseView> parts;  // of one rank
  int axis = 0;
  std::vector<int64_t> begins;  // of each part along the axis
  std::vector<int64_t> dims;    // of all
  int64_t count = 0;

  // Looks at the inputs' shapes, and at the dense shapes, which are in host memory.
  static StatusOr<SparseConcatParts> Read(const KernelContext& ctx, int64_t concat_dim);
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_SPARSE_SPARSE_CONCAT_SHAPE_H_
