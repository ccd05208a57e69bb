// NodeCheck: whether a node can run here, as its kernel's declaration and the kernel itself say it,
// without running it.
//
//   WB_ASSIGN_OR_RETURN(auto check, NodeCheck::Create(graph, options));
//   check->Against(node, true).reason       // "(T=half) has no kernel on the CPU", or ""
//   for (const auto& [attr, function] : CalledFunctions(node, check->IsCall(node))) …
//
// Ownership: the graph outlives the check. Thread safety: none. Errors: those of making the
// session's devices.
#ifndef WARPBEAM_TOOLS_CLI_NODE_CHECK_H_
#define WARPBEAM_TOOLS_CLI_NODE_CHECK_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/device/local/device_set.h"
#include "runtime/function/callable_catalog.h"
#include "runtime/kernel/function_runner.h"
#include "runtime/session/session.h"
#include "runtime/state/resource_store.h"

namespace warpbeam {
namespace cli {

struct NodeProblem {
  std::string reason;  // behind the op's name; "" for no problem
  std::string advice;  // a sentence
  bool none() const { return reason.empty(); }
};

class NodeCheck {
 public:
  static StatusOr<std::unique_ptr<NodeCheck>> Create(const Graph& graph,
                                                     const SessionOptions& options);

  // Why the node gets no kernel in a session. `will_run`: it is to be run, so that the session must
  // allow what it does besides computing.
  NodeProblem Against(const Node& node, bool will_run) const;
  // Why a node that has a kernel fails whenever it runs, if that can be told.
  static NodeProblem AtRun(const Node& node);
  bool IsCall(const Node& node) const { return catalog_.IsCall(node.op_name()); }

 private:
  NodeCheck(const Graph& graph, const SessionOptions& options);
  NodeProblem NoKernel(const Node& node) const;

  const CapabilitySet allow_;
  const CallableCatalog catalog_;
  std::shared_ptr<DeviceSet> devices_;
  std::shared_ptr<ResourceStore> resources_;
  std::shared_ptr<FunctionRunner> functions_;  // that kernels ask for signatures
};

// The functions that a node calls, by its attributes and by its op, each with the attribute's name.
std::vector<std::pair<std::string, FunctionRef>> CalledFunctions(const Node& node, bool is_call);

}  // namespace cli
}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_CLI_NODE_CHECK_H_
