// QuantizedConcat: quantised tensors joined along one dimension, in a range that holds all of
// theirs.
#include <algorithm>
#include <cmath>

#include "graph/op/op_registry.h"
#include "ops/array/function_kernel.h"
#include "ops/array/index/index_argument.h"
#include "ops/array/strided_copy.h"
#include "ops/quantize/quantized_range.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status ConcatShape(ShapeContext& c) {
  const int n = (c.num_inputs() - 1) / 3;
  WB_RETURN_IF_ERROR(c.WithRank(0, 0).status());
  for (int i = 1; i <= n; ++i) {
    if (c.input(i).has_rank()) c.set_output(0, PartialShape::UnknownOfRank(c.input(i).rank()));
  }
  c.set_output(1, PartialShape(Shape()));
  c.set_output(2, PartialShape(Shape()));
  return OkStatus();
}

StatusOr<float> ReadEnd(const Tensor& t, absl::string_view name, int i) {
  if (t.num_elements() == 1) return t.data<float>()[0];
  return InvalidArgument(name, " each tensor's num elements must be 1, given num elements ",
                         t.num_elements(), " in index ", i);
}

StatusOr<std::vector<QuantizedRange>> ReadRanges(const KernelContext& ctx, int n) {
  std::vector<QuantizedRange> ranges(static_cast<size_t>(n));
  for (int i = 0; i < n; ++i) {
    WB_ASSIGN_OR_RETURN(ranges[i].min, ReadEnd(ctx.input(1 + n + i), "input_mins", i));
    WB_ASSIGN_OR_RETURN(ranges[i].max, ReadEnd(ctx.input(1 + 2 * n + i), "input_maxes", i));
  }
  return ranges;
}

// From 0, or the least end, to the greatest; of signed integers as far on both sides of 0.
QuantizedRange RangeOfAll(const std::vector<QuantizedRange>& ranges, bool is_signed) {
  QuantizedRange all = {0, ranges[0].max};
  for (const QuantizedRange& r : ranges) {
    all.min = std::min(all.min, r.min);
    all.max = std::max(all.max, r.max);
  }
  if (!is_signed) return all;
  const float most = std::max(std::abs(all.min), std::abs(all.max));
  return {-most, most};
}

StatusOr<Shape> ShapeOfAll(const KernelContext& ctx, int n, int64_t axis) {
  const Shape& first = ctx.input(1).shape();
  if (axis < 0 || axis >= first.rank()) {
    return InvalidArgument("ConcatOp : Expected concatenating dimensions in the range [0, ",
                           first.rank(), "), but got ", axis);
  }
  int64_t total = 0;
  for (int i = 0; i < n; ++i) {
    const Shape& shape = ctx.input(1 + i).shape();
    if (shape.rank() != first.rank()) {
      return InvalidArgument("ConcatOp : Ranks of all input tensors should match: shape[0] = ",
                             first.ToString(), " vs. shape[", i, "] = ", shape.ToString());
    }
    for (int d = 0; d < shape.rank(); ++d) {
      if (d == axis || shape.dim(d) == first.dim(d)) continue;
      return InvalidArgument("ConcatOp : Dimensions of inputs should match: shape[0] = ",
                             first.ToString(), " vs. shape[", i, "] = ", shape.ToString());
    }
    total += shape.dim(static_cast<int>(axis));
  }
  return first.WithDim(static_cast<int>(axis), total);
}

template <typename S>
void Join(KernelContext& ctx, int axis, const std::vector<QuantizedRange>& ranges,
          const QuantizedRange& all, Tensor* y) {
  const int64_t rows = ElementsOf(y->shape(), 0, axis);
  const int64_t width = ElementsOf(y->shape(), axis, y->rank());
  S* out = static_cast<S*>(y->raw_data());
  for (size_t i = 0; i < ranges.size(); ++i) {
    const Tensor& x = ctx.input(1 + static_cast<int>(i));
    const S* from = static_cast<const S*>(x.raw_data());
    const int64_t own = ElementsOf(x.shape(), axis, x.rank());
    const bool is_same = ranges[i].min == all.min && ranges[i].max == all.max;
    const RangeChange<S, S> change(ranges[i], all);
    for (int64_t row = 0; row < rows; ++row) {
      S* to = out + row * width;
      for (int64_t k = 0; k < own; ++k, ++from) to[k] = is_same ? *from : change(*from);
    }
    out += own;
  }
}

Status RunConcat(KernelContext& ctx) {
  const int n = (ctx.num_inputs() - 1) / 3;
  if (ctx.input(0).rank() != 0) {
    return InvalidArgument("Concat dim tensor should be a scalar integer, but got shape ",
                           ctx.input(0).shape().ToString());
  }
  const int64_t axis = ctx.input(0).scalar<int32_t>();
  WB_ASSIGN_OR_RETURN(const Shape shape, ShapeOfAll(ctx, n, axis));
  WB_ASSIGN_OR_RETURN(const std::vector<QuantizedRange> ranges, ReadRanges(ctx, n));
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
  const bool is_signed = y->dtype() == DType::kQInt32;
  const QuantizedRange all = RangeOfAll(ranges, is_signed);
  all.Write(ctx, 1, 2);
  if (y->num_elements() == 0) return OkStatus();
  if (is_signed) {
    Join<int32_t>(ctx, static_cast<int>(axis), ranges, all, y);
  } else {
    Join<uint8_t>(ctx, static_cast<int>(axis), ranges, all, y);
  }
  return OkStatus();
}

WB_OP("QuantizedConcat")
    .Input("concat_dim: int32")
    .Input("values: N * T")
    .Input("input_mins: N * float")
    .Input("input_maxes: N * float")
    .Output("output: T")
    .Output("output_min: float")
    .Output("output_max: float")
    .Attr("N: int >= 2")
    .Attr("T: type")
    .Shape(ConcatShape);
WB_KERNEL("QuantizedConcat", FunctionKernel<RunConcat>)
    .Cpu({{"T", {DType::kQUInt8, DType::kQInt32}}})
    .HostMemory({"concat_dim"});

}  // namespace
}  // namespace warpbeam
