// SparseReduceSum, SparseReduceMax: over dimensions of a sparse tensor, to a dense one in which
// rows without elements are zero. SparseReduceSumSparse, SparseReduceMaxSparse: to a sparse one.
#include <algorithm>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/launch/dispatch.h"
#include "ops/launch/math.h"
#include "ops/sparse/sparse_tensor.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

enum class Fold { kSum, kMax };

struct Reduction {
  std::vector<int> kept;      // dimensions, ascending
  std::vector<int> columns;   // those kept, then those reduced
  std::vector<int64_t> dims;  // of the result
  std::vector<int> places;    // of the kept dimensions in the result
};

StatusOr<Reduction> PlanReduction(Span<const int64_t> dims, Span<const int64_t> axes,
                                  bool keep_dims) {
  const int rank = static_cast<int>(dims.size());
  std::vector<bool> reduced(dims.size(), false);
  for (const int64_t axis : axes) {
    if (axis < -rank || axis >= rank) {
      return InvalidArgument("Invalid reduction dimension ", axis, ", for input with ", rank,
                             " dimensions.");
    }
    reduced[axis < 0 ? axis + rank : axis] = true;
  }
  Reduction r;
  for (int d = 0; d < rank; ++d) {
    if (!reduced[d]) {
      r.kept.push_back(d);
      r.places.push_back(static_cast<int>(r.dims.size()));
      r.dims.push_back(dims[d]);
    } else if (keep_dims) {
      r.dims.push_back(1);
    }
  }
  r.columns = r.kept;
  for (int d = 0; d < rank; ++d) {
    if (reduced[d]) r.columns.push_back(d);
  }
  return r;
}

template <Fold kFold, typename T>
T FoldValues(const T* values, const int64_t* order, size_t count) {
  using C = ComputeType<T>;
  C y = static_cast<C>(values[order[0]]);
  for (size_t i = 1; i < count; ++i) {
    const C x = static_cast<C>(values[order[i]]);
    if constexpr (kFold == Fold::kSum) {
      y = host_pass::Plus(y, x);
    } else {
      y = y < x ? x : y;
    }
  }
  return static_cast<T>(y);
}

template <Fold kFold>
using FoldTypes = std::conditional_t<kFold == Fold::kSum, NumberTypeList, RealTypeList>;

template <Fold kFold, bool kSparse>
class ReduceKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<ReduceKernel>();
    WB_ASSIGN_OR_RETURN(kernel->keep_dims_, init.attr<bool>("keep_dims"));
    return kernel;
  }

  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const SparseView x, ReadSparse(ctx, 0, "input"));
    WB_RETURN_IF_ERROR(DenseShape(x).status());
    if (ctx.input(3).rank() > 1) {
      return InvalidArgument("'reduction_axes' must be a scalar or a vector, but has shape ",
                             ctx.input(3).shape().ToString());
    }
    WB_ASSIGN_OR_RETURN(const Dims axes, ReadIndices(ctx.input(3), "reduction_axes"));
    WB_ASSIGN_OR_RETURN(const Reduction r, PlanReduction(x.dims, axes, keep_dims_));
    const std::vector<int64_t> order = RowOrder(x, r.columns);
    return DispatchTypes(FoldTypes<kFold>{}, x.values->dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (kSparse) {
        return ToSparse<T>(ctx, x, r, order);
      } else {
        return ToDense<T>(ctx, x, r, order);
      }
    });
  }

 private:
  template <typename T>
  static Status ToDense(KernelContext& ctx, const SparseView& x, const Reduction& r,
                        const std::vector<int64_t>& order) {
    WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(r.dims));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    T* out = y->data<T>();
    std::fill_n(out, y->num_elements(), T(0));
    return ForEachGroup(x, order, r.kept, [&](size_t begin, size_t end) -> Status {
      const int64_t* row = x.row(order[begin]);
      int64_t at = 0;
      for (const int d : r.kept) {
        if (row[d] < 0 || row[d] >= x.dims[d]) {
          return InvalidArgument("index ", order[begin], " is ", RowToString(row, x.rank),
                                 ", out of bounds of the dense shape ",
                                 RowToString(x.dims.data(), x.rank));
        }
        at = at * x.dims[d] + row[d];
      }
      // Indices of reduced dimensions need not be looked at, but an empty result has no room.
      if (at >= y->num_elements()) {
        return InvalidArgument("there are values for a result without elements");
      }
      out[at] = FoldValues<kFold>(x.values->data<T>(), &order[begin], end - begin);
      return OkStatus();
    });
  }

  template <typename T>
  static Status ToSparse(KernelContext& ctx, const SparseView& x, const Reduction& r,
                         const std::vector<int64_t>& order) {
    const int64_t rank = static_cast<int64_t>(r.dims.size());
    int64_t count = 0;
    WB_RETURN_IF_ERROR(ForEachGroup(x, order, r.kept, [&](size_t, size_t) {
      ++count;
      return OkStatus();
    }));
    WB_ASSIGN_OR_RETURN(Tensor * indices, ctx.Allocate(0, Shape({count, rank})));
    WB_ASSIGN_OR_RETURN(Tensor * values, ctx.Allocate(1, Shape({count})));
    WB_ASSIGN_OR_RETURN(Tensor * shape, ctx.Allocate(2, Shape({rank})));
    WB_RETURN_IF_ERROR(WriteIndices(r.dims, shape));
    int64_t* to = indices->data<int64_t>();
    std::fill_n(to, count * rank, int64_t{0});
    T* out = values->data<T>();
    return ForEachGroup(x, order, r.kept, [&](size_t begin, size_t end) {
      const int64_t* row = x.row(order[begin]);
      for (size_t i = 0; i < r.kept.size(); ++i) to[r.places[i]] = row[r.kept[i]];
      to += rank;
      *out++ = FoldValues<kFold>(x.values->data<T>(), &order[begin], end - begin);
      return OkStatus();
    });
  }

  bool keep_dims_ = false;
};

