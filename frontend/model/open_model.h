// OpenModel: a session of whatever a path names: a SavedModel's folder, a .meta file beside its
// checkpoint, or a GraphDef (.pb, .pbtxt).
//
//   OpenOptions options;
//   options.tags = {"serve"};
//   WB_ASSIGN_OR_RETURN(const OpenedModel opened, OpenModel("/models/mnist", options));
//   const std::vector<std::string> devices = opened.session().DeviceNames();
//
// Ownership: an OpenedModel owns the model, or the graph and its session. Thread safety: that of
// the session. Errors: those of frontend/model/model.h, graph/io/graph_file.h and of sessions.
#ifndef WARPBEAM_FRONTEND_MODEL_OPEN_MODEL_H_
#define WARPBEAM_FRONTEND_MODEL_OPEN_MODEL_H_

#include <memory>
#include <string>
#include <vector>

#include "frontend/model/model.h"
#include "graph/graph.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace frontend {

struct OpenOptions {
  SessionOptions session;
  // Which of a SavedModel's graphs, if there are several.
  std::vector<std::string> tags;
  // Of a .meta file; empty: that of the same name, "none" restores nothing.
  std::string checkpoint;
  ImportOptions import;
};

struct OpenedModel {
  // Of a GraphDef null; then the other two are there.
  std::unique_ptr<Model> model;
  std::shared_ptr<Graph> own_graph;
  std::unique_ptr<Session> own;
  // What it took to read a graph alone, and to make its session.
  double parse_seconds = 0, create_seconds = 0;

  const Graph& graph() const { return model != nullptr ? model->graph() : *own_graph; }
  Session& session() const { return model != nullptr ? model->session() : *own; }
};

StatusOr<OpenedModel> OpenModel(const std::string& path, const OpenOptions& options);

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_MODEL_OPEN_MODEL_H_
