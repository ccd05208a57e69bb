// Reads serialized graphs into a Graph.
//
// A foreign graph gets one report of everything that is wrong with it: every node, attribute and
// function that cannot be taken is named in a single status. Serialized graphs are read node by
// node, without holding the whole message in memory.
//
//   Graph graph;
//   ImportOptions options;  options.prefix = "imported";
//   WB_RETURN_IF_ERROR(ImportGraphDef(bytes, options, &graph));    // "x" is "imported/x" now
//
// What only another version understands is no reason to refuse a graph: attributes that an op does
// not have are ignored, and shapes that the writer inferred otherwise give way to those inferred
// here, each with one line in the log. What an old producer meant by a node is what it gets: the
// empty shape of a Placeholder is an unknown one up to version 21, and where there is no version.
//
// What a message says and a Graph does not is kept and written back by graph/io/graph_export.h.
// A graph is untrusted input: sizes are bounded by ImportLimits, and an error names the node and
// the attribute that went beyond them.
//
// Thread safety: as Graph. Errors: INVALID_ARGUMENT for bytes that are no graph and for graphs that
// are no good, NOT_FOUND when the first problem is an unknown op, RESOURCE_EXHAUSTED beyond a
// limit. After an error nodes may have been added to `graph`; it should be thrown away.
#ifndef WARPBEAM_GRAPH_IO_GRAPH_IMPORT_H_
#define WARPBEAM_GRAPH_IO_GRAPH_IMPORT_H_

#include <map>
#include <string>

#include "graph/graph.h"
#include "graph/io/tensor_io.h"

namespace tensorflow {
class GraphDef;
}  // namespace tensorflow

namespace warpbeam {

struct ImportLimits {
  int64_t max_nodes = 20'000'000;  // function bodies included
  // Memory that constants, attributes and outputs of nodes and functions may take together, beyond
  // the size of the message: a few bytes of it can ask for any amount.
  int64_t max_expansion = int64_t{1} << 30;
};

struct ImportOptions {
  // Put in front of every node's name, with a slash between; "" for none.
  std::string prefix;
  // Inputs by their names in the message, "x", "x:1" or "^x", and what stands in their place: nodes
  // that the graph has already, named likewise. The nodes that gave them are imported all the same.
  std::map<std::string, std::string> input_map;
  // For nodes that ask for no device.
  std::string default_device;
  // Forgets the devices that nodes ask for, those in functions too: those of a cluster that does
  // not exist here.
  bool clear_devices = false;
  // Runs shape functions; what they refuse is refused.
  bool infer_shapes = true;
  // Takes names that begin with '_', which runtimes give to nodes of their own: for graphs that
  // come from another runtime and not from a user.
  bool allow_internal_names = false;
  ImportLimits limits;
};

Status ImportGraphDef(const tensorflow::GraphDef& proto, const ImportOptions& options,
                      Graph* graph);
Status ImportGraphDef(absl::string_view wire_form, const ImportOptions& options, Graph* graph);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_IO_GRAPH_IMPORT_H_