Status DenseShapeFn(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape indices, SparseInputShape(c, 0));
  WB_ASSIGN_OR_RETURN(const PartialShape dense, c.ShapeFromInput(2));
  WB_ASSIGN_OR_RETURN(const bool keep_dims, c.attr<bool>("keep_dims"));
  WB_ASSIGN_OR_RETURN(const std::optional<Dims> axes, ConstantIndices(c, 3));
  if (dense.has_rank() && axes.has_value()) {
    WB_ASSIGN_OR_RETURN(const Reduction r, PlanReduction(dense.dims(), *axes, keep_dims));
    c.set_output(0, PartialShape(r.dims));
  } else if (const int rank = ShapeContext::RankOfLength(indices.dim(1)); keep_dims && rank >= 0) {
    c.set_output(0, PartialShape::UnknownOfRank(rank));
  }
  return OkStatus();
}

Status SparseShapeFn(ShapeContext& c) {
  WB_RETURN_IF_ERROR(SparseInputShape(c, 0).status());
  SetSparseOutput(c, 0, -1, -1);
  return OkStatus();
}

// Each element gets the gradient of the sum that it is in.
Status ReduceSumGradient(GradContext& c) {
  const OutputRef shape = c.x(2), zero = c.Scalar<int32_t>(0), one = c.Scalar<int32_t>(1);
  const OutputRef rank = c.SizeOf(shape);
  const OutputRef axes = c.Reshape(c.Emit("FloorMod", {c.Add(c.x(3), rank), rank}), c.Ints({-1}));
  const OutputRef all = c.Emit("Range", {zero, rank, one});
  const OutputRef ones = c.Emit("Fill", {c.ShapeOf(axes), c.Scalar<int64_t>(1)});
  const OutputRef kept = c.Emit("DynamicStitch", {{all, axes}, {shape, ones}});
  const OutputRef dy = c.Reshape(c.dy(0), kept);
  const OutputRef folded = c.Emit("FloorDiv", {c.x(0), c.Emit("FloorDiv", {shape, kept})});
  c.set_dx(1, c.Emit("GatherNd", {dy, folded}));
  return OkStatus();
}

#define WB_SPARSE_REDUCE_NUMBERS                                                            \
  "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, " \
  "bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}"
#define WB_SPARSE_REDUCE_REALS                                                            \
  "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, " \
  "uint64}"
#define WB_SPARSE_REDUCE(op, fold, types, cpu)           \
  WB_OP(op)                                              \
      .Input("input_indices: int64")                     \
      .Input("input_values: T")                          \
      .Input("input_shape: int64")                       \
      .Input("reduction_axes: int32")                    \
      .Output("output: T")                               \
      .Attr("keep_dims: bool = false")                   \
      .Attr(types)                                       \
      .Shape(DenseShapeFn);                              \
  using fold##ToDense = ReduceKernel<Fold::fold, false>; \
  WB_KERNEL(op, fold##ToDense).Cpu({{"T", cpu}});        \
  WB_OP(op "Sparse")                                     \
      .Input("input_indices: int64")                     \
      .Input("input_values: T")                          \
      .Input("input_shape: int64")                       \
      .Input("reduction_axes: int32")                    \
      .Output("output_indices: int64")                   \
      .Output("output_values: T")                        \
      .Output("output_shape: int64")                     \
      .Attr("keep_dims: bool = false")                   \
      .Attr(types)                                       \
      .Shape(SparseShapeFn);                             \
  using fold##ToSparse = ReduceKernel<Fold::fold, true>; \
  WB_KERNEL(op "Sparse", fold##ToSparse).Cpu({{"T", cpu}})

WB_SPARSE_REDUCE("SparseReduceSum", kSum, WB_SPARSE_REDUCE_NUMBERS, kNumberTypes);
WB_GRADIENT("SparseReduceSum", ReduceSumGradient);
WB_SPARSE_REDUCE("SparseReduceMax", kMax, WB_SPARSE_REDUCE_REALS, kRealTypes);

}  // namespace
}  // namespace warpbeam
