#include <filesystem>
#include <optional>

#include "frontend/graph_state.h"
#include "frontend/saved_model/loader.h"
#include "frontend/saved_model/model_files.h"
#include "frontend/saver/meta_graph_def.h"
#include "graph/io/meta_graph/meta_graph.h"
#include "proto/saved_model.pb.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace frontend {
namespace saved_model {
namespace {

// The operations to be run once, and the files that they read.
Status Initialize(ClientSession& session, const MetaGraph& meta, const std::string& prefix,
                  const std::string& export_dir) {
  std::vector<std::string> targets = meta.initializers;
  if (!meta.init_op.empty()) targets = {meta.init_op};
  if (targets.empty()) return OkStatus();
  for (std::string& target : targets) target = prefix + target;
  std::map<std::string, Tensor> paths;
  for (const AssetFile& asset : meta.assets) {
    paths[prefix + asset.tensor] =
        Tensor::Scalar(JoinPath(JoinPath(export_dir, "assets"), asset.filename));
  }
  const NamedTensors feeds(paths.begin(), paths.end());
  return Annotate(session.session()->Run(RunOptions(), feeds, {}, targets, nullptr),
                  "initialising the model");
}

StatusOr<LoadedModel> LoadInto(ClientSession& session, const Scope& scope,
                               const std::vector<std::string>& tags, const std::string& export_dir,
                               const std::string& import_scope) {
  WB_RETURN_IF_ERROR(scope.status());
  WB_RETURN_IF_ERROR(session.status());
  tensorflow::SavedModel proto;
  WB_RETURN_IF_ERROR(ReadSavedModelFile(export_dir, &proto));
  WB_ASSIGN_OR_RETURN(const int index, FindMetaGraph(proto, tags));
  const tensorflow::MetaGraphDef& graph = proto.meta_graphs(index);
  WB_ASSIGN_OR_RETURN(const MetaGraph meta, MetaGraphWithoutGraph(graph));
  const Scope inside = import_scope.empty() ? scope : scope.NameScope(import_scope);
  WB_RETURN_IF_ERROR(scope.status());
  WB_ASSIGN_OR_RETURN(std::optional<train::Saver> saver,
                      train::ImportMetaGraphDef(inside, graph, ""));
  const std::string variables = JoinPath(JoinPath(export_dir, "variables"), "variables");
  if (saver.has_value() && std::filesystem::exists(variables + ".index")) {
    WB_RETURN_IF_ERROR(saver->Restore(session, variables));
  }
  const std::string prefix = inside.name_scope();
  WB_RETURN_IF_ERROR(Initialize(session, meta, prefix, export_dir));
  LoadedModel model{meta.signatures};
  for (auto& [key, signature] : model.signatures) {
    for (auto& [name, port] : signature.inputs) port.tensor = prefix + port.tensor;
    for (auto& [name, port] : signature.outputs) port.tensor = prefix + port.tensor;
  }
  return model;
}

}  // namespace

StatusOr<LoadedModel> Load(ClientSession& session, const Scope& scope,
                           const std::vector<std::string>& tags, const std::string& export_dir,
                           const std::string& import_scope) {
  StatusOr<LoadedModel> model = LoadInto(session, scope, tags, export_dir, import_scope);
  if (!model.ok()) return Annotate(model.status(), export_dir);
  return model;
}

bool ContainsSavedModel(const std::string& export_dir) { return IsSavedModel(export_dir); }

}  // namespace saved_model
}  // namespace frontend
}  // namespace warpbeam
