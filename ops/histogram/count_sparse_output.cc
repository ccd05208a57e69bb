// DenseCountSparseOutput, SparseCountSparseOutput, RaggedCountSparseOutput: how often each number
// occurs in each row, as a sparse matrix of the numbers that do.
#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

using CountTypes = TypeList<int32_t, int64_t, float, double>;

struct CountAttrs {
  int64_t least, most;  // numbers: -1 for as many as there are
  bool binary;
};

// The rows of values. A vector is one row whose number is left out of the result.
struct Rows {
  std::vector<int64_t> of_value;
  int64_t count = 1;
  bool is_vector = false;
};

Status CheckWeights(const Tensor& values, const Tensor& weights) {
  if (weights.num_elements() == 0 || weights.shape() == values.shape()) return OkStatus();
  return InvalidArgument("Weights and values must have the same shape. Weight shape: ",
                         weights.shape().ToString(), "; values shape: ", values.shape().ToString());
}

template <typename V, typename W>
Status Count(KernelContext& ctx, const CountAttrs& attrs, const Rows& rows, const Tensor& values,
             const Tensor& weights) {
  std::map<std::pair<int64_t, int64_t>, W> counts;  // by row and number
  int64_t greatest = 0;
  for (size_t i = 0; i < rows.of_value.size(); ++i) {
    const int64_t number = values.data<V>()[i];
    if (number < 0) {
      return InvalidArgument("Input values must all be non-negative, not ", number);
    }
    if (attrs.most >= 0 && number >= attrs.most) continue;
    if (number == std::numeric_limits<int64_t>::max()) {
      return InvalidArgument("the value ", number, " is too large");
    }
    greatest = std::max(greatest, number);
    W& count = counts[{rows.of_value[i], number}];
    if (attrs.binary) {
      count = W(1);
    } else {
      const W weight = weights.num_elements() == 0 ? W(1) : weights.data<W>()[i];
      if constexpr (std::is_integral_v<W>) {
        using U = std::make_unsigned_t<W>;
        count = static_cast<W>(static_cast<U>(count) + static_cast<U>(weight));
      } else {
        count += weight;
      }
    }
  }
  const auto found = static_cast<int64_t>(counts.size());
  const int64_t rank = rows.is_vector ? 1 : 2;
  WB_ASSIGN_OR_RETURN(Tensor * indices, ctx.Allocate(0, Shape({found, rank})));
  WB_ASSIGN_OR_RETURN(Tensor * sums, ctx.Allocate(1, Shape({found})));
  int64_t* at = indices->data<int64_t>();
  W* sum = sums->data<W>();
  for (const auto& [place, count] : counts) {
    if (!rows.is_vector) *at++ = place.first;
    *at++ = place.second;
    *sum++ = count;
  }
  const int64_t numbers = attrs.most >= 0 ? attrs.most : std::max(greatest + 1, attrs.least);
  ctx.set_output(2, rows.is_vector ? Tensor::Vector<int64_t>({numbers})
                                   : Tensor::Vector<int64_t>({rows.count, numbers}));
  return OkStatus();
}

StatusOr<Rows> RowsOfDense(const Tensor& values) {
  if (values.rank() != 1 && values.rank() != 2) {
    return InvalidArgument("Input must be a 1 or 2-dimensional tensor. Got: ",
                           values.shape().ToString());
  }
  Rows rows;
  rows.is_vector = values.rank() == 1;
  if (!rows.is_vector) rows.count = values.dim(0);
  if (rows.count == 0) return InvalidArgument("Invalid input: Shapes dimension cannot be 0.");
  for (int64_t i = 0; i < values.num_elements(); ++i) {
    rows.of_value.push_back(i / (values.num_elements() / rows.count));
  }
  return rows;
}

StatusOr<Rows> RowsOfSparse(const Tensor& indices, const Tensor& values, const Tensor& extents) {
  if (indices.rank() != 2) {
    return InvalidArgument("Input indices must be a 2-dimensional tensor. Got: ",
                           indices.shape().ToString());
  }
  if (values.rank() != 1) {
    return InvalidArgument("Input values must be a vector. Got: ", values.shape().ToString());
  }
  if (extents.rank() != 1) {
    return InvalidArgument("Input shape must be a vector. Got: ", extents.shape().ToString());
  }
  if (values.dim(0) != indices.dim(0)) {
    return InvalidArgument("Number of values must match first dimension of indices. Got ",
                           values.dim(0), " values, indices shape: ", indices.shape().ToString());
  }
  const int64_t rank = indices.dim(1);
  if (extents.dim(0) != rank || rank == 0) {
    return InvalidArgument("Number of dimensions must match second dimension of indices. Got ",
                           extents.dim(0),
                           " dimensions, indices shape: ", indices.shape().ToString());
  }
  Rows rows;
  rows.is_vector = rank == 1;
  if (!rows.is_vector) rows.count = extents.data<int64_t>()[0];
  const int64_t* at = indices.data<int64_t>();
  for (int64_t i = 0; i < values.dim(0); ++i, at += rank) {
    for (int64_t d = 0; d < rank; ++d) {
      if (at[d] < 0 || at[d] >= extents.data<int64_t>()[d]) {
        return InvalidArgument("Invalid index value at ", i, ": dimension ", d, " has value ",
                               at[d], " which is not in [0, ", extents.data<int64_t>()[d], ")");
      }
    }
    rows.of_value.push_back(rows.is_vector ? 0 : at[0]);
  }
  if (rows.count <= 0) {
    return InvalidArgument("Cannot allocate ", rows.count,
                           " batches, is the dense shape too wide?");
  }
  return rows;
}

