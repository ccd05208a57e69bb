// GeneratorDataset: elements that a function makes of a state until it says OUT_OF_RANGE; other
// functions make the state and put it away. Copying a dataset to a device is made of it.

#include "ops/data/captured_function.h"

namespace warpbeam {
namespace {

struct GeneratorFunctions {
  CapturedFunction init, next, finalize;
};

class GeneratorDataset final : public Dataset {
 public:
  GeneratorDataset(ElementSpec spec, GeneratorFunctions functions)
      : Dataset(std::move(spec), {}), functions_(std::move(functions)) {}

  const char* name() const override { return "Generator"; }
  bool FindImmediate() const override { return false; }
  bool FindSideEffects(const FunctionLibrary& library) const override {
    return functions_.init.HasSideEffects(library) || functions_.next.HasSideEffects(library) ||
           functions_.finalize.HasSideEffects(library);
  }
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      PipelineContext& pipeline) const override {
    auto iterator = std::make_unique<Iterator>(*this);
    WB_ASSIGN_OR_RETURN(iterator->init_, CapturedCall::Create(functions_.init, pipeline));
    WB_ASSIGN_OR_RETURN(iterator->next_, CapturedCall::Create(functions_.next, pipeline));
    WB_ASSIGN_OR_RETURN(iterator->finalize_, CapturedCall::Create(functions_.finalize, pipeline));
    return iterator;
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    explicit Iterator(const GeneratorDataset& dataset) : dataset_(dataset) {}
    // An iterator that is given up early puts its state away, too, as far as its pipeline still
    // runs functions.
    ~Iterator() override {
      if (stage_ == Stage::kGoesOn) Finalize().IgnoreError();
    }

    Status GetNext(Element* element, bool* end) override {
      *end = stage_ == Stage::kEnded;
      if (*end) return OkStatus();
      if (stage_ == Stage::kNew) {
        WB_RETURN_IF_ERROR(init_->Run({}, &state_));
        stage_ = Stage::kGoesOn;
      }
      Status status = next_->Run(state_, element);
      if (status.ok()) return dataset_.spec().CheckElement(*element);
      if (status.code() != StatusCode::kOutOfRange) return status;
      *end = true;
      stage_ = Stage::kEnded;
      return Finalize();
    }

   private:
    friend class GeneratorDataset;
    enum class Stage { kNew, kGoesOn, kEnded };

    Status Finalize() {
      Element ignored;
      return finalize_->Run(state_, &ignored);
    }

    const GeneratorDataset& dataset_;
    std::unique_ptr<CapturedCall> init_, next_, finalize_;
    Stage stage_ = Stage::kNew;
    Element state_;
  };

  const GeneratorFunctions functions_;
};

class GeneratorDatasetKernel final : public DatasetKernel {
  Status ReadAttrs(KernelInit& init) override {
    const char* const names[] = {"init", "next", "finalize"};
    for (int i = 0; i < 3; ++i) {
      WB_ASSIGN_OR_RETURN(functions_[i], init.attr<FunctionRef>(absl::StrCat(names[i], "_func")));
      WB_ASSIGN_OR_RETURN(const auto types,
                          init.attr<std::vector<DType>>(absl::StrCat("T", names[i], "_func_args")));
      num_captured_[i] = static_cast<int>(types.size());
    }
    return OkStatus();
  }
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    const int next_at = num_captured_[0], finalize_at = next_at + num_captured_[1];
    GeneratorFunctions functions{{functions_[0], InputRange(ctx, 0, num_captured_[0])},
                                 {functions_[1], InputRange(ctx, next_at, num_captured_[1])},
                                 {functions_[2], InputRange(ctx, finalize_at, num_captured_[2])}};
    return std::make_shared<GeneratorDataset>(spec(), std::move(functions));
  }
  FunctionRef functions_[3];
  int num_captured_[3] = {};
};

WB_OP("GeneratorDataset")
    .Role(OpRole::kDataset)
    .Input("init_func_other_args: Tinit_func_args")
    .Input("next_func_other_args: Tnext_func_args")
    .Input("finalize_func_other_args: Tfinalize_func_args")
    .Output("handle: variant")
    .Attr("init_func: func")
    .Attr("next_func: func")
    .Attr("finalize_func: func")
    .Attr("Tinit_func_args: list(type) >= 0")
    .Attr("Tnext_func_args: list(type) >= 0")
    .Attr("Tfinalize_func_args: list(type) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Stateful()
    .Shape(DatasetShape);
WB_KERNEL("GeneratorDataset", KernelOf<GeneratorDatasetKernel>).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
