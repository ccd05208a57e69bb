// What a feed must be, looked at before anything of the step runs.
//
//   const PartialShape shape = FedShape(graph.node(feed.node));
//   WB_RETURN_IF_ERROR(CheckFeed("x:0", DType::kFloat, shape, value));
//
// A placeholder says what shape it takes; any other tensor may be fed with one that the graph would
// not compute. Thread safety: pure functions. Errors: INVALID_ARGUMENT that says what was asked for
// and what was fed.
#ifndef WARPBEAM_RUNTIME_EXECUTOR_FEED_CHECK_H_
#define WARPBEAM_RUNTIME_EXECUTOR_FEED_CHECK_H_

#include "graph/graph.h"
#include "graph/types/tensor.h"

namespace warpbeam {

PartialShape FedShape(const Node& node);
absl::Status CheckFeed(absl::string_view name, DType dtype, const PartialShape& shape,
                       const Tensor& value);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_EXECUTOR_FEED_CHECK_H_
