// DenseToSparseBatchDataset: batches of elements of different sizes, each batch a sparse tensor of
// three components in a vector of variants.

#include <algorithm>

#include "ops/data/dataset_kernel.h"
#include "ops/data/dataset_of_batches.h"
#include "ops/launch/dispatch.h"

namespace warpbeam {
namespace {

// The values of the batch, one row after the other.
StatusOr<Tensor> Joined(DType type, const std::vector<Tensor>& rows, int64_t count) {
  WB_ASSIGN_OR_RETURN(Tensor values, Tensor::Allocate(type, Shape({count})));
  const auto join = [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* to = values.data<T>();
    for (const Tensor& row : rows) to = std::copy_n(row.data<T>(), row.num_elements(), to);
    return OkStatus();
  };
  WB_RETURN_IF_ERROR(DispatchElements(type, join));
  return values;
}

// Where each of them lies: its row, then its place in the row.
StatusOr<Tensor> Places(const std::vector<Tensor>& rows, int64_t count, int rank) {
  WB_ASSIGN_OR_RETURN(Tensor indices, Tensor::Allocate(DType::kInt64, Shape({count, 1 + rank})));
  int64_t* to = indices.data<int64_t>();
  for (size_t i = 0; i < rows.size(); ++i) {
    const Shape& shape = rows[i].shape();
    std::vector<int64_t> place(rank, 0);
    for (int64_t n = 0; n < rows[i].num_elements(); ++n) {
      *to++ = static_cast<int64_t>(i);
      to = std::copy(place.begin(), place.end(), to);
      for (int d = rank - 1; d >= 0 && ++place[d] == shape.dim(d); --d) place[d] = 0;
    }
  }
  return indices;
}

class DenseToSparseBatchDataset final : public DatasetOfBatches {
 public:
  DenseToSparseBatchDataset(ElementSpec spec, DatasetRef input, int64_t batch_size,
                            PartialShape row_shape)
      : DatasetOfBatches(std::move(spec), std::move(input), batch_size, /*drop_remainder=*/false),
        row_shape_(std::move(row_shape)) {}

  const char* name() const override { return "DenseToSparseBatch"; }
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      PipelineContext& pipeline) const override {
    auto iterator = std::make_unique<Iterator>(*this, pipeline);
    WB_ASSIGN_OR_RETURN(iterator->input_, input().MakeIterator(pipeline));
    return iterator;
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    Iterator(const DenseToSparseBatchDataset& dataset, PipelineContext& pipeline)
        : dataset_(dataset), pipeline_(pipeline) {}

    // An element that does not fit takes those before it along.
    Status GetNext(Element* element, bool* end) override {
      *end = input_ == nullptr;
      if (*end) return OkStatus();
      std::vector<Tensor> rows;
      std::vector<int64_t> dims;
      for (int d = 0; d < Rank(); ++d) dims.push_back(std::max<int64_t>(0, RowShape().dim(d)));
      int64_t count = 0;
      while (static_cast<int64_t>(rows.size()) < dataset_.batch_size_) {
        if (pipeline_.IsCancelled()) return pipeline_.cancel_reason();
        Element row;
        WB_RETURN_IF_ERROR(input_->GetNext(&row, end));
        if (*end) break;
        WB_RETURN_IF_ERROR(CheckFits(row[0].shape()));
        for (int d = 0; d < Rank(); ++d) dims[d] = std::max(dims[d], row[0].dim(d));
        count += row[0].num_elements();
        rows.push_back(std::move(row[0]));
      }
      if (*end) input_.reset();
      *end = rows.empty();
      if (*end) return OkStatus();
      dims.insert(dims.begin(), static_cast<int64_t>(rows.size()));
      const DType type = dataset_.input().spec().types[0];
      WB_ASSIGN_OR_RETURN(Tensor indices, Places(rows, count, Rank()));
      WB_ASSIGN_OR_RETURN(Tensor values, Joined(type, rows, count));
      WB_ASSIGN_OR_RETURN(Tensor sparse, Tensor::Allocate(DType::kVariant, Shape({3})));
      Variant* const to = sparse.data<Variant>();
      to[0] = Variant::Of(std::move(indices));
      to[1] = Variant::Of(std::move(values));
      to[2] = Variant::Of(Tensor::Vector<int64_t>(MakeConstSpan(dims)));
      *element = {std::move(sparse)};
      return OkStatus();
    }

   private:
    friend class DenseToSparseBatchDataset;

    const PartialShape& RowShape() const { return dataset_.row_shape_; }
    int Rank() const { return RowShape().rank(); }

    Status CheckFits(const Shape& shape) const {
      if (shape.rank() != Rank()) {
        return InvalidArgument("Input element had shape (", shape.ToString(),
                               ") that is incompatible with the row shape (", RowShape().ToString(),
                               ").");
      }
      for (int d = 0; d < Rank(); ++d) {
        if (RowShape().dim(d) < 0 || shape.dim(d) <= RowShape().dim(d)) continue;
        return DataLoss("Input element had shape (", shape.ToString(),
                        ") that is larger than the row shape (", RowShape().ToString(), ").");
      }
      return OkStatus();
    }

    const DenseToSparseBatchDataset& dataset_;
    PipelineContext& pipeline_;
    std::unique_ptr<DatasetIterator> input_;
  };

  const PartialShape row_shape_;
};

class DenseToSparseBatchDatasetKernel final : public DatasetKernel {
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(DatasetRef input, DatasetFromTensor(ctx.input(0)));
    if (input->spec().types.size() != 1) {
      return InvalidArgument("DenseToSparseDataset only supports inputs with a single component, ",
                             "not with ", input->spec().types.size());
    }
    WB_ASSIGN_OR_RETURN(const int64_t batch_size, ScalarInput<int64_t>(ctx, 1, "batch_size"));
    if (batch_size <= 0) {
      return InvalidArgument("Batch size must be greater than zero, got ", batch_size);
    }
    const Tensor& row_shape = ctx.input(2);
    if (row_shape.rank() != 1) {
      return InvalidArgument("row_shape must be a vector, got shape ",
                             row_shape.shape().ToString());
    }
    WB_ASSIGN_OR_RETURN(PartialShape shape, PartialShape::Make(row_shape.flat<int64_t>()));
    return std::make_shared<DenseToSparseBatchDataset>(spec(), std::move(input), batch_size,
                                                       std::move(shape));
  }
};

WB_OP("DenseToSparseBatchDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("batch_size: int64")
    .Input("row_shape: int64")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Shape(DatasetShape);
WB_OP("ExperimentalDenseToSparseBatchDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("batch_size: int64")
    .Input("row_shape: int64")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Shape(DatasetShape);
WB_KERNEL("DenseToSparseBatchDataset", KernelOf<DenseToSparseBatchDatasetKernel>).Cpu().Cheap();
WB_KERNEL("ExperimentalDenseToSparseBatchDataset", KernelOf<DenseToSparseBatchDatasetKernel>)
    .Cpu()
    .Cheap();

}  // namespace
}  // namespace warpbeam
