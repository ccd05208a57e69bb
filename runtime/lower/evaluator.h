// NodeEvaluator: the value of a single node for given inputs, while a plan is compiled.
//
//   const NodeEvaluator evaluate(registry, cpu);
//   StatusOr<std::vector<Tensor>> y = evaluate(node, {x});
//
// Runs the node's CPU kernel in the caller's thread. What a session would have to allow (an op with
// a capability) gets no kernel here, for there is nobody to ask. Ownership: the device must outlive
// it. Thread safety: const use from many threads. Errors: UNIMPLEMENTED for a node without a CPU
// kernel, with one that may wait, with state or with a capability; the kernel's own.
#ifndef WARPBEAM_RUNTIME_LOWER_EVALUATOR_H_
#define WARPBEAM_RUNTIME_LOWER_EVALUATOR_H_

#include <vector>

#include "graph/graph.h"
#include "runtime/device/device.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {

class NodeEvaluator {
 public:
  NodeEvaluator(const KernelRegistry& registry, Device* cpu) : registry_(registry), cpu_(cpu) {}
  StatusOr<std::vector<Tensor>> operator()(const Node& node,
                                           const std::vector<Tensor>& inputs) const;

 private:
  const KernelRegistry& registry_;
  Device* const cpu_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_LOWER_EVALUATOR_H_
