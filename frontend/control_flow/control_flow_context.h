// ControlFlowContext: the loop or the branch of a condition that operations are being built in.
//
// Internal to the frontend: WhileLoop and Cond give a scope with a context to the functions that
// build their insides. What is built in such a scope belongs to the context; what it reads from
// outside is brought in through a node of its own (an Enter, a Switch), once for each tensor.
//
//   WB_ASSIGN_OR_RETURN(OutputRef inside, context->Bring(scope, outside, "while/add"));
//
// Ownership: scopes share contexts. Thread safety: one thread builds. Errors: those of building the
// node.
#ifndef WARPBEAM_FRONTEND_CONTROL_FLOW_CONTROL_FLOW_CONTEXT_H_
#define WARPBEAM_FRONTEND_CONTROL_FLOW_CONTROL_FLOW_CONTEXT_H_

#include <memory>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "frontend/control_flow/control_flow_def.h"
#include "frontend/scope.h"
#include "graph/graph.h"

namespace warpbeam {
namespace frontend {

class ControlFlowContext {
 public:
  explicit ControlFlowContext(std::shared_ptr<ControlFlowContext> outer)
      : outer_(std::move(outer)) {}
  virtual ~ControlFlowContext() = default;

  const std::shared_ptr<ControlFlowContext>& outer() const { return outer_; }
  // How many contexts this one lies in.
  int depth() const { return outer_ == nullptr ? 1 : outer_->depth() + 1; }
  void Own(NodeId node) { owned_.insert(node); }
  void Disown(NodeId node) { owned_.erase(node); }
  bool Owns(NodeId node) const { return owned_.count(node) > 0; }
  // What makes operations without inputs run in the same iteration or branch.
  void set_pivot(NodeId pivot) { pivot_ = pivot; }
  NodeId pivot() const { return pivot_; }

  // Says what lies in the context, now that it is complete, to the context around or, where there
  // is none, to the graph's collection; `def` has what this class does not know.
  void Describe(const Scope& scope, ControlFlowDef def);

  // `value` as operations of this context read it; `reader` is the name of the one that does.
  StatusOr<OutputRef> Bring(const Scope& scope, OutputRef value, const std::string& reader);
  // The control inputs of an operation of this context, which would have `wanted` outside.
  StatusOr<std::vector<NodeId>> ControlInputs(const Scope& scope,
                                              const std::vector<OutputRef>& inputs,
                                              const std::vector<NodeId>& wanted,
                                              const std::string& reader);

 protected:
  // The node that brings in a value of the context around this one.
  virtual StatusOr<Output> Import(const Scope& scope, const Output& value) = 0;
  // Whether what is read through `node` alone does not say in which iteration it is read.
  virtual bool IsInvariant(const Node& node) const = 0;

 private:
  const std::shared_ptr<ControlFlowContext> outer_;
  NodeId pivot_ = kNoNode;
  std::unordered_set<NodeId> owned_;
  absl::flat_hash_map<OutputRef, OutputRef> known_;  // brought in already
  // Of the contexts inside.
  std::vector<std::string> nested_;
  std::set<std::string> nested_values_;
};

// `scope` inside of `context`: without the control dependencies from outside.
Scope WithControlFlow(const Scope& scope, std::shared_ptr<ControlFlowContext> context);

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_CONTROL_FLOW_CONTROL_FLOW_CONTEXT_H_
