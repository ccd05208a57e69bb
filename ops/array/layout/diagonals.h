// Diagonals: where the elements of matrices' diagonals stand when they are packed into rows.
//
// Diagonal d holds the elements with column - row = d. The packed form has one row for each of the
// diagonals upper … lower, from the highest down, all as long as the longest; shorter ones stand at
// the left or the right end of their rows. A single diagonal is packed without that dimension.
//
//   WB_ASSIGN_OR_RETURN(Diagonals band, Diagonals::Make(lower, upper, rows, cols, align));
//   for (int64_t d = band.lower; d <= band.upper; ++d)
//     packed[band.RowOf(d)][band.StartOf(d) + i] ==
//         matrix[std::max(-d, 0L) + i][std::max(d, 0L) + i];
//
// Thread safety: values. Errors: INVALID_ARGUMENT for diagonals outside of the matrix.
#ifndef WARPBEAM_OPS_ARRAY_LAYOUT_DIAGONALS_H_
#define WARPBEAM_OPS_ARRAY_LAYOUT_DIAGONALS_H_

#include <algorithm>
#include <cstdint>

#include "graph/types/attr_value.h"
#include "graph/types/tensor.h"

namespace warpbeam {

// At which end of their rows diagonals above and below the main one stand.
struct DiagonalAlign {
  bool left_above = true;
  bool left_below = true;
  // From the attribute "align"; ops without it align both to the left.
  static DiagonalAlign FromAttrs(const AttrMap& attrs);
};

struct Diagonals {
  int64_t lower = 0, upper = 0;
  int64_t rows = 0, cols = 0;
  int64_t longest = 0;
  DiagonalAlign align;

  static StatusOr<Diagonals> Make(int64_t lower, int64_t upper, int64_t rows, int64_t cols,
                                  DiagonalAlign align);
  int64_t count() const { return upper - lower + 1; }
  int64_t LengthOf(int64_t d) const {
    return std::min(rows + std::min<int64_t>(d, 0), cols - std::max<int64_t>(d, 0));
  }
  int64_t RowOf(int64_t d) const { return upper - d; }
  int64_t StartOf(int64_t d) const {
    const bool left = (d >= 0 && align.left_above) || (d <= 0 && align.left_below);
    return left ? 0 : longest - LengthOf(d);
  }
};

// The argument "k": one diagonal, or the lowest and the highest one.
struct DiagonalRange {
  int64_t lower = 0, upper = 0;
};
StatusOr<DiagonalRange> ReadDiagonalRange(const Tensor& k);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_ARRAY_LAYOUT_DIAGONALS_H_
