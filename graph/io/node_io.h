// Nodes to their wire messages and back.
//
//   WB_ASSIGN_OR_RETURN(NodeSpec spec, NodeFromProto(proto, &budget, &ignored));
//   WB_RETURN_IF_ERROR(NodeToProto(graph, graph.node(id), &proto));
//
// A NodeSpec keeps what this version does not understand in `unknown_fields`, as the bytes of a
// NodeDef: debug information, the experimental type, unknown fields, attributes that the op does
// not have (graph/io/ignored_attrs.h; the spec has none of them), and each attribute whose message
// says more than its value (see graph/io/attr_io.h). Writing puts them back; an attribute that has
// been changed since is written anew.
//
// Thread safety: pure. Errors: as graph/io/attr_io.h, with the attribute named.
#ifndef WARPBEAM_GRAPH_IO_NODE_IO_H_
#define WARPBEAM_GRAPH_IO_NODE_IO_H_

#include "graph/graph.h"
#include "graph/io/attr_io.h"
#include "graph/io/ignored_attrs.h"
#include "graph/node_spec.h"

namespace tensorflow {
class NodeDef;
}  // namespace tensorflow

namespace warpbeam {

StatusOr<NodeSpec> NodeFromProto(const tensorflow::NodeDef& proto, ValueBudget* budget,
                                 IgnoredAttrs* ignored);
Status NodeToProto(const NodeSpec& spec, tensorflow::NodeDef* proto);
// A node of a graph; its inputs are written as "node", "node:1" and "^control".
Status NodeToProto(const Graph& graph, const Node& node, tensorflow::NodeDef* proto);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_IO_NODE_IO_H_
