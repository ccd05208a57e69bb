// ThreadPoolDataset and the handle that it is given: the elements of the input. Which threads make
// them is the pipeline's own business here, so a pool is a name and a number.

#include "ops/data/anonymous_resource.h"
#include "ops/data/dataset_kernel.h"

namespace warpbeam {
namespace {

class ThreadPoolResource final : public Resource {
 public:
  std::string DebugString() const override { return "the thread pool of a dataset"; }
};

class ThreadPoolHandleKernel final : public Kernel {
 public:
  Status Init(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const int64_t threads, init.attr<int64_t>("num_threads"));
    if (threads < 0) return InvalidArgument("`num_threads` must be >= 0, got ", threads);
    WB_ASSIGN_OR_RETURN(container_, init.attr<std::string>("container"));
    WB_ASSIGN_OR_RETURN(name_, init.attr<std::string>("shared_name"));
    if (name_.empty()) name_ = init.node_name;
    return OkStatus();
  }
  Status Compute(KernelContext& ctx) override {
    WB_RETURN_IF_ERROR(ctx.resources()
                           ->LookupOrCreate<ThreadPoolResource>(
                               container_, name_,
                               []() -> StatusOr<std::shared_ptr<ThreadPoolResource>> {
                                 return std::make_shared<ThreadPoolResource>();
                               })
                           .status());
    auto handle =
        MakeResourceHandle<ThreadPoolResource>("", container_, name_, "ThreadPoolResource");
    ctx.set_output(0, HandleTensor(std::move(handle), ctx.device()));
    return OkStatus();
  }

 private:
  std::string container_;
  std::string name_;
};

class ThreadPoolDatasetKernel final : public DatasetKernel {
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const ResourceHandle handle, HandleFromTensor(ctx.input(1)));
    WB_RETURN_IF_ERROR(ctx.resources()->Lookup<ThreadPoolResource>(handle).status());
    return DatasetFromTensor(ctx.input(0));
  }
};

WB_OP("ThreadPoolHandle")
    .Output("handle: resource")
    .Attr("num_threads: int")
    .Attr("max_intra_op_parallelism: int = 1")
    .Attr("display_name: string")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Stateful()
    .Shape(shapes::Scalar);
WB_OP("ExperimentalThreadPoolHandle")
    .Output("handle: resource")
    .Attr("num_threads: int")
    .Attr("max_intra_op_parallelism: int = 1")
    .Attr("display_name: string")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Stateful()
    .Shape(shapes::Scalar);
WB_OP("ThreadPoolDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("thread_pool: resource")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Stateful()
    .Shape(DatasetShape);
WB_OP("ExperimentalThreadPoolDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("thread_pool: resource")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Stateful()
    .Shape(DatasetShape);
WB_KERNEL("ThreadPoolHandle", KernelOf<ThreadPoolHandleKernel>).Cpu().Cheap();
WB_KERNEL("ExperimentalThreadPoolHandle", KernelOf<ThreadPoolHandleKernel>).Cpu().Cheap();
WB_KERNEL("ThreadPoolDataset", KernelOf<ThreadPoolDatasetKernel>).Cpu().Cheap();
WB_KERNEL("ExperimentalThreadPoolDataset", KernelOf<ThreadPoolDatasetKernel>).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
