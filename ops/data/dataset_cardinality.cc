// DatasetCardinality: the number of elements; -1 for no end, -2 where nobody knows.

#include "ops/data/dataset_kernel.h"

namespace warpbeam {
namespace {

class DatasetCardinalityKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<DatasetCardinalityKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(DatasetRef dataset, DatasetFromTensor(ctx.input(0)));
    ctx.set_output(0, Tensor::Scalar<int64_t>(dataset->Cardinality()));
    return OkStatus();
  }
};

WB_OP("DatasetCardinality")
    .Input("input_dataset: variant")
    .Output("cardinality: int64")
    .Attr("cardinality_options: string = ''")
    .Shape(shapes::Scalar);
WB_OP("ExperimentalDatasetCardinality")
    .Input("input_dataset: variant")
    .Output("cardinality: int64")
    .Shape(shapes::Scalar);
WB_KERNEL("DatasetCardinality", DatasetCardinalityKernel).Cpu().Cheap();
WB_KERNEL("ExperimentalDatasetCardinality", DatasetCardinalityKernel).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
