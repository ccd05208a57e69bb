// SparseBincount, RaggedBincount: how often each number occurs in each row, rows being those of a
// sparse matrix or of a ragged one.
#include <algorithm>
#include <memory>
#include <vector>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

using CountTypes = TypeList<int32_t, int64_t, float, double>;

// What is counted: values, their weights or none, and how many numbers there are counts of.
struct Counted {
  const Tensor& values;
  const Tensor& weights;
  int64_t size = 0;

  static StatusOr<Counted> Make(const Tensor& values, const Tensor& size, const Tensor& weights) {
    Counted counted{values, weights, 0};
    if (size.rank() != 0) {
      return InvalidArgument("'size' must be rank 0 but is rank ", size.rank());
    }
    counted.size = size.dtype() == DType::kInt32 ? size.scalar<int32_t>() : size.scalar<int64_t>();
    if (counted.size < 0) {
      return InvalidArgument("size (", counted.size, ") must be non-negative");
    }
    if (weights.num_elements() != 0 && weights.num_elements() != values.num_elements()) {
      return InvalidArgument("there must be no weights or one for each of ", values.num_elements(),
                             " values, not ", weights.num_elements());
    }
    return counted;
  }
};

// Adds value i to row `rows[i]`.
template <typename V, typename W>
Status CountInto(const Counted& counted, const std::vector<int64_t>& rows, bool binary, Tensor* y) {
  const V* values = counted.values.data<V>();
  const W* weights = counted.weights.num_elements() == 0 ? nullptr : counted.weights.data<W>();
  W* out = y->data<W>();
  std::fill_n(out, y->num_elements(), W(0));
  for (size_t i = 0; i < rows.size(); ++i) {
    if (values[i] < 0) return InvalidArgument("Input must be non-negative, not ", values[i]);
    if (values[i] >= counted.size) continue;
    W& count = out[rows[i] * counted.size + values[i]];
    if (binary) {
      count = W(1);
    } else if constexpr (std::is_integral_v<W>) {
      using U = std::make_unsigned_t<W>;
      count = static_cast<W>(static_cast<U>(count) +
                             static_cast<U>(weights == nullptr ? W(1) : weights[i]));
    } else {
      count += weights == nullptr ? W(1) : weights[i];
    }
  }
  return OkStatus();
}

Status Count(KernelContext& ctx, const Counted& counted, const std::vector<int64_t>& rows,
             bool binary, const std::vector<int64_t>& dims) {
  WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
  return DispatchIndex(counted.values.dtype(), [&](auto v) {
    return DispatchTypes(CountTypes{}, y->dtype(), [&](auto w) {
      return CountInto<typename decltype(v)::type, typename decltype(w)::type>(counted, rows,
                                                                               binary, y);
    });
  });
}

template <class Derived>
class BincountKernel : public Kernel {
 public:
  explicit BincountKernel(bool binary) : binary_(binary) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const bool binary, init.attr<bool>("binary_output"));
    return std::make_unique<Derived>(binary);
  }

 protected:
  const bool binary_;
};

class SparseBincountKernel final : public BincountKernel<SparseBincountKernel> {
 public:
  using BincountKernel::BincountKernel;
  Status Compute(KernelContext& ctx) override {
    const Tensor &indices = ctx.input(0), &values = ctx.input(1), &extents = ctx.input(2);
    WB_ASSIGN_OR_RETURN(const Counted counted, Counted::Make(values, ctx.input(3), ctx.input(4)));
    if (indices.rank() != 2 || values.rank() != 1 || extents.rank() != 1) {
      return InvalidArgument("Sparse indices, values and shape must be rank 2, 1 and 1 but have ",
                             "shapes ", indices.shape().ToString(), ", ", values.shape().ToString(),
                             " and ", extents.shape().ToString());
    }
    if (indices.dim(0) != values.dim(0)) {
      return InvalidArgument("Number of elements in indices (", indices.dim(0), ") and values (",
                             values.dim(0), ") do not match");
    }
    const int64_t rank = indices.dim(1);
    if (rank != extents.dim(0) || rank == 0) {
      return InvalidArgument("Index rank (", rank, ") and shape rank (", extents.dim(0),
                             ") do not match");
    }
    std::vector<int64_t> rows;
    const int64_t* at = indices.data<int64_t>();
    for (int64_t i = 0; i < values.dim(0); ++i, at += rank) {
      for (int64_t d = 0; d < rank; ++d) {
        if (at[d] < 0 || at[d] >= extents.data<int64_t>()[d]) {
          return InvalidArgument("Sparse index tuple indices[", i, ", ", d, "] = ", at[d],
                                 " is out of bounds: need 0 <= index < ",
                                 extents.data<int64_t>()[d]);
        }
      }
      rows.push_back(rank == 1 ? 0 : at[0]);
    }
    std::vector<int64_t> dims = {counted.size};
    if (rank > 1) dims.insert(dims.begin(), extents.data<int64_t>()[0]);
    return Count(ctx, counted, rows, binary_, dims);
  }
};

