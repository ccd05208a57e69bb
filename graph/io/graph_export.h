// Writes a Graph as the message or the text that other programs read.
//
//   WB_ASSIGN_OR_RETURN(std::string bytes, ExportGraphDef(graph));
//
// What was imported comes out again, whatever this version knows of it; attributes left out for
// their default are written with it, and constants in their shortest form. Equal graphs give equal
// bytes.
//
// Thread safety: as Graph. Errors: FAILED_PRECONDITION for an input that is not connected,
// UNIMPLEMENTED for a value without wire form, RESOURCE_EXHAUSTED beyond the 2 GiB of a message.
#ifndef WARPBEAM_GRAPH_IO_GRAPH_EXPORT_H_
#define WARPBEAM_GRAPH_IO_GRAPH_EXPORT_H_

#include <string>

#include "graph/graph.h"

namespace tensorflow {
class GraphDef;
}  // namespace tensorflow

namespace warpbeam {

Status ExportGraphDef(const Graph& graph, tensorflow::GraphDef* proto);
StatusOr<std::string> ExportGraphDef(const Graph& graph);
// The same in protobuf's text format (.pbtxt).
StatusOr<std::string> ExportGraphText(const Graph& graph);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_IO_GRAPH_EXPORT_H_
