// Requantize: 32-bit integers of one range as 8-bit ones of another. RequantizationRange: the range
// that they use. QuantizeDownAndShrinkRange: both in one.
#include <memory>

#include "graph/op/op_registry.h"
#include "ops/array/function_kernel.h"
#include "ops/quantize/quantized_range.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

// Zero is in the range, so that it can be told exactly.
QuantizedRange UsedRange(const Tensor& x, const QuantizedRange& range) {
  int32_t least = std::numeric_limits<int32_t>::max();
  int32_t most = std::numeric_limits<int32_t>::lowest();
  const int32_t* values = static_cast<const int32_t*>(x.raw_data());
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    least = std::min(least, values[i]);
    most = std::max(most, values[i]);
  }
  return {std::min(0.0f, range.Value<int32_t>(least)), range.Value<int32_t>(most)};
}

// In fixed point with 16 binary places.
class ToUInt8 {
 public:
  ToUInt8(const QuantizedRange& from, const QuantizedRange& to) {
    const float from_width = from.max - from.min, to_width = to.max - to.min;
    const float middle = static_cast<float>((from.min + from.max) / 2.0);
    if (to_width == 0) {
      constant_ = kHalf;
      return;
    }
    const float per_unit = static_cast<float>(255.0 / to_width);
    scale_ = SaturatedInt64(255.0 * kOne * from_width / to_width);
    const int64_t from_offset = SaturatedInt64(middle * per_unit * kOne);
    const int64_t to_offset = SaturatedInt64(kOne * (to.min * 255.0) / to_width);
    constant_ = static_cast<int64_t>(static_cast<uint64_t>(from_offset) -
                                     static_cast<uint64_t>(to_offset) + kHalf);
  }
  uint8_t operator()(int32_t x) const {
    const auto product =
        static_cast<int64_t>(static_cast<uint64_t>(int64_t{x}) * static_cast<uint64_t>(scale_));
    const auto sum = static_cast<int64_t>(static_cast<uint64_t>(product >> 32) +
                                          static_cast<uint64_t>(constant_));
    return static_cast<uint8_t>(std::min<int64_t>(std::max<int64_t>(sum >> 16, 0), 255));
  }

 private:
  static constexpr int64_t kOne = 1 << 16, kHalf = 1 << 15;
  int64_t scale_ = 0, constant_ = 0;
};

Status ChangeRange(KernelContext& ctx, const QuantizedRange& from, const QuantizedRange& to) {
  const Tensor& x = ctx.input(0);
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
  to.Write(ctx, 1, 2);
  const int32_t* in = static_cast<const int32_t*>(x.raw_data());
  const auto run = [&](auto* out, const auto& change) {
    ctx.ParallelFor(x.num_elements(), 2, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) out[i] = change(in[i]);
    });
  };
  if (y->dtype() == DType::kQUInt8) {
    run(static_cast<uint8_t*>(y->raw_data()), ToUInt8(from, to));
  } else {
    run(static_cast<int8_t*>(y->raw_data()), RangeChange<int32_t, int8_t>(from, to));
  }
  return OkStatus();
}

Status RunRequantize(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(const QuantizedRange from, QuantizedRange::Read(ctx, 1, 2));
  WB_ASSIGN_OR_RETURN(const QuantizedRange to, QuantizedRange::Read(ctx, 3, 4));
  if (!(to.min <= 0)) {
    return InvalidArgument("requested_output_min must be <= 0, but got ", to.min);
  }
  if (!(to.max >= to.min)) {
    return InvalidArgument("requested_output_max must be >= requested_output_min, but got ", to.max,
                           " and ", to.min);
  }
  return ChangeRange(ctx, from, to);
}

Status RunRequantizationRange(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(const QuantizedRange range, QuantizedRange::Read(ctx, 1, 2));
  UsedRange(ctx.input(0), range).Write(ctx, 0, 1);
  return OkStatus();
}

Status RunShrinkRange(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(const QuantizedRange range, QuantizedRange::Read(ctx, 1, 2));
  return ChangeRange(ctx, range, UsedRange(ctx.input(0), range));
}

Status RequantizeShape(ShapeContext& c) {
  c.set_output(0, c.input(0));
  return CheckRangeEnds(c, 1);
}
Status RangeShape(ShapeContext& c) {
  c.set_output(0, PartialShape(Shape()));
  return CheckRangeEnds(c, 1);
}

#define WB_QUANTIZED_TYPES "{qint8, quint8, qint32, qint16, quint16}"

WB_OP("Requantize")
    .Input("input: Tinput")
    .Input("input_min: float")
    .Input("input_max: float")
    .Input("requested_output_min: float")
    .Input("requested_output_max: float")
    .Output("output: out_type")
    .Output("output_min: float")
    .Output("output_max: float")
    .Attr("Tinput: " WB_QUANTIZED_TYPES)
    .Attr("out_type: " WB_QUANTIZED_TYPES)
    .Shape(RequantizeShape);
WB_KERNEL("Requantize", FunctionKernel<RunRequantize>)
    .Cpu({{"Tinput", {DType::kQInt32}}, {"out_type", {DType::kQInt8, DType::kQUInt8}}});

WB_OP("RequantizationRange")
    .Input("input: Tinput")
    .Input("input_min: float")
    .Input("input_max: float")
    .Output("output_min: float")
    .Output("output_max: float")
    .Attr("Tinput: " WB_QUANTIZED_TYPES)
    .Shape(RangeShape);
WB_KERNEL("RequantizationRange", FunctionKernel<RunRequantizationRange>)
    .Cpu({{"Tinput", {DType::kQInt32}}});

WB_OP("QuantizeDownAndShrinkRange")
    .Input("input: Tinput")
    .Input("input_min: float")
    .Input("input_max: float")
    .Output("output: out_type")
    .Output("output_min: float")
    .Output("output_max: float")
    .Attr("Tinput: " WB_QUANTIZED_TYPES)
    .Attr("out_type: " WB_QUANTIZED_TYPES)
    .Shape(RequantizeShape);
WB_KERNEL("QuantizeDownAndShrinkRange", FunctionKernel<RunShrinkRange>)
    .Cpu({{"Tinput", {DType::kQInt32}}, {"out_type", {DType::kQUInt8}}});
#undef WB_QUANTIZED_TYPES

}  // namespace
}  // namespace warpbeam
