// AutoShardDataset: a worker's share of a dataset. It is shared out by elements: every
// `num_workers`-th, from element `index` on, also where TensorFlow, left the choice, shares out
// files; asked for files it refuses.

#include "ops/data/dataset_kernel.h"
#include "ops/data/transform/shard_dataset.h"

namespace warpbeam {
namespace {

// Values of the attribute auto_shard_policy.
enum Policy : int64_t { kOff = -1, kAuto = 0, kFile = 1, kData = 2, kHint = 3 };

class AutoShardDatasetKernel final : public DatasetKernel {
  Status ReadAttrs(KernelInit& init) override {
    WB_ASSIGN_OR_RETURN(policy_, init.attr<int64_t>("auto_shard_policy"));
    if (policy_ >= kOff && policy_ <= kHint) return OkStatus();
    return InvalidArgument("auto_shard_policy is -1 (off) to 3 (hint), not ", policy_);
  }
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(DatasetRef input, DatasetFromTensor(ctx.input(0)));
    WB_ASSIGN_OR_RETURN(const int64_t workers, ScalarInput<int64_t>(ctx, 1, "num_workers"));
    WB_ASSIGN_OR_RETURN(const int64_t index, ScalarInput<int64_t>(ctx, 2, "index"));
    if (workers <= 0) {
      return InvalidArgument("num_workers must be greater than zero, got ", workers);
    }
    if (index < 0 || index >= workers) {
      return InvalidArgument("index must be between 0 and ", workers - 1, ", got ", index);
    }
    if (policy_ == kFile) {
      return Unimplemented(
          "a dataset is shared out by its elements, not by its files: use "
          "auto_shard_policy 2 (data), or shard the names of the files");
    }
    if (policy_ == kOff || policy_ == kHint) return input;
    return std::make_shared<ShardDataset>(spec(), std::move(input), workers, index,
                                          /*require_non_empty=*/false);
  }
  int64_t policy_ = kAuto;
};

WB_OP("AutoShardDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("num_workers: int64")
    .Input("index: int64")
    .Output("handle: variant")
    .Attr("auto_shard_policy: int = 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("num_replicas: int = 0")
    .Shape(DatasetShape);
WB_OP("ExperimentalAutoShardDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("num_workers: int64")
    .Input("index: int64")
    .Output("handle: variant")
    .Attr("auto_shard_policy: int = 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Shape(DatasetShape);
WB_KERNEL("AutoShardDataset", KernelOf<AutoShardDatasetKernel>).Cpu().Cheap();
WB_KERNEL("ExperimentalAutoShardDataset", KernelOf<AutoShardDatasetKernel>).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
