#include "tests/fuzz/file_set.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "graph/io/graph_file.h"
#include "tests/fuzz/file_set.pb.h"

namespace warpbeam {
namespace fuzz {
namespace {

namespace fs = std::filesystem;
using files::Change;
using files::FileSet;

const Contents& BaseOf(const std::string& folder) {
  static auto* const known = new std::map<std::string, Contents>;
  const auto found = known->find(folder);
  if (found != known->end()) return found->second;
  Contents contents;
  std::error_code error;
  fs::recursive_directory_iterator it(folder, error);
  for (; !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
    if (!it->is_regular_file(error)) continue;
    StatusOr<std::string> bytes = ReadFileBytes(it->path().string());
    // By names alone: in a test's tree the files are links.
    const std::string path = it->path().lexically_relative(folder).string();
    if (bytes.ok()) contents[path] = *std::move(bytes);
  }
  return (*known)[folder] = std::move(contents);
}

// Nothing leads out of the folder.
bool IsInside(const std::string& path) {
  const fs::path normal = fs::path(path).lexically_normal();
  return !path.empty() && path.find('\0') == std::string::npos && !normal.is_absolute() &&
         *normal.begin() != ".." && normal != "." && path.size() < 200;
}

void Write(const fs::path& path, const std::string& content) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

void Apply(const fs::path& folder, const Change& change) {
  if (!IsInside(change.path())) return;
  const fs::path path = folder / change.path();
  std::error_code error;
  fs::remove_all(path, error);
  switch (change.kind()) {
    case Change::FOLDER:
      fs::create_directories(path, error);
      return;
    case Change::LINK:
      fs::create_directories(path.parent_path(), error);
      if (change.content().find('\0') != std::string::npos) return;
      fs::create_symlink(change.content(), path, error);
      return;
    case Change::SPARSE:
      Write(path, "");
      fs::resize_file(path, static_cast<uintmax_t>(change.size()), error);
      return;
    case Change::CONTENT:
      return Write(path, change.content());
    default:
      return;
  }
}

}  // namespace

Contents ContentsOf(const FileSet& set) {
  Contents contents = BaseOf(set.base());
  for (const Change& change : set.changes()) {
    contents.erase(change.path());
    if (change.kind() == Change::CONTENT) contents[change.path()] = change.content();
  }
  return contents;
}

ScratchFolder::ScratchFolder() {
  const char* const base = getenv("TEST_TMPDIR");
  path_ = absl::StrCat(base != nullptr ? base : "/tmp", "/files_XXXXXX");
  if (mkdtemp(&path_[0]) != nullptr) return;
  perror(path_.c_str());
  abort();
}

ScratchFolder::~ScratchFolder() {
  std::error_code error;
  fs::remove_all(path_, error);
}

void ScratchFolder::Fill(const FileSet& set) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(path_, error)) fs::remove_all(entry, error);
  for (const auto& [path, content] : BaseOf(set.base())) Write(fs::path(path_) / path, content);
  for (const Change& change : set.changes()) Apply(path_, change);
}

}  // namespace fuzz
}  // namespace warpbeam
