// MultiDeviceIteratorInit: gives an iterator for several devices a dataset to read from its
// beginning.

#include "ops/data/dataset_kernel.h"
#include "ops/data/iterator/multi_device_iterator_resource.h"

namespace warpbeam {
namespace {

class MultiDeviceIteratorInitKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<MultiDeviceIteratorInitKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const int64_t size, ScalarInput<int64_t>(ctx, 2, "max_buffer_size"));
    WB_ASSIGN_OR_RETURN(DatasetRef dataset, DatasetFromTensor(ctx.input(0)));
    WB_ASSIGN_OR_RETURN(auto iterator, FindMultiDeviceIterator(ctx, 1));
    WB_ASSIGN_OR_RETURN(const int64_t incarnation,
                        iterator->Init(std::move(dataset), size, ctx.functions(), ctx.resources()));
    ctx.set_output(0, Tensor::Scalar<int64_t>(incarnation));
    return OkStatus();
  }
};

WB_OP("MultiDeviceIteratorInit")
    .Input("dataset: variant")
    .Input("multi_device_iterator: resource")
    .Input("max_buffer_size: int64")
    .Output("incarnation_id: int64")
    .Stateful()
    .Shape(shapes::Scalar);
WB_KERNEL("MultiDeviceIteratorInit", MultiDeviceIteratorInitKernel).Cpu();

}  // namespace
}  // namespace warpbeam
