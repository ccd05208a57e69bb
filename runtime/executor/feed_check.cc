#include "runtime/executor/feed_check.h"

#include <algorithm>

#include "graph/types/shown_name.h"

namespace warpbeam {
namespace {

// Without a copy of the value's shape: this is asked in every step.
bool Fits(const PartialShape& wanted, const Shape& shape) {
  if (!wanted.has_rank()) return true;
  if (wanted.rank() != shape.rank()) return false;
  for (int i = 0; i < wanted.rank(); ++i) {
    if (wanted.dim(i) >= 0 && wanted.dim(i) != shape.dim(i)) return false;
  }
  return true;
}

}  // namespace

PartialShape FedShape(const Node& node) {
  const std::string& op = node.op_name();
  const bool is_placeholder =
      op == "Placeholder" || op == "PlaceholderV2" || op == "PlaceholderWithDefault";
  return is_placeholder ? node.output_shape(0) : PartialShape();
}

absl::Status CheckFeed(absl::string_view name, DType dtype, const PartialShape& shape,
                       const Tensor& value) {
  if (!value.has_value()) return InvalidArgument("the feed '", ShownName(name), "' has no value");
  if (value.dtype() != dtype) {
    return InvalidArgument("the feed '", ShownName(name), "' must be ", DTypeName(dtype), ", not ",
                           DTypeName(value.dtype()));
  }
  if (Fits(shape, value.shape())) return absl::OkStatus();
  return InvalidArgument("the feed '", ShownName(name), "' must be of shape ", shape.ToString(),
                         ", as its placeholder says, not ", value.shape().ToString());
}

}  // namespace warpbeam
