// DenseBincount: how often, or with what weight, each number occurs in a vector, or in each row of
// a matrix; with `binary_output`, whether it occurs.

#include "ops/histogram/dense_bincount.h"

#include <algorithm>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "ops/launch/math.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {

StatusOr<Shape> DenseBincountShape(const KernelContext& ctx) {
  const Tensor &values = ctx.input(0), &size_input = ctx.input(1), &weights = ctx.input(2);
  if (values.rank() > 2) {
    return InvalidArgument("'input' must have at most two dimensions, but has shape ",
                           values.shape().ToString());
  }
  if (size_input.rank() != 0) {
    return InvalidArgument("'size' must be a scalar, but has shape ",
                           size_input.shape().ToString());
  }
  const int64_t size = size_input.dtype() == DType::kInt32 ? size_input.scalar<int32_t>()
                                                           : size_input.scalar<int64_t>();
  if (size < 0) return InvalidArgument("'size' must not be negative, but is ", size);
  if (weights.num_elements() != 0 && weights.shape() != values.shape()) {
    return InvalidArgument("'weights' must be empty or of the shape of 'input', ",
                           values.shape().ToString(), ", but have shape ",
                           weights.shape().ToString());
  }
  return values.rank() == 2 ? Shape::Make({values.dim(0), size}) : Shape::Make({size});
}

}  // namespace warpbeam

namespace warpbeam::host_pass {
namespace {

class DenseBincountKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const bool binary, init.attr<bool>("binary_output"));
    return std::make_unique<DenseBincountKernel>(binary);
  }
  explicit DenseBincountKernel(bool binary) : binary_(binary) {}

  Status Compute(KernelContext& ctx) override {
    return DispatchIndex(ctx.input(0).dtype(),
                         [&](auto tag) { return Run<typename decltype(tag)::type>(ctx); });
  }

 private:
  template <class Index>
  Status Run(KernelContext& ctx) const {
    const Tensor &values = ctx.input(0), &weights = ctx.input(2);
    WB_ASSIGN_OR_RETURN(const Shape shape, DenseBincountShape(ctx));
    const int64_t size = shape.dim(shape.rank() - 1);
    const bool weighted = weights.num_elements() != 0, is_matrix = values.rank() == 2;
    for (const Index value : values.flat<Index>()) {
      if (value < 0) return InvalidArgument("'input' must not hold negative numbers: ", value);
    }
    WB_ASSIGN_OR_RETURN(Tensor * bins, ctx.Allocate(0, shape));
    const int64_t rows = is_matrix ? values.dim(0) : 1;
    const int64_t columns = is_matrix ? values.dim(1) : values.num_elements();
    return DispatchTypes<int32_t, int64_t, float, double>(bins->dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      ctx.ParallelFor(rows, columns * 2 + size, [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
          CountRow(values.data<Index>() + row * columns,
                   weighted ? weights.data<T>() + row * columns : nullptr, columns, size,
                   bins->data<T>() + row * size);
        }
      });
      return OkStatus();
    });
  }

  template <class Index, class T>
  void CountRow(const Index* values, const T* weights, int64_t count, int64_t size, T* bins) const {
    std::fill_n(bins, size, T(0));
    for (int64_t i = 0; i < count; ++i) {
      if (values[i] >= size) continue;
      T& bin = bins[values[i]];
      bin = binary_ ? T(1) : Plus<T>(bin, weights != nullptr ? weights[i] : T(1));
    }
  }

  const bool binary_;
};

Status InferShape(ShapeContext& c) {
  const PartialShape& values = c.input(0);
  if (values.has_rank() && values.rank() > 2) {
    return InvalidArgument("'input' must have at most two dimensions, but has shape ",
                           values.ToString());
  }
  WB_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  const std::optional<int64_t> size = c.ConstantScalar(1);
  if (size && *size < 0) return InvalidArgument("'size' must not be negative, but is ", *size);
  if (!values.has_rank()) {
    c.set_output(0, PartialShape::Unknown());
  } else if (values.rank() == 2) {
    c.set_output(0, PartialShape({values.dim(0), size.value_or(-1)}));
  } else {
    c.set_output(0, PartialShape({size.value_or(-1)}));
  }
  return OkStatus();
}

}  // namespace

WB_OP("DenseBincount")
    .Input("input: Tidx")
    .Input("size: Tidx")
    .Input("weights: T")
    .Output("output: T")
    .Attr("Tidx: {int32, int64}")
    .Attr("T: {int32, int64, float, double}")
    .Attr("binary_output: bool = false")
    .Shape(InferShape);
WB_KERNEL("DenseBincount", DenseBincountKernel)
    .Cpu({{"T", kNumberTypes}, {"Tidx", kIndexTypes}})
    .Gpu({{"T", TypeSet{DType::kFloat, DType::kInt32}}, {"Tidx", kIndexTypes}})
    .HostMemory({"size"});

}  // namespace warpbeam::host_pass
