// TensorDataset: one element, made of the given tensors.

#include "ops/data/dataset_kernel.h"

namespace warpbeam {
namespace {

class TensorDataset final : public Dataset {
 public:
  TensorDataset(ElementSpec spec, Element element)
      : Dataset(std::move(spec), {}), element_(std::move(element)) {}

  const char* name() const override { return "Tensor"; }
  int64_t CountElements() const override { return 1; }
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(PipelineContext&) const override {
    return std::make_unique<Iterator>(*this);
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    explicit Iterator(const TensorDataset& dataset) : dataset_(dataset) {}
    Status GetNext(Element* element, bool* end) override {
      *end = produced_;
      if (!produced_) *element = dataset_.element_;
      produced_ = true;
      return OkStatus();
    }

   private:
    const TensorDataset& dataset_;
    bool produced_ = false;
  };

  const Element element_;
};

class TensorDatasetKernel final : public DatasetKernel {
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    Element element = InputRange(ctx, 0, ctx.num_inputs());
    WB_RETURN_IF_ERROR(spec().CheckElement(element));
    return std::make_shared<TensorDataset>(spec(), std::move(element));
  }
};

WB_OP("TensorDataset")
    .Role(OpRole::kDataset)
    .Input("components: Toutput_types")
    .Output("handle: variant")
    .Attr("Toutput_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Stateful()
    .Shape(DatasetShape);
WB_KERNEL("TensorDataset", KernelOf<TensorDatasetKernel>).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
