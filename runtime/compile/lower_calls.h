// LowerCalls: conditionals, loops and calls of functions that several tasks take part in, as nodes
// that the step can be cut between: Switch, Merge, Enter, Exit and the nodes of the functions.
//
// A task runs a function as a whole, so what a function's nodes do on other tasks must stand in the
// step's own graph. It concerns If, Case, While (with their stateless forms) and calls by name,
// PartitionedCall or, with a constant target, RemoteCall, of which a body, or the body of what it
// calls, has a node on another task than the call, or reads a resource of another task. A node that
// reads a resource goes to the task that has it.
//
//   LowerRequest request;
//   request.bodies = bodies;  request.sites = &sites;     // placed on the devices of all tasks
//   WB_RETURN_IF_ERROR(LowerCalls(request, &part));
//
// Effects come in the order in which they came with the call: a branch starts when all its inputs
// are there, an iteration when the one before has ended, and who waited for the call waits for all
// of it. A While without inputs, and a call with a fed output, stay.
//
// Ownership: the part's graph owns the nodes. Thread safety: a pure function apart from `bodies`.
// Errors: none of a function's own; what cannot be instantiated stays a call, which reports it.
#ifndef WARPBEAM_RUNTIME_COMPILE_LOWER_CALLS_H_
#define WARPBEAM_RUNTIME_COMPILE_LOWER_CALLS_H_

#include "placement/cut.h"
#include "runtime/compile/inline_calls.h"

namespace warpbeam {

struct LowerRequest {
  PlacedBodies bodies;
  const SiteList* sites = nullptr;
};

Status LowerCalls(const LowerRequest& request, GraphPart* part);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_COMPILE_LOWER_CALLS_H_
