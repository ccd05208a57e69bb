#include "ops/batching/concatenated_rows.h"

#include "graph/types/errors.h"
#include "ops/array/strided_copy.h"

namespace warpbeam {
namespace {

Status CheckRows(const Shape& first, const Shape& other, size_t index) {
  if (first.rank() == 0 || first.rank() != other.rank()) {
    return InvalidArgument("Ranks of all input tensors should match: shape[0] = ", first.ToString(),
                           " vs. shape[", index, "] = ", other.ToString());
  }
  for (int d = 1; d < first.rank(); ++d) {
    if (first.dim(d) == other.dim(d)) continue;
    return InvalidArgument("Dimensions of inputs should match: shape[0] = ", first.ToString(),
                           " vs. shape[", index, "] = ", other.ToString());
  }
  return OkStatus();
}

}  // namespace

StatusOr<Tensor> ConcatenatedRows(KernelContext& ctx, const std::vector<Tensor>& parts) {
  const Tensor& first = parts[0];
  int64_t rows = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    WB_RETURN_IF_ERROR(CheckRows(first.shape(), parts[i].shape(), i));
    if (__builtin_add_overflow(rows, parts[i].dim(0), &rows)) {
      return InvalidArgument("more rows than a tensor can have");
    }
  }
  if (parts.size() == 1) return first;
  WB_ASSIGN_OR_RETURN(const Shape shape, first.shape().WithDim(0, rows));
  WB_ASSIGN_OR_RETURN(Tensor all, ctx.AllocateTemp(first.dtype(), shape));
  int64_t done = 0;
  for (const Tensor& part : parts) {
    CopyElements(part.dtype(), Advance(all.raw_data(), part.dtype(), done), part.raw_data(),
                 part.num_elements());
    done += part.num_elements();
  }
  return all;
}

}  // namespace warpbeam
