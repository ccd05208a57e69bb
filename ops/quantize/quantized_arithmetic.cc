// QuantizedAdd, QuantizedMul: sums and products of 8-bit integers, as 32-bit integers of a range
// that holds them. The operands broadcast.
#include <algorithm>
#include <vector>

#include "graph/op/op_registry.h"
#include "ops/array/function_kernel.h"
#include "ops/launch/broadcast.h"
#include "ops/quantize/quantized_range.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

struct Operand {
  const Tensor* tensor;
  QuantizedRange range;

  const uint8_t* data() const { return static_cast<const uint8_t*>(tensor->raw_data()); }
  int64_t size() const { return tensor->num_elements(); }
};

StatusOr<Operand> ReadOperand(const KernelContext& ctx, int input, int first_end,
                              const char* refusal) {
  Operand x{&ctx.input(input), {}};
  WB_ASSIGN_OR_RETURN(x.range, QuantizedRange::Read(ctx, first_end, first_end + 1));
  if (!(x.range.max > x.range.min)) return InvalidArgument(refusal);
  return x;
}

// fn(a, b) of unsigned numbers, which wrap around.
template <class Fn>
Status Combine(KernelContext& ctx, const Operand& x, const Operand& y,
               const std::vector<uint32_t>& a, const std::vector<uint32_t>& b, Fn fn) {
  Broadcast plan;
  Shape shape;
  WB_RETURN_IF_ERROR(MakeBroadcast({&x.tensor->shape(), &y.tensor->shape()}, &plan, &shape));
  WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, shape));
  uint32_t* to = static_cast<uint32_t*>(out->raw_data());
  if (shape.num_elements() == 0) return OkStatus();
  const int64_t inner = plan.inner();
  const int64_t step_a = plan.strides[0][plan.rank - 1], step_b = plan.strides[1][plan.rank - 1];
  ctx.ParallelFor(shape.num_elements() / inner, inner, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      int64_t at[2];
      plan.Locate(row * inner, at);
      for (int64_t i = 0; i < inner; ++i) {
        to[row * inner + i] = fn(a[at[0] + i * step_a], b[at[1] + i * step_b]);
      }
    }
  });
  return OkStatus();
}

// An operand in the range of the sums. A single number is converted as such; in a tensor, the
// numbers that 0 and 1 become say what the others do.
std::vector<uint32_t> InRange(const Operand& x, const QuantizedRange& to, bool one_by_one) {
  std::vector<uint32_t> out(static_cast<size_t>(x.size()));
  const int64_t first = to.Unclamped<int32_t>(x.range.Value<uint8_t>(0));
  const int64_t second = to.Unclamped<int32_t>(x.range.Value<uint8_t>(1));
  const int64_t step = static_cast<int32_t>(second - first);
  for (size_t i = 0; i < out.size(); ++i) {
    const uint8_t value = x.data()[i];
    if (one_by_one) {
      out[i] = static_cast<uint32_t>(to.Quantized<int32_t>(x.range.Value<uint8_t>(value)));
      continue;
    }
    const int64_t wide = first + value * step;
    const int64_t lowest = std::numeric_limits<int32_t>::lowest();
    const int64_t highest = std::numeric_limits<int32_t>::max();
    out[i] = static_cast<uint32_t>(std::min(std::max(wide, lowest), highest));
  }
  return out;
}

Status RunAdd(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(const Operand x, ReadOperand(ctx, 0, 2, "max_x must be larger than min_x."));
  WB_ASSIGN_OR_RETURN(const Operand y, ReadOperand(ctx, 1, 4, "max_y must be larger than min_y."));
  const float most = std::max({x.range.max, -x.range.min, y.range.max, -y.range.min}) *
                     static_cast<float>(1 << 14);
  const QuantizedRange sums = {-most, most};
  sums.Write(ctx, 1, 2);
  const bool x_is_one = x.size() == 1, y_is_one = y.size() == 1;
  return Combine(ctx, x, y, InRange(x, sums, x_is_one && !y_is_one), InRange(y, sums, y_is_one),
                 [](uint32_t a, uint32_t b) { return a + b; });
}

// Less the integer that means 0.
std::vector<uint32_t> FromZero(const Operand& x) {
  const auto zero = static_cast<uint32_t>(x.range.Unclamped<uint8_t>(0.0f));
  std::vector<uint32_t> out(static_cast<size_t>(x.size()));
  for (size_t i = 0; i < out.size(); ++i) out[i] = x.data()[i] - zero;
  return out;
}

Status RunMul(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(const Operand x, ReadOperand(ctx, 0, 2, "max_x must be larger than min_a."));
  WB_ASSIGN_OR_RETURN(const Operand y, ReadOperand(ctx, 1, 4, "max_x must be larger than min_b."));
  ProductRange<uint8_t, uint8_t>(x.range, y.range).Write(ctx, 1, 2);
  return Combine(ctx, x, y, FromZero(x), FromZero(y), [](uint32_t a, uint32_t b) { return a * b; });
}

Status ArithmeticShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(shapes::BroadcastBinary(c));
  return CheckRangeEnds(c, 2);
}

#define WB_QUANTIZED_TYPES "{qint8, quint8, qint32, qint16, quint16}"
#define WB_QUANTIZED_ARITHMETIC(op, Run)                   \
  WB_OP(op)                                                \
      .Input("x: T1")                                      \
      .Input("y: T2")                                      \
      .Input("min_x: float")                               \
      .Input("max_x: float")                               \
      .Input("min_y: float")                               \
      .Input("max_y: float")                               \
      .Output("z: Toutput")                                \
      .Output("min_z: float")                              \
      .Output("max_z: float")                              \
      .Attr("T1: " WB_QUANTIZED_TYPES)                     \
      .Attr("T2: " WB_QUANTIZED_TYPES)                     \
      .Attr("Toutput: " WB_QUANTIZED_TYPES " = DT_QINT32") \
      .Shape(ArithmeticShape);                             \
  WB_KERNEL(op, FunctionKernel<Run>)                       \
      .Cpu({{"T1", {DType::kQUInt8}}, {"T2", {DType::kQUInt8}}, {"Toutput", {DType::kQInt32}}})
WB_QUANTIZED_ARITHMETIC("QuantizedAdd", RunAdd);
WB_QUANTIZED_ARITHMETIC("QuantizedMul", RunMul);
#undef WB_QUANTIZED_ARITHMETIC
#undef WB_QUANTIZED_TYPES

}  // namespace
}  // namespace warpbeam
