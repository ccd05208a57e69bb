// What a MetaGraphDef has beside its graph: collections and the saver, as lines that begin with two
// spaces, at most `rows` of each kind.
//
//   console.out << CollectionsText(meta_graph_def, /*rows=*/20);
//
// Thread safety: pure. Errors: none.
#ifndef WARPBEAM_TOOLS_CLI_COLLECTIONS_TEXT_H_
#define WARPBEAM_TOOLS_CLI_COLLECTIONS_TEXT_H_

#include <string>

namespace tensorflow {
class MetaGraphDef;
}  // namespace tensorflow

namespace warpbeam {
namespace cli {

std::string CollectionsText(const tensorflow::MetaGraphDef& meta, int rows);

}  // namespace cli
}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_CLI_COLLECTIONS_TEXT_H_
