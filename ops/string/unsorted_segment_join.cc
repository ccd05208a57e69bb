// UnsortedSegmentJoin: the strings of each segment, joined in their order. Strings with a negative
// segment are left out.
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/running_step.h"
#include "runtime/kernel/stoppable_loop.h"

namespace warpbeam {
namespace {

template <class I>
class SegmentJoinKernel final : public Kernel {
 public:
  explicit SegmentJoinKernel(std::string separator) : separator_(std::move(separator)) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(std::string separator, init.attr<std::string>("separator"));
    return std::make_unique<SegmentJoinKernel>(std::move(separator));
  }

  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    const Tensor& segments = ctx.input(1);
    const Tensor& number = ctx.input(2);
    if (number.rank() != 0) {
      return InvalidArgument("num_segments must be a scalar, not of shape ",
                             number.shape().ToString());
    }
    const int64_t count =
        number.dtype() == DType::kInt32 ? number.scalar<int32_t>() : number.scalar<int64_t>();
    if (count < 0) return InvalidArgument("num_segments must not be negative: ", count);
    const int lead = segments.rank();
    if (lead > x.rank()) {
      return OutOfRange("Invalid segment_id rank ", lead, " for input with ", x.rank(),
                        " dimension(s)");
    }
    bool fits = true;
    for (int i = 0; fits && i < lead; ++i) fits = segments.dim(i) == x.dim(i);
    if (!fits) {
      return InvalidArgument("segment_ids of shape ", segments.shape().ToString(),
                             " must be a prefix of inputs' shape ", x.shape().ToString());
    }
    std::vector<int64_t> dims = {count};
    dims.insert(dims.end(), x.shape().dims().begin() + lead, x.shape().dims().end());
    WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    // Without elements there may be any number of segments.
    if (y->num_elements() == 0) return OkStatus();
    int64_t row = 1;
    for (int i = lead; i < x.rank(); ++i) row *= x.dim(i);
    std::vector<bool> begun(static_cast<size_t>(count));
    for (int64_t i = 0; i < segments.num_elements(); ++i) {
      if (RunningStep::IsOver()) return StepIsOver();
      const int64_t segment = segments.data<I>()[i];
      if (segment < 0 || segment >= count) {
        return InvalidArgument(
            "segment_ids are not allowed to exceed num_segments or to have "
            "negative values, but segment_ids[",
            i, "] = ", segment, " is out of range [0, ", count, ")");
      }
      for (int64_t j = 0; j < row; ++j) {
        std::string* const out = &y->data<std::string>()[segment * row + j];
        if (begun[segment]) *out += separator_;
        *out += x.data<std::string>()[i * row + j];
      }
      begun[segment] = true;
    }
    return OkStatus();
  }

 private:
  const std::string separator_;
};

Status SegmentJoinShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(2, 0).status());
  const std::optional<int64_t> count = c.ConstantScalar(2);
  if (count.has_value() && *count < 0) {
    return InvalidArgument("num_segments must not be negative: ", *count);
  }
  const PartialShape& x = c.input(0);
  const PartialShape& segments = c.input(1);
  c.set_output(0, PartialShape());
  if (!x.has_rank() || !segments.has_rank()) return OkStatus();
  if (segments.rank() > x.rank()) {
    return InvalidArgument("segment_ids of shape ", segments.ToString(),
                           " must be a prefix of inputs' shape ", x.ToString());
  }
  const std::vector<int64_t> lead(x.dims().begin(), x.dims().begin() + segments.rank());
  WB_RETURN_IF_ERROR(PartialShape::Merge(segments, PartialShape(lead)).status());
  std::vector<int64_t> dims = {count.value_or(-1)};
  dims.insert(dims.end(), x.dims().begin() + segments.rank(), x.dims().end());
  c.set_output(0, PartialShape(std::move(dims)));
  return OkStatus();
}

WB_OP("UnsortedSegmentJoin")
    .Input("inputs: string")
    .Input("segment_ids: Tindices")
    .Input("num_segments: Tnumsegments")
    .Output("output: string")
    .Attr("separator: string = ''")
    .Attr("Tindices: {int32, int64}")
    .Attr("Tnumsegments: {int32, int64} = DT_INT32")
    .Shape(SegmentJoinShape);
WB_KERNEL("UnsortedSegmentJoin", SegmentJoinKernel<int32_t>)
    .Cpu({{"Tindices", {DType::kInt32}}, {"Tnumsegments", kIndexTypes}});
WB_KERNEL("UnsortedSegmentJoin", SegmentJoinKernel<int64_t>)
    .Cpu({{"Tindices", {DType::kInt64}}, {"Tnumsegments", kIndexTypes}});

}  // namespace
}  // namespace warpbeam
