// TopK, TopKV2: the k greatest elements of each row and where they stand, greatest first; of equals
// the one that stands first. NaN counts as less than every number. ApproxTopK: the same; nothing is
// won by being wrong.

#include <algorithm>
#include <numeric>
#include <vector>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "ops/nn/top_k_inputs.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/stoppable_loop.h"

namespace warpbeam {
namespace {

// Chooses the k best of rows of n elements; one for a thread, kept for its rows.
template <class T>
class RowSelection {
  using C = ComputeType<T>;

 public:
  RowSelection(int64_t n, int64_t k)
      : n_(n), k_(k), room_(std::max(2 * k, k + kBlock)), few_(room_ + kBlock < n) {}

  template <class Index>
  void Choose(const T* x, T* values, Index* indices) {
    if (few_) {
      Sift(x);
    } else {
      order_.resize(n_);
      std::iota(order_.begin(), order_.end(), 0);
      KeepBest(x);
    }
    std::sort(order_.begin(), order_.end(), Better{x});
    for (int64_t i = 0; i < k_; ++i) {
      values[i] = x[order_[i]];
      indices[i] = static_cast<Index>(order_[i]);
    }
  }

 private:
  static constexpr int64_t kBlock = 64;  // elements looked at together

  struct Better {
    const T* x;
    bool operator()(int64_t i, int64_t j) const {
      const C a = static_cast<C>(x[i]), b = static_cast<C>(x[j]);
      if (a > b) return true;
      if (a < b) return false;
      const bool a_is_nan = a != a, b_is_nan = b != b;
      return a_is_nan != b_is_nan ? b_is_nan : i < j;
    }
  };

  void KeepBest(const T* x) {
    if (k_ < static_cast<int64_t>(order_.size())) {
      std::nth_element(order_.begin(), order_.begin() + k_, order_.end(), Better{x});
      order_.resize(k_);
    }
  }

  // Keeps what is better than the worst of the best so far. Nearly all elements of a long row are
  // not, and are passed over a block at a time. What equals the worst stands after it.
  void Sift(const T* x) {
    order_.clear();
    int64_t i = 0;
    for (; i < room_; ++i) order_.push_back(i);
    for (;;) {
      KeepBest(x);
      const C worst = static_cast<C>(x[*std::max_element(order_.begin(), order_.end(), Better{x})]);
      for (; i < n_ && static_cast<int64_t>(order_.size()) < room_; i += kBlock) {
        const int64_t end = std::min(n_, i + kBlock);
        bool any = false;
        for (int64_t j = i; j < end; ++j) any |= !(static_cast<C>(x[j]) <= worst);
        for (int64_t j = i; any && j < end; ++j) {
          if (!(static_cast<C>(x[j]) <= worst)) order_.push_back(j);
        }
      }
      if (i >= n_) break;
    }
    KeepBest(x);
  }

  const int64_t n_, k_, room_;
  const bool few_;
  std::vector<int64_t> order_;
};

class TopKKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const int64_t k, ReadTopKAttrs(init));
    return std::make_unique<TopKKernel>(k);
  }
  explicit TopKKernel(int64_t k) : k_(k) {}

  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const int64_t k, ReadTopK(ctx, k_));
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(const Shape shape, TopKOutputShape(x.shape(), k));
    const int64_t n = x.dim(x.rank() - 1);
    WB_ASSIGN_OR_RETURN(Tensor * values, ctx.Allocate(0, shape));
    WB_ASSIGN_OR_RETURN(Tensor * indices, ctx.Allocate(1, shape));
    if (shape.num_elements() == 0) return OkStatus();
    return DispatchTypes(RealTypeList{}, x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      return DispatchTypes<int16_t, int32_t, int64_t>(indices->dtype(), [&](auto index_tag) {
        using Index = typename decltype(index_tag)::type;
        StoppableFor(ctx, shape.num_elements() / k, n + 50, [&](int64_t begin, int64_t end) {
          RowSelection<T> selection(n, k);
          for (int64_t i = begin; i < end; ++i) {
            selection.Choose(x.data<T>() + i * n, values->data<T>() + i * k,
                             indices->data<Index>() + i * k);
          }
        });
        return OkStatus();
      });
    });
  }

 private:
  const int64_t k_;  // -1: an input
};

