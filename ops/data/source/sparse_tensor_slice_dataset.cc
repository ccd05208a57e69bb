// SparseTensorSliceDataset: the rows of a sparse tensor, each as a sparse tensor of three
// components.
#include <algorithm>

#include "ops/array/kernel_types.h"
#include "ops/data/dataset_kernel.h"

namespace warpbeam {
namespace {

struct SparseRows {
  Tensor indices;  // [entries, rank], sorted by row
  Tensor values;
  std::vector<int64_t> dims;

  int64_t rank() const { return static_cast<int64_t>(dims.size()); }
  int64_t entries() const { return indices.dim(0); }
  int64_t RowOf(int64_t entry) const { return indices.data<int64_t>()[entry * rank()]; }
};

ElementSpec RowSpec(const SparseRows& rows) {
  const int64_t rank = rows.rank() - 1;
  return {{DType::kInt64, rows.values.dtype(), DType::kInt64},
          {PartialShape({-1, rank}), PartialShape({-1}), PartialShape({rank})}};
}

class SparseTensorSliceDataset final : public Dataset {
 public:
  explicit SparseTensorSliceDataset(SparseRows rows)
      : Dataset(RowSpec(rows), {}), rows_(std::move(rows)) {}

  const char* name() const override { return "SparseTensorSlice"; }
  int64_t CountElements() const override { return rows_.dims[0]; }
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(PipelineContext&) const override {
    return std::make_unique<Iterator>(rows_);
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    explicit Iterator(const SparseRows& rows) : rows_(rows) {}

    Status GetNext(Element* element, bool* end) override {
      *end = row_ == rows_.dims[0];
      if (*end) return OkStatus();
      // Entries of no row are passed over.
      while (entry_ < rows_.entries() && rows_.RowOf(entry_) < row_) ++entry_;
      const int64_t begin = entry_;
      while (entry_ < rows_.entries() && rows_.RowOf(entry_) == row_) ++entry_;
      ++row_;
      const int64_t rank = rows_.rank() - 1;
      WB_ASSIGN_OR_RETURN(Tensor indices,
                          Tensor::Allocate(DType::kInt64, Shape({entry_ - begin, rank})));
      int64_t* to = indices.data<int64_t>();
      for (int64_t i = begin; i < entry_; ++i) {
        to = std::copy_n(rows_.indices.data<int64_t>() + i * (rank + 1) + 1, rank, to);
      }
      *element = {std::move(indices), rows_.values.Rows(begin, entry_),
                  Tensor::Vector<int64_t>(MakeConstSpan(rows_.dims).subspan(1))};
      return OkStatus();
    }

   private:
    const SparseRows& rows_;
    int64_t row_ = 0;
    int64_t entry_ = 0;
  };

  const SparseRows rows_;
};

class SparseTensorSliceDatasetKernel final : public DatasetKernel {
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    const Tensor& indices = ctx.input(0);
    const Tensor& values = ctx.input(1);
    const Tensor& shape = ctx.input(2);
    if (indices.rank() != 2) {
      return InvalidArgument("Input indices must be a matrix. Got: ", indices.shape().ToString());
    }
    if (values.rank() != 1) {
      return InvalidArgument("Input values must be a vector. Got: ", values.shape().ToString());
    }
    if (shape.rank() != 1) {
      return InvalidArgument("Input shape must be a vector. Got: ", shape.shape().ToString());
    }
    if (values.dim(0) != indices.dim(0)) {
      return InvalidArgument("Number of values must match first dimension of indices. Got ",
                             values.dim(0), " values, indices shape: ", indices.shape().ToString());
    }
    if (shape.dim(0) != indices.dim(1)) {
      return InvalidArgument("Number of dimensions must match second dimension of indices. Got ",
                             shape.dim(0),
                             " dimensions, indices shape: ", indices.shape().ToString());
    }
    if (shape.dim(0) < 1) {
      return InvalidArgument("The shape argument requires at least one element.");
    }
    SparseRows rows{indices, values, {shape.flat<int64_t>().begin(), shape.flat<int64_t>().end()}};
    for (const int64_t extent : rows.dims) {
      if (extent < 0) {
        return InvalidArgument("Expected shape dimensions to be non-negative, got ", extent);
      }
    }
    for (int64_t i = 1; i < rows.entries(); ++i) {
      if (rows.RowOf(i) >= rows.RowOf(i - 1)) continue;
      return Unimplemented("The SparseTensor must be ordered in the batch dimension; entry ", i,
                           " is of row ", rows.RowOf(i), ", the one before of row ",
                           rows.RowOf(i - 1));
    }
    return std::make_shared<SparseTensorSliceDataset>(std::move(rows));
  }
};

WB_OP("SparseTensorSliceDataset")
    .Role(OpRole::kDataset)
    .Input("indices: int64")
    .Input("values: Tvalues")
    .Input("dense_shape: int64")
    .Output("handle: variant")
    .Attr("Tvalues: type")
    .Stateful()
    .Shape(DatasetShape);
WB_KERNEL("SparseTensorSliceDataset", KernelOf<SparseTensorSliceDatasetKernel>)
    .Cpu({{"Tvalues", kPlainTypes | kObjectTypes}})
    .Cheap();

}  // namespace
}  // namespace warpbeam
