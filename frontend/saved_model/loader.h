// Loads a SavedModel into the graph of a Scope (tf.saved_model.load of TensorFlow 1), to go on
// building and training with it; frontend/model/model.h opens one to run it alone.
//
//   Scope root = Scope::NewRoot();
//   ClientSession session(root);
//   WB_ASSIGN_OR_RETURN(LoadedModel model, Load(session, root, {kServing}, "/models/mnist/1"));
//   const std::string y = model.signatures["serving_default"].outputs["scores"].tensor;
//   auto out = session.Run({{root.GetTensor("x:0"), image}}, {y});
//
// The graph and its collections are added, variables are restored and what the model runs when it
// is loaded is run, with the paths of its assets fed.
//
// Ownership: the scope's graph owns the nodes. Thread safety: that of the Scope. Errors: those of
// graph/io/meta_graph/meta_graph.h, of importing, and of the restoring and initialising steps.
#ifndef WARPBEAM_FRONTEND_SAVED_MODEL_LOADER_H_
#define WARPBEAM_FRONTEND_SAVED_MODEL_LOADER_H_

#include <map>
#include <string>
#include <vector>

#include "frontend/client_session.h"
#include "frontend/saved_model/signature_def.h"

namespace warpbeam {
namespace frontend {
namespace saved_model {

struct LoadedModel {
  // Their tensors are named as in the scope's graph.
  std::map<std::string, SignatureDef> signatures;
};

// Below the name scope `import_scope`; "" for the scope's own. `tags` may be empty for a model with
// one graph.
StatusOr<LoadedModel> Load(ClientSession& session, const Scope& scope,
                           const std::vector<std::string>& tags, const std::string& export_dir,
                           const std::string& import_scope = "");

// Whether the folder has a model (tf.saved_model.contains_saved_model).
bool ContainsSavedModel(const std::string& export_dir);

}  // namespace saved_model
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_SAVED_MODEL_LOADER_H_
