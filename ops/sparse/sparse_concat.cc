// SparseConcat: sparse tensors joined along one dimension.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/array/kernel_types.h"
#include "ops/array/strided_copy.h"
#include "ops/sparse/sparse_concat_shape.h"
#include "ops/sparse/sparse_tensor.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status ConcatShape(ShapeContext& c) {
  const int n = c.num_inputs() / 3;
  int64_t count = 0, rank = -1;
  for (int i = 0; i < n; ++i) {
    WB_ASSIGN_OR_RETURN(const PartialShape indices, c.WithRank(i, 2));
    WB_ASSIGN_OR_RETURN(const PartialShape values, c.WithRank(n + i, 1));
    WB_ASSIGN_OR_RETURN(const PartialShape shape, c.WithRank(2 * n + i, 1));
    WB_ASSIGN_OR_RETURN(const int64_t rows, MergeExtents(indices.dim(0), values.dim(0)));
    WB_ASSIGN_OR_RETURN(const int64_t columns, MergeExtents(indices.dim(1), shape.dim(0)));
    WB_ASSIGN_OR_RETURN(rank, MergeExtents(rank, columns));
    count = AddExtents(count, rows);
  }
  SetSparseOutput(c, 0, count, rank);
  return OkStatus();
}

// The rows of all parts, one after the other, moved along the axis.
StatusOr<std::vector<int64_t>> JoinRows(const SparseConcatParts& all) {
  std::vector<int64_t> rows;
  for (size_t p = 0; p < all.parts.size(); ++p) {
    const SparseView& x = all.parts[p];
    const size_t begin = rows.size();
    rows.insert(rows.end(), x.indices, x.indices + x.count * x.rank);
    for (size_t i = begin + all.axis; i < rows.size(); i += x.rank) {
      if (__builtin_add_overflow(rows[i], all.begins[p], &rows[i])) {
        return InvalidArgument("indices overflow along 'concat_dim', ", all.axis);
      }
    }
  }
  return rows;
}

class ConcatKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<ConcatKernel>();
    WB_ASSIGN_OR_RETURN(kernel->axis_, init.attr<int64_t>("concat_dim"));
    return kernel;
  }

  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const SparseConcatParts read, SparseConcatParts::Read(ctx, axis_));
    WB_ASSIGN_OR_RETURN(const std::vector<int64_t> rows, JoinRows(read));
    SparseView all = read.parts[0];
    all.dims = read.dims;
    all.indices = rows.data();
    all.count = read.count;
    return Write(ctx, read.parts, all);
  }

 private:
  static Status Write(KernelContext& ctx, const std::vector<SparseView>& parts, SparseView& all) {
    const DType dtype = ctx.output_type(1);
    WB_ASSIGN_OR_RETURN(Tensor joined, Tensor::Allocate(dtype, Shape({all.count})));
    int64_t at = 0;
    for (const SparseView& x : parts) {
      CopyElements(dtype, Advance(joined.raw_data(), dtype, at), x.values->raw_data(), x.count);
      at += x.count;
    }
    const std::vector<int64_t> order = RowOrder(all);
    WB_ASSIGN_OR_RETURN(Tensor * indices, ctx.Allocate(0, Shape({all.count, all.rank})));
    WB_ASSIGN_OR_RETURN(Tensor * values, ctx.Allocate(1, Shape({all.count})));
    WB_ASSIGN_OR_RETURN(Tensor * shape, ctx.Allocate(2, Shape({all.rank})));
    TakeRows(all, order, indices->data<int64_t>());
    WB_RETURN_IF_ERROR(WriteIndices(all.dims, shape));
    return TakeValues(joined, order, values);
  }

  int64_t axis_ = 0;
};

WB_OP("SparseConcat")
    .Input("indices: N * int64")
    .Input("values: N * T")
    .Input("shapes: N * int64")
    .Output("output_indices: int64")
    .Output("output_values: T")
    .Output("output_shape: int64")
    .Attr("concat_dim: int")
    .Attr("N: int >= 2")
    .Attr("T: type")
    .Shape(ConcatShape);
WB_KERNEL("SparseConcat", ConcatKernel)
    .Cpu({{"T", kPlainTypes | kObjectTypes}})
    .Gpu({{"T", kPlainTypes}})
    .HostMemory({"shapes", "output_shape"});
WB_NO_GRADIENT("SparseConcat");

}  // namespace
}  // namespace warpbeam
