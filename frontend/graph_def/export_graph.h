// The graph being built as bytes, text and files (tf.Graph.as_graph_def, tf.train.write_graph).
//
//   WB_ASSIGN_OR_RETURN(const std::string bytes, AsGraphDef(scope));     // a serialized GraphDef
//   WB_ASSIGN_OR_RETURN(const std::string path,
//                       train::WriteGraph(scope, "/tmp/run", "graph.pbtxt"));
//
// Ownership: none. Thread safety: that of the Scope. Errors: the scope's; those of
// graph/io/graph_export.h and of files.
#ifndef WARPBEAM_FRONTEND_GRAPH_DEF_EXPORT_GRAPH_H_
#define WARPBEAM_FRONTEND_GRAPH_DEF_EXPORT_GRAPH_H_

#include <string>

#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {

StatusOr<std::string> AsGraphDef(const Scope& scope);
// In protobuf's text format.
StatusOr<std::string> AsGraphText(const Scope& scope);

namespace train {

// Writes DIRECTORY/NAME, whole or not at all, and returns that path. The directory is made where it
// is missing.
StatusOr<std::string> WriteGraph(const Scope& scope, const std::string& directory,
                                 const std::string& name, bool as_text = true);

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_GRAPH_DEF_EXPORT_GRAPH_H_
