// PaddedBatchDataset and PaddedBatchDatasetV2: batches of elements of different sizes, each padded
// to a given shape, or, where that is unknown, to the largest of the batch.

#include <algorithm>
#include <string>

#include "ops/data/dataset_kernel.h"
#include "ops/data/dataset_of_batches.h"
#include "ops/data/transform/row_batch.h"
#include "ops/launch/dispatch.h"

namespace warpbeam {
namespace {

struct Padding {
  std::vector<PartialShape> shapes;
  std::vector<Tensor> values;
};

// Copies `from` into the corner of the zero-based box `to_shape` at `to`.
template <typename T>
void CopyCorner(const T* from, const Shape& from_shape, T* to, const Shape& to_shape, int axis) {
  if (axis == from_shape.rank()) {
    *to = *from;
    return;
  }
  if (axis + 1 == from_shape.rank()) {
    std::copy_n(from, from_shape.dim(axis), to);
    return;
  }
  int64_t from_stride = 1, to_stride = 1;
  for (int d = axis + 1; d < from_shape.rank(); ++d) {
    from_stride *= from_shape.dim(d);
    to_stride *= to_shape.dim(d);
  }
  for (int64_t i = 0; i < from_shape.dim(axis); ++i) {
    CopyCorner(from + i * from_stride, from_shape, to + i * to_stride, to_shape, axis + 1);
  }
}

class PaddedBatchDataset final : public DatasetOfBatches {
 public:
  PaddedBatchDataset(ElementSpec spec, DatasetRef input, int64_t batch_size, bool drop_remainder,
                     Padding padding)
      : DatasetOfBatches(std::move(spec), std::move(input), batch_size, drop_remainder),
        padding_(std::move(padding)) {}

  const char* name() const override { return "PaddedBatch"; }
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      PipelineContext& pipeline) const override {
    auto iterator = std::make_unique<Iterator>(*this, pipeline);
    WB_ASSIGN_OR_RETURN(iterator->input_, input().MakeIterator(pipeline));
    return iterator;
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    Iterator(const PaddedBatchDataset& dataset, PipelineContext& pipeline)
        : dataset_(dataset), pipeline_(pipeline) {}

    Status GetNext(Element* element, bool* end) override {
      *end = input_ == nullptr;
      if (*end) return OkStatus();
      std::vector<Element> rows;
      while (static_cast<int64_t>(rows.size()) < dataset_.batch_size_) {
        if (pipeline_.IsCancelled()) return pipeline_.cancel_reason();
        Element row;
        WB_RETURN_IF_ERROR(input_->GetNext(&row, end));
        if (*end) break;
        rows.push_back(std::move(row));
      }
      if (*end) input_.reset();
      const bool is_full = static_cast<int64_t>(rows.size()) == dataset_.batch_size_;
      *end = rows.empty() || (dataset_.drop_remainder_ && !is_full);
      if (*end) return OkStatus();
      element->resize(dataset_.padding_.shapes.size());
      for (size_t c = 0; c < element->size(); ++c) {
        WB_ASSIGN_OR_RETURN((*element)[c], PadComponent(c, rows));
      }
      return OkStatus();
    }

   private:
    friend class PaddedBatchDataset;

    StatusOr<Shape> RowShape(size_t c, const std::vector<Element>& rows) const {
      const PartialShape& wanted = dataset_.padding_.shapes[c];
      const int rank = wanted.has_rank() ? wanted.rank() : rows[0][c].rank();
      std::vector<int64_t> dims(rank, 0);
      for (const Element& row : rows) {
        const Shape& shape = row[c].shape();
        if (shape.rank() != rank) {
          return InvalidArgument(
              "all elements in a batch must have the same rank as the padded "
              "shape for component ",
              c, ": expected rank ", rank, " but got element with rank ", shape.rank());
        }
        for (int d = 0; d < rank; ++d) dims[d] = std::max(dims[d], shape.dim(d));
      }
      for (int d = 0; wanted.has_rank() && d < rank; ++d) {
        if (wanted.dim(d) < 0) continue;
        if (dims[d] > wanted.dim(d)) {
          return DataLoss("attempted to pad to a smaller size than the input element: dimension ",
                          d, " of component ", c, " is ", dims[d], ", the padded shape is ",
                          wanted.ToString());
        }
        dims[d] = wanted.dim(d);
      }
      return Shape::Make(dims);
    }

    StatusOr<Tensor> PadComponent(size_t c, std::vector<Element>& rows) const {
      WB_ASSIGN_OR_RETURN(const Shape row_shape, RowShape(c, rows));
      WB_ASSIGN_OR_RETURN(Shape shape, row_shape.Insert(0, static_cast<int64_t>(rows.size())));
      const Tensor& value = dataset_.padding_.values[c];
      WB_ASSIGN_OR_RETURN(Tensor batch,
                          Tensor::Allocate(value.dtype(), shape, pipeline_.allocator()));
      const auto pad = [&](auto tag) {
        using T = typename decltype(tag)::type;
        T* to = batch.data<T>();
        for (Element& row : rows) {
          const Tensor& from = row[c];
          if (from.shape() != row_shape) {
            std::fill_n(to, row_shape.num_elements(), value.scalar<T>());
          }
          CopyCorner(from.data<T>(), from.shape(), to, row_shape, 0);
          to += row_shape.num_elements();
        }
        return OkStatus();
      };
      for (const Element& row : rows) {
        if (row[c].dtype() == value.dtype()) continue;
        return InvalidArgument("component ", c, " of an element is ", DTypeName(row[c].dtype()),
                               ", its padding value ", DTypeName(value.dtype()));
      }
      WB_RETURN_IF_ERROR(DispatchElements(value.dtype(), pad));
      return batch;
    }

    const PaddedBatchDataset& dataset_;
    PipelineContext& pipeline_;
    std::unique_ptr<DatasetIterator> input_;
  };

