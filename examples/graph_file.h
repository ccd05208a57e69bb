// The flag of programs that can write their graph instead of running it.
//
//   --graph_file=FILE        the graph, as .pb or .pbtxt
//
//   WB_ASSIGN_OR_RETURN(const bool wrote, WroteGraphFile(root));
//   if (wrote) return OkStatus();
//
// Thread safety: read-only once the command line is parsed. Errors: those of WriteGraphFile.
#ifndef WARPBEAM_EXAMPLES_GRAPH_FILE_H_
#define WARPBEAM_EXAMPLES_GRAPH_FILE_H_

#include "frontend/scope.h"

namespace warpbeam {
namespace examples {

// Whether a graph file was asked for; it is written then.
frontend::StatusOr<bool> WroteGraphFile(const frontend::Scope& root);

}  // namespace examples
}  // namespace warpbeam

#endif  // WARPBEAM_EXAMPLES_GRAPH_FILE_H_
