#include "tools/cli/path_check.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "graph/io/meta_graph/meta_graph.h"
#include "graph/types/nearest_name.h"
#include "graph/types/shown_name.h"
#include "runtime/checkpoint/bundle_reader.h"

namespace warpbeam {
namespace cli {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostListedFiles = 6;
constexpr size_t kMostEntries = 10'000;  // of a folder that are looked at
constexpr char kIndexEnding[] = ".index";
constexpr char kTableEnd[] = "\x57\xfb\x80\x8b\x24\x75\x47\xdb";  // of a checkpoint's index

bool Exists(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

bool IsFolder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

// The names in a folder, sorted; numbers by their value.
std::vector<std::string> NamesIn(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    names.push_back(at->path().filename().string());
    if (names.size() == kMostEntries) break;
  }
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    const bool numbers = absl::ascii_isdigit(a[0]) && absl::ascii_isdigit(b[0]);
    return numbers && a.size() != b.size() ? a.size() < b.size() : a < b;
  });
  return names;
}

std::string List(const std::vector<std::string>& names) {
  std::vector<std::string> shown;
  for (const std::string& name : names) {
    if (shown.size() == kMostListedFiles) {
      shown.push_back(absl::StrCat("and ", names.size() - kMostListedFiles, " more"));
      break;
    }
    shown.push_back(ShownName(name));
  }
  return absl::StrJoin(shown, ", ");
}

bool IsNumber(const std::string& name) {
  return std::all_of(name.begin(), name.end(), [](char c) { return absl::ascii_isdigit(c); });
}

std::string Head(const std::string& path) {
  std::string bytes(512, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(&bytes[0], static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<size_t>(std::max<std::streamsize>(0, file.gcount())));
  return bytes;
}

bool EndsAsIndex(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file || file.tellg() < 48) return false;
  char end[8];
  file.seekg(-8, std::ios::end);
  return file.read(end, 8) && absl::string_view(end, 8) == absl::string_view(kTableEnd, 8);
}

// Files of other kinds that end up in a model's place.
struct Kind {
  absl::string_view begin;
  size_t at;
  const char* what;
};
constexpr Kind kKinds[] = {
    {"version https://git-lfs", 0,
     "a Git LFS pointer, not the file itself: 'git lfs pull' fetches that"},
    {"\x89HDF\r\n\x1a\n", 0,
     "an HDF5 file, as Keras saves models: model.export(FOLDER) in Python makes a SavedModel of "
     "it"},
    {"PK\x03\x04", 0,
     "a zip archive: unpack it; of a .keras file model.export(FOLDER) in Python makes a "
     "SavedModel"},
    {"\x1f\x8b", 0, "compressed by gzip: unpack it"},
    {"BZh", 0, "compressed by bzip2: unpack it"},
    {absl::string_view("\xfd"
                       "7zXZ\0",
                       6),
     0, "compressed by xz: unpack it"},
    {"ustar", 257, "a tar archive: unpack it"},
    {"TFL3", 4, "a TensorFlow Lite model: the SavedModel that it was converted from is needed"},
    {"\x93NUMPY", 0, "an array of NumPy: --feed and --input take it"},
    {"\x89PNG", 0, "a picture: --feed and --input take it"},
    {"\xff\xd8\xff", 0, "a picture: --feed and --input take it"},
    {"brain.Event:", 0x18 - 1, "an event file: 'warpbeam report' reads the folder that it is in"},
    {"\x7f"
     "ELF",
     0, "a program or library"},
    {"<!DOCTYPE", 0, "a page of the web: the download went wrong"},
    {"<html", 0, "a page of the web: the download went wrong"},
    {"model_checkpoint_path:", 0, "the state of a checkpoint folder"},
};

// The checkpoints in a folder, by their prefixes.
std::vector<std::string> CheckpointsIn(const fs::path& folder,
                                       const std::vector<std::string>& names) {
  std::vector<std::string> prefixes;
  for (const std::string& name : names) {
    absl::string_view prefix = name;
    if (absl::ConsumeSuffix(&prefix, kIndexEnding)) {
      prefixes.push_back((folder / std::string(prefix)).string());
    }
  }
  return prefixes;
}

// What to give of a checkpoint.
std::string Advice(const std::string& prefix, Wanted wanted) {
  const std::string meta = prefix + ".meta";
  if (wanted == Wanted::kGraphOrCheckpoint) {
    return absl::StrCat("give its name, ", prefix, Exists(meta) ? ", or its graph, " + meta : "");
  }
  return Exists(meta) ? absl::StrCat("give its graph, ", meta)
                      : absl::StrCat(
                            "it holds values, no graph: give the graph that they are of; "
                            "'warpbeam inspect ",
                            prefix, "' shows them");
}

