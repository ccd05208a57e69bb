// Elements as rows of a tensor, and back.
//
//   WB_RETURN_IF_ERROR(JoinRows(ctx, 0, "stack", {&list.elements[2], &list.elements[0]}, known));
//   WB_ASSIGN_OR_RETURN(KeptTensor row, RowOf(ctx, ctx.input(0), 3));
//
// Thread safety: pure. Errors: INVALID_ARGUMENT for elements of different shapes, or shapes that
// are not known in full.
#ifndef WARPBEAM_OPS_LIST_LIST_ROWS_H_
#define WARPBEAM_OPS_LIST_LIST_ROWS_H_

#include <vector>

#include "ops/list/tensor_list.h"

namespace warpbeam {

// The output gets all `elements` of shape `known`, one after the other along a new first dimension.
// Elements without a value are zeros; what is not known of their shape the others tell. `verb` is
// what errors say was tried.
Status JoinRows(KernelContext& ctx, int output, absl::string_view verb,
                const std::vector<const KeptTensor*>& elements, PartialShape known);
// Rows [begin, end) of `tensor` under the shape `shape`: a view where a view may begin there.
StatusOr<KeptTensor> RowsOf(KernelContext& ctx, const Tensor& tensor, int64_t begin, int64_t end,
                            const Shape& shape);
inline StatusOr<KeptTensor> RowOf(KernelContext& ctx, const Tensor& tensor, int64_t i) {
  return RowsOf(ctx, tensor, i, i + 1, tensor.shape().Remove(0));
}
Status CheckHasRows(const Tensor& tensor);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_LIST_LIST_ROWS_H_
