// QuantizedRelu, QuantizedRelu6: quantised integers cut off where they mean 0, and 6.
// QuantizedBiasAdd: a vector added to each row. QuantizedReshape: another shape, the same range.
#include <algorithm>
#include <memory>

#include "graph/op/op_registry.h"
#include "ops/array/function_kernel.h"
#include "ops/array/index/index_argument.h"
#include "ops/quantize/quantized_range.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

template <typename S>
void Clamp(KernelContext& ctx, S low, S high, Tensor* y) {
  const S* x = static_cast<const S*>(ctx.input(0).raw_data());
  S* out = static_cast<S*>(y->raw_data());
  ctx.ParallelFor(y->num_elements(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) out[i] = std::min(std::max(x[i], low), high);
  });
}

template <bool kSix>
Status RunRelu(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(const QuantizedRange range, QuantizedRange::Read(ctx, 1, 2));
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, ctx.input(0).shape()));
  range.Write(ctx, 1, 2);
  const auto clamp = [&](auto zero) {
    using S = decltype(zero);
    // The upper bound wins where the range is turned around.
    const S high = kSix ? range.Quantized<S>(6.0f) : std::numeric_limits<S>::max();
    Clamp<S>(ctx, range.Quantized<S>(0.0f), high, y);
  };
  if (y->dtype() == DType::kQInt32) {
    clamp(int32_t{0});
  } else {
    clamp(uint8_t{0});
  }
  return OkStatus();
}

// The sum's range is so wide that no sum of many terms leaves it.
QuantizedRange SumRange(const QuantizedRange& a, const QuantizedRange& b) {
  const float most = std::max({a.max, -a.min, b.max, -b.min}) * static_cast<float>(1 << 17);
  return {-most, most};
}

template <typename S>
void AddBias(KernelContext& ctx, const QuantizedRange& range, const QuantizedRange& bias_range,
             const QuantizedRange& sum_range, Tensor* y) {
  const Tensor& bias = ctx.input(1);
  const int64_t width = bias.dim(0);
  const RangeChange<S, int32_t> of_data(range, sum_range), of_bias(bias_range, sum_range);
  const auto zero = static_cast<uint32_t>(sum_range.Quantized<int32_t>(0.0f));
  std::vector<uint32_t> added;
  for (int64_t i = 0; i < width; ++i) {
    const S b = static_cast<const S*>(bias.raw_data())[i];
    added.push_back(static_cast<uint32_t>(of_bias(b)) + zero);
  }
  const S* x = static_cast<const S*>(ctx.input(0).raw_data());
  uint32_t* out = static_cast<uint32_t*>(y->raw_data());
  ctx.ParallelFor(y->num_elements() / width, 3 * width, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      for (int64_t i = 0; i < width; ++i) {
        out[row * width + i] =
            static_cast<uint32_t>(of_data(x[row * width + i])) + added[static_cast<size_t>(i)];
      }
    }
  });
}

Status RunBiasAdd(KernelContext& ctx) {
  const Tensor &x = ctx.input(0), &bias = ctx.input(1);
  WB_ASSIGN_OR_RETURN(const QuantizedRange range, QuantizedRange::Read(ctx, 2, 3));
  WB_ASSIGN_OR_RETURN(const QuantizedRange bias_range, QuantizedRange::Read(ctx, 4, 5));
  if (x.rank() < 2) {
    return InvalidArgument("Input tensor must be at least 2D: ", x.shape().ToString());
  }
  if (bias.rank() != 1) return InvalidArgument("Biases must be 1D: ", bias.shape().ToString());
  if (bias.dim(0) != x.dim(x.rank() - 1)) {
    return InvalidArgument(
        "Must provide as many biases as the last dimension of the input tensor: ",
        bias.shape().ToString(), " vs. ", x.shape().ToString());
  }
  if (bias.dim(0) == 0) return InvalidArgument("Must provide at least 1 bias");
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
  const QuantizedRange sum_range = SumRange(range, bias_range);
  sum_range.Write(ctx, 1, 2);
  if (x.dtype() == DType::kQUInt8) {
    AddBias<uint8_t>(ctx, range, bias_range, sum_range, y);
  } else {
    AddBias<int8_t>(ctx, range, bias_range, sum_range, y);
  }
  return OkStatus();
}

