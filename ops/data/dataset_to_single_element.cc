// DatasetToSingleElement: the element of a dataset that has just one.

#include "ops/data/drain_kernel.h"

namespace warpbeam {
namespace {

class DatasetToSingleElementKernel final : public DrainKernel {
  Status Drain(KernelContext& ctx, PipelineContext&, DatasetIterator& input) override {
    Element element, second;
    bool end = false;
    WB_RETURN_IF_ERROR(input.GetNext(&element, &end));
    if (end) return InvalidArgument("Dataset was empty.");
    WB_RETURN_IF_ERROR(spec().CheckElement(element));
    WB_RETURN_IF_ERROR(input.GetNext(&second, &end));
    if (!end) return InvalidArgument("Dataset had more than one element.");
    for (size_t i = 0; i < element.size(); ++i) {
      ctx.set_output(static_cast<int>(i), std::move(element[i]));
    }
    return OkStatus();
  }
};

WB_OP("DatasetToSingleElement")
    .Input("dataset: variant")
    .Output("components: output_types")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Stateful()
    .Shape(ElementShapes);
WB_KERNEL("DatasetToSingleElement", KernelOf<DatasetToSingleElementKernel>).Cpu().Async();

}  // namespace
}  // namespace warpbeam
