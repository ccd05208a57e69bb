// DirectedInterleaveDataset: one dataset of numbers says which of several others gives the next
// element. An input that has ended is passed over, or ends the whole where that is asked for.

#include "ops/data/dataset_kernel.h"

namespace warpbeam {
namespace {

class DirectedInterleaveDataset final : public Dataset {
 public:
  // Input 0 is the selector.
  DirectedInterleaveDataset(ElementSpec spec, std::vector<DatasetRef> inputs, bool stop_on_empty)
      : Dataset(std::move(spec), std::move(inputs)), stop_on_empty_(stop_on_empty) {}

  const char* name() const override { return "DirectedInterleave"; }
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      PipelineContext& pipeline) const override {
    auto iterator = std::make_unique<Iterator>(stop_on_empty_, pipeline);
    WB_ASSIGN_OR_RETURN(iterator->selector_, input().MakeIterator(pipeline));
    for (size_t i = 1; i < inputs().size(); ++i) {
      WB_ASSIGN_OR_RETURN(auto data, inputs()[i]->MakeIterator(pipeline));
      iterator->data_.push_back(std::move(data));
    }
    iterator->num_active_ = iterator->data_.size();
    return iterator;
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    Iterator(bool stop_on_empty, PipelineContext& pipeline)
        : stop_on_empty_(stop_on_empty), pipeline_(pipeline) {}

    Status GetNext(Element* element, bool* end) override {
      for (;;) {
        *end = selector_ == nullptr;
        if (*end) return OkStatus();
        if (pipeline_.IsCancelled()) return pipeline_.cancel_reason();
        WB_RETURN_IF_ERROR(selector_->GetNext(&choice_, end));
        if (*end) break;
        const int64_t i = choice_[0].scalar<int64_t>();
        if (i < 0 || i >= static_cast<int64_t>(data_.size())) {
          return InvalidArgument("the selector gave ", i, ", but there are ", data_.size(),
                                 " datasets to select from");
        }
        if (data_[i] == nullptr) continue;
        WB_RETURN_IF_ERROR(data_[i]->GetNext(element, end));
        if (!*end) return OkStatus();
        data_[i].reset();
        if (stop_on_empty_ || --num_active_ == 0) break;
      }
      selector_.reset();
      data_.clear();
      return OkStatus();
    }

   private:
    friend class DirectedInterleaveDataset;
    const bool stop_on_empty_;
    PipelineContext& pipeline_;
    std::unique_ptr<DatasetIterator> selector_;
    std::vector<std::unique_ptr<DatasetIterator>> data_;
    size_t num_active_ = 0;
    Element choice_;
  };

  const bool stop_on_empty_;
};

class DirectedInterleaveDatasetKernel final : public DatasetKernel {
  Status ReadAttrs(KernelInit& init) override {
    stop_on_empty_ = init.attrs.GetOr<bool>("stop_on_empty_dataset", false);
    return OkStatus();
  }
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    std::vector<DatasetRef> inputs(ctx.num_inputs());
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      WB_ASSIGN_OR_RETURN(inputs[i], DatasetFromTensor(ctx.input(i)));
    }
    const ElementSpec selector{{DType::kInt64}, {PartialShape(Shape())}};
    WB_RETURN_IF_ERROR(selector.CheckCompatible(inputs[0]->spec()));
    for (size_t i = 2; i < inputs.size(); ++i) {
      if (inputs[i]->spec().types != inputs[1]->spec().types) {
        return InvalidArgument("the datasets to select from have components of different types");
      }
    }
    return std::make_shared<DirectedInterleaveDataset>(spec(), std::move(inputs), stop_on_empty_);
  }
  bool stop_on_empty_ = false;
};

WB_OP("DirectedInterleaveDataset")
    .Role(OpRole::kDataset)
    .Input("selector_input_dataset: variant")
    .Input("data_input_datasets: N * variant")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("N: int >= 1")
    .Attr("stop_on_empty_dataset: bool = false")
    .Shape(DatasetShape);
WB_OP("ExperimentalDirectedInterleaveDataset")
    .Role(OpRole::kDataset)
    .Input("selector_input_dataset: variant")
    .Input("data_input_datasets: N * variant")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("N: int >= 1")
    .Shape(DatasetShape);
WB_KERNEL("DirectedInterleaveDataset", KernelOf<DirectedInterleaveDatasetKernel>).Cpu().Cheap();
WB_KERNEL("ExperimentalDirectedInterleaveDataset", KernelOf<DirectedInterleaveDatasetKernel>)
    .Cpu()
    .Cheap();

}  // namespace
}  // namespace warpbeam
