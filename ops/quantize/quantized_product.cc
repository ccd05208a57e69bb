// QuantizedMatMul, QuantizedConv2D: products of 8-bit integers, exact in 32 bits. The integer that
// means 0 is taken off each factor first.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "graph/op/op_registry.h"
#include "ops/quantize/quantized_range.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

// Sums wrap around.
uint32_t ZeroOf(const QuantizedRange& range) {
  return static_cast<uint32_t>(range.Unclamped<uint8_t>(0.0f));
}
const uint8_t* Bytes(const Tensor& t) { return static_cast<const uint8_t*>(t.raw_data()); }

// sums[j] += a * (b[j] - zero)
void AddMultiple(uint32_t a, const uint8_t* b, uint32_t zero, int64_t n, uint32_t* sums) {
  for (int64_t j = 0; j < n; ++j) sums[j] += a * (uint32_t{b[j]} - zero);
}

class QuantizedMatMulKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const bool a, init.attr<bool>("transpose_a"));
    WB_ASSIGN_OR_RETURN(const bool b, init.attr<bool>("transpose_b"));
    return std::make_unique<QuantizedMatMulKernel>(a, b);
  }
  QuantizedMatMulKernel(bool transpose_a, bool transpose_b)
      : transpose_a_(transpose_a), transpose_b_(transpose_b) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor &a = ctx.input(0), &b = ctx.input(1);
    WB_ASSIGN_OR_RETURN(const QuantizedRange range_a, QuantizedRange::Read(ctx, 2, 3));
    WB_ASSIGN_OR_RETURN(const QuantizedRange range_b, QuantizedRange::Read(ctx, 4, 5));
    if (!(range_a.max > range_a.min)) {
      return InvalidArgument("max_a must be larger than min_a.");
    }
    if (!(range_b.max > range_b.min)) {
      return InvalidArgument("max_b must be larger than min_b.");
    }
    if (a.rank() != 2) return InvalidArgument("In[0] is not a matrix");
    if (b.rank() != 2) return InvalidArgument("In[1] is not a matrix");
    const int64_t rows = a.dim(transpose_a_ ? 1 : 0), inner = a.dim(transpose_a_ ? 0 : 1);
    const int64_t cols = b.dim(transpose_b_ ? 0 : 1);
    if (inner != b.dim(transpose_b_ ? 1 : 0)) {
      return InvalidArgument("Matrix size-incompatible: In[0]: ", a.shape().ToString(),
                             ", In[1]: ", b.shape().ToString());
    }
    WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make({rows, cols}));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    ProductRange<uint8_t, uint8_t>(range_a, range_b).Write(ctx, 1, 2);
    const uint32_t zero_a = ZeroOf(range_a), zero_b = ZeroOf(range_b);
    uint32_t* const out = static_cast<uint32_t*>(y->raw_data());
    ctx.ParallelFor(rows, inner * cols / 4 + 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        uint32_t* const sums = out + i * cols;
        std::fill_n(sums, cols, 0u);
        for (int64_t k = 0; k < inner; ++k) {
          const uint32_t x = Bytes(a)[transpose_a_ ? k * rows + i : i * inner + k] - zero_a;
          if (!transpose_b_) {
            AddMultiple(x, Bytes(b) + k * cols, zero_b, cols, sums);
            continue;
          }
          for (int64_t j = 0; j < cols; ++j) {
            sums[j] += x * (uint32_t{Bytes(b)[j * inner + k]} - zero_b);
          }
        }
      }
    });
    return OkStatus();
  }

 private:
  const bool transpose_a_, transpose_b_;
};

// Where windows lie along one dimension.
struct WindowRow {
  int64_t input, filter, stride, output, before;

  static StatusOr<WindowRow> Make(int64_t input, int64_t filter, int64_t stride, bool same) {
    WindowRow row{input, filter, stride, 0, 0};
    row.output = same ? (input + stride - 1) / stride : (input - filter + stride) / stride;
    if ((!same && input < filter) || row.output <= 0) {
      return InvalidArgument("a filter of ", filter, " does not fit into an input of ", input);
    }
    const int64_t covered = (row.output - 1) * stride + filter;
    row.before = (covered - input + (same ? 0 : 1)) / 2;
    return row;
  }
};

