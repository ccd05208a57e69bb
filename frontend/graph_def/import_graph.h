// ImportGraphDef: adds a serialized graph to the one being built (tf.import_graph_def).
//
//   ImportGraphOptions options;
//   options.input_map = {{"x:0", image}};              // instead of the graph's own "x"
//   options.return_elements = {"logits:0", "train"};
//   WB_ASSIGN_OR_RETURN(auto elements, ImportGraphDef(scope, bytes, options));
//   Output loss = nn::SoftmaxCrossEntropyWithLogits(scope, elements[0].output, labels);
//
// All nodes are added, below a name scope of their own ("import", then "import_1"); those that ask
// for no device get the scope's. The scope's control dependencies do not reach them. Elements are
// named as in the message; where the input map has one, what stands in its place is returned.
//
// Ownership: the scope's graph owns the nodes. Thread safety: that of the Scope. Errors: the
// scope's; those of graph/io/graph_import.h; INVALID_ARGUMENT for names in `input_map` and
// `return_elements` that the graph does not have, and for outputs of another graph. After an error
// some nodes may have been added.
#ifndef WARPBEAM_FRONTEND_GRAPH_DEF_IMPORT_GRAPH_H_
#define WARPBEAM_FRONTEND_GRAPH_DEF_IMPORT_GRAPH_H_

#include <map>
#include <string>
#include <vector>

#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {

struct ImportGraphOptions {
  std::string name = "import";  // of the name scope; "" for none
  // By input, "x" or "x:0"; "^x" for a control input, which becomes one on the output's operation.
  std::map<std::string, Output> input_map;
  std::vector<std::string> return_elements;  // tensors, "x:0", and operations, "x"
};

struct ImportedElement {
  Operation op;
  Output output;  // not valid where the name was that of an operation
};

// In the order of `return_elements`.
StatusOr<std::vector<ImportedElement>> ImportGraphDef(
    ScopeRef scope, const std::string& graph_def,
    const ImportGraphOptions& options = ImportGraphOptions());

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_GRAPH_DEF_IMPORT_GRAPH_H_
