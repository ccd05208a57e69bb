// Model: a graph that TensorFlow saved, with its variables, ready to run by the names of its
// signatures.
//
// A SavedModel (of TensorFlow 1 or 2), or a .meta file and its checkpoint. Loading makes a session,
// restores the variables through the graph's own restore operation, and by TensorFlow 2's tree of
// objects those that it leaves out, and runs what initialises tables, with the paths of the model's
// assets fed. Meanwhile the signature that servers are asked
// for, "serving_default" or the only one, is compiled in the background. Devices that a model was
// saved with need not be there: with soft placement, the default, its nodes go elsewhere.
//
//   WB_ASSIGN_OR_RETURN(auto model, LoadSavedModel(SessionOptions(), "/models/mnist", {"serve"}));
//   for (const auto& [name, signature] : model->signatures()) …
//   NamedTensors outputs;
//   WB_RETURN_IF_ERROR(model->Run("serving_default", {{"x", image}}, &outputs));
//   Session& session = model->session();                       // for any other node of the graph
//
// A frozen GraphDef has neither variables nor signatures: ImportGraphFile and Session::Create do.
//
// Ownership: the model owns its session and, through it, devices and variables; tensors are the
// caller's. Thread safety: Run from many threads. Errors of loading: those of
// graph/io/meta_graph/meta_graph.h; NOT_FOUND naming every file of the checkpoint that is missing;
// those of the restoring and initialising steps, which read assets. Errors of Run: NOT_FOUND for a
// signature (those that there are are listed), INVALID_ARGUMENT naming everything that is wrong
// with the inputs at once, and those of the step.
#ifndef WARPBEAM_FRONTEND_MODEL_MODEL_H_
#define WARPBEAM_FRONTEND_MODEL_MODEL_H_

#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "graph/io/meta_graph/meta_graph.h"
#include "runtime/session/kernel_warm_up.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace frontend {

class Model {
 public:
  ~Model();
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  // A signature with its inputs as a step of the session; outputs stand in the order of their
  // names.
  struct Step {
    NamedTensors feeds;
    std::vector<std::string> fetches;
    std::vector<std::string> outputs;  // the name of each fetch in the signature
  };

  const std::map<std::string, Signature>& signatures() const { return meta_.signatures; }
  const std::vector<std::string>& tags() const { return meta_.tags; }
  const Graph& graph() const { return *meta_.graph; }
  Session& session() { return *session_; }
  // What steps that initialise something are to be fed: the paths of the model's assets.
  const NamedTensors& assets() const { return assets_; }

  // Inputs may stand in any order; those that have a default may be left out.
  Status Run(absl::string_view signature, const NamedTensors& inputs, NamedTensors* outputs,
             const RunOptions& options = {}, RunMetadata* metadata = nullptr);
  StatusOr<const Signature*> FindSignature(absl::string_view signature) const;
  StatusOr<Step> StepOf(absl::string_view signature, const NamedTensors& inputs) const;

 private:
  friend class ModelLoader;
  Model() = default;

  MetaGraph meta_;
  NamedTensors assets_;
  std::unique_ptr<KernelWarmUp> warm_up_;
  std::unique_ptr<Session> session_;
  std::thread preparing_;  // of the session
};

// `tags` name one of the model's graphs; of a model with a single one they may be empty.
StatusOr<std::unique_ptr<Model>> LoadSavedModel(const SessionOptions& session,
                                                const std::string& directory,
                                                const std::vector<std::string>& tags = {},
                                                const MetaGraphOptions& options = {});
// What tf.train.Saver wrote: "model.ckpt-100.meta" and the checkpoint "model.ckpt-100", or one that
// tf.train.Checkpoint wrote of the same variables. An empty `checkpoint` restores nothing: the
// caller runs the graph's initialisers.
StatusOr<std::unique_ptr<Model>> LoadMetaGraph(const SessionOptions& session,
                                               const std::string& meta_file,
                                               const std::string& checkpoint,
                                               const MetaGraphOptions& options = {});

// NOT_FOUND naming the files of the checkpoint (of either version) that are missing, 20 at most.
Status CheckCheckpointFiles(const std::string& prefix);

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_MODEL_MODEL_H_
