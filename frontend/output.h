// Operation and Output: handles on a node of the graph being built, and on one of its outputs.
//
// A handle is a small value. A default one, and one that comes out of a function that failed, is
// not valid; passing it on is harmless, since the Scope has kept the first error.
//
//   Output y = nn::Relu(scope, x);
//   y.name() == "Relu:0";   y.op().name() == "Relu";   y.dtype() == DType::kFloat
//
// An Output remembers the scope in which it is being used, for the operators of operators.h.
//
// Ownership: the graph owns the nodes; a handle must not be used after the last Scope and
// ClientSession of its graph. Thread safety: that of the Scope.
#ifndef WARPBEAM_FRONTEND_OUTPUT_H_
#define WARPBEAM_FRONTEND_OUTPUT_H_

#include <cstdint>
#include <memory>
#include <string>

#include "frontend/types.h"

namespace warpbeam {
namespace frontend {

class GraphState;     // frontend/graph_state.h
struct ScopeContext;  // frontend/graph_state.h
class Output;

class Operation {
 public:
  Operation() = default;
  Operation(GraphState* graph, int32_t node) : graph_(graph), node_(node) {}
  Operation(const Output& output);  // NOLINT: an output stands for the operation that computes it

  bool valid() const { return graph_ != nullptr; }
  // For an operation that is not valid these are "".
  std::string name() const;
  std::string type() const;    // "MatMul"
  std::string device() const;  // as requested
  // With those that the op has by default; none for an operation that is not valid. Not to be used
  // after the graph has grown.
  const AttrMap& attrs() const;
  int num_outputs() const;
  // Not valid when there is no such output.
  Output output(int index) const;

  GraphState* graph() const { return graph_; }
  int32_t node() const { return node_; }
  friend bool operator==(const Operation& a, const Operation& b) {
    return a.graph_ == b.graph_ && a.node_ == b.node_;
  }
  friend bool operator!=(const Operation& a, const Operation& b) { return !(a == b); }

 private:
  GraphState* graph_ = nullptr;
  int32_t node_ = -1;
};

class Output {
 public:
  Output() = default;
  Output(GraphState* graph, int32_t node, int32_t index,
         std::shared_ptr<const ScopeContext> used_in = nullptr)
      : graph_(graph), node_(node), index_(index), used_in_(std::move(used_in)) {}

  bool valid() const { return graph_ != nullptr; }
  Operation op() const { return Operation(graph_, node_); }
  int index() const { return index_; }
  std::string name() const;  // "MatMul:0"; "" when not valid
  // The base type: that of a variable's reference is the variable's own.
  DType dtype() const;
  // What shape inference knows.
  PartialShape shape() const;
  // Says more about the shape than inference knows; a contradiction goes to the scope's status.
  void set_shape(const PartialShape& shape) const;

  GraphState* graph() const { return graph_; }
  int32_t node() const { return node_; }
  // The scope for operators on this output; null for none.
  const std::shared_ptr<const ScopeContext>& used_in() const { return used_in_; }

  // The same tensor, wherever it is used.
  friend bool operator==(const Output& a, const Output& b) {
    return a.graph_ == b.graph_ && a.node_ == b.node_ && a.index_ == b.index_;
  }
  friend bool operator!=(const Output& a, const Output& b) { return !(a == b); }

 private:
  GraphState* graph_ = nullptr;
  int32_t node_ = -1;
  int32_t index_ = 0;
  std::shared_ptr<const ScopeContext> used_in_;
};

inline Operation::Operation(const Output& output) : Operation(output.graph(), output.node()) {}

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OUTPUT_H_
