#include "tools/op_lists/op_list_files.h"

#include <unistd.h>

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/record/file.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A repository that has frontend/ops and docs.
class WriteOpListsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string top = absl::StrCat(::testing::TempDir(), "/op_lists_", getpid());
    std::filesystem::remove_all(top);
    std::filesystem::create_directories(top + "/frontend/ops");
    std::filesystem::create_directories(top + "/docs");
    ASSERT_EQ(chdir(top.c_str()), 0);
  }

  static void Write(const std::string& path, const std::string& text) {
    ASSERT_TRUE(WriteStringToFile(path, text).ok());
  }
};

const std::string& Generated() {
  static const auto* const kText =
      new std::string(absl::StrCat(frontend::kGeneratedMarker, "\nint a;\n"));
  return *kText;
}

TEST_F(WriteOpListsTest, WritesWhatDiffersAndNothingElse) {
  Write("docs/ops.md", "old");
  Write("frontend/ops/toy_ops.h", Generated());
  const std::vector<ListFile> files = {{"docs/ops.md", "new"},
                                       {"frontend/ops/toy_ops.h", Generated()}};
  auto changed = WriteOpLists(files);
  ASSERT_TRUE(changed.ok()) << changed.status();
  EXPECT_THAT(*changed, ElementsAre("docs/ops.md"));
  EXPECT_EQ(*ReadFileToString("docs/ops.md"), "new");
  changed = WriteOpLists(files);
  ASSERT_TRUE(changed.ok()) << changed.status();
  EXPECT_THAT(*changed, IsEmpty());
}

TEST_F(WriteOpListsTest, RemovesTheFilesOfFamiliesThatAreGone) {
  Write("frontend/ops/gone_ops.h", Generated());
  Write("frontend/ops/gone_ops.cc", Generated());
  Write("frontend/ops/by_hand.h", "// Written by hand.\n");
  Write("frontend/ops/BUILD", Generated());
  const auto changed = WriteOpLists({});
  ASSERT_TRUE(changed.ok()) << changed.status();
  EXPECT_THAT(*changed, ElementsAre("frontend/ops/gone_ops.cc", "frontend/ops/gone_ops.h"));
  EXPECT_FALSE(std::filesystem::exists("frontend/ops/gone_ops.h"));
  EXPECT_TRUE(std::filesystem::exists("frontend/ops/by_hand.h"));
}

TEST_F(WriteOpListsTest, SaysWhichFileCannotBeWritten) {
  const Status status = WriteOpLists({{"nowhere/ops.md", ""}}).status();
  EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("nowhere/ops.md"));
  std::filesystem::remove_all("frontend/ops");
  EXPECT_EQ(WriteOpLists({}).status().code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace warpbeam
