// Writes docs/ops.md.
//
//   bazel run //tools/op_table:generate
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "runtime/record/file.h"
#include "tools/op_table/op_table.h"

namespace {

warpbeam::Status Generate() {
  const char* workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  if (workspace != nullptr && chdir(workspace) != 0) {
    return warpbeam::NotFound("cannot go to '", workspace, "'");
  }
  WB_ASSIGN_OR_RETURN(const warpbeam::OpFacts facts, warpbeam::ReadOpFacts());
  WB_ASSIGN_OR_RETURN(const std::string text, warpbeam::OpTable(facts));
  return warpbeam::WriteStringToFile("docs/ops.md", text);
}

}  // namespace

int main() {
  const warpbeam::Status status = Generate();
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}
