#include "runtime/record/plan_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "runtime/record/file.h"

namespace warpbeam {
namespace {

constexpr char kLibrary[] = "library 1";

class PlanFileTest : public ::testing::Test {
 protected:
  void SetUp() override { std::remove(path_.c_str()); }
  void TearDown() override { std::remove(path_.c_str()); }
  std::shared_ptr<PlanFile> Opened() const {
    auto file = PlanFile::Open(path_);
    EXPECT_TRUE(file.ok()) << file.status();
    return file.ok() ? *file : nullptr;
  }
  std::string Contents() const { return ReadFileToString(path_).value_or("unread"); }
  void Write(const std::string& contents) const {
    ASSERT_EQ(WriteStringToFile(path_, contents), OkStatus());
  }

  const std::string path_ = absl::StrCat(
      std::getenv("TEST_TMPDIR") != nullptr ? std::getenv("TEST_TMPDIR") : "/tmp", "/plans.",
      ::testing::UnitTest::GetInstance()->current_test_info()->name(), ".", getpid());
};

TEST_F(PlanFileTest, IsThereForTheNextProcess) {
  const std::string plan("with a \0 in it", 14);
  {
    const auto file = Opened();
    EXPECT_FALSE(file->Find(kLibrary, "a").has_value());
    file->Keep(kLibrary, "a", plan);
    file->Keep(kLibrary, "b", "");
    file->Keep(kLibrary, "a", plan + "!");
    EXPECT_EQ(file->Find(kLibrary, "a"), plan + "!");
  }
  const auto file = Opened();
  EXPECT_EQ(file->size(), 2u);
  EXPECT_EQ(file->Find(kLibrary, "a"), plan + "!");
  EXPECT_EQ(file->Find(kLibrary, "b"), "");
  EXPECT_FALSE(file->Find("library 2", "a").has_value());
}

// Whichever byte is another, or missing at the end: what comes before its record is believed, and
// nothing that was never kept.
TEST_F(PlanFileTest, DamageEndsTheReading) {
  Opened()->Keep(kLibrary, "a", "plan of a");
  Opened()->Keep(kLibrary, "b", "plan of b");
  const std::string whole = Contents();
  const size_t heading = whole.find('\n') + 1;
  for (size_t at = heading; at < whole.size(); ++at) {
    for (const bool cut : {false, true}) {
      std::string damaged = cut ? whole.substr(0, at) : whole;
      if (!cut) damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
      Write(damaged);
      const auto file = Opened();
      const bool has_first = at >= heading + (whole.size() - heading) / 2;
      EXPECT_EQ(file->size(), has_first ? 1u : 0u) << at << cut;
      EXPECT_EQ(file->Find(kLibrary, "a").has_value(), has_first);
      file->Keep(kLibrary, "c", "plan of c");
      EXPECT_EQ(Opened()->size(), has_first ? 2u : 1u) << "what was damaged is gone";
    }
  }
  Write(whole.substr(0, 3));  // it was being begun
  EXPECT_EQ(Opened()->size(), 0u);
}

TEST_F(PlanFileTest, AFileOfSomethingElseStaysAsItIs) {
  for (const char* contents : {"a letter", "warpbeam plans 2\nof a later version"}) {
    Write(contents);
    const auto file = PlanFile::Open(path_);
    EXPECT_EQ(file.status().code(), StatusCode::kInvalidArgument) << file.status();
    EXPECT_NE(std::string(file.status().message()).find(path_), std::string::npos);
    EXPECT_EQ(Contents(), contents);
  }
}

TEST_F(PlanFileTest, ThatCannotBeWrittenIsToldAtOnce) {
  EXPECT_FALSE(PlanFile::Open("/no/such/folder/plans").ok());
  EXPECT_FALSE(PlanFile::Open("/").ok());
}

TEST_F(PlanFileTest, IsAddedToFromManySides) {
  constexpr int kSides = 4, kPlans = 200;
  std::vector<std::thread> threads;
  for (int t = 0; t < kSides; ++t) {
    // Each has opened the file for itself, as processes have.
    threads.emplace_back([this, t, file = Opened()] {
      for (int i = 0; i < kPlans; ++i) file->Keep(kLibrary, absl::StrCat(t, " ", i), "plan");
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Opened()->size(), static_cast<size_t>(kSides * kPlans));
}

TEST_F(PlanFileTest, OfTheProcess) {
  ASSERT_EQ(PlanFile::SetOfProcess(path_), OkStatus());
  const auto file = PlanFile::OfProcess();
  ASSERT_NE(file, nullptr);
  ASSERT_EQ(PlanFile::SetOfProcess(path_), OkStatus());
  EXPECT_EQ(PlanFile::OfProcess(), file);
  EXPECT_FALSE(PlanFile::SetOfProcess("/no/such/folder/plans").ok());
  EXPECT_EQ(PlanFile::OfProcess(), file);
}

}  // namespace
}  // namespace warpbeam
