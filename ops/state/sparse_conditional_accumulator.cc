// SparseConditionalAccumulator and its ops: gradients of some rows, of several workers, summed up
// until enough have come.
//
// The mean of a row is over the gradients that have the row. Rows are merged as two sorted lists
// are: of a gradient whose rows are in no order, or there twice, rows may come twice.
#include "graph/op/op_registry.h"
#include "graph/types/span.h"
#include "ops/array/function_kernel.h"
#include "ops/launch/dispatch.h"
#include "ops/state/accumulator.h"

namespace warpbeam {
namespace {

class SparseAccumulator final : public Accumulator {
 public:
  SparseAccumulator(DType dtype, PartialShape shape, bool mean)
      : Accumulator(dtype, std::move(shape), mean, /*sparse=*/true) {}

 protected:
  Status Add(KernelContext&, const Gradient& gradient, int64_t count) override {
    const Tensor &indices = gradient[0], &values = gradient[1];
    if (indices.rank() != 1) {
      return InvalidArgument("Input indices should be vector but received shape: ",
                             indices.shape().ToString());
    }
    if (values.rank() < 1) return InvalidArgument("Values cannot be 0-dimensional.");
    if (values.dim(0) != indices.dim(0)) {
      return InvalidArgument("Expected ", indices.dim(0), " non-empty input values, got ",
                             values.dim(0));
    }
    if (gradient.size() == 3) WB_RETURN_IF_ERROR(CheckDenseShape(gradient[2]));
    WB_RETURN_IF_ERROR(CheckRows(indices, values, count));
    const int64_t* first = indices.data<int64_t>();
    if (count > 0) return Merge({first, static_cast<size_t>(indices.num_elements())}, values);
    WB_ASSIGN_OR_RETURN(values_, values.Clone());
    indices_.assign(first, first + indices.num_elements());
    counts_.assign(indices_.size(), 1);
    return OkStatus();
  }

  Finish Release(int64_t) override {
    return [this, indices = std::move(indices_), counts = std::move(counts_),
            values = std::exchange(values_, Tensor())]() mutable -> StatusOr<Gradient> {
      if (mean()) WB_RETURN_IF_ERROR(Divide(counts, &values));
      // The number of rows is known only from the accumulator's own shape.
      const Span<const int64_t> extents = values.shape().dims();
      std::vector<int64_t> dims(extents.begin(), extents.end());
      dims[0] = shape().has_rank() && shape().rank() > 0 ? shape().dim(0) : -1;
      return Gradient{Tensor::Vector<int64_t>(indices), values, Tensor::Vector<int64_t>(dims)};
    };
  }

 private:
  // The shape that comes with a gradient.
  Status CheckDenseShape(const Tensor& dense) const {
    if (!shape().has_rank()) return OkStatus();
    if (dense.num_elements() < shape().rank()) {
      return InvalidArgument("Shape mismatch: expected shape rank at least ", shape().rank(),
                             ", got ", dense.num_elements());
    }
    for (int d = 0; d < shape().rank(); ++d) {
      const int64_t extent = dense.data<int64_t>()[d];
      if (shape().dim(d) < 0 || shape().dim(d) == extent) continue;
      return InvalidArgument("Shape mismatch: expected shape dim ", d, " to be ", shape().dim(d),
                             ", got ", extent);
    }
    return OkStatus();
  }

  // Rows are as wide as those that are there, or as the shape says.
  Status CheckRows(const Tensor& indices, const Tensor& values, int64_t count) const {
    const int rank = shape().has_rank() ? shape().rank() : 0;
    if (rank > 0 && shape().dim(0) >= 0) {
      for (int64_t i = 0; i < indices.num_elements(); ++i) {
        if (indices.data<int64_t>()[i] < shape().dim(0)) continue;
        return InvalidArgument("Shape mismatch: index of slice ", i,
                               " exceeded limits of shape; index is ", indices.data<int64_t>()[i],
                               " exceeded ", shape().dim(0));
      }
    }
    if (values.rank() < rank || (count > 0 && values.rank() != values_.rank())) {
      return InvalidArgument("Shape mismatch: expected values rank ", count > 0 ? "" : "at least ",
                             count > 0 ? values_.rank() : rank, ", got ", values.rank());
    }
    for (int d = 1; d < (count > 0 ? values.rank() : rank); ++d) {
      const int64_t want = count > 0 ? values_.dim(d) : shape().dim(d);
      if (want < 0 || want == values.dim(d)) continue;
      return InvalidArgument("Shape mismatch: expected values dim ", d, " to be ", want, ", got ",
                             values.dim(d));
    }
    return OkStatus();
  }

