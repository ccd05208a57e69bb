// QuantizedMaxPool, QuantizedAvgPool: pooling of 8-bit integers, whose range stays what it was.
#include <algorithm>
#include <memory>
#include <vector>

#include "graph/op/op_registry.h"
#include "ops/nn/pool/max_pool.h"
#include "ops/nn/pool/pool_geometry.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

// Whole means, rounded towards zero.
template <typename S>
void Average(const KernelContext& ctx, const PoolGeometry& g, const S* x, S* y) {
  const auto first = [&](int axis, int64_t place) {
    return place * g.stride[axis] - g.before[axis];
  };
  const int64_t cost = g.Nanoseconds(4.0 * static_cast<double>(g.channels)) / g.output[1];
  ctx.ParallelFor(g.batch * g.output[1], cost, [&](int64_t begin, int64_t end) {
    std::vector<int32_t> sums(static_cast<size_t>(g.channels));
    for (int64_t i = begin; i < end; ++i) {
      const S* image = x + i / g.output[1] * g.input_pixels() * g.channels;
      const int64_t top = first(1, i % g.output[1]);
      for (int64_t place = 0; place < g.output[2]; ++place) {
        std::fill(sums.begin(), sums.end(), 0);
        const int64_t left = first(2, place);
        int32_t count = 0;
        for (int64_t r = std::max<int64_t>(top, 0); r < std::min(top + g.size[1], g.input[1]);
             ++r) {
          for (int64_t c = std::max<int64_t>(left, 0); c < std::min(left + g.size[2], g.input[2]);
               ++c, ++count) {
            const S* pixel = image + (r * g.input[2] + c) * g.channels;
            for (int64_t d = 0; d < g.channels; ++d) sums[static_cast<size_t>(d)] += pixel[d];
          }
        }
        S* to = y + (i * g.output[2] + place) * g.channels;
        for (int64_t d = 0; d < g.channels; ++d) {
          to[d] = static_cast<S>(sums[static_cast<size_t>(d)] / std::max(count, 1));
        }
      }
    }
  });
}

template <bool kMax>
class QuantizedPoolKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const PoolAttrs attrs, PoolKernelAttrs(init, 2));
    if (!kMax && attrs.size.channel != 1) {
      return Unimplemented("Non-spatial pooling is not yet supported.");
    }
    return std::make_unique<QuantizedPoolKernel>(attrs);
  }
  explicit QuantizedPoolKernel(const PoolAttrs& attrs) : attrs_(attrs) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    for (int i : {1, 2}) {
      if (ctx.input(i).rank() != 0) {
        return InvalidArgument("the range's ends must be rank 0 but input ", i, " is rank ",
                               ctx.input(i).rank());
      }
    }
    PoolGeometry g;
    WB_RETURN_IF_ERROR(MakePoolGeometry(attrs_, x.shape(), &g));
    WB_ASSIGN_OR_RETURN(const Shape shape, PoolOutputShape(attrs_, g));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    ctx.set_output(1, ctx.input(1));
    ctx.set_output(2, ctx.input(2));
    if (y->num_elements() == 0) return OkStatus();
    const bool is_signed = x.dtype() == DType::kQInt8;
    if (kMax) {
      return MaxPoolForward(ctx, is_signed ? DType::kInt8 : DType::kUInt8, g, x.raw_data(),
                            y->raw_data());
    }
    if (is_signed) {
      Average(ctx, g, static_cast<const int8_t*>(x.raw_data()),
              static_cast<int8_t*>(y->raw_data()));
    } else {
      Average(ctx, g, static_cast<const uint8_t*>(x.raw_data()),
              static_cast<uint8_t*>(y->raw_data()));
    }
    return OkStatus();
  }

 private:
  const PoolAttrs attrs_;
};

Status QuantizedPoolShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(PoolShape(c, 2));
  for (int i : {1, 2}) {
    WB_RETURN_IF_ERROR(c.WithRank(i, 0).status());
    c.set_output(i, PartialShape(Shape()));
  }
  return OkStatus();
}

#define WB_QUANTIZED_POOL(op, max)                         \
  WB_OP(op)                                                \
      .Input("input: T")                                   \
      .Input("min_input: float")                           \
      .Input("max_input: float")                           \
      .Output("output: T")                                 \
      .Output("min_output: float")                         \
      .Output("max_output: float")                         \
      .Attr("T: {qint8, quint8, qint32, qint16, quint16}") \
      .Attr("ksize: list(int)")                            \
      .Attr("strides: list(int)")                          \
      .Attr("padding: {'SAME', 'VALID'}")                  \
      .Shape(QuantizedPoolShape);                          \
  WB_KERNEL(op, QuantizedPoolKernel<max>).Cpu({{"T", {DType::kQInt8, DType::kQUInt8}}})
WB_QUANTIZED_POOL("QuantizedMaxPool", true);
WB_QUANTIZED_POOL("QuantizedAvgPool", false);
#undef WB_QUANTIZED_POOL

}  // namespace
}  // namespace warpbeam
