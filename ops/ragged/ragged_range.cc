// RaggedRange: one row of evenly spaced numbers for each start, limit and step.
#include <cmath>
#include <limits>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/array/function_kernel.h"
#include "ops/launch/dispatch.h"
#include "ops/ragged/row_splits.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status RangeShape(ShapeContext& c) {
  int64_t rows = -1;
  bool all_scalars = true;
  for (int i = 0; i < 3; ++i) {
    const PartialShape& x = c.input(i);
    if (!x.has_rank()) {
      all_scalars = false;
    } else if (x.rank() > 1) {
      return InvalidArgument("starts, limits and deltas must be scalars or vectors, not of shape ",
                             x.ToString());
    } else if (x.rank() == 1) {
      all_scalars = false;
      WB_ASSIGN_OR_RETURN(rows, MergeExtents(rows, x.dim(0)));
    }
  }
  c.set_output(0, PartialShape({all_scalars ? 2 : AddExtents(rows, 1)}));
  c.set_output(1, PartialShape({-1}));
  return OkStatus();
}

// How many numbers a row has; -1 when they cannot be counted.
template <typename T>
int64_t RowLength(T start, T limit, T delta) {
  if ((delta > 0 && start >= limit) || (delta < 0 && start <= limit)) return 0;
  if constexpr (std::is_integral_v<T>) {
    // Differences are taken as unsigned numbers, which always hold them.
    const uint64_t from = static_cast<uint64_t>(static_cast<int64_t>(start));
    const uint64_t to = static_cast<uint64_t>(static_cast<int64_t>(limit));
    const uint64_t step = static_cast<uint64_t>(static_cast<int64_t>(delta));
    const uint64_t span = delta > 0 ? to - from : from - to, width = delta > 0 ? step : 0 - step;
    const uint64_t length = span / width + (span % width != 0 ? 1 : 0);
    return length > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())
               ? -1
               : static_cast<int64_t>(length);
  } else {
    const double length = std::ceil(std::abs((limit - start) / delta));
    return length < 9.2e18 ? static_cast<int64_t>(length) : -1;  // NaN is not below
  }
}

// One operand: a scalar stands for as many equal numbers as there are rows.
template <typename T>
struct Operand {
  const T* data;
  int64_t step;
  T at(int64_t i) const { return data[i * step]; }
};

template <typename T>
Operand<T> OperandOf(const Tensor& x) {
  return {x.data<T>(), x.rank()};
}

template <typename T>
Status Fill(KernelContext& ctx, int64_t rows) {
  const Operand<T> starts = OperandOf<T>(ctx.input(0)), limits = OperandOf<T>(ctx.input(1)),
                   deltas = OperandOf<T>(ctx.input(2));
  const int64_t most = ctx.output_type(0) == DType::kInt32 ? std::numeric_limits<int32_t>::max()
                                                           : std::numeric_limits<int64_t>::max();
  RowSplits splits = {0};
  for (int64_t i = 0; i < rows; ++i) {
    if (deltas.at(i) == 0)
      return InvalidArgument("Requires delta != 0, but the step of row ", i, " is 0");
    const int64_t length = RowLength(starts.at(i), limits.at(i), deltas.at(i));
    if (length < 0 || length > most - splits.back()) {
      return InvalidArgument("row ", i, " has more numbers than row splits of ",
                             DTypeName(ctx.output_type(0)), " can count");
    }
    splits.push_back(splits.back() + length);
  }
  WB_RETURN_IF_ERROR(WriteRowSplits(ctx, 0, splits));
  WB_ASSIGN_OR_RETURN(Tensor * values, ctx.Allocate(1, Shape({splits.back()})));
  T* out = values->data<T>();
  for (int64_t i = 0; i < rows; ++i) {
    T value = starts.at(i);
    for (int64_t n = splits[i + 1] - splits[i]; n > 0; --n) {
      *out++ = value;
      if (n > 1) value += deltas.at(i);
    }
  }
  return OkStatus();
}

Status RunRange(KernelContext& ctx) {
  int64_t rows = -1;
  for (int i = 0; i < 3; ++i) {
    const Tensor& x = ctx.input(i);
    if (x.rank() > 1 || (x.rank() == 1 && rows >= 0 && x.dim(0) != rows)) {
      return InvalidArgument(
          "starts, limits and deltas must be scalars, or vectors of one length, but have shapes ",
          ctx.input(0).shape().ToString(), ", ", ctx.input(1).shape().ToString(), " and ",
          ctx.input(2).shape().ToString());
    }
    if (x.rank() == 1) rows = x.dim(0);
  }
  return DispatchTypes<float, double, int32_t, int64_t>(ctx.input(0).dtype(), [&](auto tag) {
    return Fill<typename decltype(tag)::type>(ctx, rows < 0 ? 1 : rows);
  });
}

WB_OP("RaggedRange")
    .Input("starts: T")
    .Input("limits: T")
    .Input("deltas: T")
    .Output("rt_nested_splits: Tsplits")
    .Output("rt_dense_values: T")
    .Attr("T: {bfloat16, float, double, int32, int64} = int32")
    .Attr("Tsplits: {int32, int64} = int64")
    .Shape(RangeShape);
WB_KERNEL("RaggedRange", FunctionKernel<RunRange>)
    .Cpu({{"T", TypeSet{DType::kFloat, DType::kDouble, DType::kInt32, DType::kInt64}},
          {"Tsplits", kIndexTypes}});
WB_NO_GRADIENT("RaggedRange");

}  // namespace
}  // namespace warpbeam
