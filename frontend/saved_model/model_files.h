// Where the files of a saved model are.
//
//   const std::string variables = JoinPath(directory, "variables");
//
// Thread safety: any thread.
#ifndef WARPBEAM_FRONTEND_SAVED_MODEL_MODEL_FILES_H_
#define WARPBEAM_FRONTEND_SAVED_MODEL_MODEL_FILES_H_

#include <filesystem>
#include <string>

namespace warpbeam {
namespace frontend {
namespace saved_model {

inline std::string JoinPath(const std::string& directory, const std::string& name) {
  return (std::filesystem::path(directory) / name).string();
}

}  // namespace saved_model
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_SAVED_MODEL_MODEL_FILES_H_
