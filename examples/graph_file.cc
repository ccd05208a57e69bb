#include "examples/graph_file.h"

#include <string>

#include "absl/flags/flag.h"
#include "graph/io/graph_file.h"

ABSL_FLAG(std::string, graph_file, "", "file for the graph (.pb or .pbtxt); nothing is run then");

namespace warpbeam {
namespace examples {

frontend::StatusOr<bool> WroteGraphFile(const frontend::Scope& root) {
  const std::string file = absl::GetFlag(FLAGS_graph_file);
  if (file.empty()) return false;
  WB_RETURN_IF_ERROR(WriteGraphFile(*root.graph(), file));
  return true;
}

}  // namespace examples
}  // namespace warpbeam
