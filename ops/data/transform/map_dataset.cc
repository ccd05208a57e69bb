// MapDataset: a function of each element, called in the thread that asks for it.

#include "ops/data/captured_function.h"

namespace warpbeam {
namespace {

class MapDataset final : public FunctionDataset {
 public:
  MapDataset(ElementSpec spec, DatasetRef input, CapturedFunction function,
             bool preserve_cardinality)
      : FunctionDataset(std::move(spec), std::move(input), std::move(function)),
        preserve_cardinality_(preserve_cardinality) {}

  const char* name() const override { return "Map"; }
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
    explicit Iterator(const MapDataset& dataset) : dataset_(dataset) {}

    Status GetNext(Element* element, bool* end) override {
      *end = input_ == nullptr;
      if (*end) return OkStatus();
      WB_RETURN_IF_ERROR(input_->GetNext(&args_, end));
      if (*end) {
        input_.reset();
        return OkStatus();
      }
      const Status status = call_->Run(args_, element);
      if (IsOutOfRange(status)) return EndEarly(status, end);
      WB_RETURN_IF_ERROR(status);
      return dataset_.spec().CheckElement(*element);
    }

   private:
    friend class MapDataset;

    // A function may end the sequence by an OUT_OF_RANGE of its own.
    Status EndEarly(const Status& status, bool* end) {
      if (dataset_.preserve_cardinality_) {
        return InvalidArgument(
            "the function of a map that preserves cardinality gave OUT_OF_RANGE: ",
            status.message());
      }
      *end = true;
      input_.reset();
      return OkStatus();
    }

    const MapDataset& dataset_;
    std::unique_ptr<DatasetIterator> input_;
    std::unique_ptr<CapturedCall> call_;
    Element args_;
  };

  const bool preserve_cardinality_;
};

class MapDatasetKernel final : public FunctionDatasetKernel {
  Status ReadAttrs(KernelInit& init) override {
    WB_ASSIGN_OR_RETURN(preserve_cardinality_, init.attr<bool>("preserve_cardinality"));
    return FunctionDatasetKernel::ReadAttrs(init);
  }
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(DatasetRef input, DatasetFromTensor(ctx.input(0)));
    return std::make_shared<MapDataset>(spec(), std::move(input), Capture(ctx, 1),
                                        preserve_cardinality_);
  }
  bool preserve_cardinality_ = false;
};

WB_OP("MapDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("other_arguments: Targuments")
    .Output("handle: variant")
    .Attr("f: func")
    .Attr("Targuments: list(type) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("use_inter_op_parallelism: bool = true")
    .Attr("preserve_cardinality: bool = false")
    .Attr("force_synchronous: bool = false")
    .Attr("metadata: string = ''")
    .Shape(DatasetShape);
WB_KERNEL("MapDataset", KernelOf<MapDatasetKernel>).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
