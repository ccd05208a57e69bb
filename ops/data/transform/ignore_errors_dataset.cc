// IgnoreErrorsDataset: the elements of the input without those that fail.

#include "ops/data/dataset_kernel.h"

namespace warpbeam {
namespace {

class IgnoreErrorsDataset final : public Dataset {
 public:
  IgnoreErrorsDataset(ElementSpec spec, DatasetRef input)
      : Dataset(std::move(spec), {std::move(input)}) {}

  const char* name() const override { return "IgnoreErrors"; }
  int64_t CountElements() const override {
    return input().Cardinality() == kInfinite ? kInfinite : kUnknown;
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
      for (;;) {
        *end = input_ == nullptr;
        if (*end) return OkStatus();
        if (pipeline_.IsCancelled()) return pipeline_.cancel_reason();
        if (!input_->GetNext(element, end).ok()) continue;
        if (*end) input_.reset();
        return OkStatus();
      }
    }

   private:
    friend class IgnoreErrorsDataset;
    PipelineContext& pipeline_;
    std::unique_ptr<DatasetIterator> input_;
  };
};

class IgnoreErrorsDatasetKernel final : public DatasetKernel {
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(DatasetRef input, DatasetFromTensor(ctx.input(0)));
    return std::make_shared<IgnoreErrorsDataset>(spec(), std::move(input));
  }
};

WB_OP("IgnoreErrorsDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("log_warning: bool = false")
    .Shape(DatasetShape);
WB_OP("ExperimentalIgnoreErrorsDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("log_warning: bool = false")
    .Shape(DatasetShape);
WB_KERNEL("IgnoreErrorsDataset", KernelOf<IgnoreErrorsDatasetKernel>).Cpu().Cheap();
WB_KERNEL("ExperimentalIgnoreErrorsDataset", KernelOf<IgnoreErrorsDatasetKernel>).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
