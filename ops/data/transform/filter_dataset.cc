// FilterDataset: the elements for which a predicate holds; TakeWhileDataset: those before the first
// for which it does not.

#include "ops/data/captured_function.h"

namespace warpbeam {
namespace {

class PredicateDataset final : public FunctionDataset {
 public:
  // `ends`: the first element that fails the predicate is the end.
  PredicateDataset(ElementSpec spec, DatasetRef input, CapturedFunction function, bool ends)
      : FunctionDataset(std::move(spec), std::move(input), std::move(function)), ends_(ends) {}

  const char* name() const override { return ends_ ? "TakeWhile" : "Filter"; }
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      PipelineContext& pipeline) const override {
    auto iterator = std::make_unique<Iterator>(ends_);
    WB_ASSIGN_OR_RETURN(iterator->input_, input().MakeIterator(pipeline));
    WB_ASSIGN_OR_RETURN(iterator->call_, CapturedCall::Create(function(), pipeline));
    return iterator;
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    explicit Iterator(bool ends) : ends_(ends) {}

    Status GetNext(Element* element, bool* end) override {
      for (;;) {
        *end = input_ == nullptr;
        if (*end) return OkStatus();
        WB_RETURN_IF_ERROR(input_->GetNext(element, end));
        if (!*end) {
          WB_RETURN_IF_ERROR(call_->Run(*element, &results_));
          WB_ASSIGN_OR_RETURN(const bool holds, PredicateResult(results_));
          if (holds) return OkStatus();
          if (!ends_) continue;
        }
        *end = true;
        input_.reset();
      }
    }

   private:
    friend class PredicateDataset;
    const bool ends_;
    std::unique_ptr<DatasetIterator> input_;
    std::unique_ptr<CapturedCall> call_;
    Element results_;
  };

  const bool ends_;
};

class PredicateDatasetKernel : public FunctionDatasetKernel {
 protected:
  explicit PredicateDatasetKernel(bool ends) : ends_(ends) {}

 private:
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(DatasetRef input, DatasetFromTensor(ctx.input(0)));
    return std::make_shared<PredicateDataset>(spec(), std::move(input), Capture(ctx, 1), ends_);
  }
  const bool ends_;
};
struct FilterDatasetKernel final : PredicateDatasetKernel {
  FilterDatasetKernel() : PredicateDatasetKernel(/*ends=*/false) {}
};
struct TakeWhileDatasetKernel final : PredicateDatasetKernel {
  TakeWhileDatasetKernel() : PredicateDatasetKernel(/*ends=*/true) {}
};

WB_OP("FilterDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("other_arguments: Targuments")
    .Output("handle: variant")
    .Attr("predicate: func")
    .Attr("Targuments: list(type) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Shape(DatasetShape);
WB_OP("TakeWhileDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("other_arguments: Targuments")
    .Output("handle: variant")
    .Attr("predicate: func")
    .Attr("Targuments: list(type) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Shape(DatasetShape);
WB_OP("ExperimentalTakeWhileDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("other_arguments: Targuments")
    .Output("handle: variant")
    .Attr("predicate: func")
    .Attr("Targuments: list(type) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Shape(DatasetShape);
WB_KERNEL("FilterDataset", KernelOf<FilterDatasetKernel>).Cpu().Cheap();
WB_KERNEL("TakeWhileDataset", KernelOf<TakeWhileDatasetKernel>).Cpu().Cheap();
WB_KERNEL("ExperimentalTakeWhileDataset", KernelOf<TakeWhileDatasetKernel>).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
