// What a path names: one of the forms that models are saved in.
//
//   KindOf("/models/mnist")            // kSavedModel: a folder
//   KindOf("/m/model.ckpt-100.meta")   // kMetaGraph
//   KindOf("/m/model.ckpt-100")        // kCheckpoint: there is a model.ckpt-100.index
//   KindOf("/m/frozen.pb")             // kGraph: anything else
//
// Thread safety: pure but for looking at the file system. Errors: none; what the path names may
// turn out not to be there.
#ifndef WARPBEAM_FRONTEND_MODEL_MODEL_KIND_H_
#define WARPBEAM_FRONTEND_MODEL_MODEL_KIND_H_

#include <string>

namespace warpbeam {
namespace frontend {

enum class ModelKind { kGraph, kMetaGraph, kSavedModel, kCheckpoint };

ModelKind KindOf(const std::string& path);

// "model.ckpt-100" of "model.ckpt-100.meta".
std::string CheckpointOf(const std::string& meta_path);

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_MODEL_MODEL_KIND_H_