StatusOr<Rows> RowsOfRagged(const Tensor& splits, const Tensor& values) {
  const auto ends = splits.flat<int64_t>();
  if (ends.size() < 2) {
    return InvalidArgument("Must provide at least 2 elements for the splits argument");
  }
  if (ends[0] != 0) return InvalidArgument("Splits must start with 0, not with ", ends[0]);
  if (ends.back() != values.num_elements()) {
    return InvalidArgument("Splits must end with the number of values, got ", ends.back(),
                           " instead of ", values.num_elements());
  }
  Rows rows;
  rows.count = static_cast<int64_t>(ends.size()) - 1;
  size_t row = 0;
  for (int64_t i = 0; i < values.num_elements(); ++i) {
    while (i >= ends[row]) ++row;  // ends at the last, which is the number of values
    rows.of_value.push_back(static_cast<int64_t>(row) - 1);
  }
  return rows;
}

class CountKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    CountAttrs attrs;
    WB_ASSIGN_OR_RETURN(attrs.least, init.attr<int64_t>("minlength"));
    WB_ASSIGN_OR_RETURN(attrs.most, init.attr<int64_t>("maxlength"));
    WB_ASSIGN_OR_RETURN(attrs.binary, init.attr<bool>("binary_output"));
    return std::make_unique<CountKernel>(attrs);
  }
  explicit CountKernel(const CountAttrs& attrs) : attrs_(attrs) {}

  Status Compute(KernelContext& ctx) override {
    // Weights come last; values first, or behind what says where they are.
    const Tensor& weights = ctx.input(ctx.num_inputs() - 1);
    const Tensor& values = ctx.input(ctx.num_inputs() == 2 ? 0 : 1);
    WB_ASSIGN_OR_RETURN(const Rows rows, ctx.num_inputs() == 2 ? RowsOfDense(values)
                                         : ctx.num_inputs() == 3
                                             ? RowsOfRagged(ctx.input(0), values)
                                             : RowsOfSparse(ctx.input(0), values, ctx.input(2)));
    WB_RETURN_IF_ERROR(CheckWeights(values, weights));
    return DispatchIndex(values.dtype(), [&](auto v) {
      return DispatchTypes(CountTypes{}, weights.dtype(), [&](auto w) {
        return Count<typename decltype(v)::type, typename decltype(w)::type>(ctx, attrs_, rows,
                                                                             values, weights);
      });
    });
  }

 private:
  const CountAttrs attrs_;
};

Status DenseCountShape(ShapeContext& c) {
  const PartialShape& values = c.input(0);
  if (values.has_rank() && values.rank() != 1 && values.rank() != 2) {
    return InvalidArgument("Input must be a 1 or 2-dimensional tensor. Got: ", values.ToString());
  }
  const int64_t rank = values.has_rank() ? values.rank() : -1;
  c.set_output(0, PartialShape({-1, rank}));
  c.set_output(1, PartialShape({-1}));
  c.set_output(2, PartialShape({rank}));
  return OkStatus();
}
Status SparseCountShape(ShapeContext& c) {
  c.set_output(0, PartialShape({-1, -1}));
  c.set_output(1, PartialShape({-1}));
  c.set_output(2, PartialShape({-1}));
  return OkStatus();
}
Status RaggedCountShape(ShapeContext& c) {
  c.set_output(0, PartialShape({-1, 2}));
  c.set_output(1, PartialShape({-1}));
  c.set_output(2, PartialShape({2}));
  return OkStatus();
}

#define WB_COUNT_OUTPUTS                    \
  Input("weights: output_type")             \
      .Output("output_indices: int64")      \
      .Output("output_values: output_type") \
      .Output("output_dense_shape: int64")  \
      .Attr("T: {int32, int64}")            \
      .Attr("minlength: int >= -1 = -1")    \
      .Attr("maxlength: int >= -1 = -1")    \
      .Attr("binary_output: bool")          \
      .Attr("output_type: {int32, int64, float, double}")
#define WB_COUNT_KERNEL(op) \
  WB_KERNEL(op, CountKernel).Cpu({{"T", kIndexTypes}, {"output_type", TypeSetOf(CountTypes{})}})

WB_OP("DenseCountSparseOutput").Input("values: T").WB_COUNT_OUTPUTS.Shape(DenseCountShape);
WB_COUNT_KERNEL("DenseCountSparseOutput");

WB_OP("SparseCountSparseOutput")
    .Input("indices: int64")
    .Input("values: T")
    .Input("dense_shape: int64")
    .WB_COUNT_OUTPUTS.Shape(SparseCountShape);
WB_COUNT_KERNEL("SparseCountSparseOutput");

WB_OP("RaggedCountSparseOutput")
    .Input("splits: int64")
    .Input("values: T")
    .WB_COUNT_OUTPUTS.Shape(RaggedCountShape);
WB_COUNT_KERNEL("RaggedCountSparseOutput");
#undef WB_COUNT_KERNEL
#undef WB_COUNT_OUTPUTS

}  // namespace
}  // namespace warpbeam
