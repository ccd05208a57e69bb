#include "ops/array/layout/diagonals.h"

#include <string>

#include "ops/array/index/index_argument.h"

namespace warpbeam {

DiagonalAlign DiagonalAlign::FromAttrs(const AttrMap& attrs) {
  const std::string align = attrs.GetOr<std::string>("align", "LEFT_LEFT");
  return {align == "LEFT_LEFT" || align == "LEFT_RIGHT",
          align == "LEFT_LEFT" || align == "RIGHT_LEFT"};
}

StatusOr<Diagonals> Diagonals::Make(int64_t lower, int64_t upper, int64_t rows, int64_t cols,
                                    DiagonalAlign align) {
  for (int64_t d : {lower, upper}) {
    if (d != 0 && (d <= -rows || d >= cols)) {
      return InvalidArgument("diagonal ", d, " is outside of a matrix of ", rows, " x ", cols);
    }
  }
  if (lower > upper) {
    return InvalidArgument("the lower diagonal ", lower, " is above the upper one ", upper);
  }
  Diagonals band;
  band.lower = lower;
  band.upper = upper;
  band.rows = rows;
  band.cols = cols;
  band.align = align;
  band.longest = std::min(rows + std::min<int64_t>(upper, 0), cols - std::max<int64_t>(lower, 0));
  return band;
}

StatusOr<DiagonalRange> ReadDiagonalRange(const Tensor& k) {
  if (k.rank() > 1 || k.num_elements() < 1 || k.num_elements() > 2) {
    return InvalidArgument("'k' must be a scalar or a vector of one or two elements, not of shape ",
                           k.shape().ToString());
  }
  WB_ASSIGN_OR_RETURN(Dims values, ReadIndices(k, "k"));
  if (values.back() < values[0]) {
    return InvalidArgument("'k' must go from the lower to the upper diagonal, not from ", values[0],
                           " to ", values.back());
  }
  return DiagonalRange{values[0], values.back()};
}

}  // namespace warpbeam
