#include <google/protobuf/text_format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "frontend/saver/checkpoint_state.h"
#include "proto/checkpoint_state.pb.h"
#include "runtime/checkpoint/durable_file.h"
#include "runtime/record/file.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

std::string Join(const std::string& directory, const std::string& path) {
  return absl::StartsWith(path, "/") || directory == "." ? path
                                                         : absl::StrCat(directory, "/", path);
}

// As TensorFlow writes them: absolute ones stay, others are relative to the directory.
std::string Relative(const std::string& directory, const std::string& path) {
  if (absl::StartsWith(path, "/")) return path;
  return std::string(absl::StripPrefix(path, directory + "/"));
}

}  // namespace

StatusOr<CheckpointState> ReadCheckpointState(const std::string& directory,
                                              const std::string& file) {
  const std::string path = Join(directory, file);
  WB_ASSIGN_OR_RETURN(const std::string text, ReadFileToString(path, size_t{64} << 20));
  tensorflow::CheckpointState proto;
  if (!google::protobuf::TextFormat::ParseFromString(text, &proto)) {
    return DataLoss("'", path, "' is no list of checkpoints (CheckpointState in text form)");
  }
  if (proto.model_checkpoint_path().empty()) {
    return NotFound("'", path, "' names no checkpoint");
  }
  CheckpointState state;
  state.last_preserved = proto.last_preserved_timestamp();
  const auto add = [&](const std::string& prefix, double time) {
    state.all.push_back({Join(directory, prefix), time});
  };
  for (int i = 0; i < proto.all_model_checkpoint_paths_size(); ++i) {
    const bool has_time = i < proto.all_model_checkpoint_timestamps_size();
    add(proto.all_model_checkpoint_paths(i),
        has_time ? proto.all_model_checkpoint_timestamps(i) : 0);
  }
  const std::string latest = Join(directory, proto.model_checkpoint_path());
  const auto named = std::find_if(state.all.begin(), state.all.end(),
                                  [&](const SavedCheckpoint& c) { return c.prefix == latest; });
  if (named == state.all.end()) {
    add(proto.model_checkpoint_path(), 0);
  } else {
    std::rotate(named, named + 1, state.all.end());
  }
  return state;
}

Status WriteCheckpointState(const std::string& directory, const CheckpointState& state,
                            const std::string& file) {
  if (state.all.empty()) return InvalidArgument("there is no checkpoint to list");
  tensorflow::CheckpointState proto;
  proto.set_model_checkpoint_path(Relative(directory, state.latest()));
  for (const SavedCheckpoint& checkpoint : state.all) {
    proto.add_all_model_checkpoint_paths(Relative(directory, checkpoint.prefix));
    proto.add_all_model_checkpoint_timestamps(checkpoint.time);
  }
  proto.set_last_preserved_timestamp(state.last_preserved);
  std::string text;
  if (!google::protobuf::TextFormat::PrintToString(proto, &text)) {
    return Internal("the list of checkpoints has no text form");
  }
  const std::string path = Join(directory, file);
  WB_ASSIGN_OR_RETURN(auto out, DurableFile::Create(path));
  WB_RETURN_IF_ERROR(out->Append(text));
  WB_RETURN_IF_ERROR(out->Commit());
  return SyncDirectoryOf(path);
}

StatusOr<std::string> LatestCheckpoint(const std::string& directory, const std::string& file) {
  WB_ASSIGN_OR_RETURN(const CheckpointState state, ReadCheckpointState(directory, file));
  if (CheckpointExists(state.latest())) return state.latest();
  return NotFound("the newest checkpoint of '", directory, "' should be '", state.latest(),
                  "', but it has no file '", state.latest(), ".index'");
}

bool CheckpointExists(const std::string& prefix) {
  std::error_code error;
  return std::filesystem::exists(prefix + ".index", error);
}

std::vector<double> GetCheckpointMtimes(const std::vector<std::string>& prefixes) {
  std::vector<double> times;
  for (const std::string& prefix : prefixes) {
    struct stat file;
    if (stat((prefix + ".index").c_str(), &file) != 0) continue;
    times.push_back(static_cast<double>(file.st_mtim.tv_sec) + 1e-9 * file.st_mtim.tv_nsec);
  }
  return times;
}

Status RemoveCheckpoint(const std::string& prefix) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path path(prefix);
  const std::string name = path.filename().string();
  std::vector<fs::path> gone = {prefix + ".index", prefix + ".meta"};
  for (const auto& entry : fs::directory_iterator(fs::path(DirectoryOf(prefix)), error)) {
    const std::string file = entry.path().filename().string();
    if (absl::StartsWith(file, absl::StrCat(name, ".data-"))) gone.push_back(entry.path());
  }
  // The index first: what has none is no checkpoint any more, whatever stays of it.
  for (const fs::path& file : gone) {
    fs::remove(file, error);
    if (error) {
      return FailedPrecondition("cannot remove '", file.string(), "': ", error.message());
    }
  }
  return OkStatus();
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
