#include "frontend/model/model_kind.h"

#include <filesystem>

#include "absl/strings/match.h"

namespace warpbeam {
namespace frontend {
namespace {

constexpr char kMetaEnding[] = ".meta";

}  // namespace

ModelKind KindOf(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return ModelKind::kSavedModel;
  if (absl::EndsWith(path, kMetaEnding)) return ModelKind::kMetaGraph;
  if (!std::filesystem::exists(path, error) && std::filesystem::exists(path + ".index", error)) {
    return ModelKind::kCheckpoint;
  }
  return ModelKind::kGraph;
}

std::string CheckpointOf(const std::string& meta_path) {
  return meta_path.substr(0, meta_path.size() - (sizeof(kMetaEnding) - 1));
}

}  // namespace frontend
}  // namespace warpbeam
