// InlineCalls: calls of library functions in a part of a graph, replaced by the functions' nodes.
//
// A node "call" of a function with a node "product" becomes "call/product", on the device where the
// call would have run it; what the body's calls call is inlined as well. (A name that would become
// longer than 400 bytes loses its middle.) The nodes of a body that have effects wait for
// everything that the call waited for, and who waited for the call waits for them, so that effects
// come in the same order as with the call. A call stays a call when
//
//   - its function has the attribute `_noinline`, calls itself, or is one of too many nodes,
//   - the function has nodes with state of their own (random generators, variables named in it),
//   - it or the part has v1 control flow: a call is dead as a whole, nodes are dead one by one,
//   - one of its outputs is fed.
//
//   WB_RETURN_IF_ERROR(InlineCalls(request, &part));
//
// Ownership: the part's graph owns the nodes. Thread safety: a pure function apart from `bodies`.
// Errors: none of a function's own; what cannot be instantiated stays a call, which reports it.
#ifndef WARPBEAM_RUNTIME_COMPILE_INLINE_CALLS_H_
#define WARPBEAM_RUNTIME_COMPILE_INLINE_CALLS_H_

#include <functional>
#include <memory>
#include <string>

#include "graph/functions/instantiate.h"
#include "graph/passes/pass_pipeline.h"

namespace warpbeam {

// The body of a function for a caller on `device` (a full name), its nodes placed.
using PlacedBodies = std::function<StatusOr<std::shared_ptr<const InstantiatedFunction>>(
    const FunctionRef& function, const std::string& device)>;

struct InlineRequest {
  PlacedBodies bodies;
  std::function<std::string(Site)> device_name;
};

Status InlineCalls(const InlineRequest& request, GraphPart* part);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_COMPILE_INLINE_CALLS_H_
