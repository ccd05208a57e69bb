// The ops that make and delete the caches which CacheDatasetV2 is given. A dataset here keeps its
// elements itself, so a cache is a name only.

#include "ops/data/anonymous_resource.h"
#include "ops/data/dataset_kernel.h"

namespace warpbeam {
namespace {

constexpr char kPrefix[] = "AnonymousMemoryCache";

class NamedCache final : public Resource {
 public:
  std::string DebugString() const override { return "the cache of a dataset"; }
};

class AnonymousMemoryCacheKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<AnonymousMemoryCacheKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    const std::string name = UniqueResourceName(kPrefix);
    WB_RETURN_IF_ERROR(ctx.resources()->Create("", name, std::make_shared<NamedCache>()));
    auto handle = MakeResourceHandle<NamedCache>("", "", name, kPrefix);
    ctx.set_output(0, HandleTensor(std::move(handle), ctx.device()));
    ctx.set_output(1, Tensor::Scalar<Variant>(Variant::Of<std::string>(name)));
    return OkStatus();
  }
};

class DeleteMemoryCacheKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<DeleteMemoryCacheKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const ResourceHandle handle, HandleFromTensor(ctx.input(0)));
    return ctx.resources()->Delete(handle);
  }
};

class DummyMemoryCacheKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<DummyMemoryCacheKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    ctx.set_output(0, HandleTensor({"", "", "DummyMemoryCache", 0, "DummyMemoryCache", {}}));
    return OkStatus();
  }
};

WB_OP("AnonymousMemoryCache")
    .Output("handle: resource")
    .Output("deleter: variant")
    .Stateful()
    .Shape(shapes::Scalar);
WB_OP("DeleteMemoryCache")
    .Input("handle: resource")
    .Input("deleter: variant")
    .Stateful()
    .Shape(shapes::NoOutputs);
WB_OP("DummyMemoryCache").Output("handle: resource").Stateful().Shape(shapes::Scalar);
WB_KERNEL("AnonymousMemoryCache", AnonymousMemoryCacheKernel).Cpu().Cheap();
WB_KERNEL("DeleteMemoryCache", DeleteMemoryCacheKernel).Cpu().Cheap();
WB_KERNEL("DummyMemoryCache", DummyMemoryCacheKernel).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
