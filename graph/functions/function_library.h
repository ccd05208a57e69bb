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
  FunctionLibrary();
  FunctionLibrary(const FunctionLibrary& other);
  FunctionLibrary& operator=(const FunctionLibrary& other);

  Status Add(std::shared_ptr<const Function> function);
  // Adds all functions and gradients of `other`.
  Status AddAll(const FunctionLibrary& other);
  // Like Add, but an existing function of the name is replaced.
  void Replace(std::shared_ptr<const Function> function);
  std::shared_ptr<const Function> Find(absl::string_view name) const;
  // Registers `gradient` as the gradient function of `function`.
  Status AddGradient(const std::string& function, const std::string& gradient);
  std::string FindGradient(absl::string_view function) const;  // "" when there is none

  size_t size() const;
  // By name.
  using FunctionMap = std::map<std::string, std::shared_ptr<const Function>, std::less<>>;
  const FunctionMap& functions() const;
  using GradientMap = std::map<std::string, std::string, std::less<>>;
  const GradientMap& gradients() const;

 private:
  struct Table;

  std::shared_ptr<Table> Shared() const;
  Table& Own();  // to be changed

  std::shared_ptr<Table> table_;  // never null
};

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_FUNCTIONS_FUNCTION_LIBRARY_H_
