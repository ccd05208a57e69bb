// UnreadGradients: the gradients to convolutions' inputs that nobody reads go away.
//
// The gradient of a loss to a first layer's filter comes with one to the images: the two are tied
// together by a node that waits for both. Nobody reads the latter, and it costs as much as the
// other. Who waited for it waits for what it is made of.
//
//   pipeline.Add("unread", UnreadGradients);
//
// Results are the same bit for bit; an error that such a node would give is not seen. A node that
// is fetched, fed, a target or next to a loop or a branch stays. Thread safety: a pure function of
// the part. Errors: none of its own.
#ifndef WARPBEAM_GRAPH_PASSES_UNREAD_GRADIENTS_H_
#define WARPBEAM_GRAPH_PASSES_UNREAD_GRADIENTS_H_

#include "graph/passes/pass_pipeline.h"

namespace warpbeam {

Status UnreadGradients(GraphPart* part);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_PASSES_UNREAD_GRADIENTS_H_
