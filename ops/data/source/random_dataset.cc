// RandomDataset: an endless sequence of random numbers of 32 bits, as int64; V2 may begin each pass
// with seeds of its own.

#include "ops/data/anonymous_resource.h"
#include "ops/data/dataset_kernel.h"
#include "ops/data/random_samples.h"

namespace warpbeam {
namespace {

class RandomDataset final : public Dataset {
 public:
  RandomDataset(ElementSpec spec, std::shared_ptr<SeedGenerator> seeds, bool reseeds)
      : Dataset(std::move(spec), {}), seeds_(std::move(seeds)), reseeds_(reseeds) {}

  const char* name() const override { return "Random"; }
  SeedGenerator* seeds() const override { return seeds_.get(); }
  int64_t CountElements() const override { return kInfinite; }
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(PipelineContext&) const override {
    return std::make_unique<Iterator>(reseeds_ ? seeds_->Next() : seeds_->seeds());
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    explicit Iterator(SeedPair seeds) : samples_(seeds) {}
    Status GetNext(Element* element, bool* end) override {
      *end = false;
      *element = {Tensor::Scalar<int64_t>(static_cast<int64_t>(samples_.Next()))};
      return OkStatus();
    }

   private:
    RandomSamples samples_;
  };

  const std::shared_ptr<SeedGenerator> seeds_;
  const bool reseeds_;  // each pass has seeds of its own
};

class RandomDatasetKernel final : public DatasetKernel {
  Status ReadAttrs(KernelInit& init) override {
    reseeds_ = init.attrs.GetOr<bool>("rerandomize_each_iteration", false);
    return OkStatus();
  }
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const int64_t seed, ScalarInput<int64_t>(ctx, 0, "seed"));
    WB_ASSIGN_OR_RETURN(const int64_t seed2, ScalarInput<int64_t>(ctx, 1, "seed2"));
    std::shared_ptr<SeedGenerator> seeds;
    if (reseeds_ && ctx.resources() != nullptr) {
      WB_ASSIGN_OR_RETURN(const ResourceHandle handle, HandleFromTensor(ctx.input(2)));
      auto found = ctx.resources()->Lookup<SeedGenerator>(handle);
      if (!found.ok() && !IsNotFound(found.status())) return found.status();
      if (found.ok()) seeds = *std::move(found);
    }
    if (seeds == nullptr) {
      seeds = std::make_shared<SeedGenerator>(ResolveSeeds(seed, seed2), reseeds_);
    }
    return std::make_shared<RandomDataset>(spec(), std::move(seeds), reseeds_);
  }
  bool reseeds_ = false;
};

WB_OP("RandomDataset")
    .Role(OpRole::kDataset)
    .Input("seed: int64")
    .Input("seed2: int64")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Stateful()
    .Shape(DatasetShape);
WB_OP("RandomDatasetV2")
    .Role(OpRole::kDataset)
    .Input("seed: int64")
    .Input("seed2: int64")
    .Input("seed_generator: resource")
    .Output("handle: variant")
    .Attr("rerandomize_each_iteration: bool = false")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Stateful()
    .Shape(DatasetShape);
WB_OP("ExperimentalRandomDataset")
    .Role(OpRole::kDataset)
    .Input("seed: int64")
    .Input("seed2: int64")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Stateful()
    .Shape(DatasetShape);
WB_KERNEL("RandomDataset", KernelOf<RandomDatasetKernel>).Cpu().Cheap();
WB_KERNEL("RandomDatasetV2", KernelOf<RandomDatasetKernel>).Cpu().Cheap();
WB_KERNEL("ExperimentalRandomDataset", KernelOf<RandomDatasetKernel>).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
