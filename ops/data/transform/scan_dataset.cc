// ScanDataset: a function of each element and of a state that it passes on.

#include "ops/data/captured_function.h"

namespace warpbeam {
namespace {

class ScanDataset final : public FunctionDataset {
 public:
  ScanDataset(ElementSpec spec, DatasetRef input, CapturedFunction function, Element initial_state,
              bool preserve_cardinality)
      : FunctionDataset(std::move(spec), std::move(input), std::move(function)),
        initial_state_(std::move(initial_state)),
        preserve_cardinality_(preserve_cardinality) {}

  const char* name() const override { return "Scan"; }
  int64_t CountElements() const override {
    return preserve_cardinality_ ? input().Cardinality() : kUnknown;
  }
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      PipelineContext& pipeline) const override {
    auto iterator = std::make_unique<Iterator>(*this);
    WB_ASSIGN_OR_RETURN(iterator->input_, input().MakeIterator(pipeline));
    WB_ASSIGN_OR_RETURN(iterator->call_, CapturedCall::Create(function(), pipeline));
    return iterator;
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    explicit Iterator(const ScanDataset& dataset)
        : dataset_(dataset), state_(dataset.initial_state_) {}

    Status GetNext(Element* element, bool* end) override {
      *end = input_ == nullptr;
      if (*end) return OkStatus();
      WB_RETURN_IF_ERROR(input_->GetNext(element, end));
      if (*end) {
        input_.reset();
        return OkStatus();
      }
      Element args = state_;
      args.insert(args.end(), element->begin(), element->end());
      Element results;
      const Status status = call_->Run(args, &results);
      if (IsOutOfRange(status)) {
        if (dataset_.preserve_cardinality_) {
          return InvalidArgument(
              "the function of a scan that preserves cardinality gave "
              "OUT_OF_RANGE: ",
              status.message());
        }
        *end = true;
        input_.reset();
        return OkStatus();
      }
      WB_RETURN_IF_ERROR(status);
      const size_t num_state = state_.size();
      if (results.size() < num_state) {
        return InvalidArgument("the function of a scan returned ", results.size(),
                               " tensors; its state alone has ", num_state);
      }
      for (size_t i = 0; i < num_state; ++i) {
        if (results[i].dtype() != state_[i].dtype()) {
          return InvalidArgument("the new state ", i, " of a scan is ",
                                 DTypeName(results[i].dtype()), " instead of ",
                                 DTypeName(state_[i].dtype()));
        }
      }
      std::move(results.begin(), results.begin() + num_state, state_.begin());
      element->assign(std::make_move_iterator(results.begin() + num_state),
                      std::make_move_iterator(results.end()));
      return dataset_.spec().CheckElement(*element);
    }

   private:
    friend class ScanDataset;
    const ScanDataset& dataset_;
    Element state_;
    std::unique_ptr<DatasetIterator> input_;
    std::unique_ptr<CapturedCall> call_;
  };

  const Element initial_state_;
  const bool preserve_cardinality_;
};

class ScanDatasetKernel final : public FunctionDatasetKernel {
  Status ReadAttrs(KernelInit& init) override {
    WB_ASSIGN_OR_RETURN(preserve_cardinality_, init.attr<bool>("preserve_cardinality"));
    WB_ASSIGN_OR_RETURN(std::vector<DType> state, init.attr<std::vector<DType>>("Tstate"));
    num_state_ = static_cast<int>(state.size());
    return FunctionDatasetKernel::ReadAttrs(init);
  }
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(DatasetRef input, DatasetFromTensor(ctx.input(0)));
    return std::make_shared<ScanDataset>(spec(), std::move(input), Capture(ctx, 1 + num_state_),
                                         InputRange(ctx, 1, num_state_), preserve_cardinality_);
  }
  int num_state_ = 0;
  bool preserve_cardinality_ = false;
};

WB_OP("ScanDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("initial_state: Tstate")
    .Input("other_arguments: Targuments")
    .Output("handle: variant")
    .Attr("f: func")
    .Attr("Tstate: list(type) >= 1")
    .Attr("Targuments: list(type) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("preserve_cardinality: bool = false")
    .Attr("use_default_device: bool = true")
    .Attr("metadata: string = ''")
    .Shape(DatasetShape);
WB_OP("ExperimentalScanDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("initial_state: Tstate")
    .Input("other_arguments: Targuments")
    .Output("handle: variant")
    .Attr("f: func")
    .Attr("Tstate: list(type) >= 1")
    .Attr("Targuments: list(type) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("preserve_cardinality: bool = false")
    .Shape(DatasetShape);
WB_KERNEL("ScanDataset", KernelOf<ScanDatasetKernel>).Cpu().Cheap();
WB_KERNEL("ExperimentalScanDataset", KernelOf<ScanDatasetKernel>).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
