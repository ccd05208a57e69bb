// What a feed must be, looked at before anything of the step runs.
//
//   WB_RETURN_IF_ERROR(CheckFeed("x:0", DType::kFloat, value));
//   WB_RETURN_IF_ERROR(CheckFedShape("x:0", FedShape(graph.node(x.node)), value));
//
// A session asks for the dtype alone: TensorFlow's runs whatever shape is fed, and leaves it to its
// clients to hold what a user gives against the shape that a placeholder says. Thread safety: pure
// functions. Errors: INVALID_ARGUMENT that says what was asked for and what was fed.
#ifndef WARPBEAM_RUNTIME_STEP_FEED_CHECK_H_
#define WARPBEAM_RUNTIME_STEP_FEED_CHECK_H_

#include "graph/graph.h"
#include "graph/types/tensor.h"

namespace warpbeam {

Status CheckFeed(absl::string_view name, DType dtype, const Tensor& value);

// What a placeholder says of its shape; nothing is asked of other tensors.
PartialShape FedShape(const Node& node);
Status CheckFedShape(absl::string_view name, const PartialShape& shape, const Tensor& value);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_STEP_FEED_CHECK_H_
