// ShardDataset: every num_shards-th element, from element `index` on.
//
//   auto mine = std::make_shared<ShardDataset>(spec, input, workers, worker, false);
//
// Ownership and thread safety: as Dataset. Errors: those of the input; INVALID_ARGUMENT at the end
// of an input that has no element for each shard, where that is required.
#ifndef WARPBEAM_OPS_DATA_TRANSFORM_SHARD_DATASET_H_
#define WARPBEAM_OPS_DATA_TRANSFORM_SHARD_DATASET_H_

#include <memory>
#include <utility>

#include "ops/data/dataset.h"

namespace warpbeam {

class ShardDataset final : public Dataset {
 public:
  ShardDataset(ElementSpec spec, DatasetRef input, int64_t num_shards, int64_t index,
               bool require_non_empty)
      : Dataset(std::move(spec), {std::move(input)}),
        num_shards_(num_shards),
        index_(index),
        require_non_empty_(require_non_empty) {}

  const char* name() const override { return "Shard"; }
  int64_t CountElements() const override {
    const int64_t n = input().Cardinality();
    if (n < 0) return n;
    return n / num_shards_ + (index_ < n % num_shards_ ? 1 : 0);
  }
  bool FindImmediate() const override;
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(PipelineContext& pipeline) const override;

 private:
  class Iterator;

  const int64_t num_shards_;
  const int64_t index_;
  const bool require_non_empty_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_DATA_TRANSFORM_SHARD_DATASET_H_
