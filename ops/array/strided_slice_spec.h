// SliceSpec: what x[a:b:c, ..., None, i] means for a tensor of a given shape.
//
// The op's arguments are sparse (an entry per index expression) with masks for "no bound given",
// "...", a new axis and a single index. Resolving makes them dense: one range per dimension of the
// input, and the output's shape.
//
//   WB_ASSIGN_OR_RETURN(SliceMasks masks, SliceMasks::FromAttrs(attrs));
//   WB_ASSIGN_OR_RETURN(SliceSpec spec, ResolveSlice(masks, begin, end, strides, shape));
//
// Thread safety: pure. Errors: INVALID_ARGUMENT for zero strides, too many indices and single
// indices out of range.
#ifndef WARPBEAM_OPS_ARRAY_STRIDED_SLICE_SPEC_H_
#define WARPBEAM_OPS_ARRAY_STRIDED_SLICE_SPEC_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "graph/types/attr_value.h"
#include "ops/array/index/index_argument.h"
#include "ops/array/strided_copy.h"

namespace warpbeam {

struct SliceMasks {
  uint64_t begin = 0, end = 0, ellipsis = 0, new_axis = 0, shrink_axis = 0;
  static StatusOr<SliceMasks> FromAttrs(const AttrMap& attrs);
};

struct SliceSpec {
  // Per dimension of the input; `size` is -1 where it is not known.
  struct Range {
    int64_t begin, stride, size;
  };
  std::vector<Range> ranges;
  // Which dimension of the output each range became; -1 for a single index.
  std::vector<int> output_dim;
  PartialShape final;       // the output's: single indices dropped, new axes added
  bool is_identity = true;  // the whole input in order
  bool is_rows = true;      // whole rows [begin, begin + size) of the first dimension
};

// `begin` and `end` may be missing (their values are not known yet); `shape` may be partly unknown.
StatusOr<SliceSpec> ResolveSlice(const SliceMasks& masks, const std::optional<Dims>& begin,
                                 const std::optional<Dims>& end, const Dims& strides,
                                 const PartialShape& shape);

// Reads the three vectors from inputs `first`, `first`+1, `first`+2 of a kernel and resolves them.
StatusOr<SliceSpec> ResolveSlice(const SliceMasks& masks, const KernelContext& ctx, int first,
                                 const Shape& shape);

// How to copy between the slice of a tensor of `shape` and a dense tensor of the slice's elements:
// `from` walks the big tensor, beginning at element `*offset`.
CopyDims SliceCopy(const SliceSpec& spec, const Shape& shape, int64_t* offset);

// The other way round: `from` walks a value that is broadcast to the slice's output shape, `to` the
// slice in a tensor of `shape`. INVALID_ARGUMENT when the value does not broadcast.
StatusOr<CopyDims> SliceAssignment(const SliceSpec& spec, const Shape& value, const Shape& shape,
                                   int64_t* offset);

// Writes `value` into the slice of `y`, whose bytes the caller may write.
Status AssignSlice(const KernelContext& ctx, const SliceSpec& spec, const Tensor& value, Tensor* y);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_ARRAY_STRIDED_SLICE_SPEC_H_