Status RunReshape(KernelContext& ctx) {
  const Tensor &x = ctx.input(0), &sizes = ctx.input(1);
  WB_ASSIGN_OR_RETURN(const QuantizedRange range, QuantizedRange::Read(ctx, 2, 3));
  if (sizes.rank() != 1) {
    return InvalidArgument("sizes input must be 1-D, not ", sizes.shape().ToString());
  }
  WB_ASSIGN_OR_RETURN(Dims dims, ReadIndices(sizes, "shape"));
  int64_t known = 1;
  int open = -1;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == -1) {
      if (open >= 0)
        return InvalidArgument("Only one input size may be -1, not both ", open, " and ", i);
      open = static_cast<int>(i);
    } else if (dims[i] < 0 || __builtin_mul_overflow(known, dims[i], &known)) {
      return InvalidArgument("Size ", i, " must be non-negative and not too large, not ", dims[i]);
    }
  }
  if (open >= 0) {
    if (known == 0 || x.num_elements() % known != 0) {
      return InvalidArgument("Input to reshape is a tensor with ", x.num_elements(),
                             " values, but the requested shape requires a multiple of ", known);
    }
    dims[static_cast<size_t>(open)] = x.num_elements() / known;
  } else if (known != x.num_elements()) {
    return InvalidArgument("Input to reshape is a tensor with ", x.num_elements(),
                           " values, but the requested shape has ", known);
  }
  WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
  WB_ASSIGN_OR_RETURN(Tensor y, x.Reshaped(shape));
  ctx.set_output(0, std::move(y));
  range.Write(ctx, 1, 2);
  return OkStatus();
}

Status UnchangedShape(ShapeContext& c) {
  c.set_output(0, c.input(0));
  return CheckRangeEnds(c, 1);
}
Status BiasAddShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  c.set_output(0, c.input(0));
  return CheckRangeEnds(c, 2);
}
Status ReshapeShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape shape, c.ShapeFromInput(1));
  if (shape.has_rank()) c.set_output(0, PartialShape::UnknownOfRank(shape.rank()));
  if (shape.IsFullyDefined()) c.set_output(0, std::move(shape));
  return CheckRangeEnds(c, 2);
}

#define WB_QUANTIZED_TYPES "{qint8, quint8, qint32, qint16, quint16}"
#define WB_QUANTIZED_RELU(op, six)                                          \
  WB_OP(op)                                                                 \
      .Input("features: Tinput")                                            \
      .Input("min_features: float")                                         \
      .Input("max_features: float")                                         \
      .Output("activations: out_type")                                      \
      .Output("min_activations: float")                                     \
      .Output("max_activations: float")                                     \
      .Attr("Tinput: " WB_QUANTIZED_TYPES)                                  \
      .Attr("out_type: " WB_QUANTIZED_TYPES " = DT_QUINT8")                 \
      .Shape(UnchangedShape);                                               \
  WB_KERNEL(op, FunctionKernel<RunRelu<six>>)                               \
      .Cpu({{"Tinput", {DType::kQInt32}}, {"out_type", {DType::kQInt32}}}); \
  WB_KERNEL(op, FunctionKernel<RunRelu<six>>)                               \
      .Cpu({{"Tinput", {DType::kQUInt8}}, {"out_type", {DType::kQUInt8}}})
WB_QUANTIZED_RELU("QuantizedRelu", false);
WB_QUANTIZED_RELU("QuantizedRelu6", true);
#undef WB_QUANTIZED_RELU

WB_OP("QuantizedBiasAdd")
    .Input("input: T1")
    .Input("bias: T2")
    .Input("min_input: float")
    .Input("max_input: float")
    .Input("min_bias: float")
    .Input("max_bias: float")
    .Output("output: out_type")
    .Output("min_out: float")
    .Output("max_out: float")
    .Attr("T1: " WB_QUANTIZED_TYPES)
    .Attr("T2: " WB_QUANTIZED_TYPES)
    .Attr("out_type: " WB_QUANTIZED_TYPES)
    .Shape(BiasAddShape);
WB_KERNEL("QuantizedBiasAdd", FunctionKernel<RunBiasAdd>)
    .Cpu({{"T1", {DType::kQUInt8}}, {"T2", {DType::kQUInt8}}, {"out_type", {DType::kQInt32}}});
WB_KERNEL("QuantizedBiasAdd", FunctionKernel<RunBiasAdd>)
    .Cpu({{"T1", {DType::kQInt8}}, {"T2", {DType::kQInt8}}, {"out_type", {DType::kQInt32}}});

WB_OP("QuantizedReshape")
    .Input("tensor: T")
    .Input("shape: Tshape")
    .Input("input_min: float")
    .Input("input_max: float")
    .Output("output: T")
    .Output("output_min: float")
    .Output("output_max: float")
    .Attr("T: type")
    .Attr("Tshape: {int32, int64} = DT_INT32")
    .Shape(ReshapeShape);
WB_KERNEL("QuantizedReshape", FunctionKernel<RunReshape>)
    .Cpu({{"T", {DType::kQUInt8, DType::kQInt32}}});
#undef WB_QUANTIZED_TYPES

}  // namespace
}  // namespace warpbeam
