// TakeDataset and SkipDataset: the first `count` elements, and what comes after them. A negative
// count stands for all elements of the input.

#include <algorithm>

#include "ops/data/dataset_kernel.h"

namespace warpbeam {
namespace {

// Passing over more elements than this is work for a thread that can be cancelled.
constexpr int64_t kFewElements = 4096;

// Elements [begin, end) of the input; end < 0 for no end.
class SectionDataset final : public Dataset {
 public:
  SectionDataset(const char* name, ElementSpec spec, DatasetRef input, int64_t begin, int64_t end)
      : Dataset(std::move(spec), {std::move(input)}), name_(name), begin_(begin), end_(end) {}

  const char* name() const override { return name_; }
  int64_t CountElements() const override {
    const int64_t n = input().Cardinality();
    if (end_ == 0) return 0;
    if (n == kUnknown) return kUnknown;
    if (n == kInfinite) return end_ < 0 ? kInfinite : end_;
    return std::max<int64_t>(0, (end_ < 0 ? n : std::min(n, end_)) - begin_);
  }
  bool FindImmediate() const override { return begin_ <= kFewElements && InputsAreImmediate(); }
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      PipelineContext& pipeline) const override {
    auto iterator = std::make_unique<Iterator>(*this, pipeline);
    if (end_ != 0) {
      WB_ASSIGN_OR_RETURN(iterator->input_, input().MakeIterator(pipeline));
    }
    return iterator;
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    Iterator(const SectionDataset& dataset, PipelineContext& pipeline)
        : dataset_(dataset), pipeline_(pipeline) {}

    Status GetNext(Element* element, bool* end) override {
      for (;;) {
        *end = input_ == nullptr || (dataset_.end_ >= 0 && position_ >= dataset_.end_);
        if (*end) break;
        if (pipeline_.IsCancelled()) return pipeline_.cancel_reason();
        WB_RETURN_IF_ERROR(input_->GetNext(element, end));
        if (*end) break;
        if (position_++ >= dataset_.begin_) return OkStatus();
      }
      input_.reset();
      return OkStatus();
    }

   private:
    friend class SectionDataset;
    const SectionDataset& dataset_;
    PipelineContext& pipeline_;
    std::unique_ptr<DatasetIterator> input_;
    int64_t position_ = 0;
  };

  const char* const name_;
  const int64_t begin_;
  const int64_t end_;
};

class TakeDatasetKernel final : public DatasetKernel {
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(DatasetRef input, DatasetFromTensor(ctx.input(0)));
    WB_ASSIGN_OR_RETURN(const int64_t count, ScalarInput<int64_t>(ctx, 1, "count"));
    return std::make_shared<SectionDataset>("Take", spec(), std::move(input), 0,
                                            count < 0 ? -1 : count);
  }
};

class SkipDatasetKernel final : public DatasetKernel {
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(DatasetRef input, DatasetFromTensor(ctx.input(0)));
    WB_ASSIGN_OR_RETURN(const int64_t count, ScalarInput<int64_t>(ctx, 1, "count"));
    // To skip all is to have nothing.
    return count < 0
               ? std::make_shared<SectionDataset>("Skip", spec(), std::move(input), 0, 0)
               : std::make_shared<SectionDataset>("Skip", spec(), std::move(input), count, -1);
  }
};

WB_OP("TakeDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("count: int64")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Shape(DatasetShape);
WB_OP("SkipDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("count: int64")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Shape(DatasetShape);
WB_KERNEL("TakeDataset", KernelOf<TakeDatasetKernel>).Cpu().Cheap();
WB_KERNEL("SkipDataset", KernelOf<SkipDatasetKernel>).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
