// TensorSliceDataset: the rows of the given tensors along their first dimension, as views.

#include "ops/data/dataset_kernel.h"

namespace warpbeam {
namespace {

class TensorSliceDataset final : public Dataset {
 public:
  TensorSliceDataset(ElementSpec spec, Element tensors)
      : Dataset(std::move(spec), {}), tensors_(std::move(tensors)), num_rows_(tensors_[0].dim(0)) {
    for (const Tensor& t : tensors_) row_shapes_.push_back(t.shape().Remove(0));
  }

  const char* name() const override { return "TensorSlice"; }
  int64_t CountElements() const override { return num_rows_; }
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(PipelineContext&) const override {
    return std::make_unique<Iterator>(*this);
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    explicit Iterator(const TensorSliceDataset& dataset) : dataset_(dataset) {}
    Status GetNext(Element* element, bool* end) override {
      *end = next_ >= dataset_.num_rows_;
      if (*end) return OkStatus();
      element->resize(dataset_.tensors_.size());
      for (size_t i = 0; i < dataset_.tensors_.size(); ++i) {
        (*element)[i] = dataset_.Row(i, next_);
      }
      ++next_;
      return OkStatus();
    }

   private:
    const TensorSliceDataset& dataset_;
    int64_t next_ = 0;
  };

  Tensor Row(size_t component, int64_t row) const {
    const Tensor& t = tensors_[component];
    const Shape& shape = row_shapes_[component];
    const size_t row_bytes = static_cast<size_t>(shape.num_elements()) * DTypeSize(t.dtype());
    char* data = const_cast<char*>(t.data<char>()) + static_cast<size_t>(row) * row_bytes;
    return Tensor(t.dtype(), shape, t.buffer(), data);
  }

  const Element tensors_;
  const int64_t num_rows_;
  std::vector<Shape> row_shapes_;
};

class TensorSliceDatasetKernel final : public DatasetKernel {
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    Element tensors = InputRange(ctx, 0, ctx.num_inputs());
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (tensors[i].rank() == 0) {
        return InvalidArgument("component ", i, " is a scalar: there are no rows to slice");
      }
      if (tensors[i].dim(0) != tensors[0].dim(0)) {
        return InvalidArgument("components must have the same first dimension; component 0 has ",
                               tensors[0].dim(0), " rows, component ", i, " has ",
                               tensors[i].dim(0));
      }
      const PartialShape row(tensors[i].shape().Remove(0));
      if (!row.IsCompatibleWith(spec().shapes[i])) {
        return InvalidArgument("Incompatible shapes at component ", i, ": expected ",
                               row.ToString(), " but got ", spec().shapes[i].ToString(), ".");
      }
    }
    return std::make_shared<TensorSliceDataset>(spec(), std::move(tensors));
  }
};

WB_OP("TensorSliceDataset")
    .Role(OpRole::kDataset)
    .Input("components: Toutput_types")
    .Output("handle: variant")
    .Attr("Toutput_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("is_files: bool = false")
    .Attr("metadata: string = ''")
    .Attr("replicate_on_split: bool = false")
    .Stateful()
    .Shape(DatasetShape);
WB_KERNEL("TensorSliceDataset", KernelOf<TensorSliceDatasetKernel>).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
