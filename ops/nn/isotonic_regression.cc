// IsotonicRegression: the nearest sequence, by squares, that never rises, for each row; and the
// number of the run of equal elements that each element belongs to. Adjacent violators are pooled:
// one pass over the row, in which every run is joined at most once.

#include <vector>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

// A run of elements whose mean stands for them.
struct Run {
  double sum;
  int64_t end;  // one past the last element
  int64_t size;
  double mean() const { return sum / static_cast<double>(size); }
};

template <class In, class Out>
void FitRow(const In* x, int64_t n, std::vector<Run>* runs, Out* y, int32_t* segments) {
  runs->clear();
  for (int64_t i = 0; i < n; ++i) {
    Run run{static_cast<double>(x[i]), i + 1, 1};
    while (!runs->empty() && runs->back().mean() < run.mean()) {
      run.sum += runs->back().sum;
      run.size += runs->back().size;
      runs->pop_back();
    }
    runs->push_back(run);
  }
  int64_t i = 0;
  int32_t segment = 0;
  for (const Run& run : *runs) {
    const Out mean = Out(run.mean());
    for (; i < run.end; ++i) {
      y[i] = mean;
      segments[i] = segment;
    }
    ++segment;
  }
}

class IsotonicRegressionKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<IsotonicRegressionKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
    WB_ASSIGN_OR_RETURN(Tensor * segments, ctx.Allocate(1, x.shape()));
    if (x.num_elements() == 0) return OkStatus();
    const int64_t n = x.rank() == 0 ? 1 : x.dim(x.rank() - 1);
    return DispatchTypes(RealTypeList{}, x.dtype(), [&](auto in_tag) {
      using In = typename decltype(in_tag)::type;
      return DispatchTypes(FloatTypeList{}, y->dtype(), [&](auto out_tag) {
        using Out = typename decltype(out_tag)::type;
        ctx.ParallelFor(x.num_elements() / n, 10 * n, [&](int64_t begin, int64_t end) {
          std::vector<Run> runs;
          for (int64_t i = begin; i < end; ++i) {
            FitRow(x.data<In>() + i * n, n, &runs, y->data<Out>() + i * n,
                   segments->data<int32_t>() + i * n);
          }
        });
        return OkStatus();
      });
    });
  }
};

// Each element of a run gets the mean of the run's gradients. The runs of all rows are numbered
// through, so that one segment mean does it.
Status IsotonicRegressionGradient(GradContext& c) {
  const OutputRef dy = c.dy(0), size = c.SizeOf(dy), column = c.Ints({-1});
  // Rows of one element each where the input is a scalar.
  const OutputRef shape = c.Emit("ConcatV2", {{c.Ints({1}), c.ShapeOf(dy)}, c.Scalar<int32_t>(0)});
  const OutputRef length = c.Emit("StridedSlice", {shape, c.Ints({-1}), c.Ints({0}), c.Ints({1})},
                                  {{"end_mask", 1}, {"shrink_axis_mask", 1}});
  const OutputRef places = c.Emit("Range", {c.Scalar<int32_t>(0), size, c.Scalar<int32_t>(1)});
  const OutputRef row_starts = c.Sub(places, c.Emit("FloorMod", {places, length}));
  const OutputRef runs = c.Add(c.Reshape(c.y(1), column), row_starts);
  const OutputRef means = c.Emit("SegmentMean", {c.Reshape(dy, column), runs});
  const OutputRef spread = c.Emit("GatherV2", {means, runs, c.Scalar<int32_t>(0)});
  c.set_dx(0, c.Cast(c.ReshapeLike(spread, dy), c.type(c.x(0))));
  return OkStatus();
}

WB_OP("IsotonicRegression")
    .Input("input: T")
    .Output("output: output_dtype")
    .Output("segments: int32")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, "
        "uint64}")
    .Attr("output_dtype: {half, bfloat16, float, double} = float")
    .Shape(shapes::Unchanged);
// The output holds every element of the input exactly.
WB_KERNEL("IsotonicRegression", IsotonicRegressionKernel)
    .Cpu({{"T", {DType::kHalf}}, {"output_dtype", {DType::kHalf}}});
WB_KERNEL("IsotonicRegression", IsotonicRegressionKernel)
    .Cpu({{"T", {DType::kBFloat16}}, {"output_dtype", {DType::kBFloat16}}});
WB_KERNEL("IsotonicRegression", IsotonicRegressionKernel)
    .Cpu({{"T", {DType::kFloat, DType::kInt16, DType::kInt8}}, {"output_dtype", {DType::kFloat}}});
WB_KERNEL("IsotonicRegression", IsotonicRegressionKernel)
    .Cpu({{"T", {DType::kDouble, DType::kInt32, DType::kInt64}},
          {"output_dtype", {DType::kDouble}}});
WB_GRADIENT("IsotonicRegression", IsotonicRegressionGradient);

}  // namespace
}  // namespace warpbeam
