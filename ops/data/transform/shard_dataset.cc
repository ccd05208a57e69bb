#include "ops/data/transform/shard_dataset.h"

#include "ops/data/dataset_kernel.h"

namespace warpbeam {
namespace {

// Passing over more elements than this is work for a thread that can be cancelled.
constexpr int64_t kFewElements = 4096;

}  // namespace

class ShardDataset::Iterator final : public DatasetIterator {
 public:
  Iterator(const ShardDataset& dataset, PipelineContext& pipeline)
      : dataset_(dataset), pipeline_(pipeline) {}

  Status GetNext(Element* element, bool* end) override {
    do {
      *end = input_ == nullptr;
      if (*end) return OkStatus();
      if (pipeline_.IsCancelled()) return pipeline_.cancel_reason();
      WB_RETURN_IF_ERROR(input_->GetNext(element, end));
      if (*end) {
        input_.reset();
        return OkStatus();
      }
    } while (position_++ % dataset_.num_shards_ != dataset_.index_);
    return dataset_.require_non_empty_ ? CheckShares() : OkStatus();
  }

 private:
  friend class ShardDataset;

  // The first element of a share is given out when each share has one.
  Status CheckShares() {
    for (; position_ < dataset_.num_shards_; ++position_) {
      Element passed_over;
      bool end = false;
      if (pipeline_.IsCancelled()) return pipeline_.cancel_reason();
      WB_RETURN_IF_ERROR(input_->GetNext(&passed_over, &end));
      if (end) {
        return InvalidArgument("there are fewer elements (", position_, ") than shards (",
                               dataset_.num_shards_, "); use fewer shards");
      }
    }
    return OkStatus();
  }

  const ShardDataset& dataset_;
  PipelineContext& pipeline_;
  std::unique_ptr<DatasetIterator> input_;
  int64_t position_ = 0;
};

bool ShardDataset::FindImmediate() const {
  return num_shards_ <= kFewElements && InputsAreImmediate();
}

StatusOr<std::unique_ptr<DatasetIterator>> ShardDataset::MakeIterator(
    PipelineContext& pipeline) const {
  auto iterator = std::make_unique<Iterator>(*this, pipeline);
  WB_ASSIGN_OR_RETURN(iterator->input_, input().MakeIterator(pipeline));
  return iterator;
}

namespace {

class ShardDatasetKernel final : public DatasetKernel {
  Status ReadAttrs(KernelInit& init) override {
    WB_ASSIGN_OR_RETURN(require_non_empty_, init.attr<bool>("require_non_empty"));
    return OkStatus();
  }
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(DatasetRef input, DatasetFromTensor(ctx.input(0)));
    WB_ASSIGN_OR_RETURN(const int64_t num_shards, ScalarInput<int64_t>(ctx, 1, "num_shards"));
    WB_ASSIGN_OR_RETURN(const int64_t index, ScalarInput<int64_t>(ctx, 2, "index"));
    if (num_shards < 1) {
      return InvalidArgument("num_shards must be at least 1, got ", num_shards);
    }
    if (index < 0 || index >= num_shards) {
      return InvalidArgument("index must be in [0, num_shards), got ", index, " of ", num_shards);
    }
    return std::make_shared<ShardDataset>(spec(), std::move(input), num_shards, index,
                                          require_non_empty_);
  }
  bool require_non_empty_ = false;
};

WB_OP("ShardDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("num_shards: int64")
    .Input("index: int64")
    .Output("handle: variant")
    .Attr("require_non_empty: bool = false")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Shape(DatasetShape);
WB_KERNEL("ShardDataset", KernelOf<ShardDatasetKernel>).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