class RaggedBincountKernel final : public BincountKernel<RaggedBincountKernel> {
 public:
  using BincountKernel::BincountKernel;
  Status Compute(KernelContext& ctx) override {
    const Tensor &splits = ctx.input(0), &values = ctx.input(1);
    WB_ASSIGN_OR_RETURN(const Counted counted, Counted::Make(values, ctx.input(2), ctx.input(3)));
    const auto ends = splits.flat<int64_t>();
    if (ends.empty()) return InvalidArgument("Splits must be non-empty");
    if (ends[0] != 0) return InvalidArgument("Splits must start with 0, not with ", ends[0]);
    if (ends.back() != values.num_elements()) {
      return InvalidArgument("Splits must end with the number of values, got ", ends.back(),
                             " instead of ", values.num_elements());
    }
    std::vector<int64_t> rows;
    size_t row = 0;
    for (int64_t i = 0; i < values.num_elements(); ++i) {
      while (i >= ends[row]) ++row;  // ends at the last, which is the number of values
      rows.push_back(static_cast<int64_t>(row) - 1);
    }
    return Count(ctx, counted, rows, binary_,
                 {static_cast<int64_t>(ends.size()) - 1, counted.size});
  }
};

Status SparseBincountShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(0, 2).status());
  WB_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  WB_ASSIGN_OR_RETURN(const PartialShape shape, c.WithRank(2, 1));
  WB_RETURN_IF_ERROR(c.WithRank(3, 0).status());
  const int64_t size = c.ConstantScalar(3).value_or(-1);
  if (shape.dim(0) == 1) c.set_output(0, PartialShape({size < 0 ? -1 : size}));
  if (shape.dim(0) > 1) c.set_output(0, PartialShape({-1, size < 0 ? -1 : size}));
  return OkStatus();
}

Status RaggedBincountShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(0, 1).status());
  WB_RETURN_IF_ERROR(c.WithRank(2, 0).status());
  const int64_t size = c.ConstantScalar(2).value_or(-1);
  c.set_output(0, PartialShape({-1, size < 0 ? -1 : size}));
  return OkStatus();
}

constexpr TypeSet kCountTypes = TypeSetOf(CountTypes{});

#define WB_COUNT_ATTRS                          \
  Input("size: Tidx")                           \
      .Input("weights: T")                      \
      .Output("output: T")                      \
      .Attr("Tidx: {int32, int64}")             \
      .Attr("T: {int32, int64, float, double}") \
      .Attr("binary_output: bool = false")

WB_OP("SparseBincount")
    .Input("indices: int64")
    .Input("values: Tidx")
    .Input("dense_shape: int64")
    .WB_COUNT_ATTRS.Shape(SparseBincountShape);
WB_KERNEL("SparseBincount", SparseBincountKernel).Cpu({{"Tidx", kIndexTypes}, {"T", kCountTypes}});

WB_OP("RaggedBincount")
    .Input("splits: int64")
    .Input("values: Tidx")
    .WB_COUNT_ATTRS.Shape(RaggedBincountShape);
WB_KERNEL("RaggedBincount", RaggedBincountKernel).Cpu({{"Tidx", kIndexTypes}, {"T", kCountTypes}});
#undef WB_COUNT_ATTRS

}  // namespace
}  // namespace warpbeam
