// UnbatchDataset: the rows of each element's components as elements.

#include "ops/data/dataset_kernel.h"

namespace warpbeam {
namespace {

class UnbatchDataset final : public Dataset {
 public:
  UnbatchDataset(ElementSpec spec, DatasetRef input)
      : Dataset(std::move(spec), {std::move(input)}) {}

  const char* name() const override { return "Unbatch"; }
  int64_t CountElements() const override {
    const int64_t n = input().Cardinality();
    if (n <= 0) return n;
    // Every batch of one component has the same known size, or nobody knows.
    for (const PartialShape& shape : input().spec().shapes) {
      if (!shape.has_rank() || shape.rank() == 0 || shape.dim(0) < 0) continue;
      int64_t total;
      return __builtin_mul_overflow(n, shape.dim(0), &total) ? INT64_MAX : total;
    }
    return kUnknown;
  }
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      PipelineContext& pipeline) const override {
    auto iterator = std::make_unique<Iterator>(pipeline);
    WB_ASSIGN_OR_RETURN(iterator->input_, input().MakeIterator(pipeline));
    return iterator;
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    explicit Iterator(PipelineContext& pipeline) : pipeline_(pipeline) {}

    Status GetNext(Element* element, bool* end) override {
      // Batches of no rows may come for ever.
      while (row_ >= num_rows_) {
        if (pipeline_.IsCancelled()) return pipeline_.cancel_reason();
        *end = input_ == nullptr;
        if (*end) return OkStatus();
        row_ = num_rows_ = 0;
        WB_RETURN_IF_ERROR(input_->GetNext(&batch_, end));
        if (*end) {
          input_.reset();
          return OkStatus();
        }
        WB_RETURN_IF_ERROR(BeginBatch());
      }
      *end = false;
      element->clear();
      for (const Tensor& component : batch_) {
        const Tensor row = component.Rows(row_, row_ + 1);
        WB_ASSIGN_OR_RETURN(Tensor value, row.Reshaped(row.shape().Remove(0)));
        element->push_back(std::move(value));
      }
      ++row_;
      return OkStatus();
    }

   private:
    friend class UnbatchDataset;

    Status BeginBatch() {
      for (size_t i = 0; i < batch_.size(); ++i) {
        if (batch_[i].rank() == 0) {
          return InvalidArgument("component ", i, " is a scalar: there are no rows to unbatch");
        }
        if (batch_[i].dim(0) != batch_[0].dim(0)) {
          return InvalidArgument(
              "all components must have the same number of rows; component 0 "
              "has ",
              batch_[0].dim(0), ", component ", i, " has ", batch_[i].dim(0));
        }
      }
      num_rows_ = batch_.empty() ? 0 : batch_[0].dim(0);
      return OkStatus();
    }

    PipelineContext& pipeline_;
    std::unique_ptr<DatasetIterator> input_;
    Element batch_;
    int64_t row_ = 0;
    int64_t num_rows_ = 0;
  };
};

class UnbatchDatasetKernel final : public DatasetKernel {
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(DatasetRef input, DatasetFromTensor(ctx.input(0)));
    return std::make_shared<UnbatchDataset>(spec(), std::move(input));
  }
};

WB_OP("UnbatchDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Shape(DatasetShape);
WB_OP("ExperimentalUnbatchDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Shape(DatasetShape);
WB_KERNEL("UnbatchDataset", KernelOf<UnbatchDatasetKernel>).Cpu().Cheap();
WB_KERNEL("ExperimentalUnbatchDataset", KernelOf<UnbatchDatasetKernel>).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
