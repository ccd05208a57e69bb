// MakeIterator: gives an iterator a dataset to read from its beginning.

#include "ops/data/dataset_kernel.h"
#include "ops/data/iterator/iterator_resource.h"

namespace warpbeam {
namespace {

class MakeIteratorKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<MakeIteratorKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(DatasetRef dataset, DatasetFromTensor(ctx.input(0)));
    WB_ASSIGN_OR_RETURN(std::shared_ptr<IteratorResource> iterator, FindIterator(ctx, 1));
    return iterator->SetDataset(std::move(dataset), ctx.functions(), ctx.resources());
  }
};

WB_OP("MakeIterator")
    .Input("dataset: variant")
    .Input("iterator: resource")
    .Stateful()
    .Shape(shapes::NoOutputs);
WB_KERNEL("MakeIterator", MakeIteratorKernel).Cpu();

}  // namespace
}  // namespace warpbeam
