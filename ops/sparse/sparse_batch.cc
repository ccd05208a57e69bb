#include "ops/sparse/sparse_batch.h"

#include <algorithm>
#include <utility>

#include "ops/array/strided_copy.h"

namespace warpbeam {
namespace {

StatusOr<SparseView> ReadMember(const SparseParts& m, size_t number, DType dtype) {
  if (m.indices.dtype() != DType::kInt64 || m.shape.dtype() != DType::kInt64) {
    return InvalidArgument("the indices and the shape of sparse tensor ", number,
                           " must be int64, but are ", DTypeName(m.indices.dtype()), " and ",
                           DTypeName(m.shape.dtype()));
  }
  if (m.values.dtype() != dtype) {
    return InvalidArgument("the values of sparse tensor ", number, " are ",
                           DTypeName(m.values.dtype()), ", 'dtype' is ", DTypeName(dtype));
  }
  return ReadSparse(m.indices, m.values, m.shape, absl::StrCat("sparse tensor ", number));
}

// What the members have in all: the batch's extents, then the largest of each of theirs.
StatusOr<Dims> JointDims(const Dims& batch, const std::vector<SparseView>& members,
                         int64_t* count) {
  Dims dims = batch;
  const size_t outer = dims.size();
  dims.insert(dims.end(), members[0].dims.begin(), members[0].dims.end());
  *count = 0;
  for (size_t i = 0; i < members.size(); ++i) {
    const SparseView& x = members[i];
    if (x.rank != members[0].rank) {
      return InvalidArgument("Inconsistent rank across SparseTensors: rank prior to SparseTensor[",
                             i, "] was: ", members[0].rank + 1, " but rank of SparseTensor[", i,
                             "] is: ", x.rank + 1);
    }
    *count += x.count;
    for (int d = 0; d < x.rank; ++d) dims[outer + d] = std::max(dims[outer + d], x.dims[d]);
  }
  return dims;
}

}  // namespace

StatusOr<SparseView> ReadBatch(const KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(SparseView x, ReadSparse(ctx, 0));
  if (x.rank < 2) {
    return InvalidArgument("the sparse tensor must have a dimension besides that of the batch, ",
                           "but has ", x.rank, " in all");
  }
  WB_RETURN_IF_ERROR(DenseShape(x).status());
  WB_RETURN_IF_ERROR(CheckBounds(x));
  WB_RETURN_IF_ERROR(CheckOrder(x));
  return x;
}

Status ForEachMember(const SparseView& batch,
                     const std::function<Status(int64_t, SparseParts)>& fn) {
  const int64_t rank = batch.rank - 1;
  const Tensor shape = Tensor::Vector<int64_t>(MakeConstSpan(batch.dims).subspan(1));
  int64_t begin = 0;
  for (int64_t member = 0; member < batch.dims[0]; ++member) {
    int64_t end = begin;
    while (end < batch.count && batch.row(end)[0] == member) ++end;
    WB_ASSIGN_OR_RETURN(Tensor indices,
                        Tensor::Allocate(DType::kInt64, Shape({end - begin, rank})));
    int64_t* to = indices.data<int64_t>();
    for (int64_t i = begin; i < end; ++i) to = std::copy_n(batch.row(i) + 1, rank, to);
    WB_RETURN_IF_ERROR(fn(member, {std::move(indices), batch.values->Rows(begin, end), shape}));
    begin = end;
  }
  return OkStatus();
}

Status JoinMembers(KernelContext& ctx, const Dims& batch, const std::vector<SparseParts>& members) {
  const DType dtype = ctx.output_type(1);
  std::vector<SparseView> views(members.size());
  for (size_t i = 0; i < members.size(); ++i) {
    WB_ASSIGN_OR_RETURN(views[i], ReadMember(members[i], i, dtype));
  }
  if (batch.empty()) {
    ctx.set_output(0, members[0].indices);
    ctx.set_output(1, members[0].values);
    ctx.set_output(2, members[0].shape);
    return OkStatus();
  }
  int64_t count;
  WB_ASSIGN_OR_RETURN(const Dims dims, JointDims(batch, views, &count));
  const int64_t rank = static_cast<int64_t>(dims.size());
  WB_ASSIGN_OR_RETURN(const Shape index_shape, Shape::Make({count, rank}));
  WB_ASSIGN_OR_RETURN(Tensor * indices, ctx.Allocate(0, index_shape));
  WB_ASSIGN_OR_RETURN(Tensor * values, ctx.Allocate(1, Shape({count})));
  WB_ASSIGN_OR_RETURN(Tensor * shape, ctx.Allocate(2, Shape({rank})));
  WB_RETURN_IF_ERROR(WriteIndices(dims, shape));
  const int outer = static_cast<int>(batch.size());
  int64_t* to = indices->data<int64_t>();
  int64_t at = 0;
  for (size_t m = 0; m < views.size(); ++m) {
    const SparseView& x = views[m];
    for (int64_t i = 0; i < x.count; ++i, to += rank) {
      int64_t rest = static_cast<int64_t>(m);
      for (int d = outer; d-- > 0; rest /= dims[d]) to[d] = rest % dims[d];
      std::copy_n(x.row(i), x.rank, to + outer);
    }
    CopyElements(dtype, Advance(values->raw_data(), dtype, at), x.values->raw_data(), x.count);
    at += x.count;
  }
  return OkStatus();
}

}  // namespace warpbeam
