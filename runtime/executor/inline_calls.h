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
//   InlinedNodes inlined;
//   WB_RETURN_IF_ERROR(InlineCalls(request, &part, &inlined));
//
// Ownership: the part's graph owns the nodes. Thread safety: a pure function apart from `bodies`.
// Errors: none of a function's own; what cannot be instantiated stays a call, which reports it.
#ifndef WARPBEAM_RUNTIME_EXECUTOR_INLINE_CALLS_H_
#define WARPBEAM_RUNTIME_EXECUTOR_INLINE_CALLS_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "graph/functions/instantiate.h"
#include "graph/passes/pass_pipeline.h"

namespace warpbeam {

// A function's body as a graph whose nodes have devices, by node id.
struct PlacedBody {
  InstantiatedFunction body;
  std::vector<int> devices;
};

// The body of a function for a caller on `device` (a full name).
using PlacedBodies = std::function<absl::StatusOr<std::shared_ptr<const PlacedBody>>(
    const FunctionRef& function, const std::string& device)>;

struct InlineRequest {
  PlacedBodies bodies;
  std::function<int(NodeId)> device_of;  // of the part's nodes
  std::function<std::string(int)> device_name;
};

// The nodes that were added have the ids from `first_node` on.
struct InlinedNodes {
  NodeId first_node = kNoNode;
  std::vector<int> devices;

  // `given` knows those of the other nodes.
  int DeviceOf(NodeId id, const std::function<int(NodeId)>& given) const {
    return id < first_node ? given(id) : devices[id - first_node];
  }
};

absl::Status InlineCalls(const InlineRequest& request, GraphPart* part, InlinedNodes* inlined);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_EXECUTOR_INLINE_CALLS_H_
