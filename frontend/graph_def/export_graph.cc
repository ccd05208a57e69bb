#include "frontend/graph_def/export_graph.h"

#include <filesystem>

#include "graph/io/graph_export.h"
#include "runtime/checkpoint/durable_file.h"

namespace warpbeam {
namespace frontend {

StatusOr<std::string> AsGraphDef(const Scope& scope) {
  WB_RETURN_IF_ERROR(scope.status());
  return ExportGraphDef(*scope.graph());
}

StatusOr<std::string> AsGraphText(const Scope& scope) {
  WB_RETURN_IF_ERROR(scope.status());
  return ExportGraphText(*scope.graph());
}

namespace train {

StatusOr<std::string> WriteGraph(const Scope& scope, const std::string& directory,
                                 const std::string& name, bool as_text) {
  WB_ASSIGN_OR_RETURN(const std::string bytes, as_text ? AsGraphText(scope) : AsGraphDef(scope));
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) return NotFound("cannot make '", directory, "': ", error.message());
  const std::string path = (std::filesystem::path(directory) / name).string();
  WB_ASSIGN_OR_RETURN(auto file, DurableFile::Create(path));
  WB_RETURN_IF_ERROR(file->Append(bytes));
  WB_RETURN_IF_ERROR(file->Commit());
  return path;
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
