#include "ops/collective/all_to_all.h"

#include <cstring>

#include "ops/collective/collective_kernel.h"

namespace warpbeam {

Status CheckPieces(const Shape& shape, int64_t members) {
  if (shape.rank() > 0 && shape.dim(0) == members) return OkStatus();
  if (shape.rank() == 0) {
    return InvalidArgument(kAbortedBy,
                           "input to all-to-all is a scalar; its first dimension size must be the "
                           "same as the group size (",
                           members, ")");
  }
  return InvalidArgument(kAbortedBy, "input to all-to-all first dimension size (", shape.dim(0),
                         ") must be the same as the group size (", members, ")");
}

StatusOr<Tensor> ExchangePieces(KernelContext& ctx, const std::vector<CollectiveMember>& members) {
  const Tensor& first = members[0].input;
  const size_t count = members.size();
  WB_ASSIGN_OR_RETURN(const Shape shape,
                      first.shape().WithDim(0, static_cast<int64_t>(count * count)));
  WB_ASSIGN_OR_RETURN(Tensor result, ctx.AllocateTemp(first.dtype(), shape));
  const size_t piece = first.bytes() / count;
  if (piece == 0) return result;
  auto* out = static_cast<char*>(result.raw_data());
  for (size_t to = 0; to < count; ++to) {
    for (const CollectiveMember& from : members) {
      memcpy(out, static_cast<const char*>(from.input.raw_data()) + to * piece, piece);
      out += piece;
    }
  }
  return result;
}

StatusOr<Tensor> RowsInOrder(const KernelContext& ctx, const Tensor& rows,
                             const std::vector<int64_t>& from) {
  WB_ASSIGN_OR_RETURN(const Shape shape,
                      rows.shape().WithDim(0, static_cast<int64_t>(from.size())));
  WB_ASSIGN_OR_RETURN(Tensor result, ctx.AllocateTemp(rows.dtype(), shape));
  if (rows.bytes() == 0) return result;
  const size_t row = rows.bytes() / static_cast<size_t>(rows.dim(0));
  auto* out = static_cast<char*>(result.raw_data());
  for (const int64_t i : from) {
    memcpy(out, static_cast<const char*>(rows.raw_data()) + static_cast<size_t>(i) * row, row);
    out += row;
  }
  return result;
}

}  // namespace warpbeam
