// SamplingDataset: each element of the input with a given probability.

#include <cstring>

#include "ops/data/dataset_kernel.h"
#include "ops/data/random_samples.h"

namespace warpbeam {
namespace {

// A number in [0, 1), as TensorFlow makes it of 32 random bits.
float UnitFloat(uint32_t bits) {
  constexpr uint32_t kMantissa = 0x7fffff, kOne = 0x3f800000;
  const uint32_t one_to_two = kOne | (bits & kMantissa);
  float value;
  std::memcpy(&value, &one_to_two, sizeof(value));
  return value - 1;
}

class SamplingDataset final : public Dataset {
 public:
  SamplingDataset(ElementSpec spec, DatasetRef input, float rate, SeedPair seeds)
      : Dataset(std::move(spec), {std::move(input)}),
        rate_(rate),
        seeds_(std::make_unique<SeedGenerator>(seeds, /*reseed=*/false)) {}

  const char* name() const override { return "Sampling"; }
  SeedGenerator* seeds() const override { return seeds_.get(); }
  // None of an endless input may be drawn.
  bool FindImmediate() const override { return input().Cardinality() >= 0 && InputsAreImmediate(); }
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      PipelineContext& pipeline) const override {
    auto iterator = std::make_unique<Iterator>(*this, pipeline);
    WB_ASSIGN_OR_RETURN(iterator->input_, input().MakeIterator(pipeline));
    return iterator;
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    Iterator(const SamplingDataset& dataset, PipelineContext& pipeline)
        : rate_(dataset.rate_), pipeline_(pipeline), samples_(dataset.seeds_->Next()) {}

    Status GetNext(Element* element, bool* end) override {
      for (;;) {
        *end = input_ == nullptr;
        if (*end) return OkStatus();
        if (pipeline_.IsCancelled()) return pipeline_.cancel_reason();
        WB_RETURN_IF_ERROR(input_->GetNext(element, end));
        if (*end) {
          input_.reset();
          return OkStatus();
        }
        if (UnitFloat(samples_.Next()) < rate_) return OkStatus();
      }
    }

   private:
    friend class SamplingDataset;
    const float rate_;
    PipelineContext& pipeline_;
    RandomSamples samples_;
    std::unique_ptr<DatasetIterator> input_;
  };

  const float rate_;
  const std::unique_ptr<SeedGenerator> seeds_;
};

class SamplingDatasetKernel final : public DatasetKernel {
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(DatasetRef input, DatasetFromTensor(ctx.input(0)));
    WB_ASSIGN_OR_RETURN(const float rate, ScalarInput<float>(ctx, 1, "rate"));
    WB_ASSIGN_OR_RETURN(const int64_t seed, ScalarInput<int64_t>(ctx, 2, "seed"));
    WB_ASSIGN_OR_RETURN(const int64_t seed2, ScalarInput<int64_t>(ctx, 3, "seed2"));
    return std::make_shared<SamplingDataset>(spec(), std::move(input), rate,
                                             ResolveSeeds(seed, seed2));
  }
};

WB_OP("SamplingDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("rate: float")
    .Input("seed: int64")
    .Input("seed2: int64")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Shape(DatasetShape);
WB_KERNEL("SamplingDataset", KernelOf<SamplingDatasetKernel>).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
