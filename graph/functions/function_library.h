// FunctionLibrary: the functions of a graph, by name; Function: signature and body.
//
// A function is called as an op of its own name, or by PartitionedCall and its kin, If, While and
// dataset ops through a FunctionRef. Its signature is an OpSchema; the body is a list of NodeSpecs
// in which attribute values may be placeholders ("$T"). `graph/functions/instantiate.h` turns one
// with given attributes into a Graph.
//
//   WB_RETURN_IF_ERROR(library.Add(std::move(function)));
//   std::shared_ptr<const Function> f = library.Find("map_fn");     // null when there is none
//
// Ownership: functions are immutable and counted, so that a dataset iterator may keep a library's
// snapshot (`FunctionLibrary copy = library`) at the price of a pointer: copies share one table
// until one of them is changed. Thread safety: const access, copying included, from many threads.
// Errors: ALREADY_EXISTS when a different function has the name; adding an equal one again is fine.
#ifndef WARPBEAM_GRAPH_FUNCTIONS_FUNCTION_LIBRARY_H_
#define WARPBEAM_GRAPH_FUNCTIONS_FUNCTION_LIBRARY_H_

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/node_spec.h"
#include "graph/op/op_schema.h"

namespace warpbeam {

struct Function {
  OpSchema signature;
  std::vector<NodeSpec> nodes;
  // Output argument → "node:output_arg:index"; control output → node.
  std::vector<std::pair<std::string, std::string>> returns;
  std::vector<std::pair<std::string, std::string>> control_returns;
  AttrMap attrs;  // of the function itself, such as "_noinline"
  // Attributes of arguments by their index: "_output_shapes", "_handle_shapes"…
  std::map<int, AttrMap> arg_attrs;
  // The wire form it came from, byte for byte; export writes it back unchanged.
  std::string wire_form;
};

class FunctionLibrary {
 public:
  FunctionLibrary() : table_(std::make_shared<Table>()) {}
  FunctionLibrary(const FunctionLibrary& other) : table_(other.Shared()) {}
  FunctionLibrary& operator=(const FunctionLibrary& other) {
    table_ = other.Shared();
    return *this;
  }

  Status Add(std::shared_ptr<const Function> function);
  // Adds all functions and gradients of `other`.
  Status AddAll(const FunctionLibrary& other);
  // Like Add, but an existing function of the name is replaced.
  void Replace(std::shared_ptr<const Function> function);
  std::shared_ptr<const Function> Find(absl::string_view name) const;
  // Registers `gradient` as the gradient function of `function`.
  Status AddGradient(const std::string& function, const std::string& gradient);
  std::string FindGradient(absl::string_view function) const;  // "" when there is none

  size_t size() const { return table_->functions.size(); }
  // By name.
  using FunctionMap = std::map<std::string, std::shared_ptr<const Function>, std::less<>>;
  const FunctionMap& functions() const { return table_->functions; }
  using GradientMap = std::map<std::string, std::string, std::less<>>;
  const GradientMap& gradients() const { return table_->gradients; }

 private:
  struct Table {
    FunctionMap functions;
    GradientMap gradients;
    // Functions that were replaced: nodes of graphs may still point at their signatures.
    std::vector<std::shared_ptr<const Function>> retired;
    // Set by the first copy, for ever: how many owners are left cannot be asked without a race.
    std::atomic<bool> is_shared{false};
  };

  std::shared_ptr<Table> Shared() const {
    table_->is_shared.store(true, std::memory_order_relaxed);
    return table_;
  }
  Table& Own();  // to be changed

  std::shared_ptr<Table> table_;  // never null
};

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_FUNCTIONS_FUNCTION_LIBRARY_H_
