// FlatMapDataset: a function makes a dataset of each element; theirs are the elements, one dataset
// after the other.

#include "ops/data/captured_function.h"

namespace warpbeam {
namespace {

class FlatMapDataset final : public FunctionDataset {
 public:
  using FunctionDataset::FunctionDataset;

  const char* name() const override { return "FlatMap"; }
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      PipelineContext& pipeline) const override {
    auto iterator = std::make_unique<Iterator>(pipeline);
    WB_ASSIGN_OR_RETURN(iterator->input_, input().MakeIterator(pipeline));
    WB_ASSIGN_OR_RETURN(iterator->call_, CapturedCall::Create(function(), pipeline));
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
        if (inner_ == nullptr) {
          WB_RETURN_IF_ERROR(input_->GetNext(&args_, end));
          if (*end) {
            input_.reset();
            return OkStatus();
          }
          WB_ASSIGN_OR_RETURN(inner_dataset_, DatasetFromFunction(*call_, args_));
          WB_ASSIGN_OR_RETURN(inner_, inner_dataset_->MakeIterator(pipeline_));
        }
        if (pipeline_.IsCancelled()) return pipeline_.cancel_reason();
        WB_RETURN_IF_ERROR(inner_->GetNext(element, end));
        if (!*end) return OkStatus();
        inner_.reset();
      }
    }

   private:
    friend class FlatMapDataset;
    PipelineContext& pipeline_;
    std::unique_ptr<DatasetIterator> input_;
    std::unique_ptr<CapturedCall> call_;
    Element args_;
    DatasetRef inner_dataset_;
    std::unique_ptr<DatasetIterator> inner_;  // reads inner_dataset_, so it goes first
  };
};

class FlatMapDatasetKernel final : public FunctionDatasetKernel {
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(DatasetRef input, DatasetFromTensor(ctx.input(0)));
    return std::make_shared<FlatMapDataset>(spec(), std::move(input), Capture(ctx, 1));
  }
};

WB_OP("FlatMapDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("other_arguments: Targuments")
    .Output("handle: variant")
    .Attr("f: func")
    .Attr("Targuments: list(type) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Shape(DatasetShape);
WB_KERNEL("FlatMapDataset", KernelOf<FlatMapDatasetKernel>).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
