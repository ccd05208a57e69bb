// RandomDataset: an endless sequence of random numbers of 32 bits, as int64.

#include "ops/data/dataset_kernel.h"
#include "ops/data/random_samples.h"

namespace warpbeam {
namespace {

class RandomDataset final : public Dataset {
 public:
  RandomDataset(ElementSpec spec, SeedPair seeds) : Dataset(std::move(spec), {}), seeds_(seeds) {}

  const char* name() const override { return "Random"; }
  int64_t Cardinality() const override { return kInfinite; }
  absl::StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(PipelineContext&) const override {
    return std::make_unique<Iterator>(seeds_);
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    explicit Iterator(SeedPair seeds) : samples_(seeds) {}
    absl::Status GetNext(Element* element, bool* end) override {
      *end = false;
      *element = {Tensor::Scalar<int64_t>(static_cast<int64_t>(samples_.Next()))};
      return absl::OkStatus();
    }

   private:
    RandomSamples samples_;
  };

  const SeedPair seeds_;
};

class RandomDatasetKernel final : public DatasetKernel {
  absl::StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const int64_t seed, ScalarInput<int64_t>(ctx, 0, "seed"));
    WB_ASSIGN_OR_RETURN(const int64_t seed2, ScalarInput<int64_t>(ctx, 1, "seed2"));
    return std::make_shared<RandomDataset>(spec(), ResolveSeeds(seed, seed2));
  }
};

WB_OP("RandomDataset")
    .Input("seed: int64")
    .Input("seed2: int64")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Stateful()
    .Shape(DatasetShape);
WB_KERNEL("RandomDataset", KernelOf<RandomDatasetKernel>).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
