#include <set>

#include "frontend/gen/op_wrappers.h"
#include "gtest/gtest.h"
#include "runtime/record/file.h"

namespace warpbeam {
namespace frontend {
namespace {

// The files that are checked in are those that the ops of today give.
TEST(OpWrappersTest, FrontendOpsAreNotStale) {
  ASSERT_TRUE(OpRegistry::CheckGlobal().ok()) << OpRegistry::GlobalStatus();
  const auto families = ReadFileToString("frontend/gen/families.tsv");
  ASSERT_TRUE(families.ok());
  const auto files = GenerateOpWrappers(OpRegistry::Global(), *families);
  ASSERT_TRUE(files.ok()) << files.status();
  std::set<std::string> stale;
  size_t ops = 0;
  for (const GeneratedFile& file : *files) {
    const auto present = ReadFileToString(file.path);
    if (!present.ok() || *present != file.text) stale.insert(file.path);
    for (size_t at = 0; (at = file.text.find("(ScopeRef scope", at)) != std::string::npos; ++at) {
      ++ops;
    }
  }
  EXPECT_TRUE(stale.empty()) << stale.size() << " files, the first one " << *stale.begin()
                             << "; run: bazel run //tools/op_lists";
  EXPECT_GT(ops, 200u);
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
