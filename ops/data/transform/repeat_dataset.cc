// RepeatDataset: the input again and again, `count` times; for ever when count is negative.

#include "ops/data/dataset_kernel.h"

namespace warpbeam {
namespace {

class RepeatDataset final : public Dataset {
 public:
  RepeatDataset(ElementSpec spec, DatasetRef input, int64_t count)
      : Dataset(std::move(spec), {std::move(input)}), count_(count) {}

  const char* name() const override { return "Repeat"; }
  int64_t CountElements() const override {
    const int64_t n = input().Cardinality();
    if (count_ == 0 || n == 0) return 0;
    if (count_ < 0) return kInfinite;
    if (n < 0) return n;
    int64_t total;
    return __builtin_mul_overflow(n, count_, &total) ? INT64_MAX : total;
  }
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      PipelineContext& pipeline) const override {
    return std::make_unique<Iterator>(*this, pipeline);
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    Iterator(const RepeatDataset& dataset, PipelineContext& pipeline)
        : dataset_(dataset), pipeline_(pipeline) {}

    Status GetNext(Element* element, bool* end) override {
      for (;;) {
        *end = found_nothing_ || (dataset_.count_ >= 0 && rounds_ >= dataset_.count_);
        if (*end) return OkStatus();
        if (pipeline_.IsCancelled()) return pipeline_.cancel_reason();
        const bool is_new = input_ == nullptr;
        if (is_new) {
          WB_ASSIGN_OR_RETURN(input_, dataset_.input().MakeIterator(pipeline_));
        }
        WB_RETURN_IF_ERROR(input_->GetNext(element, end));
        if (!*end) return OkStatus();
        input_.reset();
        ++rounds_;
        // An input without elements would be repeated for ever in vain.
        found_nothing_ = is_new && (dataset_.count_ < 0 || dataset_.input().Cardinality() == 0);
      }
    }

   private:
    const RepeatDataset& dataset_;
    PipelineContext& pipeline_;
    std::unique_ptr<DatasetIterator> input_;
    int64_t rounds_ = 0;
    bool found_nothing_ = false;
  };

  const int64_t count_;
};

class RepeatDatasetKernel final : public DatasetKernel {
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(DatasetRef input, DatasetFromTensor(ctx.input(0)));
    WB_ASSIGN_OR_RETURN(const int64_t count, ScalarInput<int64_t>(ctx, 1, "count"));
    return std::make_shared<RepeatDataset>(spec(), std::move(input), count);
  }
};

WB_OP("RepeatDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("count: int64")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Shape(DatasetShape);
WB_KERNEL("RepeatDataset", KernelOf<RepeatDatasetKernel>).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
