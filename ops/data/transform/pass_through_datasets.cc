// Datasets that change nothing about the elements: they carry options, ask for rewrites of the
// pipeline or measure it. What TensorFlow does by rewriting, the iterators here do by themselves.

#include "ops/data/dataset_kernel.h"

namespace warpbeam {
namespace {

class PassThroughKernel : public DatasetKernel {
 protected:
  StatusOr<DatasetRef> Make(KernelContext& ctx) override { return DatasetFromTensor(ctx.input(0)); }
};

// For ops whose second input is a number of threads, 0 for any.
class ThreadLimitKernel final : public PassThroughKernel {
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const int64_t threads, ScalarInput<int64_t>(ctx, 1, "the limit"));
    if (threads < 0) return InvalidArgument("a number of threads must be >= 0, got ", threads);
    return PassThroughKernel::Make(ctx);
  }
};

// As PassThroughKernel, for ops without the attributes that describe elements.
class HandleKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<HandleKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    ctx.set_output(0, ctx.input(0));
    return OkStatus();
  }
};

WB_OP("OptionsDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Output("handle: variant")
    .Attr("serialized_options: string")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Shape(DatasetShape);
WB_OP("ModelDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Output("handle: variant")
    .Attr("algorithm: int = 0")
    .Attr("cpu_budget: int = 0")
    .Attr("ram_budget: int = 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Shape(DatasetShape);
WB_OP("OptimizeDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("optimizations: string")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("optimization_configs: list(string) = []")
    .Shape(DatasetShape);
WB_OP("OptimizeDatasetV2")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("optimizations_enabled: string")
    .Input("optimizations_disabled: string")
    .Input("optimizations_default: string")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("optimization_configs: list(string) = []")
    .Shape(DatasetShape);
WB_OP("RewriteDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("rewrite_name: string")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Shape(DatasetShape);
WB_OP("FinalizeDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Output("handle: variant")
    .Attr("has_captured_ref: bool = false")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Shape(DatasetShape);
WB_OP("NonSerializableDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Shape(DatasetShape);
WB_OP("ExperimentalNonSerializableDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Shape(DatasetShape);
WB_OP("MaxIntraOpParallelismDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("max_intra_op_parallelism: int64")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Shape(DatasetShape);
WB_OP("ExperimentalMaxIntraOpParallelismDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("max_intra_op_parallelism: int64")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Shape(DatasetShape);
WB_OP("PrivateThreadPoolDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("num_threads: int64")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Shape(DatasetShape);
WB_OP("ExperimentalPrivateThreadPoolDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("num_threads: int64")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Shape(DatasetShape);
WB_OP("LatencyStatsDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("tag: string")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Shape(DatasetShape);
WB_OP("ExperimentalLatencyStatsDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("tag: string")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Shape(DatasetShape);
WB_OP("BytesProducedStatsDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("tag: string")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Shape(DatasetShape);
WB_OP("ExperimentalBytesProducedStatsDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("tag: string")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Shape(DatasetShape);
WB_OP("WrapDatasetVariant")
    .Input("input_handle: variant")
    .Output("output_handle: variant")
    .Shape(DatasetShape);
WB_OP("UnwrapDatasetVariant")
    .Input("input_handle: variant")
    .Output("output_handle: variant")
    .Shape(DatasetShape);

WB_KERNEL("OptionsDataset", KernelOf<PassThroughKernel>).Cpu().Cheap();
WB_KERNEL("ModelDataset", KernelOf<PassThroughKernel>).Cpu().Cheap();
WB_KERNEL("OptimizeDataset", KernelOf<PassThroughKernel>).Cpu().Cheap();
WB_KERNEL("OptimizeDatasetV2", KernelOf<PassThroughKernel>).Cpu().Cheap();
WB_KERNEL("RewriteDataset", KernelOf<PassThroughKernel>).Cpu().Cheap();
WB_KERNEL("FinalizeDataset", KernelOf<PassThroughKernel>).Cpu().Cheap();
WB_KERNEL("NonSerializableDataset", KernelOf<PassThroughKernel>).Cpu().Cheap();
WB_KERNEL("ExperimentalNonSerializableDataset", KernelOf<PassThroughKernel>).Cpu().Cheap();
WB_KERNEL("MaxIntraOpParallelismDataset", KernelOf<ThreadLimitKernel>).Cpu().Cheap();
WB_KERNEL("ExperimentalMaxIntraOpParallelismDataset", KernelOf<ThreadLimitKernel>).Cpu().Cheap();
WB_KERNEL("PrivateThreadPoolDataset", KernelOf<ThreadLimitKernel>).Cpu().Cheap();
WB_KERNEL("ExperimentalPrivateThreadPoolDataset", KernelOf<ThreadLimitKernel>).Cpu().Cheap();
WB_KERNEL("LatencyStatsDataset", KernelOf<PassThroughKernel>).Cpu().Cheap();
WB_KERNEL("ExperimentalLatencyStatsDataset", KernelOf<PassThroughKernel>).Cpu().Cheap();
WB_KERNEL("BytesProducedStatsDataset", KernelOf<PassThroughKernel>).Cpu().Cheap();
WB_KERNEL("ExperimentalBytesProducedStatsDataset", KernelOf<PassThroughKernel>).Cpu().Cheap();
WB_KERNEL("WrapDatasetVariant", HandleKernel).Cpu().Cheap();
WB_KERNEL("UnwrapDatasetVariant", HandleKernel).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
