// All tests of this program run with one file root, and with files outside that they must not
// reach.
#include "runtime/record/file_root.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/record/file.h"

namespace warpbeam {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

// folder/outside.txt, folder/outside/secret.txt, folder/held/a/b.txt and, in the root, links that
// lead out.
class FileRootTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = (fs::path(::testing::TempDir()) / "file_root").lexically_normal().string();
    fs::remove_all(folder_);
    fs::create_directories(folder_ + "/held/a");
    fs::create_directories(folder_ + "/outside");
    std::ofstream(folder_ + "/outside.txt") << "secret";
    std::ofstream(folder_ + "/outside/secret.txt") << "secret";
    std::ofstream(folder_ + "/held/a/b.txt") << "b";
    fs::create_symlink("../outside.txt", folder_ + "/held/up");
    fs::create_symlink(folder_ + "/outside.txt", folder_ + "/held/full");
    fs::create_symlink("../../outside", folder_ + "/held/a/away");
    fs::create_symlink("/a/b.txt", folder_ + "/held/from_root");
    fs::create_symlink(folder_ + "/held", folder_ + "/another_name");
    set_ = SetFileRoot(folder_ + "/held");
  }
  void SetUp() override {
    if (IsUnimplemented(set_)) GTEST_SKIP() << set_;
    ASSERT_TRUE(set_.ok()) << set_;
  }
  static std::string Root(const std::string& name) { return folder_ + "/held/" + name; }
  static std::string Read(const std::string& path) {
    const auto contents = ReadFileToString(path);
    return contents.ok() ? *contents : std::string(StatusCodeName(contents.status().code()));
  }

  static std::string folder_;
  static Status set_;
};

std::string FileRootTest::folder_;
Status FileRootTest::set_;

TEST_F(FileRootTest, NamesMayBeUris) {
  EXPECT_EQ(Read("file:///a/b.txt"), "b");
  EXPECT_EQ(Read("file://localhost/a/b.txt"), "b");
  EXPECT_EQ(Read("file://" + Root("a/b.txt")), "b");
  EXPECT_EQ(Read("file:///../outside.txt"), "NOT_FOUND");
  EXPECT_EQ(Read("file://" + folder_ + "/outside.txt"), "NOT_FOUND");
  ASSERT_TRUE(files::MakeDirectories("file:///uri/below").ok());
  EXPECT_TRUE(files::Exists("/uri/below"));
  EXPECT_EQ(files::Rename("file:///uri/below", "file:///uri/renamed"), 0);
  EXPECT_THAT(*files::List("file:///uri"), ElementsAre("renamed"));
  EXPECT_THAT(*files::Match("file:///a/*.txt"), ElementsAre("/a/b.txt"));
  EXPECT_EQ(files::RemoveDirectory("file:///uri/renamed"), 0);
  EXPECT_EQ(files::RemoveDirectory("file:///uri"), 0);
}

TEST_F(FileRootTest, NamesBeginAtTheRoot) {
  EXPECT_EQ(Read("a/b.txt"), "b");
  EXPECT_EQ(Read("/a/b.txt"), "b");
  EXPECT_EQ(Read("/a/../a/./b.txt"), "b");
  EXPECT_EQ(Read("../../../a/b.txt"), "b");
  EXPECT_EQ(Read("from_root"), "b");
  // In full, by both names of the root.
  EXPECT_EQ(Read(Root("a/b.txt")), "b");
  EXPECT_EQ(Read("//a//b.txt"), "b");
  EXPECT_EQ(Read(Root("/../a/b.txt")), "b");
  EXPECT_EQ(Read("/" + Root("//a/b.txt")), "b");
}

TEST_F(FileRootTest, NothingLeadsOut) {
  for (const std::string& name :
       {std::string("../outside.txt"), std::string("/../outside.txt"),
        std::string("a/../../outside.txt"), std::string("up"), std::string("full"),
        std::string("a/away/secret.txt"), folder_ + "/outside.txt", Root("../outside.txt"),
        std::string("/etc/passwd"), std::string("/proc/self/environ")}) {
    EXPECT_EQ(Read(name), "NOT_FOUND") << name;
    EXPECT_FALSE(files::Exists(name)) << name;
  }
  // A name that only begins as the root's does is another folder's.
  EXPECT_EQ(Read(folder_ + "/held_too/x"), "NOT_FOUND");
  EXPECT_THAT(InputFile::Open("/etc/passwd").status().message(),
              HasSubstr("cannot open /etc/passwd below the file root"));
}

TEST_F(FileRootTest, LinksAreWrittenThroughWithinTheRootOnly) {
  // Its target is looked up in the root, where there is no such file yet: it is made there.
  ASSERT_TRUE(WriteStringToFile("up", "mine").ok());
  EXPECT_EQ(Read("/outside.txt"), "mine");
  std::ifstream outside(folder_ + "/outside.txt");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(outside), {}), "secret");
  fs::remove(Root("outside.txt"));
  EXPECT_EQ(WriteStringToFile("a/away/new.txt", "x").code(), StatusCode::kNotFound);
  EXPECT_FALSE(fs::exists(folder_ + "/outside/new.txt"));
}