  Status Merge(Span<const int64_t> indices, const Tensor& values) {
    struct Source {
      int64_t mine, theirs;  // -1: none
    };
    std::vector<Source> sources;
    std::vector<int64_t> merged, counts;
    for (size_t i = 0, j = 0; i < indices_.size() || j < indices.size();) {
      const bool mine = j == indices.size() || (i < indices_.size() && indices_[i] <= indices[j]);
      const bool theirs = i == indices_.size() || (j < indices.size() && indices[j] <= indices_[i]);
      merged.push_back(mine ? indices_[i] : indices[j]);
      counts.push_back((mine ? counts_[i] : 0) + (theirs ? 1 : 0));
      sources.push_back(
          {mine ? static_cast<int64_t>(i) : -1, theirs ? static_cast<int64_t>(j) : -1});
      if (mine) ++i;
      if (theirs) ++j;
    }
    const Span<const int64_t> extents = values.shape().dims();
    std::vector<int64_t> dims(extents.begin(), extents.end());
    int64_t width = 1;
    for (size_t d = 1; d < dims.size(); ++d) width *= dims[d];
    dims[0] = static_cast<int64_t>(merged.size());
    WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
    WB_ASSIGN_OR_RETURN(Tensor sum, Tensor::Allocate(dtype(), shape));
    WB_RETURN_IF_ERROR((DispatchTypes<Half, float, double>(dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      using V = ComputeType<T>;
      T* out = sum.data<T>();
      for (const Source& s : sources) {
        const T* a = s.mine < 0 ? nullptr : values_.data<T>() + s.mine * width;
        const T* b = s.theirs < 0 ? nullptr : values.data<T>() + s.theirs * width;
        for (int64_t k = 0; k < width; ++k) {
          *out++ = a == nullptr   ? b[k]
                   : b == nullptr ? a[k]
                                  : static_cast<T>(static_cast<V>(a[k]) + static_cast<V>(b[k]));
        }
      }
      return OkStatus();
    })));
    indices_ = std::move(merged);
    counts_ = std::move(counts);
    values_ = std::move(sum);
    return OkStatus();
  }

  static Status Divide(const std::vector<int64_t>& counts, Tensor* values) {
    if (values->num_elements() == 0) return OkStatus();
    const int64_t width = values->num_elements() / static_cast<int64_t>(counts.size());
    return DispatchTypes<Half, float, double>(values->dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      using V = ComputeType<T>;
      T* x = values->data<T>();
      for (const int64_t count : counts) {
        for (int64_t k = 0; k < width; ++k, ++x) {
          *x = static_cast<T>(static_cast<V>(*x) / static_cast<V>(count));
        }
      }
      return OkStatus();
    });
  }

  std::vector<int64_t> indices_;
  std::vector<int64_t> counts_;  // gradients that have the row
  Tensor values_;
};

class ApplyKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<ApplyKernel>();
    WB_ASSIGN_OR_RETURN(kernel->has_known_shape_, init.attr<bool>("has_known_shape"));
    return kernel;
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(std::shared_ptr<Accumulator> accumulator, AccumulatorOf(ctx));
    WB_ASSIGN_OR_RETURN(int64_t local_step, AccumulatorScalar(ctx, 1, "local_step"));
    WB_RETURN_IF_ERROR(accumulator->CheckKind(/*sparse=*/true, ctx.input(3).dtype()));
    Accumulator::Gradient gradient = {ctx.input(2), ctx.input(3)};
    if (has_known_shape_) gradient.push_back(ctx.input(4));
    return accumulator->Apply(ctx, local_step, gradient);
  }

 private:
  bool has_known_shape_ = false;
};

Status SparseTakeShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  c.set_output(0, PartialShape({-1}));
  c.set_output(2, PartialShape({-1}));
  return OkStatus();
}

WB_OP("SparseConditionalAccumulator")
    .Output("handle: Ref(string)")
    .Attr("dtype: numbertype")
    .Attr("shape: shape")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Attr("reduction_type: {'MEAN', 'SUM'} = 'MEAN'")
    .Stateful()
    .Shape(AccumulatorHandleShape);
WB_KERNEL("SparseConditionalAccumulator", AccumulatorKernel<SparseAccumulator>)
    .Cpu({{"dtype", TypeSet{DType::kDouble, DType::kFloat, DType::kHalf}}})
    .Cheap();

WB_OP("SparseAccumulatorApplyGradient")
    .Input("handle: Ref(string)")
    .Input("local_step: int64")
    .Input("gradient_indices: int64")
    .Input("gradient_values: dtype")
    .Input("gradient_shape: int64")
    .Attr("dtype: numbertype")
    .Attr("has_known_shape: bool")
    .Shape(shapes::NoOutputs);
WB_KERNEL("SparseAccumulatorApplyGradient", ApplyKernel).Cpu();

WB_OP("SparseAccumulatorTakeGradient")
    .Input("handle: Ref(string)")
    .Input("num_required: int32")
    .Output("indices: int64")
    .Output("values: dtype")
    .Output("shape: int64")
    .Attr("dtype: numbertype")
    .Shape(SparseTakeShape);
WB_KERNEL("SparseAccumulatorTakeGradient", TakeGradientKernel).Cpu().Async().Unbounded();

}  // namespace
}  // namespace warpbeam
