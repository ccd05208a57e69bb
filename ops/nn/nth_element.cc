// NthElement: the element of each row that would stand at place n if the row were sorted, lowest or
// with `reverse` greatest first. NaN counts as greater than every number.

#include <algorithm>
#include <vector>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/stoppable_loop.h"

namespace warpbeam {
namespace {

class NthElementKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const bool reverse, init.attr<bool>("reverse"));
    return std::make_unique<NthElementKernel>(reverse);
  }
  explicit NthElementKernel(bool reverse) : reverse_(reverse) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor &x = ctx.input(0), &n_input = ctx.input(1);
    if (n_input.rank() != 0) {
      return InvalidArgument("'n' must be a scalar, but has shape ", n_input.shape().ToString());
    }
    const int64_t n = n_input.scalar<int32_t>();
    if (n < 0) return InvalidArgument("'n' must not be negative, but is ", n);
    if (x.rank() < 1) return InvalidArgument("the input must have at least one dimension");
    const int64_t length = x.dim(x.rank() - 1);
    if (length <= n) {
      return InvalidArgument("rows of ", length, " elements have none at place ", n,
                             ": the input has shape ", x.shape().ToString());
    }
    const int64_t place = reverse_ ? length - 1 - n : n;
    WB_ASSIGN_OR_RETURN(Tensor * values, ctx.Allocate(0, x.shape().Remove(x.rank() - 1)));
    return DispatchTypes(RealTypeList{}, x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      StoppableFor(ctx, values->num_elements(), 10 * length, [&](int64_t begin, int64_t end) {
        std::vector<T> row(length);
        for (int64_t i = begin; i < end; ++i) {
          std::copy_n(x.data<T>() + i * length, length, row.begin());
          std::nth_element(row.begin(), row.begin() + place, row.end(),
                           [](T a, T b) { return a < b || (a == a && b != b); });
          values->data<T>()[i] = row[place];
        }
      });
      return OkStatus();
    });
  }

 private:
  const bool reverse_;
};

Status NthElementShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape x, c.WithRankAtLeast(0, 1));
  WB_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  const std::optional<int64_t> n = c.ConstantScalar(1);
  if (n && *n < 0) return InvalidArgument("'n' must not be negative, but is ", *n);
  if (!x.has_rank()) {
    c.set_output(0, PartialShape::Unknown());
    return OkStatus();
  }
  const int64_t length = x.dim(x.rank() - 1);
  if (n && length >= 0 && length <= *n) {
    return InvalidArgument("rows of ", length, " elements have none at place ", *n);
  }
  c.set_output(0, PartialShape(std::vector<int64_t>(x.dims().begin(), x.dims().end() - 1)));
  return OkStatus();
}

// Elements that are equal share the gradient.
Status NthElementGradient(GradContext& c) {
  const auto column = [&](OutputRef a) { return c.Emit("ExpandDims", {a, c.Scalar<int32_t>(-1)}); };
  const OutputRef x = c.x(0), dy = c.dy(0);
  const OutputRef hits = c.Cast(c.Emit("Equal", {column(c.y(0)), x}), c.type(dy));
  const OutputRef number = c.Emit("Sum", {hits, c.Scalar<int32_t>(-1)});
  c.set_dx(0, c.Mul(c.Div(hits, column(number)), column(dy)));
  return OkStatus();
}

WB_OP("NthElement")
    .Input("input: T")
    .Input("n: int32")
    .Output("values: T")
    .Attr("reverse: bool = false")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, "
        "uint64}")
    .Shape(NthElementShape);
WB_KERNEL("NthElement", NthElementKernel).Cpu({{"T", kRealTypes}});
WB_GRADIENT("NthElement", NthElementGradient);

}  // namespace
}  // namespace warpbeam
