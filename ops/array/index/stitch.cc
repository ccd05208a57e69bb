#include "ops/array/index/stitch.h"

#include <algorithm>

#include "ops/array/index/index_argument.h"

namespace warpbeam {

StatusOr<Shape> StitchedShape(const KernelContext& ctx) {
  const int n = ctx.num_inputs() / 2;
  int64_t rows = 0;
  Dims slice;
  for (int i = 0; i < n; ++i) {
    const Shape& indices = ctx.input(i).shape();
    const Shape& data = ctx.input(n + i).shape();
    bool fits = indices.rank() <= data.rank();
    for (int d = 0; fits && d < indices.rank(); ++d) fits = indices.dim(d) == data.dim(d);
    if (!fits) {
      return InvalidArgument("data[", i, "] of shape ", data.ToString(),
                             " must begin with the shape of indices[", i,
                             "]: ", indices.ToString());
    }
    const Dims here(data.dims().begin() + indices.rank(), data.dims().end());
    if (i == 0) slice = here;
    if (here != slice) {
      return InvalidArgument("slices of data[0] and data[", i,
                             "] differ in shape: ", ctx.input(n).shape().ToString(), " and ",
                             data.ToString());
    }
    WB_ASSIGN_OR_RETURN(Dims values, ReadIndices(ctx.input(i), "indices"));
    for (int64_t v : values) {
      if (v < 0) return InvalidArgument("indices[", i, "] holds ", v, ", which is out of range");
      rows = std::max(rows, v + 1);
    }
  }
  slice.insert(slice.begin(), rows);
  return Shape::Make(slice);
}

}  // namespace warpbeam
