#include "runtime/step/feed_check.h"

#include "graph/types/shown_name.h"

namespace warpbeam {
PartialShape FedShape(const Node& node) {
  const std::string& op = node.op_name();
  const bool is_placeholder =
      op == "Placeholder" || op == "PlaceholderV2" || op == "PlaceholderWithDefault";
  return is_placeholder ? node.output_shape(0) : PartialShape();
}

Status CheckFeed(absl::string_view name, DType dtype, const Tensor& value) {
  if (!value.has_value()) return InvalidArgument("the feed '", ShownName(name), "' has no value");
  if (value.dtype() == dtype) return OkStatus();
  return InvalidArgument("the feed '", ShownName(name), "' must be ", DTypeName(dtype), ", not ",
                         DTypeName(value.dtype()));
}

Status CheckFedShape(absl::string_view name, const PartialShape& shape, const Tensor& value) {
  if (shape.IsCompatibleWith(PartialShape(value.shape()))) return OkStatus();
  return InvalidArgument("the feed '", ShownName(name), "' must be of shape ", shape.ToString(),
                         ", as its placeholder says, not ", value.shape().ToString());
}

}  // namespace warpbeam