// The last of them whose graph lies beside it, else the last.
const std::string& NewestWithGraph(const std::vector<std::string>& checkpoints) {
  const auto found =
      std::find_if(checkpoints.rbegin(), checkpoints.rend(),
                   [](const std::string& prefix) { return Exists(prefix + ".meta"); });
  return found == checkpoints.rend() ? checkpoints.back() : *found;
}

Status CheckFolder(const std::string& path, Wanted wanted) {
  const fs::path folder(path);
  const std::vector<std::string> names = NamesIn(folder);
  std::vector<std::string> versions, models;
  for (const std::string& name : names) {
    if (!IsSavedModel((folder / name).string())) continue;
    (IsNumber(name) ? versions : models).push_back(name);
  }
  if (!versions.empty()) {
    return InvalidArgument(path, " is a folder of versions of a model (", List(versions),
                           "): give one of them, as in ", (folder / versions.back()).string());
  }
  if (!models.empty()) {
    return InvalidArgument(path, " is a folder of models (", List(models),
                           "): give one of them, as in ", (folder / models.front()).string());
  }
  const fs::path above = fs::absolute(folder / "x").lexically_normal().parent_path().parent_path();
  const std::string own = fs::absolute(folder / "x").lexically_normal().parent_path().filename();
  if ((own == "variables" || own == "assets") && IsSavedModel(above.string())) {
    return InvalidArgument(path, " is the folder '", own, "' of a SavedModel: give ",
                           above.string());
  }
  const std::vector<std::string> checkpoints = CheckpointsIn(folder, names);
  if (!checkpoints.empty()) {
    return InvalidArgument(path, " is a folder of checkpoints (", List(checkpoints),
                           "): ", Advice(NewestWithGraph(checkpoints), wanted));
  }
  return InvalidArgument(path, " is no SavedModel: there is neither saved_model.pb nor ",
                         "saved_model.pbtxt in it",
                         names.empty() ? ": it is empty" : "; in it lie: ", List(names));
}

Status CheckFile(const std::string& path, Wanted wanted) {
  const fs::path file(path);
  const std::string name = file.filename().string();
  if (absl::EndsWith(path, kIndexEnding) || EndsAsIndex(path)) {
    absl::string_view prefix = path;
    if (!absl::ConsumeSuffix(&prefix, kIndexEnding)) {
      return InvalidArgument(path,
                             " is the index of a checkpoint: name it .index, beside its data");
    }
    return InvalidArgument(path,
                           " is the index of a checkpoint: ", Advice(std::string(prefix), wanted));
  }
  const size_t data = path.rfind(".data-");
  if (data != std::string::npos && Exists(path.substr(0, data) + kIndexEnding)) {
    return InvalidArgument(path,
                           " is a part of a checkpoint: ", Advice(path.substr(0, data), wanted));
  }
  if (absl::StartsWith(Head(path), "model_checkpoint_path:")) {
    return CheckFolder(file.has_parent_path() ? file.parent_path().string() : ".", wanted);
  }
  const std::string foreign = ForeignFile(path);
  if (!foreign.empty()) return InvalidArgument(path, " is ", foreign);
  if (name == "saved_model.pb" || name == "saved_model.pbtxt") {
    return InvalidArgument(path, " is a part of a SavedModel: give its folder, ",
                           file.has_parent_path() ? file.parent_path().string() : ".");
  }
  return OkStatus();
}

}  // namespace

std::string ForeignFile(const std::string& path) {
  const std::string head = Head(path);
  std::error_code error;
  if (head.empty()) return fs::is_regular_file(path, error) && !error ? "empty" : "";
  for (const Kind& kind : kKinds) {
    if (head.size() > kind.at && absl::StartsWith(head.substr(kind.at), kind.begin)) {
      return kind.what;
    }
  }
  return "";
}

Status CheckPath(const std::string& path, Wanted wanted) {
  if (IsFolder(path)) {
    if (!IsSavedModel(path)) return CheckFolder(path, wanted);
    for (const char* part : {"saved_model.pb", "saved_model.pbtxt", "variables/variables.index"}) {
      const std::string file = (fs::path(path) / part).string();
      const std::string foreign = ForeignFile(file);
      if (!foreign.empty()) return InvalidArgument(file, " is ", foreign);
    }
    return OkStatus();
  }
  if (Exists(path)) return CheckFile(path, wanted);
  if (Exists(path + kIndexEnding)) {
    if (wanted == Wanted::kGraphOrCheckpoint) return OkStatus();
    return InvalidArgument(path, " is a checkpoint: ", Advice(path, wanted));
  }
  const fs::path file(path);
  NearestName nearest(file.filename().string());
  for (const std::string& name : NamesIn(file.has_parent_path() ? file.parent_path() : ".")) {
    nearest.Offer(name);
  }
  return NotFound("there is no file or folder '", path, "'", nearest.Question());
}

}  // namespace cli
}  // namespace warpbeam
