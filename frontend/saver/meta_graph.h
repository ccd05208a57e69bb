// MetaGraphs: a graph with its collections and its saver in one file
// (tf.train.export_meta_graph, import_meta_graph).
//
//   Status s = ExportMetaGraph(scope, "/tmp/train/model.meta", &saver);
//
//   Scope again = Scope::NewRoot();
//   StatusOr<std::optional<Saver>> saver = ImportMetaGraph(again, "/tmp/train/model.meta");
//   ClientSession session(again);
//   Status restored = (*saver)->Restore(session, "/tmp/train/model");
//
// Collections go both ways between here and TensorFlow: variables as VariableDefs, tensors and
// operations by name, strings (queue runners among them) as they are. An imported variable stands
// for the nodes that the graph has of it.
//
// Ownership: the scope's graph owns the nodes. Thread safety: that of the Scope. Errors: those of
// graph/io; DATA_LOSS for a file that is no MetaGraph; INVALID_ARGUMENT for collections that name
// nodes which the graph does not have.
#ifndef WARPBEAM_FRONTEND_SAVER_META_GRAPH_H_
#define WARPBEAM_FRONTEND_SAVER_META_GRAPH_H_

#include <optional>
#include <string>

#include "frontend/saver/saver.h"

namespace warpbeam {
namespace frontend {
namespace train {

// `saver` may be null. A path that ends in ".pbtxt" gets the text form.
Status ExportMetaGraph(const Scope& scope, const std::string& path, const Saver* saver = nullptr);
// The bytes of a MetaGraph in two parts, one behind the other: its nodes and functions, which do
// not change once the graph is final, and its collections with the saver, which may be null.
// RESOURCE_EXHAUSTED for more than the 2 GiB of a MetaGraph.
StatusOr<std::string> SerializeMetaGraphNodes(const Scope& scope);
StatusOr<std::string> SerializeMetaGraphCollections(const Scope& scope, const Saver* saver);
// Adds the graph to that of `scope`, whose names must not clash; the saver if the file has one.
StatusOr<std::optional<Saver>> ImportMetaGraph(const Scope& scope, const std::string& path);

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_SAVER_META_GRAPH_H_
