// QuantizedInstanceNorm: each channel of each image with mean 0 and variance 1, quantised.
// QuantizedBatchNormWithGlobalNormalization: channels scaled and moved by given means, variances,
// scales and offsets, in 32-bit integers with 10 bits after the point.
#include <algorithm>
#include <cmath>
#include <vector>

#include "graph/op/op_registry.h"
#include "ops/array/function_kernel.h"
#include "ops/quantize/quantized_range.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

const uint8_t* Bytes(const Tensor& t) { return static_cast<const uint8_t*>(t.raw_data()); }

class InstanceNormKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<InstanceNormKernel>();
    WB_ASSIGN_OR_RETURN(kernel->is_given_, init.attr<bool>("output_range_given"));
    WB_ASSIGN_OR_RETURN(kernel->given_.min, init.attr<float>("given_y_min"));
    WB_ASSIGN_OR_RETURN(kernel->given_.max, init.attr<float>("given_y_max"));
    WB_ASSIGN_OR_RETURN(kernel->epsilon_, init.attr<float>("variance_epsilon"));
    WB_ASSIGN_OR_RETURN(kernel->separation_, init.attr<float>("min_separation"));
    if (kernel->is_given_ && !(kernel->given_.min < kernel->given_.max)) {
      return InvalidArgument("given_y_min must be less than given_y_max : ", kernel->given_.min,
                             " >= ", kernel->given_.max);
    }
    return kernel;
  }

  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(const QuantizedRange range, QuantizedRange::Read(ctx, 1, 2));
    if (!(range.min < range.max)) {
      return InvalidArgument("input_min must be less than input_max : ", range.min,
                             " >= ", range.max);
    }
    if (x.rank() != 4) {
      return InvalidArgument("input must be 4-dimensional, not of shape ", x.shape().ToString());
    }
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
    WB_ASSIGN_OR_RETURN(const Tensor normed, Normed(ctx, x, (range.max - range.min) / 255.0f));
    QuantizedRange out = given_;
    if (!is_given_) {
      out = {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()};
      for (const float v : normed.flat<float>()) {
        out.min = std::min(out.min, v);
        out.max = std::max(out.max, v);
      }
    }
    if (out.max - out.min < separation_) out.max = out.min + separation_;
    out.Write(ctx, 1, 2);
    const float scale = out.max == out.min ? 0.0f : static_cast<float>(255.0 / (out.max - out.min));
    const float lowest = std::round(out.min * scale);
    uint8_t* to = static_cast<uint8_t*>(y->raw_data());
    for (const float v : normed.flat<float>()) {
      const float level = std::round(v * scale) - lowest;
      *to++ = static_cast<uint8_t>(std::min(std::max(level, 0.0f), 255.0f));
    }
    return OkStatus();
  }

 private:
  StatusOr<Tensor> Normed(KernelContext& ctx, const Tensor& x, float scale) const {
    WB_ASSIGN_OR_RETURN(Tensor normed, ctx.AllocateTemp(DType::kFloat, x.shape()));
    if (x.num_elements() == 0) return normed;
    const int64_t area = x.dim(1) * x.dim(2), channels = x.dim(3);
    ctx.ParallelFor(x.dim(0) * channels, 6 * area + 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t first = i / channels * area * channels + i % channels;
        const uint8_t* from = Bytes(x) + first;
        double sum = 0, squares = 0;
        for (int64_t k = 0; k < area; ++k) sum += from[k * channels];
        const auto mean = static_cast<float>(sum / static_cast<double>(area));
        for (int64_t k = 0; k < area; ++k) {
          const double distance = scale * (static_cast<float>(from[k * channels]) - mean);
          squares += distance * distance;
        }
        const auto variance = static_cast<float>(squares / static_cast<double>(area));
        const float factor = 1.0f / std::sqrt(variance + epsilon_);
        float* to = normed.data<float>() + first;
        for (int64_t k = 0; k < area; ++k) {
          to[k * channels] = scale * (static_cast<float>(from[k * channels]) - mean) * factor;
        }
      }
    });
    return normed;
  }

  bool is_given_ = false;
  QuantizedRange given_;
  float epsilon_ = 0, separation_ = 0;
};

// One of the vectors that say what becomes of the channels.
StatusOr<std::vector<float>> ReadChannels(const KernelContext& ctx, int input, const char* name,
                                          int64_t depth) {
  const Tensor& t = ctx.input(input);
  if (t.rank() != 1) {
    return InvalidArgument(name, " must be 1-dimensional, not of shape ", t.shape().ToString());
  }
  if (t.dim(0) != depth) {
    return InvalidArgument("Must provide as many ", name,
                           "s as the last dimension of the input tensor: ", t.dim(0), " vs. ",
                           depth);
  }
  WB_ASSIGN_OR_RETURN(const QuantizedRange range, QuantizedRange::Read(ctx, input + 1, input + 2));
  std::vector<float> values;
  for (int64_t i = 0; i < depth; ++i) values.push_back(range.Value<uint8_t>(Bytes(t)[i]));
  return values;
}