TEST_F(FileRootTest, RenamesStayInside) {
  ASSERT_TRUE(WriteStringToFile("/one", "1").ok());
  ASSERT_EQ(files::Rename("/one", "../two"), 0);
  EXPECT_TRUE(fs::exists(Root("two")));
  EXPECT_EQ(files::Rename("two", "a/away/two"), -1);
  EXPECT_EQ(files::Rename("a/away/secret.txt", "mine"), -1);
  EXPECT_EQ(files::Rename(folder_ + "/outside.txt", "mine"), -1);
  EXPECT_EQ(files::Rename("a", ".."), -1);
  EXPECT_EQ(files::Rename("a/..", "b"), -1);
  // A link itself is renamed and removed, not what it names.
  ASSERT_EQ(files::Rename("full", "link"), 0);
  ASSERT_EQ(files::Unlink("link"), 0);
  fs::create_symlink(folder_ + "/outside.txt", Root("full"));
  EXPECT_EQ(files::Unlink("/../two"), 0);
  EXPECT_FALSE(fs::exists(Root("two")));
  EXPECT_EQ(files::Unlink("a/away/secret.txt"), -1);
  EXPECT_EQ(files::Unlink("../outside.txt"), -1);
  EXPECT_TRUE(fs::exists(folder_ + "/outside.txt"));
  EXPECT_TRUE(fs::exists(folder_ + "/outside/secret.txt"));
}

TEST_F(FileRootTest, DirectoriesAreMadeAndRemovedInside) {
  ASSERT_TRUE(files::MakeDirectories("/x/y/../z").ok());
  EXPECT_TRUE(fs::is_directory(Root("x/y")));
  EXPECT_TRUE(fs::is_directory(Root("x/z")));
  ASSERT_TRUE(files::MakeDirectories(Root("x/y/in_full")).ok());
  EXPECT_TRUE(fs::is_directory(Root("x/y/in_full")));
  ASSERT_TRUE(files::MakeDirectories("../w").ok());
  EXPECT_TRUE(fs::is_directory(Root("w")));
  EXPECT_FALSE(fs::exists(folder_ + "/w"));
  EXPECT_FALSE(files::MakeDirectories("a/away/w").ok());
  EXPECT_FALSE(files::MakeDirectories("a/b.txt").ok());
  EXPECT_FALSE(files::MakeDirectories("a/b.txt/c").ok());
  EXPECT_EQ(files::MakeDirectory("/"), -1);
  EXPECT_EQ(errno, EEXIST);
  EXPECT_EQ(files::RemoveDirectory("w/"), 0);
  EXPECT_EQ(files::RemoveDirectory("../outside"), -1);
  EXPECT_EQ(files::RemoveDirectory("x/y/.."), -1);
  fs::remove_all(Root("x"));
}

TEST_F(FileRootTest, ListsAndMatchesInside) {
  const auto names = files::List("/..");
  ASSERT_TRUE(names.ok()) << names.status();
  EXPECT_THAT(*names, UnorderedElementsAre("a", "up", "full", "from_root"));
  EXPECT_FALSE(files::List("a/away").ok());
  EXPECT_THAT(*files::Match("/a/*"), ElementsAre("/a/away", "/a/b.txt"));
  EXPECT_THAT(*files::Match("[a]/b.t?t"), ElementsAre("a/b.txt"));
  EXPECT_THAT(*files::Match(Root("*/b.txt")), ElementsAre(Root("a/b.txt")));
  EXPECT_THAT(*files::Match("../a/b*"), ElementsAre("../a/b.txt"));
  EXPECT_THAT(*files::Match("../out*"), ElementsAre());
  EXPECT_THAT(*files::MatchFiles("/*"), ElementsAre("/from_root", "/full", "/up"));
  EXPECT_THAT(*files::MatchFiles("/.*"), ElementsAre());
  EXPECT_THAT(*files::Match("a/away/*"), ElementsAre());
  EXPECT_THAT(*files::Match("/etc/*"), ElementsAre());
  EXPECT_THAT(*files::Match(folder_ + "/*"), ElementsAre());
}

TEST_F(FileRootTest, IsSetOnce) {
  EXPECT_TRUE(SetFileRoot("").ok());
  EXPECT_TRUE(SetFileRoot(folder_ + "/held/").ok());
  EXPECT_TRUE(SetFileRoot(folder_ + "/another_name").ok());
  const Status second = SetFileRoot(folder_ + "/outside");
  EXPECT_EQ(second.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(second.message(), HasSubstr("for good"));
  EXPECT_EQ(SetFileRoot(folder_ + "/nowhere").code(), StatusCode::kNotFound);
  EXPECT_EQ(files::NameForOps(Root("a/../a/b.txt")), Root("a/b.txt"));
  EXPECT_EQ(files::NameForOps("x"), (fs::current_path() / "x").string());
}

}  // namespace
}  // namespace warpbeam