Status TopKShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape x, c.WithRankAtLeast(0, 1));
  int64_t k = -1;
  if (c.num_inputs() == 2) {
    WB_RETURN_IF_ERROR(c.WithRank(1, 0).status());
    const std::optional<int64_t> constant = c.ConstantScalar(1);
    if (constant.has_value()) {
      k = *constant;
      if (k < 0) return InvalidArgument("Need k >= 0, got ", k);
    }
  } else {
    WB_ASSIGN_OR_RETURN(k, c.attr<int64_t>("k"));
  }
  if (x.has_rank()) {
    const int last = x.rank() - 1;
    if (x.dim(last) >= 0 && x.dim(last) < k) {
      return InvalidArgument("input must have at least k columns. Had ", x.dim(last), ", needed ",
                             k);
    }
    x.set_dim(last, k);
  }
  c.set_output(0, x);
  c.set_output(1, std::move(x));
  return OkStatus();
}

Status ApproxTopKShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const int64_t dimension, c.attr<int64_t>("reduction_dimension"));
  return dimension == -1 ? TopKShape(c) : shapes::Unknown(c);
}

// Each gradient goes to where its value stood: rows are numbered through, so that one scatter into
// a vector does it.
Status TopKGradient(GradContext& c) {
  const OutputRef x_shape = c.ShapeOf(c.x(0)), zero = c.Scalar<int32_t>(0);
  const OutputRef indices = c.Cast(c.y(1), DType::kInt32);
  const auto last_of = [&](OutputRef shape) {
    return c.Emit("StridedSlice", {shape, c.Ints({-1}), c.Ints({0}), c.Ints({1})},
                  {{"end_mask", 1}, {"shrink_axis_mask", 1}});
  };
  const OutputRef n = last_of(x_shape), k = last_of(c.ShapeOf(c.y(1)));
  const OutputRef matrix = c.Reshape(indices, c.Emit("Pack", {{c.Scalar<int32_t>(-1), k}}));
  const OutputRef size = c.SizeOf(c.x(0));
  const OutputRef starts = c.Emit("Range", {zero, size, n});
  const OutputRef at = c.Add(matrix, c.Emit("ExpandDims", {starts, c.Scalar<int32_t>(-1)}));
  const OutputRef column = c.Reshape(at, c.Ints({-1, 1}));
  const OutputRef flat =
      c.Emit("ScatterNd", {column, c.Reshape(c.dy(0), c.Ints({-1})), c.Reshape(size, c.Ints({1}))});
  c.set_dx(0, c.Reshape(flat, x_shape));
  return OkStatus();
}

constexpr TypeSet kPositions = {DType::kInt16, DType::kInt32, DType::kInt64};

}  // namespace

#define WB_REAL \
  "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}"

WB_OP("TopK")
    .Input("input: T")
    .Output("values: T")
    .Output("indices: int32")
    .Attr("k: int >= 0")
    .Attr("sorted: bool = true")
    .Attr(WB_REAL)
    .Deprecated(7, "use TopKV2")
    .Shape(TopKShape);
WB_OP("TopKV2")
    .Input("input: T")
    .Input("k: Tk")
    .Output("values: T")
    .Output("indices: index_type")
    .Attr("sorted: bool = true")
    .Attr(WB_REAL)
    .Attr("Tk: {int16, int32, int64} = int32")
    .Attr("index_type: {int16, int32, int64} = int32")
    .Shape(TopKShape);
WB_KERNEL("TopK", TopKKernel).Cpu({{"T", kRealTypes}}).Gpu({{"T", kRealTypes}});
WB_KERNEL("TopKV2", TopKKernel)
    .Cpu({{"T", kRealTypes}, {"index_type", kPositions}})
    .Gpu({{"T", kRealTypes}, {"index_type", {DType::kInt32}}})
    .HostMemory({"k"});
WB_OP("ApproxTopK")
    .Input("input: T")
    .Output("values: T")
    .Output("indices: int32")
    .Attr("k: int >= 0")
    .Attr("reduction_dimension: int = -1")
    .Attr("recall_target: float = 0.95")
    .Attr("is_max_k: bool = true")
    .Attr("reduction_input_size_override: int = -1")
    .Attr("aggregate_to_topk: bool = true")
    .Attr("T: {half, bfloat16, float}")
    .Shape(ApproxTopKShape);
WB_KERNEL("ApproxTopK", TopKKernel).Cpu({{"T", kRealTypes}}).Gpu({{"T", kFloatingTypes}});
WB_GRADIENT("ApproxTopK", TopKGradient);
WB_GRADIENT("TopK", TopKGradient);
WB_GRADIENT("TopKV2", TopKGradient);

}  // namespace warpbeam
