// Writes every list of ops that is kept in the repository, after an op was added or changed.
//
//   bazel run //tools/op_lists
//
// Prints the files that it changed. See op_list_files.h for what they are; the lists of what
// TensorFlow has come from TensorFlow (tests/golden/README.md).
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "tools/op_lists/op_list_files.h"

namespace warpbeam {
namespace {

Status WriteAndSay(const std::vector<ListFile>& files) {
  WB_ASSIGN_OR_RETURN(const std::vector<std::string> changed, WriteOpLists(files));
  for (const std::string& path : changed) std::printf("changed: %s\n", path.c_str());
  std::fflush(stdout);
  return OkStatus();
}

Status Run() {
  const char* workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  if (workspace != nullptr && chdir(workspace) != 0) {
    return NotFound("cannot go to '", workspace, "'");
  }
  WB_ASSIGN_OR_RETURN(std::vector<ListFile> files, OpListFiles());
  // What follows from the registries is there when a case hangs or the run is stopped.
  WB_RETURN_IF_ERROR(WriteAndSay(files));
  std::printf("running the conformance cases\n");
  std::fflush(stdout);
  WB_ASSIGN_OR_RETURN(ListFile failing, FailingCasesFile());
  files.push_back(std::move(failing));
  return WriteAndSay(files);
}

}  // namespace
}  // namespace warpbeam

int main() {
  const warpbeam::Status status = warpbeam::Run();
  if (status.ok()) return 0;
  std::fprintf(stderr, "op_lists: %s\n", status.ToString().c_str());
  return 1;
}
