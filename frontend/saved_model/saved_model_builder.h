// SavedModelBuilder: writes models that TensorFlow, its servers and LoadSavedModel run
// (tf.saved_model.Builder); SimpleSave for a model of one signature.
//
//   SavedModelBuilder builder("/models/mnist/1");
//   WB_RETURN_IF_ERROR(builder.AddMetaGraphAndVariables(
//       session, scope, {kServing},
//       SavedModelOptions().signature(kDefaultServingSignatureDefKey, predict).main_op(init)));
//   WB_RETURN_IF_ERROR(builder.Save().status());
//
//   WB_RETURN_IF_ERROR(SimpleSave(session, scope, "/models/2", {{"x", x}}, {{"y", y}}));
//
// The folder has "saved_model.pb" (or .pbtxt), the values of the global variables in "variables"
// and files in "assets". An asset is a string constant with the path of a file, such as a
// vocabulary: the file is copied, and whoever loads the model is given its new path.
//
// Ownership: none. Thread safety: that of the Scope. Errors: ALREADY_EXISTS for a folder that holds
// something, FAILED_PRECONDITION for graphs without the variables' values, NOT_FOUND for assets
// that are not there, INVALID_ARGUMENT for signatures of tensors that the graph does not have;
// those of the Saver and of files. The nodes of a Saver are added to the graph; one that is
// finalized needs `saver`.
#ifndef WARPBEAM_FRONTEND_SAVED_MODEL_SAVED_MODEL_BUILDER_H_
#define WARPBEAM_FRONTEND_SAVED_MODEL_SAVED_MODEL_BUILDER_H_

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "frontend/client_session.h"
#include "frontend/saved_model/signature_def.h"
#include "frontend/saver/saver.h"

namespace tensorflow {
class MetaGraphDef;
class SavedModel;
}  // namespace tensorflow

namespace warpbeam {
namespace frontend {
namespace saved_model {

struct SavedModelOptions {
  SavedModelOptions& signature(const std::string& key, SignatureDef value);
  // String constants with the paths of files.
  SavedModelOptions& assets(std::vector<Output> value) {
    asset_tensors = std::move(value);
    return *this;
  }
  // Run once when the model is loaded, after its variables are restored: initialises tables.
  SavedModelOptions& main_op(const Operation& value) {
    init_op = value;
    return *this;
  }
  // The same under its older name.
  SavedModelOptions& legacy_init_op(const Operation& value) { return main_op(value); }
  // Leaves out the devices that nodes ask for.
  SavedModelOptions& clear_devices(bool value) {
    clears_devices = value;
    return *this;
  }
  // Leaves out attributes at their defaults, so that older programs understand the graph.
  SavedModelOptions& strip_default_attrs(bool value) {
    strips_default_attrs = value;
    return *this;
  }
  // Instead of one of all global variables.
  SavedModelOptions& saver(train::Saver* value) {
    own_saver = value;
    return *this;
  }

  std::map<std::string, SignatureDef> signatures;
  std::vector<Output> asset_tensors;
  Operation init_op;
  bool clears_devices = false;
  bool strips_default_attrs = false;
  train::Saver* own_saver = nullptr;
};

class SavedModelBuilder {
 public:
  explicit SavedModelBuilder(std::string export_dir);
  ~SavedModelBuilder();
  SavedModelBuilder(const SavedModelBuilder&) = delete;
  SavedModelBuilder& operator=(const SavedModelBuilder&) = delete;

  // The first graph, with the values that the session's variables have now.
  Status AddMetaGraphAndVariables(ClientSession& session, const Scope& scope,
                                  const std::vector<std::string>& tags,
                                  const SavedModelOptions& options = SavedModelOptions());
  // A further graph over the same variables.
  Status AddMetaGraph(const Scope& scope, const std::vector<std::string>& tags,
                      const SavedModelOptions& options = SavedModelOptions());
  // The path of the file that names all of it; the model is there when this has returned.
  StatusOr<std::string> Save(bool as_text = false);

 private:
  Status Prepare();
  Status Add(const Scope& scope, const std::vector<std::string>& tags,
             const SavedModelOptions& options, const train::Saver* saver);
  Status AddAsset(const Output& tensor, tensorflow::MetaGraphDef* proto);
  // The name of an asset's copy; one for each path.
  StatusOr<std::string> CopyAsset(const std::string& path);

  const std::string directory_;
  const std::unique_ptr<tensorflow::SavedModel> model_;
  bool has_variables_ = false;
  std::map<std::string, std::string> asset_names_;  // by path
};

// A model that is served under the tag "serve" by the signature "serving_default".
Status SimpleSave(ClientSession& session, const Scope& scope, const std::string& export_dir,
                  const NamedOutputs& inputs, const NamedOutputs& outputs,
                  const Operation& legacy_init_op = Operation());

// Initialises global and local variables and tables, as a main op for models without a checkpoint.
Operation MainOp(ScopeRef scope);
// The same with an operation that restores variables, such as Saver::names() has.
Operation MainOpWithRestore(ScopeRef scope, const Operation& restore);

}  // namespace saved_model
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_SAVED_MODEL_SAVED_MODEL_BUILDER_H_
