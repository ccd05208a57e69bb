// GraphAssembler: adds NodeSpecs, whose inputs are names, to a Graph; AssembleGraph: a list of them
// in one go.
//
// Nodes may stand in any order and refer to each other and to nodes that the graph has already;
// loops close from NextIteration to Merge. Everything wrong with the nodes is reported in one
// status: unknown ops with the number of nodes that use them, attributes, types, missing inputs,
// duplicate names, cycles. Shapes that the graph's writer inferred, in "_output_shapes", are hints:
// they are merged with those inferred here, and what does not fit these is left out.
//
//   std::vector<NodeSpec> specs = …;           // inputs "a", "b:1", "^c"
//   WB_RETURN_IF_ERROR(AssembleGraph(std::move(specs), {}, &graph));
//
//   GraphAssembler assembler(options, &graph);  // whoever reads nodes one by one
//   assembler.Add(std::move(spec));
//   WB_RETURN_IF_ERROR(assembler.Finish());
//
// Ids follow the order of the list as far as producers come first in it. As long as they do, and
// nothing is wrong, a node stands in the graph as soon as it was added, and nothing is kept of its
// spec.
//
// Ownership: options and graph must outlive the assembler. Thread safety: that of the graph.
// Errors: the code is that of the first problem: NOT_FOUND for an unknown op or a missing attribute
// that types depend on, INVALID_ARGUMENT for the rest, RESOURCE_EXHAUSTED beyond a limit. After an
// error the graph may have some of the nodes and should be thrown away.
#ifndef WARPBEAM_GRAPH_BUILD_ASSEMBLE_H_
#define WARPBEAM_GRAPH_BUILD_ASSEMBLE_H_

#include <memory>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace warpbeam {

// Bounds on what a graph from a stranger may ask for.
struct AssembleLimits {
  int64_t max_nodes = 20'000'000;
  int64_t max_edges = 400'000'000;
  int64_t max_text_bytes = int64_t{8} << 30;  // of names, ops, inputs and devices together
  // Of what the outputs of nodes take that have very many: a number among the attributes tells how
  // many there are.
  int64_t max_output_bytes = int64_t{1} << 30;
  int max_function_nesting = 16;  // of function attributes in function attributes
  int max_problems_shown = 20;
};

struct AssembleOptions {
  bool infer_shapes = true;
  // Names that begin with '_': only for the system's own nodes, such as a function's arguments.
  bool allow_internal_names = false;
  // Says in the log, in one line, which "_output_shapes" were left out.
  bool warn = false;
  AssembleLimits limits;
};

class GraphAssembler {
 public:
  // What `options` says of outputs' bytes and of problems may change until Finish.
  GraphAssembler(const AssembleOptions& options, Graph* graph);
  ~GraphAssembler();
  // Makes room for this many further nodes.
  void Reserve(size_t more_nodes);
  void Add(NodeSpec spec);
  // `problems` were found while the specs were read and open the report; a spec without an op
  // stands for a node of which they tell: its consumers are not reported for it.
  Status Finish(std::vector<Status> problems = {});

 private:
  class Assembly;
  std::unique_ptr<Assembly> assembly_;
};

// Adds all of `specs` and finishes; `problems` as there.
Status AssembleGraph(std::vector<NodeSpec> specs, const AssembleOptions& options, Graph* graph,
                     std::vector<Status> problems = {});

// One input of a NodeSpec taken apart. `index` is -1 for a control input.
struct InputName {
  absl::string_view node;
  int index = 0;
};
// "node", "node:1" or "^node"; INVALID_ARGUMENT for anything else.
StatusOr<InputName> ParseInputName(absl::string_view input);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_BUILD_ASSEMBLE_H_
