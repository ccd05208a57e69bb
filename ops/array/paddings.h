// Paddings: the [rank, 2] argument of Pad and MirrorPad, read and checked.
//
//   WB_ASSIGN_OR_RETURN(Paddings p, ReadPaddings(ctx.input(1), x.rank()));
//   p[0].before, p[0].after
//
// No padding is negative, and the two of a dimension add up to an int64.
//
// Thread safety: pure. Errors: INVALID_ARGUMENT naming shape or value.
#ifndef WARPBEAM_OPS_ARRAY_PADDINGS_H_
#define WARPBEAM_OPS_ARRAY_PADDINGS_H_

#include <cstdint>
#include <limits>

#include "absl/container/inlined_vector.h"
#include "ops/array/index/index_argument.h"

namespace warpbeam {

struct Padding {
  int64_t before, after;
  int64_t both() const { return before + after; }
};
using Paddings = absl::InlinedVector<Padding, 8>;

inline StatusOr<Paddings> ReadPaddings(const Tensor& t, int rank) {
  if (t.rank() != 2 || t.dim(1) != 2) {
    return InvalidArgument("paddings must be a matrix with 2 columns, not of shape ",
                           t.shape().ToString());
  }
  if (t.dim(0) != rank) {
    return InvalidArgument("The first dimension of paddings must be the rank of inputs, ", rank,
                           ", not ", t.dim(0));
  }
  WB_ASSIGN_OR_RETURN(Dims values, ReadIndices(t, "paddings"));
  Paddings out;
  for (size_t i = 0; i < values.size(); i += 2) {
    if (values[i] < 0 || values[i + 1] < 0) {
      return InvalidArgument("Paddings must be non-negative: ", values[i], " and ", values[i + 1]);
    }
    if (values[i] > std::numeric_limits<int64_t>::max() - values[i + 1]) {
      return InvalidArgument("paddings of ", values[i], " and ", values[i + 1], " are too large");
    }
    out.push_back({values[i], values[i + 1]});
  }
  return out;
}

// The shape function of ops that add paddings (`sign` 1) or take them away (-1).
inline Status PaddedShape(ShapeContext& c, int sign) {
  WB_ASSIGN_OR_RETURN(PartialShape pads, c.WithRank(1, 2));
  WB_ASSIGN_OR_RETURN(int64_t two, MergeExtents(pads.dim(1), 2));
  (void)two;
  const PartialShape& x = c.input(0);
  const int rank = x.has_rank() ? x.rank() : ShapeContext::RankOfLength(pads.dim(0));
  if (rank < 0) return OkStatus();
  if (pads.dim(0) >= 0 && pads.dim(0) != rank) {
    return InvalidArgument("'paddings' must be of shape [", rank, ",2], not ", pads.ToString());
  }
  PartialShape out = PartialShape::UnknownOfRank(rank);
  const std::optional<Tensor> constant = c.ConstantInput(1);
  if (constant) {
    WB_ASSIGN_OR_RETURN(Paddings p, ReadPaddings(*constant, rank));
    for (int i = 0; i < rank && x.has_rank(); ++i) {
      const int64_t pad = p[static_cast<size_t>(i)].both();
      if (x.dim(i) < 0) continue;
      int64_t extent = 0;
      if (__builtin_add_overflow(x.dim(i), sign * pad, &extent)) {
        return InvalidArgument("paddings of ", pad, " around an extent of ", x.dim(i),
                               " are too large");
      }
      if (extent < 0) return InvalidArgument("paddings of ", pad, " exceed the extent ", x.dim(i));
      out.set_dim(i, extent);
    }
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_ARRAY_PADDINGS_H_
