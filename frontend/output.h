// Operation and Output: handles on a node of the graph being built, and on one of its outputs.
//
// A handle is a small value. A default one, and one that comes out of a function that failed, is
// not valid; passing it on is harmless, since the Scope has kept the first error.
//
//   Output y = nn::Relu(scope, x);
//   y.name() == "Relu:0";   y.op().name() == "Relu";   y.dtype() == DType::kFloat
//
// An Output remembers the scope in which it is being used, for the operators of operators.h and
// the brackets of indexing.h:
//
//   Output first = x[0], rows = x(Slice(1, 3), All);
//
// Lists of handles are asked as safely: what a function that failed gives has handles that are not
// valid at every index (HandleList).
//
//   const OutputList halves = Split(scope, x, 2);
//   Output sum = halves[0] + halves[1];
//
// Two handles are compared by name, since `<` and the like build operations: SameOutput(a, b) and
// SameOperation(a, b). `==` and `!=` do not compile.
//
// Ownership: the graph owns the nodes. A handle that outlives the last Scope, ClientSession and
// Dataset of its graph is no longer valid, and what it is given to says so. Thread safety: that of
// the Scope. Errors: functions of a handle that is not valid give empty values.
#ifndef WARPBEAM_FRONTEND_OUTPUT_H_
#define WARPBEAM_FRONTEND_OUTPUT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "frontend/graph_ref.h"
#include "frontend/types.h"

namespace warpbeam {
namespace frontend {

class GraphState;     // frontend/graph_state.h
struct ScopeContext;  // frontend/graph_state.h
class Index;          // frontend/arrays/indexing.h
class Output;

// A std::vector of handles that may be asked for any index, as functions give it whose lists are
// shorter than one would think after an error: what is not there is a handle that is not valid, and
// what is built of that is an error of the scope. (A std::vector made of it has no such care.)
template <typename T>
class HandleList : public std::vector<T> {
 public:
  using std::vector<T>::vector;
  HandleList() = default;
  HandleList(std::vector<T> handles) : std::vector<T>(std::move(handles)) {}  // NOLINT

  const T& operator[](size_t index) const {
    return index < this->size() ? std::vector<T>::operator[](index) : None();
  }
  T& operator[](size_t index) {
    return index < this->size() ? std::vector<T>::operator[](index) : None();
  }
  const T& front() const { return (*this)[0]; }
  T& front() { return (*this)[0]; }
  // Of an empty list there is none at this index either.
  const T& back() const { return (*this)[this->size() - 1]; }
  T& back() { return (*this)[this->size() - 1]; }

 private:
  // Another one whenever it is asked for, so that nothing written to it stays.
  static T& None() {
    static thread_local T none;
    return none = T();
  }
};
using OutputList = HandleList<Output>;

class Operation {
 public:
  Operation() = default;
  Operation(GraphRef graph, int32_t node) : graph_(graph), node_(node) {}
  Operation(const Output& output);  // NOLINT: an output stands for the operation that computes it

  bool valid() const { return graph_.get() != nullptr; }
  // What is wrong with an operation that is not valid, such as "was never built".
  const char* problem() const;
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
  OutputList outputs() const;
  OutputList inputs() const;
  HandleList<Operation> control_inputs() const;
  // "loc:@w" for each operation that it stands beside, or its own group.
  std::vector<std::string> colocation_groups() const;
  // Where the program built it.
  SourceLocation location() const;

  // Null when not valid.
  GraphState* graph() const { return graph_.get(); }
  GraphRef graph_ref() const { return graph_; }
  int32_t node() const { return node_; }

 private:
  GraphRef graph_;
  int32_t node_ = -1;
};

class Output {
 public:
  Output() = default;
  Output(GraphRef graph, int32_t node, int32_t index,
         std::shared_ptr<const ScopeContext> used_in = nullptr)
      : graph_(graph), node_(node), index_(index), used_in_(std::move(used_in)) {}

  bool valid() const { return graph_.get() != nullptr; }
  // What is wrong with an output that is not valid, such as "was never built".
  const char* problem() const { return op().problem(); }
  Operation op() const { return Operation(graph_, node_); }
  int index() const { return index_; }
  std::string name() const;  // "MatMul:0"; "" when not valid
  // The base type: that of a variable's reference is the variable's own.
  DType dtype() const;
  std::string device() const { return op().device(); }
  // What shape inference knows.
  PartialShape shape() const;
  // How many dimensions; -1 when not known.
  int rank() const { return shape().rank(); }
  // The operations that read it.
  HandleList<Operation> consumers() const;
  // Says more about the shape than inference knows; a contradiction goes to the scope's status.
  void set_shape(const PartialShape& shape) const;

  // As Python's brackets: frontend/arrays/indexing.h.
  Output operator[](const Index& index) const;
  template <typename... Rest>
  Output operator()(const Index& first, const Rest&... rest) const;

  // Null when not valid.
  GraphState* graph() const { return graph_.get(); }
  GraphRef graph_ref() const { return graph_; }
  int32_t node() const { return node_; }
  // The scope for operators on this output; null for none.
  const std::shared_ptr<const ScopeContext>& used_in() const { return used_in_; }

 private:
  GraphRef graph_;
  int32_t node_ = -1;
  int32_t index_ = 0;
  std::shared_ptr<const ScopeContext> used_in_;
};

inline Operation::Operation(const Output& output) : Operation(output.graph_ref(), output.node()) {}

// Whether both are the same operation of the same graph, or neither is valid.
bool SameOperation(const Operation& a, const Operation& b);
// Whether both are the same tensor, wherever they are used, or neither is valid.
bool SameOutput(const Output& a, const Output& b);

// True of the types whose `==` would be mistaken for an operation of the graph.
template <typename T>
struct IsGraphHandle : std::is_base_of<Output, T> {};
template <>
struct IsGraphHandle<Operation> : std::true_type {};

template <typename A, typename B,
          typename = std::enable_if_t<IsGraphHandle<A>::value || IsGraphHandle<B>::value>>
bool operator==(const A&, const B&) {
  static_assert(!(IsGraphHandle<A>::value || IsGraphHandle<B>::value),
                "Compare values with Equal(scope, a, b), and handles with SameOutput(a, b), "
                "SameOperation(a, b) or SameVariable(a, b).");
  return false;
}
template <typename A, typename B,
          typename = std::enable_if_t<IsGraphHandle<A>::value || IsGraphHandle<B>::value>>
bool operator!=(const A&, const B&) {
  static_assert(!(IsGraphHandle<A>::value || IsGraphHandle<B>::value),
                "Compare values with NotEqual(scope, a, b), and handles with !SameOutput(a, b), "
                "!SameOperation(a, b) or !SameVariable(a, b).");
  return false;
}

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OUTPUT_H_