class QuantizedConv2DKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const auto strides, init.attr<std::vector<int64_t>>("strides"));
    if (strides.size() != 4) {
      return InvalidArgument("Sliding window strides field must specify 4 dimensions");
    }
    if (strides[1] != strides[2]) {
      return InvalidArgument("Current implementation only supports equal length strides in the ",
                             "row and column dimensions.");
    }
    if (strides[0] != 1 || strides[3] != 1) {
      return InvalidArgument("Current implementation does not yet support strides in the batch ",
                             "and depth dimensions.");
    }
    if (strides[1] <= 0 || strides[1] > 0x7fffffff) {
      return InvalidArgument("strides must be positive, but one is ", strides[1]);
    }
    WB_ASSIGN_OR_RETURN(const auto dilations, init.attr<std::vector<int64_t>>("dilations"));
    if (dilations != std::vector<int64_t>{1, 1, 1, 1}) {
      return InvalidArgument("Current implementation only supports four dilations of 1");
    }
    WB_ASSIGN_OR_RETURN(const std::string padding, init.attr<std::string>("padding"));
    return std::make_unique<QuantizedConv2DKernel>(strides[1], padding == "SAME");
  }
  QuantizedConv2DKernel(int64_t stride, bool same) : stride_(stride), same_(same) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor &x = ctx.input(0), &filter = ctx.input(1);
    for (const Tensor* t : {&x, &filter}) {
      const char* name = t == &x ? "input" : "filter";
      if (t->rank() != 4) {
        return InvalidArgument(name, " must be rank 4 but is rank ", t->rank());
      }
      if (t->num_elements() == 0) {
        return InvalidArgument("Invalid ", name, ": Shapes dimension cannot be 0.");
      }
    }
    WB_ASSIGN_OR_RETURN(const QuantizedRange range, QuantizedRange::Read(ctx, 2, 3));
    WB_ASSIGN_OR_RETURN(const QuantizedRange filter_range, QuantizedRange::Read(ctx, 4, 5));
    if (x.dim(3) != filter.dim(2)) {
      return InvalidArgument("input and filter must have the same depth: ", x.dim(3), " vs ",
                             filter.dim(2));
    }
    WB_ASSIGN_OR_RETURN(const WindowRow rows,
                        WindowRow::Make(x.dim(1), filter.dim(0), stride_, same_));
    WB_ASSIGN_OR_RETURN(const WindowRow cols,
                        WindowRow::Make(x.dim(2), filter.dim(1), stride_, same_));
    WB_ASSIGN_OR_RETURN(const Shape shape,
                        Shape::Make({x.dim(0), rows.output, cols.output, filter.dim(3)}));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    ProductRange<uint8_t, uint8_t>(range, filter_range).Write(ctx, 1, 2);
    const uint32_t zero = ZeroOf(range), filter_zero = ZeroOf(filter_range);
    const int64_t channels = filter.dim(3);
    const int64_t cost = filter.num_elements() * cols.output / 4 + 1;
    ctx.ParallelFor(x.dim(0) * rows.output, cost, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const uint8_t* image = Bytes(x) + i / rows.output * rows.input * cols.input * x.dim(3);
        uint32_t* sums = static_cast<uint32_t*>(y->raw_data()) + i * cols.output * channels;
        for (int64_t c = 0; c < cols.output; ++c, sums += channels) {
          std::fill_n(sums, channels, 0u);
          AddWindow(image, Bytes(filter), rows, cols, i % rows.output, c, x.dim(3), channels, zero,
                    filter_zero, sums);
        }
      }
    });
    return OkStatus();
  }

 private:
  // What lies outside of the image means 0 and adds nothing.
  static void AddWindow(const uint8_t* image, const uint8_t* filter, const WindowRow& rows,
                        const WindowRow& cols, int64_t row, int64_t col, int64_t depth,
                        int64_t channels, uint32_t zero, uint32_t filter_zero, uint32_t* sums) {
    for (int64_t fy = 0; fy < rows.filter; ++fy) {
      const int64_t y = row * rows.stride - rows.before + fy;
      if (y < 0 || y >= rows.input) continue;
      for (int64_t fx = 0; fx < cols.filter; ++fx) {
        const int64_t x = col * cols.stride - cols.before + fx;
        if (x < 0 || x >= cols.input) continue;
        const uint8_t* pixel = image + (y * cols.input + x) * depth;
        const uint8_t* weights = filter + (fy * cols.filter + fx) * depth * channels;
        for (int64_t d = 0; d < depth; ++d) {
          AddMultiple(pixel[d] - zero, weights + d * channels, filter_zero, channels, sums);
        }
      }
    }
  }

  const int64_t stride_;
  const bool same_;
};

