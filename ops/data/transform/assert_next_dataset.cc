// AssertNextDataset and AssertPrevDataset: for TensorFlow's own tests of how it rewrites pipelines.
// No pipeline is rewritten here, so only the assertion of nothing can be made.

#include "ops/data/dataset_kernel.h"

namespace warpbeam {
namespace {

class AssertNeighbourKernel final : public DatasetKernel {
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(DatasetRef input, DatasetFromTensor(ctx.input(0)));
    WB_ASSIGN_OR_RETURN(const std::vector<std::string> transformations,
                        VectorInput<std::string>(ctx, 1, "transformations"));
    if (transformations.empty()) return input;
    return InvalidArgument("Asserted transformation matching ", transformations[0],
                           " at offset 0, but pipelines are not rewritten here: take the "
                           "assertion out of the graph");
  }
};

WB_OP("AssertNextDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("transformations: string")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Shape(DatasetShape);
WB_OP("ExperimentalAssertNextDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("transformations: string")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Shape(DatasetShape);
WB_OP("AssertPrevDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("transformations: string")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Shape(DatasetShape);
WB_KERNEL("AssertNextDataset", KernelOf<AssertNeighbourKernel>).Cpu().Cheap();
WB_KERNEL("ExperimentalAssertNextDataset", KernelOf<AssertNeighbourKernel>).Cpu().Cheap();
WB_KERNEL("AssertPrevDataset", KernelOf<AssertNeighbourKernel>).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
