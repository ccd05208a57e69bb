// BodyWriter: writes the body of a function into a graph, argument by argument; CopyNodes: nodes of
// another graph in it.
//
//   Graph graph;  BodyWriter writer(&graph, 0, 0);
//   WB_ASSIGN_OR_RETURN(OutputRef x, writer.Arg(DType::kFloat, "x"));
//   WB_ASSIGN_OR_RETURN(OutputRef y, writer.Binary("Mul", x, x));
//   WB_RETURN_IF_ERROR(writer.Result(y));
//   WB_ASSIGN_OR_RETURN(std::string name, AddFunction(outer, graph, "square"));
//
// Ownership: the graph outlives the writer. Thread safety: that of the graph. Errors: those of
// NodeBuilder.
#ifndef WARPBEAM_GRAPH_GRADIENTS_BODY_WRITER_H_
#define WARPBEAM_GRAPH_GRADIENTS_BODY_WRITER_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "graph/build/node_builder.h"

namespace warpbeam {

class BodyWriter {
 public:
  // `num_args` and `num_results` are those that the body has already.
  BodyWriter(Graph* graph, int num_args, int num_results)
      : graph_(*graph), num_args_(num_args), num_results_(num_results) {}

  Graph& graph() { return graph_; }
  StatusOr<OutputRef> Arg(DType type, absl::string_view name);
  Status Result(OutputRef value);
  StatusOr<OutputRef> Constant(int32_t value);
  StatusOr<OutputRef> Binary(const char* op, OutputRef a, OutputRef b);

 private:
  Graph& graph_;
  int num_args_;
  int num_results_;
};

// The tensors of one graph in another.
using TensorMap = absl::flat_hash_map<OutputRef, OutputRef>;

// Copies nodes of `from` that are `wanted` (by id). Inputs that `given` has are those tensors, all
// others are copies; control edges from nodes that are not copied are left out. Adds to `given` the
// outputs of the copies.
Status CopyNodes(const Graph& from, const std::vector<bool>& wanted, Graph* to, TensorMap* given);

// Adds to the library a function with the body given, under `wanted_name` or a name made of it.
StatusOr<std::string> AddFunction(Graph& graph, const Graph& body, const std::string& wanted_name);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_GRADIENTS_BODY_WRITER_H_
