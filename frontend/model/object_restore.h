// AddObjectRestore: what restores the variables of a model that its own saver leaves out.
//
// TensorFlow 2 restores a SavedModel by its tree of objects, and some are saved with no nodes that
// restore at all (SaveOptions.experimental_skip_saver). For variables that are used, that the
// graph's saver does not reach and whose objects the checkpoint has, nodes are added that read them
// under the checkpoint's keys: `meta->object_saver`, to be run like `meta->saver`.
//
//   WB_RETURN_IF_ERROR(AddObjectRestore(prefix, &meta));      // before a session has the graph
//
// MapToObjects: a checkpoint by objects for a graph whose saver restores by names, as
// tf.train.Saver does it: what is to be fed to the saver's lists of names so that they are the
// checkpoint's keys. Empty for a checkpoint that has the names.
//
// Ownership: the graph of `meta` owns the nodes. Thread safety: that of the graph. Errors: those of
// the checkpoint.
#ifndef WARPBEAM_FRONTEND_MODEL_OBJECT_RESTORE_H_
#define WARPBEAM_FRONTEND_MODEL_OBJECT_RESTORE_H_

#include <string>
#include <vector>

#include "graph/io/meta_graph/meta_graph.h"
#include "runtime/checkpoint/bundle_reader.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace frontend {

Status AddObjectRestore(const std::string& checkpoint, MetaGraph* meta);

StatusOr<NamedTensors> MapToObjects(const std::string& checkpoint, const Graph& graph,
                                    const std::string& restore_op);

// In the order of `names`; a name that the checkpoint knows in no way stays as it is.
StatusOr<std::vector<std::string>> KeysIn(const BundleReader& checkpoint,
                                          std::vector<std::string> names);

// By id: whether a node must run when those of these names do, themselves included.
std::vector<bool> NodesBehind(const Graph& graph, const std::vector<std::string>& names);

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_MODEL_OBJECT_RESTORE_H_
