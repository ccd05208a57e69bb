// EmitLike: a node of the backward pass with the attributes of the forward node.
//
//   c.set_dx(0, EmitLike(c, "LRNGrad", {c.dy(0), c.x(0), c.y(0)}));
//
// The attributes are those of the forward node that the new op has too, by name. Thread safety: as
// GradContext. Errors: kept by the context, as by Emit; the result is then empty.
#ifndef WARPBEAM_OPS_NN_WINDOW_EMIT_LIKE_H_
#define WARPBEAM_OPS_NN_WINDOW_EMIT_LIKE_H_

#include <vector>

#include "graph/gradients/gradient_registry.h"

namespace warpbeam {

std::vector<OutputRef> EmitAllLike(GradContext& c, absl::string_view op,
                                   const std::vector<NodeInput>& inputs);
OutputRef EmitLike(GradContext& c, absl::string_view op, const std::vector<NodeInput>& inputs);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_NN_WINDOW_EMIT_LIKE_H_