class BatchNormKernel final : public Kernel {
 public:
  BatchNormKernel(float epsilon, bool scales) : epsilon_(epsilon), scales_(scales) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const float epsilon, init.attr<float>("variance_epsilon"));
    WB_ASSIGN_OR_RETURN(const bool scales, init.attr<bool>("scale_after_normalization"));
    return std::make_unique<BatchNormKernel>(epsilon, scales);
  }

  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(const QuantizedRange range, QuantizedRange::Read(ctx, 1, 2));
    if (x.rank() != 4) {
      return InvalidArgument("input must be 4-dimensional, not of shape ", x.shape().ToString());
    }
    const int64_t depth = x.dim(3);
    WB_ASSIGN_OR_RETURN(const std::vector<float> mean, ReadChannels(ctx, 3, "mean", depth));
    WB_ASSIGN_OR_RETURN(const std::vector<float> variance, ReadChannels(ctx, 6, "var", depth));
    WB_ASSIGN_OR_RETURN(const std::vector<float> beta, ReadChannels(ctx, 9, "beta", depth));
    WB_ASSIGN_OR_RETURN(const std::vector<float> gamma, ReadChannels(ctx, 12, "gamma", depth));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
    constexpr QuantizedRange kOut = {-1048576.0f, 1048576.0f};
    kOut.Write(ctx, 1, 2);
    std::vector<uint32_t> scale, offset;
    for (int64_t c = 0; c < depth; ++c) {
      const float s = 1.0f / std::sqrt(variance[c] + epsilon_) * (scales_ ? gamma[c] : 1.0f);
      scale.push_back(static_cast<uint32_t>(kOut.Quantized<int32_t>(s)));
      offset.push_back(static_cast<uint32_t>(kOut.Quantized<int32_t>(-mean[c] * s + beta[c])));
    }
    uint32_t inputs[256];
    for (int v = 0; v < 256; ++v) {
      inputs[v] = static_cast<uint32_t>(
          kOut.Quantized<int32_t>(range.Value<uint8_t>(static_cast<uint8_t>(v))));
    }
    const int32_t one = kOut.Quantized<int32_t>(1.0f);
    uint32_t* out = static_cast<uint32_t*>(y->raw_data());
    if (depth == 0) return OkStatus();
    ctx.ParallelFor(x.num_elements() / depth, 4 * depth, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin * depth; i < end * depth; ++i) {
        const auto c = static_cast<size_t>(i % depth);
        // Products wrap around.
        const auto product = static_cast<int32_t>(inputs[Bytes(x)[i]] * scale[c]);
        out[i] = static_cast<uint32_t>(product / one) + offset[c];
      }
    });
    return OkStatus();
  }

 private:
  const float epsilon_;
  const bool scales_;
};

Status InstanceNormShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape x, c.WithRank(0, 4));
  c.set_output(0, std::move(x));
  return CheckRangeEnds(c, 1);
}

Status BatchNormShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape x, c.WithRank(0, 4));
  for (int i = 1; i < 15; ++i) {
    WB_ASSIGN_OR_RETURN(const PartialShape own, c.WithRank(i, i % 3 == 0 ? 1 : 0));
    if (i % 3 != 0) continue;
    const auto merged = PartialShape::Merge(own, PartialShape({x.dim(3)}));
    WB_RETURN_IF_ERROR(merged.status());
    x.set_dim(3, merged->dim(0));
  }
  c.set_output(0, std::move(x));
  c.set_output(1, PartialShape(Shape()));
  c.set_output(2, PartialShape(Shape()));
  return OkStatus();
}

#define WB_QUANTIZED_TYPES "{qint8, quint8, qint32, qint16, quint16}"
WB_OP("QuantizedInstanceNorm")
    .Input("x: T")
    .Input("x_min: float")
    .Input("x_max: float")
    .Output("y: T")
    .Output("y_min: float")
    .Output("y_max: float")
    .Attr("T: " WB_QUANTIZED_TYPES)
    .Attr("output_range_given: bool = false")
    .Attr("given_y_min: float = 0")
    .Attr("given_y_max: float = 0")
    .Attr("variance_epsilon: float = 1e-05")
    .Attr("min_separation: float = 0.001")
    .Shape(InstanceNormShape);
WB_KERNEL("QuantizedInstanceNorm", InstanceNormKernel).Cpu({{"T", {DType::kQUInt8}}});

WB_OP("QuantizedBatchNormWithGlobalNormalization")
    .Input("t: Tinput")
    .Input("t_min: float")
    .Input("t_max: float")
    .Input("m: Tinput")
    .Input("m_min: float")
    .Input("m_max: float")
    .Input("v: Tinput")
    .Input("v_min: float")
    .Input("v_max: float")
    .Input("beta: Tinput")
    .Input("beta_min: float")
    .Input("beta_max: float")
    .Input("gamma: Tinput")
    .Input("gamma_min: float")
    .Input("gamma_max: float")
    .Output("result: out_type")
    .Output("result_min: float")
    .Output("result_max: float")
    .Attr("Tinput: " WB_QUANTIZED_TYPES)
    .Attr("out_type: " WB_QUANTIZED_TYPES)
    .Attr("variance_epsilon: float")
    .Attr("scale_after_normalization: bool")
    .Shape(BatchNormShape);
WB_KERNEL("QuantizedBatchNormWithGlobalNormalization", BatchNormKernel)
    .Cpu({{"Tinput", {DType::kQUInt8}}, {"out_type", {DType::kQInt32}}});
#undef WB_QUANTIZED_TYPES

}  // namespace
}  // namespace warpbeam
