// ZipDataset: elements side by side; it ends with the shortest input.

#include "ops/data/dataset_kernel.h"

namespace warpbeam {
namespace {

class ZipDataset final : public Dataset {
 public:
  ZipDataset(ElementSpec spec, std::vector<DatasetRef> inputs)
      : Dataset(std::move(spec), std::move(inputs)) {}

  const char* name() const override { return "Zip"; }
  int64_t CountElements() const override {
    int64_t shortest = kInfinite;
    for (const DatasetRef& input : inputs()) {
      const int64_t n = input->Cardinality();
      if (n == kUnknown) return kUnknown;
      if (n != kInfinite && (shortest == kInfinite || n < shortest)) shortest = n;
    }
    return shortest;
  }
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      PipelineContext& pipeline) const override {
    auto iterator = std::make_unique<Iterator>();
    for (const DatasetRef& input : inputs()) {
      WB_ASSIGN_OR_RETURN(std::unique_ptr<DatasetIterator> it, input->MakeIterator(pipeline));
      iterator->inputs_.push_back(std::move(it));
    }
    iterator->parts_.resize(inputs().size());
    return iterator;
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    Status GetNext(Element* element, bool* end) override {
      *end = inputs_.empty();
      // All inputs are asked even when one fails, so that they stay in step.
      Status status;
      for (size_t i = 0; i < inputs_.size() && !*end; ++i) {
        Status s = inputs_[i]->GetNext(&parts_[i], end);
        if (status.ok()) status = std::move(s);
      }
      if (*end) {
        inputs_.clear();
        return OkStatus();
      }
      WB_RETURN_IF_ERROR(status);
      element->clear();
      for (Element& part : parts_) {
        for (Tensor& t : part) element->push_back(std::move(t));
        part.clear();
      }
      return OkStatus();
    }

   private:
    friend class ZipDataset;
    std::vector<std::unique_ptr<DatasetIterator>> inputs_;
    std::vector<Element> parts_;
  };
};

class ZipDatasetKernel final : public DatasetKernel {
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    std::vector<DatasetRef> inputs(ctx.num_inputs());
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      WB_ASSIGN_OR_RETURN(inputs[i], DatasetFromTensor(ctx.input(i)));
    }
    return std::make_shared<ZipDataset>(spec(), std::move(inputs));
  }
};

WB_OP("ZipDataset")
    .Role(OpRole::kDataset)
    .Input("input_datasets: N * variant")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("N: int >= 1")
    .Attr("metadata: string = ''")
    .Shape(DatasetShape);
WB_KERNEL("ZipDataset", KernelOf<ZipDatasetKernel>).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
