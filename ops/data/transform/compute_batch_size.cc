// ComputeBatchSize: how many elements the last batching op of a pipeline puts together, as far as
// the ops behind it leave batches whole; -1 where there is none.

#include "absl/strings/strip.h"
#include "ops/data/dataset_kernel.h"

namespace warpbeam {
namespace {

constexpr int64_t kUnknownSize = -1;
constexpr int kMostOps = 10000;  // of a pipeline that is looked at

// Ops whose second input is the batch size; those named are any version of them.
constexpr absl::string_view kBatches[] = {"BatchDataset", "PaddedBatchDataset"};
// Ops whose elements are those of their first input.
constexpr absl::string_view kKeep[] = {
    "AssertCardinalityDataset",
    "AssertNextDataset",
    "AutoShardDataset",
    "CacheDataset",
    "FilterDataset",
    "PrefetchDataset",
    "RepeatDataset",
    "ShardDataset",
    "ShuffleAndRepeatDataset",
    "ShuffleDataset",
    "SkipDataset",
    "TakeDataset",
};

bool IsAnyOf(absl::string_view op, Span<const absl::string_view> names) {
  absl::ConsumePrefix(&op, "Experimental");
  for (const absl::string_view name : names) {
    absl::string_view version = op;
    if (!absl::ConsumePrefix(&version, name)) continue;
    if (version.empty() || version == "V2" || version == "V3") return true;
  }
  return false;
}

int64_t Scalar(const Tensor& tensor) {
  const bool is_scalar = tensor.dtype() == DType::kInt64 && tensor.num_elements() == 1;
  return is_scalar ? tensor.data<int64_t>()[0] : kUnknownSize;
}

class BatchSizes {
 public:
  int64_t Of(const Tensor& tensor) {
    const StatusOr<DatasetRef> dataset = DatasetFromTensor(tensor);
    return dataset.ok() ? Of(**dataset) : kUnknownSize;
  }
  int64_t Of(const Dataset& dataset) {
    const DatasetOrigin* const origin = dataset.origin();
    if (origin == nullptr || origin->inputs.empty() || ++num_ops_ > kMostOps) return kUnknownSize;
    const std::vector<Tensor>& inputs = origin->inputs;
    if (IsAnyOf(origin->made_by->op, kBatches)) {
      return inputs.size() < 2 ? kUnknownSize : Scalar(inputs[1]);
    }
    if (IsAnyOf(origin->made_by->op, {"MapAndBatchDataset"})) {
      // The dataset, what the function closes over, the batch size, the calls, the remainder.
      return inputs.size() < 4 ? kUnknownSize : Scalar(inputs[inputs.size() - 3]);
    }
    if (IsAnyOf(origin->made_by->op, kKeep)) return Of(inputs[0]);
    if (!IsAnyOf(origin->made_by->op, {"ConcatenateDataset", "ZipDataset"})) return kUnknownSize;
    const int64_t first = Of(inputs[0]);
    for (size_t i = 1; i < inputs.size() && first != kUnknownSize; ++i) {
      if (Of(inputs[i]) != first) return kUnknownSize;
    }
    return first;
  }

 private:
  int num_ops_ = 0;
};

class ComputeBatchSizeKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<ComputeBatchSizeKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    WB_RETURN_IF_ERROR(DatasetFromTensor(ctx.input(0)).status());
    ctx.set_output(0, Tensor::Scalar<int64_t>(BatchSizes().Of(ctx.input(0))));
    return OkStatus();
  }
};

WB_OP("ComputeBatchSize")
    .Input("input_dataset: variant")
    .Output("batch_size: int64")
    .Shape(shapes::Scalar);
WB_KERNEL("ComputeBatchSize", ComputeBatchSizeKernel).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
