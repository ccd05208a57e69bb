// Writes frontend/ops: C++ functions for every op that the program has.
//
//   bazel run //frontend/gen:generate
//
// Files of earlier runs that are no longer needed are removed.
#include <dirent.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <set>

#include "frontend/gen/op_wrappers.h"
#include "runtime/record/file.h"

namespace {

using warpbeam::frontend::GeneratedFile;

// The generated files of a folder; the others in it are not ours to touch.
warpbeam::StatusOr<std::set<std::string>> EarlierFiles(const std::string& folder) {
  std::set<std::string> files;
  DIR* directory = opendir(folder.c_str());
  if (directory == nullptr) return warpbeam::NotFound("no folder '", folder, "'");
  while (const dirent* entry = readdir(directory)) {
    const std::string name = entry->d_name;
    const bool header = name.size() > 2 && name.compare(name.size() - 2, 2, ".h") == 0;
    const bool source = name.size() > 3 && name.compare(name.size() - 3, 3, ".cc") == 0;
    if (header || source) files.insert(absl::StrCat(folder, "/", name));
  }
  closedir(directory);
  return files;
}

warpbeam::Status Generate() {
  const char* workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  if (workspace != nullptr && chdir(workspace) != 0) {
    return warpbeam::NotFound("cannot go to '", workspace, "'");
  }
  WB_RETURN_IF_ERROR(warpbeam::OpRegistry::CheckGlobal());
  WB_ASSIGN_OR_RETURN(const std::string families,
                      warpbeam::ReadFileToString("frontend/gen/families.tsv"));
  WB_ASSIGN_OR_RETURN(
      const std::vector<GeneratedFile> files,
      warpbeam::frontend::GenerateOpWrappers(warpbeam::OpRegistry::Global(), families));
  WB_ASSIGN_OR_RETURN(std::set<std::string> stale, EarlierFiles("frontend/ops"));
  for (const GeneratedFile& file : files) {
    WB_RETURN_IF_ERROR(warpbeam::WriteStringToFile(file.path, file.text));
    stale.erase(file.path);
  }
  for (const std::string& path : stale) unlink(path.c_str());
  std::printf("%zu files in frontend/ops\n", files.size());
  return absl::OkStatus();
}

}  // namespace

int main() {
  const warpbeam::Status status = Generate();
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}
