#include "frontend/model/open_model.h"

#include <chrono>
#include <utility>

#include "frontend/model/model_kind.h"
#include "graph/io/graph_file.h"

namespace warpbeam {
namespace frontend {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Status OpenGraph(const std::string& path, const OpenOptions& options, OpenedModel* opened) {
  const Clock::time_point start = Clock::now();
  opened->own_graph = std::make_shared<Graph>();
  WB_RETURN_IF_ERROR(ImportGraphFile(path, options.import, opened->own_graph.get()));
  opened->parse_seconds = SecondsSince(start);
  WB_ASSIGN_OR_RETURN(opened->own, Session::Create(options.session, opened->own_graph));
  opened->create_seconds = SecondsSince(start) - opened->parse_seconds;
  return OkStatus();
}

}  // namespace

StatusOr<OpenedModel> OpenModel(const std::string& path, const OpenOptions& options) {
  OpenedModel opened;
  MetaGraphOptions meta_graph;
  meta_graph.graph = options.import;
  switch (KindOf(path)) {
    case ModelKind::kSavedModel: {
      WB_ASSIGN_OR_RETURN(opened.model,
                          LoadSavedModel(options.session, path, options.tags, meta_graph));
      break;
    }
    case ModelKind::kMetaGraph: {
      std::string values = options.checkpoint.empty() ? CheckpointOf(path) : options.checkpoint;
      if (values == "none") values.clear();
      WB_ASSIGN_OR_RETURN(opened.model, LoadMetaGraph(options.session, path, values, meta_graph));
      break;
    }
    default:
      WB_RETURN_IF_ERROR(OpenGraph(path, options, &opened));
  }
  return opened;
}

}  // namespace frontend
}  // namespace warpbeam
