// The ops of the statistics that TensorFlow's pipelines once gathered. As with TensorFlow today
// where nobody has given a summary writer, there are none: the aggregator is a name, its summary
// empty.

#include "ops/data/anonymous_resource.h"
#include "ops/data/dataset_kernel.h"

namespace warpbeam {
namespace {

class StatsAggregator final : public Resource {
 public:
  std::string DebugString() const override { return "an aggregator of statistics"; }
};

class StatsAggregatorHandleKernel final : public Kernel {
 public:
  Status Init(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(container_, init.attr<std::string>("container"));
    WB_ASSIGN_OR_RETURN(name_, init.attr<std::string>("shared_name"));
    if (name_.empty()) name_ = init.node_name;
    return OkStatus();
  }
  Status Compute(KernelContext& ctx) override {
    const auto make = []() -> StatusOr<std::shared_ptr<StatsAggregator>> {
      return std::make_shared<StatsAggregator>();
    };
    WB_RETURN_IF_ERROR(
        ctx.resources()->LookupOrCreate<StatsAggregator>(container_, name_, make).status());
    auto handle = MakeResourceHandle<StatsAggregator>("", container_, name_, "StatsAggregator");
    ctx.set_output(0, HandleTensor(std::move(handle), ctx.device()));
    return OkStatus();
  }

 private:
  std::string container_;
  std::string name_;
};

Status FindAggregator(const KernelContext& ctx, int input) {
  WB_ASSIGN_OR_RETURN(const ResourceHandle handle, HandleFromTensor(ctx.input(input)));
  return ctx.resources()->Lookup<StatsAggregator>(handle).status();
}

class StatsAggregatorSummaryKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<StatsAggregatorSummaryKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    WB_RETURN_IF_ERROR(FindAggregator(ctx, 0));
    ctx.set_output(0, Tensor::Scalar<std::string>(""));
    return OkStatus();
  }
};

class SetStatsAggregatorKernel final : public DatasetKernel {
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    WB_RETURN_IF_ERROR(FindAggregator(ctx, 1));
    return DatasetFromTensor(ctx.input(0));
  }
};

WB_OP("StatsAggregatorHandle")
    .Output("handle: resource")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Stateful()
    .Shape(shapes::Scalar);
WB_OP("ExperimentalStatsAggregatorHandle")
    .Output("handle: resource")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Stateful()
    .Shape(shapes::Scalar);
WB_OP("StatsAggregatorHandleV2")
    .Output("handle: resource")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Stateful()
    .Shape(shapes::Scalar);
WB_OP("StatsAggregatorSummary")
    .Input("iterator: resource")
    .Output("summary: string")
    .Stateful()
    .Shape(shapes::Scalar);
WB_OP("ExperimentalStatsAggregatorSummary")
    .Input("iterator: resource")
    .Output("summary: string")
    .Stateful()
    .Shape(shapes::Scalar);
WB_OP("SetStatsAggregatorDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("stats_aggregator: resource")
    .Input("tag: string")
    .Input("counter_prefix: string")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Stateful()
    .Shape(DatasetShape);
WB_OP("ExperimentalSetStatsAggregatorDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("stats_aggregator: resource")
    .Input("tag: string")
    .Input("counter_prefix: string")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Stateful()
    .Shape(DatasetShape);
WB_KERNEL("StatsAggregatorHandle", KernelOf<StatsAggregatorHandleKernel>).Cpu().Cheap();
WB_KERNEL("ExperimentalStatsAggregatorHandle", KernelOf<StatsAggregatorHandleKernel>).Cpu().Cheap();
WB_KERNEL("StatsAggregatorHandleV2", KernelOf<StatsAggregatorHandleKernel>).Cpu().Cheap();
WB_KERNEL("StatsAggregatorSummary", StatsAggregatorSummaryKernel).Cpu().Cheap();
WB_KERNEL("ExperimentalStatsAggregatorSummary", StatsAggregatorSummaryKernel).Cpu().Cheap();
WB_KERNEL("SetStatsAggregatorDataset", KernelOf<SetStatsAggregatorKernel>).Cpu().Cheap();
WB_KERNEL("ExperimentalSetStatsAggregatorDataset", KernelOf<SetStatsAggregatorKernel>)
    .Cpu()
    .Cheap();

}  // namespace
}  // namespace warpbeam
