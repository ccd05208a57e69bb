#include "ops/tensor_array/tensor_array_op.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "ops/array/index/index_argument.h"
#include "ops/array/strided_copy.h"
#include "ops/state/elements_here.h"

namespace warpbeam {

StatusOr<int64_t> ReadElementIndex(const Tensor& index) {
  if (index.rank() != 0) {
    return InvalidArgument("TensorArray index must be scalar, but had shape: ",
                           index.shape().ToString());
  }
  return ReadIndex(index, "index");
}

Status SetToElement(KernelContext& ctx, TensorArray::Element element) {
  if (element.value.has_value()) {
    ctx.set_output(0, std::move(element.value));
    return OkStatus();
  }
  WB_ASSIGN_OR_RETURN(Tensor * zeros, ctx.Allocate(0, element.shape));
  WB_RETURN_IF_ERROR(ZeroHere(ctx, zeros->dtype(), zeros->raw_data(), zeros->num_elements()));
  return OkStatus();
}

Status FlowShape(ShapeContext& c) {
  for (int i = 1; i < c.num_inputs(); ++i) {
    const absl::string_view name = c.schema().inputs[static_cast<size_t>(i)].name;
    if (name == "index" || name == "flow_in") WB_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  }
  return shapes::Scalar(c);
}

PartialShape ElementShapeOfHandle(const ShapeContext& c) {
  const HandleShapes& known = c.input_handle(0);
  return known.size() == 1 ? known[0].shape : PartialShape();
}

PartialShape WithRows(const PartialShape& element, int64_t rows) {
  if (!element.has_rank()) return element;
  std::vector<int64_t> dims = element.dims();
  dims.insert(dims.begin(), rows);
  return PartialShape(std::move(dims));
}

std::string SameGeneration(const GradContext& c, absl::string_view op) {
  const std::string& forward = c.node().op_name();
  for (absl::string_view suffix : {"V2", "V3"}) {
    if (absl::EndsWith(forward, suffix)) return absl::StrCat(op, suffix);
  }
  return std::string(op);
}

namespace {

std::string SourceOf(const std::string& name) {
  const std::vector<std::string> parts = absl::StrSplit(name, '/');
  for (size_t i = parts.size(); i-- > 0;) {
    if (!absl::StartsWith(parts[i], "gradients")) continue;
    return absl::StrJoin(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(i) + 1, "/");
  }
  return "";
}

}  // namespace

GradientArray GradientArrayOf(GradContext& c, OutputRef flow, OutputRef source_of) {
  if (source_of.node == kNoNode || flow.node == kNoNode) return {};
  std::string source = SourceOf(c.graph().node(source_of.node).name());
  if (source.empty()) {
    // A gradient that the caller gave; this op's own gradient nodes say where we are.
    const OutputRef here = c.Identity(source_of);
    if (here.node == kNoNode) return {};
    source = SourceOf(c.graph().node(here.node).name());
    if (source.empty()) source = "gradients";
  }
  AttrMap attrs;
  attrs.Set("source", std::move(source));
  const std::vector<OutputRef> made =
      c.EmitAll(SameGeneration(c, "TensorArrayGrad"), {c.x(0), flow}, attrs);
  if (made.empty()) return {};
  c.set_control_inputs({made[0].node});
  const OutputRef after = c.Identity(flow);
  c.set_control_inputs({});
  return {made[0], after};
}

}  // namespace warpbeam
