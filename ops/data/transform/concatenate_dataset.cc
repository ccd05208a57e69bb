// ConcatenateDataset: all of one dataset, then all of another.

#include "ops/data/dataset_kernel.h"

namespace warpbeam {
namespace {

class ConcatenateDataset final : public Dataset {
 public:
  ConcatenateDataset(ElementSpec spec, DatasetRef first, DatasetRef second)
      : Dataset(std::move(spec), {std::move(first), std::move(second)}) {}

  const char* name() const override { return "Concatenate"; }
  int64_t CountElements() const override {
    const int64_t a = inputs()[0]->Cardinality();
    const int64_t b = inputs()[1]->Cardinality();
    if (a == kInfinite || b == kInfinite) return kInfinite;
    if (a == kUnknown || b == kUnknown) return kUnknown;
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
  }
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      PipelineContext& pipeline) const override {
    return std::make_unique<Iterator>(*this, pipeline);
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    Iterator(const ConcatenateDataset& dataset, PipelineContext& pipeline)
        : dataset_(dataset), pipeline_(pipeline) {}

    Status GetNext(Element* element, bool* end) override {
      *end = true;
      while (part_ < dataset_.inputs().size()) {
        if (input_ == nullptr) {
          WB_ASSIGN_OR_RETURN(input_, dataset_.inputs()[part_]->MakeIterator(pipeline_));
        }
        WB_RETURN_IF_ERROR(input_->GetNext(element, end));
        if (!*end) break;
        input_.reset();
        ++part_;
      }
      return OkStatus();
    }

   private:
    const ConcatenateDataset& dataset_;
    PipelineContext& pipeline_;
    std::unique_ptr<DatasetIterator> input_;
    size_t part_ = 0;
  };
};

class ConcatenateDatasetKernel final : public DatasetKernel {
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(DatasetRef first, DatasetFromTensor(ctx.input(0)));
    WB_ASSIGN_OR_RETURN(DatasetRef second, DatasetFromTensor(ctx.input(1)));
    if (first->spec().types != second->spec().types) {
      return InvalidArgument("the datasets to concatenate have components of different types");
    }
    return std::make_shared<ConcatenateDataset>(spec(), std::move(first), std::move(second));
  }
};

WB_OP("ConcatenateDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("another_dataset: variant")
    .Output("handle: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .Shape(DatasetShape);
WB_KERNEL("ConcatenateDataset", KernelOf<ConcatenateDatasetKernel>).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
