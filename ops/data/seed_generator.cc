// The ops that make and delete the seed generators of ShuffleDatasetV2 and V3.

#include "ops/data/anonymous_resource.h"
#include "ops/data/dataset_kernel.h"
#include "ops/data/random_samples.h"

namespace warpbeam {
namespace {

constexpr char kPrefix[] = "AnonymousSeedGenerator";

// AnonymousSeedGenerator has `reshuffle` as its third input; without it seeds are always drawn
// anew.
class MakeSeedGeneratorKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<MakeSeedGeneratorKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const int64_t seed, ScalarInput<int64_t>(ctx, 0, "seed"));
    WB_ASSIGN_OR_RETURN(const int64_t seed2, ScalarInput<int64_t>(ctx, 1, "seed2"));
    bool reshuffle = true;
    if (ctx.num_inputs() > 2) {
      WB_ASSIGN_OR_RETURN(reshuffle, ScalarInput<bool>(ctx, 2, "reshuffle"));
    }
    const std::string name = UniqueResourceName(kPrefix);
    WB_RETURN_IF_ERROR(ctx.resources()->Create(
        "", name, std::make_shared<SeedGenerator>(ResolveSeeds(seed, seed2), reshuffle)));
    auto handle = MakeResourceHandle<SeedGenerator>("", "", name, kPrefix);
    ctx.set_output(0, HandleTensor(std::move(handle), ctx.device()));
    ctx.set_output(1, Tensor::Scalar<Variant>(Variant::Of<std::string>(name)));
    return OkStatus();
  }
};

class DeleteSeedGeneratorKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<DeleteSeedGeneratorKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(ResourceHandle handle, HandleFromTensor(ctx.input(0)));
    return ctx.resources()->Delete(handle);
  }
};

// A handle to nothing: a shuffle that is given it makes a generator of its own.
class DummySeedGeneratorKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<DummySeedGeneratorKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    ctx.set_output(0, HandleTensor({"", "", "DummySeedGenerator", 0, "DummySeedGenerator", {}}));
    return OkStatus();
  }
};

WB_OP("AnonymousSeedGenerator")
    .Input("seed: int64")
    .Input("seed2: int64")
    .Input("reshuffle: bool")
    .Output("handle: resource")
    .Output("deleter: variant")
    .Stateful()
    .Shape(shapes::Scalar);
WB_OP("AnonymousRandomSeedGenerator")
    .Input("seed: int64")
    .Input("seed2: int64")
    .Output("handle: resource")
    .Output("deleter: variant")
    .Stateful()
    .Shape(shapes::Scalar);
WB_OP("DeleteSeedGenerator")
    .Input("handle: resource")
    .Input("deleter: variant")
    .Stateful()
    .Shape(shapes::NoOutputs);
WB_OP("DeleteRandomSeedGenerator")
    .Input("handle: resource")
    .Input("deleter: variant")
    .Stateful()
    .Shape(shapes::NoOutputs);
WB_OP("DummySeedGenerator").Output("handle: resource").Stateful().Shape(shapes::Scalar);
WB_KERNEL("AnonymousSeedGenerator", MakeSeedGeneratorKernel).Cpu().Cheap();
WB_KERNEL("AnonymousRandomSeedGenerator", MakeSeedGeneratorKernel).Cpu().Cheap();
WB_KERNEL("DeleteSeedGenerator", DeleteSeedGeneratorKernel).Cpu().Cheap();
WB_KERNEL("DeleteRandomSeedGenerator", DeleteSeedGeneratorKernel).Cpu().Cheap();
WB_KERNEL("DummySeedGenerator", DummySeedGeneratorKernel).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
