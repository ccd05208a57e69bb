// MetaGraphs as messages, for those who write or read them as parts of larger ones.
//
//   tensorflow::MetaGraphDef proto = …;
//   WB_ASSIGN_OR_RETURN(std::optional<Saver> saver, ImportMetaGraphDef(scope, proto, "loaded"));
//
// Ownership: the scope's graph owns the nodes. Thread safety: that of the Scope. Errors: those of
// meta_graph.h.
#ifndef WARPBEAM_FRONTEND_SAVER_META_GRAPH_DEF_H_
#define WARPBEAM_FRONTEND_SAVER_META_GRAPH_DEF_H_

#include <optional>
#include <string>

#include "frontend/saver/saver.h"

namespace tensorflow {
class MetaGraphDef;
}  // namespace tensorflow

namespace warpbeam {
namespace frontend {
namespace train {

// Adds the graph and its collections below the name scope `name`; "" for none.
StatusOr<std::optional<Saver>> ImportMetaGraphDef(const Scope& scope,
                                                  const tensorflow::MetaGraphDef& proto,
                                                  const std::string& name);
// The whole of `scope`'s graph with its collections and the saver, which may be null.
Status ExportMetaGraphDef(const Scope& scope, const Saver* saver, tensorflow::MetaGraphDef* proto);

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_SAVER_META_GRAPH_DEF_H_
