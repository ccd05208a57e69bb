#include "runtime/event_file/event_file.h"

#include <filesystem>
#include <fstream>
#include <set>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/record/record_reader.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class EventFileTest : public ::testing::Test {
 protected:
  EventFileTest() {
    directory_ = testing::TempDir() + "/event_file_" +
                 testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(directory_);
  }
  std::vector<std::string> Files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory_)) {
      if (entry.is_regular_file()) names.push_back(entry.path().string());
    }
    return names;
  }
  static std::vector<std::string> Records(const std::string& path) {
    std::vector<std::string> records;
    auto reader = RecordReader::Open(path);
    EXPECT_TRUE(reader.ok()) << reader.status();
    absl::string_view record;
    while (reader.ok() && (*reader)->Next(&record).value_or(false)) records.emplace_back(record);
    return records;
  }

  std::string directory_;
};

// A reader that looks as soon as the file is there finds what it begins with.
TEST_F(EventFileTest, TheFirstRecordIsThereAtOnce) {
  int number = 3;
  const std::string deep = directory_ + "/a/b";
  const auto file = BeginEventFile(deep, ".v2", "version", &number);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(number, 4);
  const std::vector<std::string> files = Files();
  ASSERT_EQ(files.size(), 1u);
  EXPECT_THAT(files[0], StartsWith(deep + "/events.out.tfevents."));
  EXPECT_THAT(files[0], EndsWith(".3.v2"));
  EXPECT_THAT(Records(files[0]), ElementsAre("version"));
  ASSERT_TRUE((*file)->Write("more").ok());
  ASSERT_TRUE((*file)->Flush().ok());
  EXPECT_THAT(Records(files[0]), ElementsAre("version", "more"));
}

// Writers that begin in one second take different names, each its own numbers.
TEST_F(EventFileTest, NoTwoWritersShareAFile) {
  std::vector<std::unique_ptr<RecordWriter>> writers;
  for (int i = 0; i < 5; ++i) {
    int number = 0;
    auto file = BeginEventFile(directory_, "", std::to_string(i), &number);
    ASSERT_TRUE(file.ok()) << file.status();
    writers.push_back(*std::move(file));
  }
  std::multiset<std::string> first;
  for (const std::string& file : Files()) {
    for (const std::string& record : Records(file)) first.insert(record);
  }
  EXPECT_THAT(first, ElementsAre("0", "1", "2", "3", "4"));
  EXPECT_EQ(Files().size(), 5u);
}

TEST_F(EventFileTest, ADirectoryThatCannotBeMadeIsTold) {
  std::filesystem::create_directories(directory_);
  const std::string taken = directory_ + "/file";
  std::ofstream(taken) << "not a directory";
  int number = 0;
  const Status s = BeginEventFile(taken + "/below", "", "version", &number).status();
  EXPECT_EQ(s.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(s.message()), HasSubstr("for event files"));
  EXPECT_THAT(std::string(s.message()), HasSubstr(taken));
}

}  // namespace
}  // namespace warpbeam
