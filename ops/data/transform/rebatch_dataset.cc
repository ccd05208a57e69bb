// RebatchDataset: each batch of the input cut into as many as there are replicas, so that together
// they see what one saw; the last ones may be empty. RebatchDatasetV2: the rows of the input in
// batches of given sizes, which take turns.

#include <algorithm>

#include "ops/data/dataset_kernel.h"
#include "ops/data/transform/row_batch.h"

namespace warpbeam {
namespace {

// The rows that the components of a batch share.
StatusOr<int64_t> RowsOf(const Element& batch) {
  for (const Tensor& t : batch) {
    if (t.rank() < 1) {
      return InvalidArgument("cannot rebatch: all components must have at least one dimension");
    }
    if (t.shape().dim(0) != batch[0].shape().dim(0)) {
      return InvalidArgument("cannot rebatch: the components have different batch sizes: ",
                             batch[0].shape().dim(0), " and ", t.shape().dim(0));
    }
  }
  return batch.empty() ? 0 : batch[0].shape().dim(0);
}

Element SliceRows(const Element& batch, int64_t begin, int64_t end) {
  Element rows;
  for (const Tensor& t : batch) rows.push_back(t.Rows(begin, end));
  return rows;
}

class RebatchDataset final : public Dataset {
 public:
  RebatchDataset(ElementSpec spec, DatasetRef input, int64_t num_replicas)
      : Dataset(std::move(spec), {std::move(input)}), num_replicas_(num_replicas) {}

  const char* name() const override { return "Rebatch"; }
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      PipelineContext& pipeline) const override {
    auto iterator = std::make_unique<Iterator>(num_replicas_);
    WB_ASSIGN_OR_RETURN(iterator->input_, input().MakeIterator(pipeline));
    return iterator;
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    explicit Iterator(int64_t num_replicas) : num_replicas_(num_replicas), next_(num_replicas) {}

    Status GetNext(Element* element, bool* end) override {
      *end = input_ == nullptr;
      if (*end) return OkStatus();
      if (next_ == num_replicas_) {
        Element batch;
        WB_RETURN_IF_ERROR(input_->GetNext(&batch, end));
        if (*end) {
          input_.reset();
          return OkStatus();
        }
        WB_ASSIGN_OR_RETURN(rows_, RowsOf(batch));
        batch_ = std::move(batch);
        each_ = rows_ / num_replicas_ + (rows_ % num_replicas_ == 0 ? 0 : 1);
        begin_ = next_ = 0;
      }
      const int64_t stop = std::min(rows_, begin_ + each_);
      *element = SliceRows(batch_, begin_, stop);
      begin_ = stop;
      if (++next_ == num_replicas_) batch_.clear();
      return OkStatus();
    }

   private:
    friend class RebatchDataset;
    const int64_t num_replicas_;
    std::unique_ptr<DatasetIterator> input_;
    Element batch_;
    int64_t rows_ = 0, each_ = 0, begin_ = 0;
    int64_t next_;  // replica
  };

  const int64_t num_replicas_;
};

class RebatchV2Dataset final : public Dataset {
 public:
  RebatchV2Dataset(ElementSpec spec, DatasetRef input, std::vector<int64_t> sizes,
                   bool drop_remainder)
      : Dataset(std::move(spec), {std::move(input)}),
        sizes_(std::move(sizes)),
        drop_remainder_(drop_remainder) {}

