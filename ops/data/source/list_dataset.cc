// ListDataset and WindowOp: the tensors that the op is given, as elements.

#include "ops/data/dataset_kernel.h"
#include "ops/data/elements_dataset.h"

namespace warpbeam {
namespace {

class ListDatasetKernel final : public DatasetKernel {
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    const int components = static_cast<int>(spec().types.size());
    if (ctx.num_inputs() % components != 0) {
      return InvalidArgument(ctx.num_inputs(), " tensors make no elements of ", components,
                             " components each");
    }
    std::vector<Element> elements;
    for (int i = 0; i < ctx.num_inputs(); i += components) {
      elements.push_back(InputRange(ctx, i, components));
      WB_RETURN_IF_ERROR(spec().CheckElement(elements.back()));
    }
    return std::make_shared<ElementsDataset>(spec(), std::move(elements));
  }
};

WB_OP("ListDataset")
    .Role(OpRole::kDataset)
    .Input("tensors: Tinput_types")
    .Output("handle: variant")
    .Attr("Tinput_types: list(type) >= 1")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Stateful()
    .Shape(DatasetShape);
WB_OP("WindowOp")
    .Input("inputs: Tinputs")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("Tinputs: list(type) >= 1")
    .Shape(DatasetShape);
WB_KERNEL("ListDataset", KernelOf<ListDatasetKernel>).Cpu().Cheap();
WB_KERNEL("WindowOp", KernelOf<ListDatasetKernel>).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