  const Padding padding_;
};

class PaddedBatchDatasetKernel final : public DatasetKernel {
  Status ReadAttrs(KernelInit& init) override {
    WB_ASSIGN_OR_RETURN(const int64_t n, init.attr<int64_t>("N"));
    num_components_ = static_cast<int>(n);
    if (num_components_ != static_cast<int>(spec().types.size())) {
      return InvalidArgument("N is ", n, ", but Toutput_types has ", spec().types.size());
    }
    return OkStatus();
  }
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    const int n = num_components_;
    WB_ASSIGN_OR_RETURN(DatasetRef input, DatasetFromTensor(ctx.input(0)));
    WB_ASSIGN_OR_RETURN(const int64_t batch_size, ScalarInput<int64_t>(ctx, 1, "batch_size"));
    if (batch_size <= 0) {
      return InvalidArgument("batch_size must be greater than 0, got ", batch_size);
    }
    if (input->spec().types.size() != static_cast<size_t>(n)) {
      return InvalidArgument("the input has ", input->spec().types.size(), " components, but ", n,
                             " padded shapes are given");
    }
    Padding padding;
    for (int i = 0; i < n; ++i) {
      const Tensor& shape = ctx.input(2 + i);
      if (shape.rank() != 1) {
        return InvalidArgument("all padded shapes must be vectors, got shape ",
                               shape.shape().ToString());
      }
      WB_ASSIGN_OR_RETURN(PartialShape padded, PartialShape::Make(shape.flat<int64_t>()));
      padding.shapes.push_back(std::move(padded));
      padding.values.push_back(ctx.input(2 + n + i));
      if (padding.values.back().rank() != 0) {
        return InvalidArgument("all padding values must be scalars");
      }
      if (padding.values.back().dtype() != input->spec().types[i]) {
        return InvalidArgument("the padding value of component ", i, " is ",
                               DTypeName(padding.values.back().dtype()), ", the component is ",
                               DTypeName(input->spec().types[i]));
      }
    }
    bool drop_remainder = false;
    if (ctx.num_inputs() > 2 + 2 * n) {
      WB_ASSIGN_OR_RETURN(drop_remainder, ScalarInput<bool>(ctx, 2 + 2 * n, "drop_remainder"));
    }
    return std::make_shared<PaddedBatchDataset>(spec(), std::move(input), batch_size,
                                                drop_remainder, std::move(padding));
  }
  int num_components_ = 0;
};

WB_OP("PaddedBatchDataset")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("batch_size: int64")
    .Input("padded_shapes: N * int64")
    .Input("padding_values: Toutput_types")
    .Output("handle: variant")
    .Attr("Toutput_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("N: int >= 1")
    .Attr("metadata: string = ''")
    .Shape(DatasetShape);
WB_OP("PaddedBatchDatasetV2")
    .Role(OpRole::kDataset)
    .Input("input_dataset: variant")
    .Input("batch_size: int64")
    .Input("padded_shapes: N * int64")
    .Input("padding_values: Toutput_types")
    .Input("drop_remainder: bool")
    .Output("handle: variant")
    .Attr("parallel_copy: bool = false")
    .Attr("Toutput_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("N: int >= 1")
    .Attr("metadata: string = ''")
    .Shape(DatasetShape);
WB_KERNEL("PaddedBatchDataset", KernelOf<PaddedBatchDatasetKernel>).Cpu().Cheap();
WB_KERNEL("PaddedBatchDatasetV2", KernelOf<PaddedBatchDatasetKernel>).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
