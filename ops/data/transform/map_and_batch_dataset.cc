// MapAndBatchDataset: a function of each element, called by several threads, and batches of what it
// gives.
//
// An element that fails costs its whole batch: the others of the batch are read, then the first
// error is the batch's.

#include "ops/data/dataset_of_batches.h"
#include "ops/data/transform/parallel_map_dataset.h"
#include "ops/data/transform/row_batch.h"

namespace warpbeam {
namespace {

// The input is the mapped one.
class MapAndBatchDataset final : public DatasetOfBatches {
 public:
  using DatasetOfBatches::DatasetOfBatches;

  const char* name() const override { return "MapAndBatch"; }
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      PipelineContext& pipeline) const override {
    auto iterator = std::make_unique<Iterator>(*this, pipeline);
    WB_ASSIGN_OR_RETURN(iterator->input_, input().MakeIterator(pipeline));
    return iterator;
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    Iterator(const MapAndBatchDataset& dataset, PipelineContext& pipeline)
        : dataset_(dataset), pipeline_(pipeline), batch_(pipeline.allocator()) {}

    Status GetNext(Element* element, bool* end) override {
      *end = input_ == nullptr;
      if (*end) return OkStatus();
      batch_.Begin(dataset_.batch_size_);
      Status status;
      for (int64_t i = 0; i < dataset_.batch_size_ && !*end; ++i) {
        if (pipeline_.IsCancelled()) return pipeline_.cancel_reason();
        Status one = input_->GetNext(&row_, end);
        if (one.ok() && !*end && status.ok()) one = batch_.Append(row_);
        if (!one.ok()) *end = false;
        status.Update(one);
      }
      if (*end) input_.reset();
      if (!status.ok()) {
        *end = false;
        return status;
      }
      *end =
          batch_.size() == 0 || (dataset_.drop_remainder_ && batch_.size() < dataset_.batch_size_);
      if (!*end) batch_.Take(element);
      return OkStatus();
    }

   private:
    friend class MapAndBatchDataset;
    const MapAndBatchDataset& dataset_;
    PipelineContext& pipeline_;
    std::unique_ptr<DatasetIterator> input_;
    RowBatch batch_;
    Element row_;
  };
};

// What the elements of batches of this kind are.
ElementSpec RowSpec(const ElementSpec& batches) {
  ElementSpec rows = batches;
  for (PartialShape& shape : rows.shapes) {
    if (!shape.has_rank()) continue;
    if (shape.rank() == 0) {
      shape = PartialShape();  // declared wrongly; the batch has one dimension more all the same
      continue;
    }
    std::vector<int64_t> dims;
    for (int d = 1; d < shape.rank(); ++d) dims.push_back(shape.dim(d));
    shape = PartialShape(dims);
  }
  return rows;
}

class MapAndBatchDatasetKernel final : public FunctionDatasetKernel {
  Status ReadAttrs(KernelInit& init) override {
    WB_ASSIGN_OR_RETURN(preserve_cardinality_, init.attr<bool>("preserve_cardinality"));
    return FunctionDatasetKernel::ReadAttrs(init);
  }
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(DatasetRef input, DatasetFromTensor(ctx.input(0)));
    const int at = 1 + num_captured();
    WB_ASSIGN_OR_RETURN(const int64_t batch_size, ScalarInput<int64_t>(ctx, at, "batch_size"));
    if (batch_size <= 0) {
      return InvalidArgument("batch_size must be greater than zero, got ", batch_size);
    }
    WB_ASSIGN_OR_RETURN(const int64_t calls,
                        ScalarInput<int64_t>(ctx, at + 1, "num_parallel_calls"));
    WB_ASSIGN_OR_RETURN(const bool drop_remainder,
                        ScalarInput<bool>(ctx, at + 2, "drop_remainder"));
    ParallelMapOptions options;
    options.preserve_cardinality = preserve_cardinality_;
    WB_RETURN_IF_ERROR(SetCalls(calls, &options));
    return std::make_shared<MapAndBatchDataset>(
        spec(),
        std::make_shared<ParallelMapDataset>(RowSpec(spec()), std::move(input), Capture(ctx, 1),
                                             options),
        batch_size, drop_remainder);
  }
  bool preserve_cardinality_ = false;
};

WB_OP("MapAndBatchDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("other_arguments: Targuments")
    .Input("batch_size: int64")
    .Input("num_parallel_calls: int64")
    .Input("drop_remainder: bool")
    .Output("handle: variant")
    .Attr("f: func")
    .Attr("Targuments: list(type) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("preserve_cardinality: bool = false")
    .Attr("metadata: string = ''")
    .Shape(DatasetShape);
WB_OP("ExperimentalMapAndBatchDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("other_arguments: Targuments")
    .Input("batch_size: int64")
    .Input("num_parallel_calls: int64")
    .Input("drop_remainder: bool")
    .Output("handle: variant")
    .Attr("f: func")
    .Attr("Targuments: list(type) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("preserve_cardinality: bool = false")
    .Shape(DatasetShape);
WB_KERNEL("MapAndBatchDataset", KernelOf<MapAndBatchDatasetKernel>).Cpu().Cheap();
WB_KERNEL("ExperimentalMapAndBatchDataset", KernelOf<MapAndBatchDatasetKernel>).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
