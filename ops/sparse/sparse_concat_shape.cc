#include "ops/sparse/sparse_concat_shape.h"

#include "absl/strings/str_cat.h"

namespace warpbeam {

StatusOr<SparseConcatParts> SparseConcatParts::Read(const KernelContext& ctx, int64_t concat_dim) {
  const int n = ctx.num_inputs() / 3;
  SparseConcatParts all;
  for (int i = 0; i < n; ++i) {
    WB_ASSIGN_OR_RETURN(const SparseView x,
                        ReadSparse(ctx.input(i), ctx.input(n + i), ctx.input(2 * n + i),
                                   absl::StrCat("operand ", i)));
    if (i > 0 && x.rank != all.parts[0].rank) {
      return InvalidArgument("Ranks of all input tensors must match: expected ", all.parts[0].rank,
                             " but got ", x.rank, " at position ", i);
    }
    all.parts.push_back(x);
    all.count += x.count;
  }
  WB_ASSIGN_OR_RETURN(all.axis, ResolveAxis(concat_dim, all.parts[0].rank));
  const int axis = all.axis;
  all.dims = all.parts[0].dims;
  all.dims[axis] = 0;
  for (const SparseView& x : all.parts) {
    for (int d = 0; d < x.rank; ++d) {
      if (d == axis || x.dims[d] == all.dims[d]) continue;
      return InvalidArgument("Input shapes must match but along 'concat_dim', ", axis,
                             ": there are ", RowToString(all.parts[0].dims.data(), x.rank), " and ",
                             RowToString(x.dims.data(), x.rank));
    }
    all.begins.push_back(all.dims[axis]);
    if (__builtin_add_overflow(all.dims[axis], x.dims[axis], &all.dims[axis])) {
      return InvalidArgument("the extents along 'concat_dim', ", axis, ", add up to too much");
    }
  }
  WB_RETURN_IF_ERROR(Shape::Make(all.dims).status());
  return all;
}

}  // namespace warpbeam
