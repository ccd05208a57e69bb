// BatchDataset and BatchDatasetV2: `batch_size` consecutive elements as one; V2 may drop a last
// batch that is not full.

#include "ops/data/dataset_kernel.h"
#include "ops/data/dataset_of_batches.h"
#include "ops/data/transform/row_batch.h"

namespace warpbeam {
namespace {

class BatchDataset final : public DatasetOfBatches {
 public:
  using DatasetOfBatches::DatasetOfBatches;

  const char* name() const override { return "Batch"; }
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      PipelineContext& pipeline) const override {
    auto iterator = std::make_unique<Iterator>(*this, pipeline);
    WB_ASSIGN_OR_RETURN(iterator->input_, input().MakeIterator(pipeline));
    return iterator;
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    Iterator(const BatchDataset& dataset, PipelineContext& pipeline)
        : dataset_(dataset), pipeline_(pipeline), batch_(pipeline.allocator()) {}

    Status GetNext(Element* element, bool* end) override {
      *end = input_ == nullptr;
      if (*end) return OkStatus();
      batch_.Begin(dataset_.batch_size_);
      while (batch_.size() < dataset_.batch_size_) {
        if (pipeline_.IsCancelled()) return pipeline_.cancel_reason();
        WB_RETURN_IF_ERROR(input_->GetNext(&row_, end));
        if (*end) break;
        WB_RETURN_IF_ERROR(batch_.Append(row_));
      }
      if (*end) input_.reset();
      *end =
          batch_.size() == 0 || (dataset_.drop_remainder_ && batch_.size() < dataset_.batch_size_);
      if (!*end) batch_.Take(element);
      return OkStatus();
    }

   private:
    friend class BatchDataset;
    const BatchDataset& dataset_;
    PipelineContext& pipeline_;
    std::unique_ptr<DatasetIterator> input_;
    RowBatch batch_;
    Element row_;
  };
};

class BatchDatasetKernel final : public DatasetKernel {
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(DatasetRef input, DatasetFromTensor(ctx.input(0)));
    WB_ASSIGN_OR_RETURN(const int64_t batch_size, ScalarInput<int64_t>(ctx, 1, "batch_size"));
    if (batch_size <= 0) {
      return InvalidArgument("batch_size must be greater than 0, got ", batch_size);
    }
    bool drop_remainder = false;
    if (ctx.num_inputs() > 2) {
      WB_ASSIGN_OR_RETURN(drop_remainder,
                          ScalarInput<bool>(ctx, ctx.num_inputs() - 1, "drop_remainder"));
    }
    return std::make_shared<BatchDataset>(spec(), std::move(input), batch_size, drop_remainder);
  }
};

WB_OP("BatchDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("batch_size: int64")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Shape(DatasetShape);
WB_OP("BatchDatasetV2")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("batch_size: int64")
    .Input("drop_remainder: bool")
    .Output("handle: variant")
    .Attr("parallel_copy: bool = false")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Shape(DatasetShape);
WB_OP("ParallelBatchDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("batch_size: int64")
    .Input("num_parallel_calls: int64")
    .Input("drop_remainder: bool")
    .Output("handle: variant")
    .Attr("parallel_copy: bool = false")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("deterministic: string = 'default'")
    .Attr("metadata: string = ''")
    .Shape(DatasetShape);
WB_KERNEL("BatchDataset", KernelOf<BatchDatasetKernel>).Cpu().Cheap();
WB_KERNEL("BatchDatasetV2", KernelOf<BatchDatasetKernel>).Cpu().Cheap();
WB_KERNEL("ParallelBatchDataset", KernelOf<BatchDatasetKernel>).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
