// MetaGraph: a graph and what is needed to use it: entry points by name, the nodes that restore its
// variables, files that its tables read, what is to be run first. .meta files hold one, a
// SavedModel one or more, told apart by their tags.
//
//   WB_ASSIGN_OR_RETURN(MetaGraph m, ImportSavedModel("/models/mnist", {"serve"}));
//   m.graph->num_nodes();
//   m.signatures["serving_default"].inputs["x"].tensor       // "serving_default_x:0"
//
// Nothing is run here: frontend/model/model.h makes a session of it.
//
// Ownership: values; the graph is shared with whoever runs it. Thread safety: pure functions.
// Errors: NOT_FOUND for files that are not there and tags that no graph has (those that there are
// are listed), INVALID_ARGUMENT for files that are damaged or of another kind, and those of
// graph/io/graph_import.h for the graph; all name the file.
#ifndef WARPBEAM_GRAPH_IO_META_GRAPH_META_GRAPH_H_
#define WARPBEAM_GRAPH_IO_META_GRAPH_META_GRAPH_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "graph/io/graph_import.h"
#include "graph/io/meta_graph/object_graph.h"
#include "graph/io/meta_graph/signature.h"

namespace tensorflow {
class MetaGraphDef;
class SavedModel;
}  // namespace tensorflow

namespace warpbeam {

// How a graph restores its variables: the path is fed, the operation run. Empty: it cannot.
struct SaverNodes {
  std::string filename_tensor;
  std::string restore_op;
};

// A file of a SavedModel's folder "assets", and the string tensor that is fed its path.
struct AssetFile {
  std::string tensor;
  std::string filename;
};

struct MetaGraph {
  std::vector<std::string> tags;
  std::string tensorflow_version;  // that wrote it
  std::shared_ptr<Graph> graph;
  std::map<std::string, Signature> signatures;
  SaverNodes saver;
  // What the variables of TensorFlow 2's models were to the program that saved them.
  SavedObjects objects;
  // Added for variables that `saver` leaves out (frontend/model/object_restore.h).
  SaverNodes object_saver;
  std::vector<AssetFile> assets;
  std::string init_op;  // to be run once, when variables are restored; "" for none
  // What is run where there is no init_op: initialisers of tables and of local variables, by the
  // collections that hold them.
  std::vector<std::string> initializers;
};

struct MetaGraphOptions {
  ImportOptions graph;
  // Called before the graph is imported with the ops that the model says it uses, if it does.
  std::function<void(const std::vector<std::string>& ops)> on_ops;
};

StatusOr<MetaGraph> ImportMetaGraphFile(const std::string& path,
                                        const MetaGraphOptions& options = {});
// The graph that has exactly these tags; of a model with a single graph `tags` may be empty.
StatusOr<MetaGraph> ImportSavedModel(const std::string& directory,
                                     const std::vector<std::string>& tags,
                                     const MetaGraphOptions& options = {});

// The steps of the above, for those who look at the messages themselves.
Status ReadMetaGraphFile(const std::string& path, tensorflow::MetaGraphDef* proto);
// saved_model.pb, or saved_model.pbtxt as text.
Status ReadSavedModelFile(const std::string& directory, tensorflow::SavedModel* proto);
bool IsSavedModel(const std::string& directory);
StatusOr<int> FindMetaGraph(const tensorflow::SavedModel& proto,
                            const std::vector<std::string>& tags);
// Everything but the graph.
StatusOr<MetaGraph> MetaGraphWithoutGraph(const tensorflow::MetaGraphDef& proto);
// `proto` loses what is ignored.
Status ImportGraphOf(const MetaGraphOptions& options, tensorflow::MetaGraphDef* proto,
                     MetaGraph* to);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_IO_META_GRAPH_META_GRAPH_H_