Status MatMulShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape a, c.WithRank(0, 2));
  WB_ASSIGN_OR_RETURN(const PartialShape b, c.WithRank(1, 2));
  WB_ASSIGN_OR_RETURN(const bool transpose_a, c.attr<bool>("transpose_a"));
  WB_ASSIGN_OR_RETURN(const bool transpose_b, c.attr<bool>("transpose_b"));
  WB_RETURN_IF_ERROR(PartialShape::Merge(PartialShape({a.dim(transpose_a ? 0 : 1)}),
                                         PartialShape({b.dim(transpose_b ? 1 : 0)}))
                         .status());
  c.set_output(0, PartialShape({a.dim(transpose_a ? 1 : 0), b.dim(transpose_b ? 0 : 1)}));
  return CheckRangeEnds(c, 2);
}

Status ConvShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape x, c.WithRank(0, 4));
  WB_ASSIGN_OR_RETURN(const PartialShape filter, c.WithRank(1, 4));
  c.set_output(0, PartialShape({x.dim(0), -1, -1, filter.dim(3)}));
  return CheckRangeEnds(c, 2);
}

#define WB_QUANTIZED_TYPES "{qint8, quint8, qint32, qint16, quint16}"

WB_OP("QuantizedMatMul")
    .Input("a: T1")
    .Input("b: T2")
    .Input("min_a: float")
    .Input("max_a: float")
    .Input("min_b: float")
    .Input("max_b: float")
    .Output("out: Toutput")
    .Output("min_out: float")
    .Output("max_out: float")
    .Attr("T1: " WB_QUANTIZED_TYPES)
    .Attr("T2: " WB_QUANTIZED_TYPES)
    .Attr("Toutput: " WB_QUANTIZED_TYPES " = DT_QINT32")
    .Attr("transpose_a: bool = false")
    .Attr("transpose_b: bool = false")
    .Attr("Tactivation: " WB_QUANTIZED_TYPES " = DT_QUINT8")
    .Shape(MatMulShape);
WB_KERNEL("QuantizedMatMul", QuantizedMatMulKernel)
    .Cpu({{"T1", {DType::kQUInt8}}, {"T2", {DType::kQUInt8}}, {"Toutput", {DType::kQInt32}}});

WB_OP("QuantizedConv2D")
    .Input("input: Tinput")
    .Input("filter: Tfilter")
    .Input("min_input: float")
    .Input("max_input: float")
    .Input("min_filter: float")
    .Input("max_filter: float")
    .Output("output: out_type")
    .Output("min_output: float")
    .Output("max_output: float")
    .Attr("Tinput: " WB_QUANTIZED_TYPES)
    .Attr("Tfilter: " WB_QUANTIZED_TYPES)
    .Attr("out_type: " WB_QUANTIZED_TYPES " = DT_QINT32")
    .Attr("strides: list(int)")
    .Attr("padding: {'SAME', 'VALID'}")
    .Attr("dilations: list(int) = [1, 1, 1, 1]")
    .Shape(ConvShape);
// For signed filters TensorFlow has a name only, which its other libraries fill.
WB_KERNEL("QuantizedConv2D", QuantizedConv2DKernel)
    .Cpu({{"Tinput", {DType::kQUInt8}},
          {"Tfilter", {DType::kQUInt8}},
          {"out_type", {DType::kQInt32}}});
#undef WB_QUANTIZED_TYPES

}  // namespace
}  // namespace warpbeam