  const char* name() const override { return "RebatchV2"; }
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      PipelineContext& pipeline) const override {
    auto iterator = std::make_unique<Iterator>(*this, pipeline);
    WB_ASSIGN_OR_RETURN(iterator->input_, input().MakeIterator(pipeline));
    return iterator;
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    Iterator(const RebatchV2Dataset& dataset, PipelineContext& pipeline)
        : dataset_(dataset), pipeline_(pipeline), rows_(pipeline.allocator()) {}

    Status GetNext(Element* element, bool* end) override {
      *end = input_ == nullptr;
      if (*end) return OkStatus();
      const int64_t size = dataset_.sizes_[next_size_];
      // A batch of no rows still has their shape, so a first one has to be read.
      if (size == 0 && batch_.empty()) WB_RETURN_IF_ERROR(ReadBatch());
      rows_.Begin(size);
      while (rows_.size() < size && input_ != nullptr) {
        if (pipeline_.IsCancelled()) return pipeline_.cancel_reason();
        if (at_ == count_) {
          WB_RETURN_IF_ERROR(ReadBatch());
          continue;
        }
        Element row;
        for (const Tensor& t : batch_) {
          const Tensor one = t.Rows(at_, at_ + 1);
          WB_ASSIGN_OR_RETURN(Tensor value, one.Reshaped(one.shape().Remove(0)));
          row.push_back(std::move(value));
        }
        ++at_;
        WB_RETURN_IF_ERROR(rows_.Append(row));
      }
      next_size_ = (next_size_ + 1) % dataset_.sizes_.size();
      if (size == 0 && !batch_.empty()) {
        *element = SliceRows(batch_, 0, 0);
        return OkStatus();
      }
      *end = rows_.size() == 0 || (dataset_.drop_remainder_ && rows_.size() < size);
      if (!*end) rows_.Take(element);
      return OkStatus();
    }

   private:
    friend class RebatchV2Dataset;

    Status ReadBatch() {
      Element batch;
      bool end = false;
      WB_RETURN_IF_ERROR(input_->GetNext(&batch, &end));
      if (end) {
        input_.reset();
        return OkStatus();
      }
      WB_ASSIGN_OR_RETURN(count_, RowsOf(batch));
      batch_ = std::move(batch);
      at_ = 0;
      return OkStatus();
    }

    const RebatchV2Dataset& dataset_;
    PipelineContext& pipeline_;
    std::unique_ptr<DatasetIterator> input_;
    RowBatch rows_;
    Element batch_;
    int64_t count_ = 0, at_ = 0;
    size_t next_size_ = 0;
  };

  const std::vector<int64_t> sizes_;
  const bool drop_remainder_;
};

class RebatchDatasetKernel final : public DatasetKernel {
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(DatasetRef input, DatasetFromTensor(ctx.input(0)));
    WB_ASSIGN_OR_RETURN(const int64_t num_replicas, ScalarInput<int64_t>(ctx, 1, "num_replicas"));
    if (num_replicas <= 0) {
      return InvalidArgument("num_replicas must be greater than zero, got ", num_replicas);
    }
    return std::make_shared<RebatchDataset>(spec(), std::move(input), num_replicas);
  }
};

class RebatchV2DatasetKernel final : public DatasetKernel {
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(DatasetRef input, DatasetFromTensor(ctx.input(0)));
    WB_ASSIGN_OR_RETURN(std::vector<int64_t> sizes, VectorInput<int64_t>(ctx, 1, "batch_sizes"));
    WB_ASSIGN_OR_RETURN(const bool drop_remainder, ScalarInput<bool>(ctx, 2, "drop_remainder"));
    if (sizes.empty()) return InvalidArgument("batch_sizes must have at least one element");
    for (const int64_t size : sizes) {
      if (size < 0) return InvalidArgument("batch_sizes must not be negative, got ", size);
    }
    return std::make_shared<RebatchV2Dataset>(spec(), std::move(input), std::move(sizes),
                                              drop_remainder);
  }
};

WB_OP("RebatchDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("num_replicas: int64")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("use_fallback: bool = true")
    .Shape(DatasetShape);
WB_OP("ExperimentalRebatchDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("num_replicas: int64")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("use_fallback: bool = true")
    .Shape(DatasetShape);
WB_OP("RebatchDatasetV2")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("batch_sizes: int64")
    .Input("drop_remainder: bool")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Shape(DatasetShape);
WB_KERNEL("RebatchDataset", KernelOf<RebatchDatasetKernel>).Cpu().Cheap();
WB_KERNEL("ExperimentalRebatchDataset", KernelOf<RebatchDatasetKernel>).Cpu().Cheap();
WB_KERNEL("RebatchDatasetV2", KernelOf<RebatchV2DatasetKernel>).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
