// SleepDataset: the elements of the input, each after a pause.

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "ops/data/dataset_kernel.h"

namespace warpbeam {
namespace {

class SleepDataset final : public Dataset {
 public:
  SleepDataset(ElementSpec spec, DatasetRef input, int64_t microseconds)
      : Dataset(std::move(spec), {std::move(input)}), microseconds_(microseconds) {}

  const char* name() const override { return "Sleep"; }
  int64_t CountElements() const override { return input().Cardinality(); }
  bool FindImmediate() const override { return false; }
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      PipelineContext& pipeline) const override {
    auto iterator = std::make_unique<Iterator>(microseconds_, pipeline);
    WB_ASSIGN_OR_RETURN(iterator->input_, input().MakeIterator(pipeline));
    return iterator;
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    Iterator(int64_t microseconds, PipelineContext& pipeline)
        : microseconds_(microseconds), pipeline_(pipeline), hook_(pipeline.cancellation(), [this] {
            std::lock_guard<std::mutex> lock(mutex_);
            cancelled_.notify_all();
          }) {}

    Status GetNext(Element* element, bool* end) override {
      {
        std::unique_lock<std::mutex> lock(mutex_);
        cancelled_.wait_for(lock, std::chrono::microseconds(microseconds_),
                            [this] { return pipeline_.IsCancelled(); });
      }
      if (pipeline_.IsCancelled()) return pipeline_.cancel_reason();
      return input_->GetNext(element, end);
    }

   private:
    friend class SleepDataset;
    const int64_t microseconds_;
    PipelineContext& pipeline_;
    std::unique_ptr<DatasetIterator> input_;
    std::mutex mutex_;
    std::condition_variable cancelled_;
    CancellationHook hook_;
  };

  const int64_t microseconds_;
};

class SleepDatasetKernel final : public DatasetKernel {
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    // Clocks count nanoseconds in 64 bits; a year is long enough.
    constexpr int64_t kMostMicroseconds = int64_t{366} * 24 * 3600 * 1'000'000;
    WB_ASSIGN_OR_RETURN(DatasetRef input, DatasetFromTensor(ctx.input(0)));
    WB_ASSIGN_OR_RETURN(const int64_t microseconds,
                        ScalarInput<int64_t>(ctx, 1, "sleep_microseconds"));
    if (microseconds < 0) {
      return InvalidArgument("`sleep_microseconds` must be >= 0, got ", microseconds);
    }
    return std::make_shared<SleepDataset>(spec(), std::move(input),
                                          std::min(microseconds, kMostMicroseconds));
  }
};

WB_OP("SleepDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("sleep_microseconds: int64")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Shape(DatasetShape);
WB_OP("ExperimentalSleepDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("sleep_microseconds: int64")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Shape(DatasetShape);
WB_KERNEL("SleepDataset", KernelOf<SleepDatasetKernel>).Cpu().Cheap();
WB_KERNEL("ExperimentalSleepDataset", KernelOf<SleepDatasetKernel>).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
