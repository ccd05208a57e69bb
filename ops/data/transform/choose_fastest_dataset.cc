// ChooseFastestDataset: one of several datasets that give the same elements, here the first.
// ChooseFastestBranchDataset: what one of several functions that give the same dataset makes of the
// input, here the first.

#include "ops/data/captured_function.h"

namespace warpbeam {
namespace {

class ChooseFastestDatasetKernel final : public DatasetKernel {
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const DatasetRef first, DatasetFromTensor(ctx.input(0)));
    int64_t cardinality = first->Cardinality();
    for (int i = 1; i < ctx.num_inputs(); ++i) {
      WB_ASSIGN_OR_RETURN(const DatasetRef input, DatasetFromTensor(ctx.input(i)));
      const Status fits = first->spec().CheckCompatible(input->spec());
      if (!fits.ok()) {
        return InvalidArgument("the datasets to choose from must give the same elements, but of ",
                               "input ", i, ": ", fits.message());
      }
      const int64_t n = input->Cardinality();
      if (cardinality == Dataset::kUnknown) cardinality = n;
      if (n != Dataset::kUnknown && n != cardinality) {
        return InvalidArgument(
            "All inputs to ChooseFastestDataset must have compatible cardinalities. Input ", i,
            " has cardinality: ", n, ", while all prior inputs have cardinality: ", cardinality,
            ".");
      }
    }
    return first;
  }
};

class BranchDataset final : public FunctionDataset {
 public:
  BranchDataset(ElementSpec spec, DatasetRef input, CapturedFunction branch, int64_t numerator,
                int64_t denominator)
      : FunctionDataset(std::move(spec), std::move(input), std::move(branch)),
        numerator_(numerator),
        denominator_(denominator) {}

  const char* name() const override { return "ChooseFastestBranch"; }
  int64_t CountElements() const override {
    const int64_t n = input().Cardinality();
    int64_t product;
    if (n < 0 || __builtin_mul_overflow(n, numerator_, &product)) return n < 0 ? n : kUnknown;
    return product / denominator_;
  }
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      PipelineContext& pipeline) const override {
    auto iterator = std::make_unique<Iterator>(*this);
    WB_ASSIGN_OR_RETURN(const std::unique_ptr<CapturedCall> call,
                        CapturedCall::Create(function(), pipeline));
    WB_ASSIGN_OR_RETURN(iterator->branch_,
                        DatasetFromFunction(*call, {DatasetToTensor(inputs()[0])}));
    WB_ASSIGN_OR_RETURN(iterator->input_, iterator->branch_->MakeIterator(pipeline));
    return iterator;
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    explicit Iterator(const BranchDataset& dataset) : dataset_(dataset) {}
    Status GetNext(Element* element, bool* end) override {
      WB_RETURN_IF_ERROR(input_->GetNext(element, end));
      return *end ? OkStatus() : dataset_.spec().CheckElement(*element);
    }

   private:
    friend class BranchDataset;
    const BranchDataset& dataset_;
    DatasetRef branch_;
    std::unique_ptr<DatasetIterator> input_;  // reads branch_, so it goes first
  };

  const int64_t numerator_, denominator_;
};

class ChooseFastestBranchDatasetKernel final : public DatasetKernel {
  Status ReadAttrs(KernelInit& init) override {
    WB_ASSIGN_OR_RETURN(const auto branches, init.attr<std::vector<FunctionRef>>("branches"));
    WB_ASSIGN_OR_RETURN(const auto lengths,
                        init.attr<std::vector<int64_t>>("other_arguments_lengths"));
    WB_ASSIGN_OR_RETURN(const auto types, init.attr<std::vector<DType>>("Targuments"));
    if (branches.size() != lengths.size()) {
      return InvalidArgument("branches and other_arguments_lengths must be as long, got ",
                             branches.size(), " and ", lengths.size());
    }
    int64_t left = static_cast<int64_t>(types.size());
    for (const int64_t length : lengths) {
      if (length < 0 || length > left) {
        return InvalidArgument("other_arguments_lengths takes ", length, " of the ", left,
                               " arguments that are left");
      }
      left -= length;
    }
    branch_ = branches[0];
    num_captured_ = static_cast<int>(lengths[0]);
    return OkStatus();
  }
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(DatasetRef input, DatasetFromTensor(ctx.input(0)));
    WB_ASSIGN_OR_RETURN(const int64_t numerator, ScalarInput<int64_t>(ctx, 1, "ratio_numerator"));
    WB_ASSIGN_OR_RETURN(const int64_t denominator,
                        ScalarInput<int64_t>(ctx, 2, "ratio_denominator"));
    if (numerator <= 0 || denominator <= 0) {
      return InvalidArgument(
          "`ratio_numerator` and `ratio_denominator` must be greater than zero, "
          "got ",
          numerator, " and ", denominator);
    }
    return std::make_shared<BranchDataset>(
        spec(), std::move(input), CapturedFunction{branch_, InputRange(ctx, 3, num_captured_)},
        numerator, denominator);
  }
  FunctionRef branch_;
  int num_captured_ = 0;
};

WB_OP("ChooseFastestDataset")
    .Role(OpRole::kDataset)
    .Input("input_datasets: N * variant")
    .Output("handle: variant")
    .Attr("N: int >= 2")
    .Attr("num_experiments: int")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Shape(DatasetShape);
WB_OP("ExperimentalChooseFastestDataset")
    .Role(OpRole::kDataset)
    .Input("input_datasets: N * variant")
    .Output("handle: variant")
    .Attr("N: int >= 2")
    .Attr("num_experiments: int")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Shape(DatasetShape);
WB_OP("ChooseFastestBranchDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("ratio_numerator: int64")
    .Input("ratio_denominator: int64")
    .Input("other_arguments: Targuments")
    .Output("handle: variant")
    .Attr("Targuments: list(type) >= 0")
    .Attr("num_elements_per_branch: int >= 1")
    .Attr("branches: list(func) >= 1")
    .Attr("other_arguments_lengths: list(int) >= 1")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Shape(DatasetShape);
WB_KERNEL("ChooseFastestDataset", KernelOf<ChooseFastestDatasetKernel>).Cpu().Cheap();
WB_KERNEL("ExperimentalChooseFastestDataset", KernelOf<ChooseFastestDatasetKernel>).Cpu().Cheap();
WB_KERNEL("ChooseFastestBranchDataset", KernelOf<ChooseFastestBranchDatasetKernel>).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
