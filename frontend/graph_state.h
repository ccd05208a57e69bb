// GraphState: what all scopes of one graph share; ScopeContext: what one scope adds to it.
//
// Internal to the frontend: programs see Scope.
//
//   std::string name = state.UniqueName("GPU_0/add");   // "GPU_0/add", then "GPU_0/add_1"
//
// Ownership: GraphState shares the graph with sessions. A ScopeContext never changes once a Scope
// holds it, but for the frames of control dependencies and the variable scope, which are shared.
// Thread safety: one thread builds. Errors: the first one is kept.
#ifndef WARPBEAM_FRONTEND_GRAPH_STATE_H_
#define WARPBEAM_FRONTEND_GRAPH_STATE_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "frontend/collections.h"
#include "frontend/differentiation/gradient_override.h"
#include "frontend/output.h"
#include "frontend/variables/variable_scope.h"
#include "graph/graph.h"

namespace warpbeam {
namespace frontend {

// One `control_dependencies` block. An operation that reads what the block built is ordered already
// and gets no edges of its own.
struct ControlFrame {
  std::vector<NodeId> operations;
  std::unordered_set<NodeId> built;
};

// The part of a scope that concerns get_variable; shared by the scopes inside, so that
// ReuseVariables reaches them.
struct VariableScopeFrame {
  std::string name;
  bool reuse = false;
  bool auto_reuse = false;
  Initializer initializer;
  Regularizer regularizer;
  Constraint constraint;
  Partitioner partitioner;
  CustomGetter getter;
  DType dtype = DType::kFloat;
  bool use_resource = false;
  // The variable scopes opened directly inside, for the numbers of those with a default name.
  std::set<std::string> opened;
};

class ControlFlowContext;    // frontend/control_flow/control_flow_context.h
struct DeviceFunctionFrame;  // frontend/device/device_functions.h

struct ScopeContext {
  std::string name_scope;  // without the slash at the end
  std::string device;      // what was asked for inside of the innermost device function
  std::shared_ptr<const DeviceFunctionFrame> device_functions;  // the innermost; null for none
  std::vector<std::shared_ptr<ControlFrame>> control;
  std::vector<NodeId> colocated;  // the innermost last
  std::string container;
  AttrMap attrs;
  // What functions go by that are called with the scope, such as the options of contrib's layers in
  // an ArgScope; by name, each of the type that who has the name knows.
  std::map<std::string, std::shared_ptr<const void>> defaults;
  std::map<std::string, std::string> gradients;  // by op, of GradientOverrideMap
  std::shared_ptr<VariableScopeFrame> variables;
  std::shared_ptr<ControlFlowContext> control_flow;  // the innermost; null outside of all

  std::string Join(const std::string& name) const {
    return name_scope.empty() ? name : name_scope + "/" + name;
  }
};

class GraphState : public std::enable_shared_from_this<GraphState> {
 public:
  explicit GraphState(std::shared_ptr<Graph> graph);

  const std::shared_ptr<Graph>& graph() const { return graph_; }
  // By which handles know that the graph is there.
  GraphRef ref() const { return place_.ref(); }
  const Status& status() const { return status_; }
  void Fail(const Status& error) {
    if (status_.ok()) status_ = error;
  }

  // From now on nothing can be added.
  void Finalize() { finalized_ = true; }
  bool finalized() const { return finalized_; }
  // FAILED_PRECONDITION where `name`, what was to be added, comes too late.
  Status CheckGrows(const std::string& name, const char* op) const;

  // TensorFlow's rule: letters count alike in both cases, scopes and operations share the names.
  std::string UniqueName(const std::string& name);

  // Seeds of the next random operation, by TensorFlow's rule.
  std::pair<int64_t, int64_t> NextSeeds(const int64_t* op_seed);
  void SetSeed(int64_t seed) {
    seed_ = seed;
    has_seed_ = true;
  }
  std::optional<int64_t> seed() const {
    return has_seed_ ? std::optional<int64_t>(seed_) : std::nullopt;
  }
  // A function's body has the seed and the gradients of the graph that it is built for.
  void TakeFrom(const GraphState& outer) {
    seed_ = outer.seed_;
    has_seed_ = outer.has_seed_;
    gradients_ = outer.gradients_;
  }

  std::map<std::string, std::vector<CollectionItem>>& collections() { return collections_; }
  std::map<std::string, Variable>& variables() { return variables_; }
  // Of RegisterGradient, by name.
  std::map<std::string, OpGradient>& gradients() { return gradients_; }
  // What sessions must not feed, by node and output, and not fetch.
  std::set<std::pair<NodeId, int>>& unfeedable() { return unfeedable_; }
  std::set<NodeId>& unfetchable() { return unfetchable_; }

  // Holds something that nodes refer to for as long as the graph.
  void Keep(std::shared_ptr<const void> held) { kept_.push_back(std::move(held)); }
  // Takes over what the body of a function holds.
  void KeepAllOf(const GraphState& body) {
    kept_.insert(kept_.end(), body.kept_.begin(), body.kept_.end());
  }

  // Set in the body of a function: brings a tensor of an outer graph in, or fails.
  using CaptureFn = std::function<StatusOr<Output>(const Output& outer)>;
  void set_capture(CaptureFn capture) { capture_ = std::move(capture); }
  const CaptureFn& capture() const { return capture_; }

 private:
  void NoteNewNodes();

  const GraphPlace place_{this};
  std::shared_ptr<Graph> graph_;
  Status status_;
  bool finalized_ = false;
  // Lower-case name → how often it was asked for.
  std::unordered_map<std::string, int> names_;
  int noted_nodes_ = 0;
  bool has_seed_ = false;
  int64_t seed_ = 0;
  int64_t seeds_given_ = 0;  // to operations without one of their own
  std::map<std::string, std::vector<CollectionItem>> collections_;
  std::map<std::string, Variable> variables_;
  std::map<std::string, OpGradient> gradients_;
  std::set<std::pair<NodeId, int>> unfeedable_;
  std::set<NodeId> unfetchable_;
  CaptureFn capture_;
  std::vector<std::shared_ptr<const void>> kept_;
};

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_GRAPH_STATE_H_
