// AssertCardinalityDataset: the elements of the input, which are to be as many as the op says; the
// end, where it comes early, and every element too many is an error.

#include "ops/data/dataset_kernel.h"

namespace warpbeam {
namespace {

std::string Elements(int64_t n) { return absl::StrCat(n, n == 1 ? " element" : " elements"); }

class AssertCardinalityDataset final : public Dataset {
 public:
  AssertCardinalityDataset(ElementSpec spec, DatasetRef input, int64_t cardinality)
      : Dataset(std::move(spec), {std::move(input)}), cardinality_(cardinality) {}

  const char* name() const override { return "AssertCardinality"; }
  int64_t CountElements() const override { return cardinality_; }
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      PipelineContext& pipeline) const override {
    auto iterator = std::make_unique<Iterator>(cardinality_);
    WB_ASSIGN_OR_RETURN(iterator->input_, input().MakeIterator(pipeline));
    return iterator;
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    explicit Iterator(int64_t expected) : expected_(expected) {}

    Status GetNext(Element* element, bool* end) override {
      WB_RETURN_IF_ERROR(input_->GetNext(element, end));
      if (!*end) ++count_;
      if (*end && count_ != expected_) return Wrong("only ");
      if (!*end && expected_ != kInfinite && count_ > expected_) return Wrong("at least ");
      return OkStatus();
    }

   private:
    friend class AssertCardinalityDataset;

    Status Wrong(const char* bound) const {
      return FailedPrecondition(
          "Input dataset was expected to contain ",
          expected_ == kInfinite ? "an infinite number of elements" : Elements(expected_),
          " but contained ", bound, Elements(count_), ".");
    }

    const int64_t expected_;
    std::unique_ptr<DatasetIterator> input_;
    int64_t count_ = 0;
  };

  const int64_t cardinality_;
};

class AssertCardinalityDatasetKernel final : public DatasetKernel {
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(DatasetRef input, DatasetFromTensor(ctx.input(0)));
    WB_ASSIGN_OR_RETURN(const int64_t cardinality, ScalarInput<int64_t>(ctx, 1, "cardinality"));
    return std::make_shared<AssertCardinalityDataset>(spec(), std::move(input), cardinality);
  }
};

WB_OP("AssertCardinalityDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("cardinality: int64")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Shape(DatasetShape);
WB_KERNEL("AssertCardinalityDataset", KernelOf<AssertCardinalityDatasetKernel>).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
