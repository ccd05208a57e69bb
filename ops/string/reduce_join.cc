// ReduceJoin: strings joined along dimensions of a tensor.
#include <algorithm>
#include <string>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/index/index_argument.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/running_step.h"
#include "runtime/kernel/stoppable_loop.h"

namespace warpbeam {
namespace {

// Axes in [0, rank), each at most once.
StatusOr<Dims> ReadAxes(const Tensor& t, int rank) {
  if (t.rank() > 1) {
    return InvalidArgument("reduction_indices must be a vector, not of shape ",
                           t.shape().ToString());
  }
  WB_ASSIGN_OR_RETURN(Dims axes, ReadIndices(t, "reduction_indices"));
  Dims seen;
  for (int64_t& axis : axes) {
    if (axis < -rank || axis >= rank) {
      return OutOfRange("Invalid reduction dimension ", axis, " for input with ", rank,
                        " dimension(s)");
    }
    if (axis < 0) axis += rank;
    if (std::find(seen.begin(), seen.end(), axis) != seen.end()) {
      return InvalidArgument("Duplicate reduction dimension ", axis);
    }
    seen.push_back(axis);
  }
  return axes;
}

bool Contains(const Dims& axes, int axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

// Steps through all index combinations of some dimensions, the last one fastest.
class Odometer {
 public:
  Odometer(const Shape& shape, const Dims& axes) : at_(axes.size(), 0) {
    for (int64_t a : axes) {
      int64_t stride = 1;
      for (int d = static_cast<int>(a) + 1; d < shape.rank(); ++d) stride *= shape.dim(d);
      strides_.push_back(stride);
      extents_.push_back(shape.dim(static_cast<int>(a)));
      count_ *= extents_.back();
    }
  }
  int64_t count() const { return count_; }
  int64_t offset() const { return offset_; }
  void Step() {
    for (size_t d = at_.size(); d-- > 0;) {
      offset_ += strides_[d];
      if (++at_[d] < extents_[d]) return;
      offset_ -= strides_[d] * extents_[d];
      at_[d] = 0;
    }
  }

 private:
  Dims at_, strides_, extents_;
  int64_t count_ = 1, offset_ = 0;
};

class ReduceJoinKernel final : public Kernel {
 public:
  ReduceJoinKernel(std::string separator, bool keep_dims)
      : separator_(std::move(separator)), keep_dims_(keep_dims) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(std::string separator, init.attr<std::string>("separator"));
    WB_ASSIGN_OR_RETURN(bool keep_dims, init.attr<bool>("keep_dims"));
    return std::make_unique<ReduceJoinKernel>(std::move(separator), keep_dims);
  }

  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(Dims joined, ReadAxes(ctx.input(1), x.rank()));
    if (joined.empty()) {
      ctx.set_output(0, x);
      return OkStatus();
    }
    Dims kept, dims;
    for (int d = 0; d < x.rank(); ++d) {
      if (!Contains(joined, d)) {
        kept.push_back(d);
        dims.push_back(x.dim(d));
      } else if (keep_dims_) {
        dims.push_back(1);
      }
    }
    WB_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    const std::string* strings = x.data<std::string>();
    // The dimension that is named first among those joined is walked fastest.
    const Dims order(joined.rbegin(), joined.rend());
    Odometer outer(x.shape(), kept);
    for (int64_t i = 0; i < outer.count(); ++i, outer.Step()) {
      std::string& out = y->data<std::string>()[i];
      Odometer inner(x.shape(), order);
      if (RunningStep::IsOver()) return StepIsOver();
      for (int64_t k = 0; k < inner.count(); ++k, inner.Step()) {
        if (k % kStringsBetweenLooks == kStringsBetweenLooks - 1 && RunningStep::IsOver()) break;
        if (k > 0) out += separator_;
        out += strings[outer.offset() + inner.offset()];
      }
    }
    return OkStatus();
  }

 private:
  // How many strings pass until the kernel looks whether anyone waits for them.
  static constexpr int64_t kStringsBetweenLooks = 1024;

  const std::string separator_;
  const bool keep_dims_;
};

Status ReduceJoinShape(ShapeContext& c) {
  const PartialShape& x = c.input(0);
  if (!x.has_rank()) return OkStatus();
  WB_ASSIGN_OR_RETURN(bool keep_dims, c.attr<bool>("keep_dims"));
  WB_ASSIGN_OR_RETURN(std::optional<Dims> axes, ConstantIndices(c, 1));
  if (!axes) {
    if (keep_dims) c.set_output(0, PartialShape::UnknownOfRank(x.rank()));
    return OkStatus();
  }
  for (int64_t& axis : *axes) {
    WB_ASSIGN_OR_RETURN(axis, ResolveAxis(axis, x.rank()));
  }
  std::vector<int64_t> dims;
  for (int d = 0; d < x.rank(); ++d) {
    if (!Contains(*axes, d)) {
      dims.push_back(x.dim(d));
    } else if (keep_dims) {
      dims.push_back(1);
    }
  }
  c.set_output(0, PartialShape(std::move(dims)));
  return OkStatus();
}

WB_OP("ReduceJoin")
    .Input("inputs: string")
    .Input("reduction_indices: int32")
    .Output("output: string")
    .Attr("keep_dims: bool = false")
    .Attr("separator: string = ''")
    .Shape(ReduceJoinShape);
WB_KERNEL("ReduceJoin", ReduceJoinKernel).Cpu();
WB_NO_GRADIENT("ReduceJoin");

}  // namespace
}  // namespace warpbeam
