#include "tests/conformance/case_file.h"

#include <filesystem>
#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/conformance/case.pb.h"

namespace warpbeam {
namespace {

using ::testing::HasSubstr;

CaseBytes MakeCase(const std::string& name) {
  conformance::Case c;
  c.set_name(name);
  return {name, c.SerializeAsString()};
}

std::string FreshFolder(const std::string& name) {
  const std::string path = ::testing::TempDir() + "/" + name;
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path);
  return path;
}

void Write(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

TEST(CaseFileTest, FoldersHoldCasesAndPacks) {
  const std::string folder = FreshFolder("both");
  std::filesystem::create_directories(folder + "/deeper");
  Write(folder + "/deeper/one.case", MakeCase("z/one").wire_form);
  Write(folder + "/README.md", "not a case");
  ASSERT_TRUE(WritePack({MakeCase("b"), MakeCase("a")}, folder + "/some.cases.gz").ok());
  auto cases = LoadCases({folder});
  ASSERT_TRUE(cases.ok()) << cases.status();
  ASSERT_EQ(cases->size(), 3u);
  EXPECT_EQ((*cases)[0].name, "a");
  EXPECT_EQ((*cases)[1].name, "b");
  EXPECT_EQ((*cases)[2].name, "z/one");
  EXPECT_EQ((*cases)[0].wire_form, MakeCase("a").wire_form);
}

TEST(CaseFileTest, DamageIsReported) {
  const std::string folder = FreshFolder("damaged");
  EXPECT_EQ(LoadCases({folder + "/nothing"}).status().code(), StatusCode::kNotFound);

  Write(folder + "/bad.case", "\xff\xff");
  EXPECT_THAT(std::string(LoadCases({folder + "/bad.case"}).status().message()),
              HasSubstr("bad.case: not a conformance case"));

  const std::string pack = folder + "/cut.cases.gz";
  ASSERT_TRUE(WritePack({MakeCase("a"), MakeCase("b")}, pack).ok());
  std::filesystem::resize_file(pack, std::filesystem::file_size(pack) / 2);
  EXPECT_EQ(LoadCases({pack}).status().code(), StatusCode::kDataLoss);

  Write(folder + "/one.case", MakeCase("same").wire_form);
  Write(folder + "/two.case", MakeCase("same").wire_form);
  EXPECT_EQ(LoadCases({folder + "/one.case", folder + "/two.case"}).status().code(),
            StatusCode::kAlreadyExists);
}

}  // namespace
}  // namespace warpbeam
