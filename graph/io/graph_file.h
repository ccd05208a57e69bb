// Graph files: .pb holds a serialized GraphDef, .pbtxt the same as text.
//
//   WB_RETURN_IF_ERROR(ImportGraphFile("model.pbtxt", ImportOptions(), &graph));
//   WB_RETURN_IF_ERROR(WriteGraphFile(graph, "copy.pb"));
//
// Files named .pbtxt, .txt or .textproto are text, all others binary. Thread safety: as Graph.
// Errors: NOT_FOUND or FAILED_PRECONDITION for a file that cannot be read or written,
// INVALID_ARGUMENT with line and column for text that does not parse; all name the file.
#ifndef WARPBEAM_GRAPH_IO_GRAPH_FILE_H_
#define WARPBEAM_GRAPH_IO_GRAPH_FILE_H_

#include <string>

#include "graph/io/graph_import.h"

namespace warpbeam {

Status ImportGraphFile(const std::string& path, const ImportOptions& options, Graph* graph);
Status ImportGraphText(absl::string_view text, const ImportOptions& options, Graph* graph);
// The bytes of any file of at most 2 GiB; RESOURCE_EXHAUSTED for a larger one.
StatusOr<std::string> ReadFileBytes(const std::string& path);
Status WriteGraphFile(const Graph& graph, const std::string& path);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_IO_GRAPH_FILE_H_
