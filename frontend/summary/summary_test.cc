#include "frontend/summary/summary.h"

#include <filesystem>
#include <thread>

#include "frontend/build.h"
#include "frontend/client_session.h"
#include "frontend/summary/file_writer.h"
#include "frontend/summary/summary_iterator.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/record/record_reader.h"

namespace warpbeam {
namespace frontend {
namespace summary {
namespace {

using ::testing::HasSubstr;

std::string NewFolder(const std::string& name) {
  const std::string path = ::testing::TempDir() + "/summary_" + name;
  std::filesystem::remove_all(path);
  return path;
}

// The records of a file; what they hold is checked in tests/training.
std::vector<std::string> RecordsOf(const std::string& path) {
  std::vector<std::string> records;
  auto reader = RecordReader::Open(path);
  EXPECT_TRUE(reader.ok()) << reader.status();
  absl::string_view record;
  while (reader.ok()) {
    const auto more = (*reader)->Next(&record);
    EXPECT_TRUE(more.ok()) << more.status();
    if (!more.ok() || !*more) break;
    records.emplace_back(record);
  }
  return records;
}

TEST(SummaryTest, WithoutSummariesThereIsNoneToMerge) {
  const Scope root = Scope::NewRoot();
  EXPECT_FALSE(MergeAll(root).valid());
  Scalar(root, "loss", 1.0f, SummaryOptions().collections({"mine"}));
  EXPECT_FALSE(MergeAll(root).valid());
  EXPECT_TRUE(MergeAll(root, "mine").valid());
  EXPECT_TRUE(root.ok());
  Scalar(root, "", 1.0f);
  EXPECT_THAT(std::string(root.status().message()), HasSubstr("needs a name"));
}

TEST(FileWriterTest, WritesWhatStepsFetched) {
  const Scope root = Scope::NewRoot();
  Scalar(root, "loss", 1.5f);
  Histogram(root, "weights", {1.0f, 2.0f});
  const Output all = MergeAll(root);
  ClientSession session(root);
  const auto fetched = session.Run({all});
  ASSERT_TRUE(fetched.ok()) << fetched.status();
  const std::string folder = NewFolder("writes");
  auto writer = FileWriter::Open(folder);
  ASSERT_TRUE(writer.ok()) << writer.status();
  EXPECT_THAT((*writer)->path(), HasSubstr(folder + "/events.out.tfevents."));
  ASSERT_TRUE((*writer)->AddGraph(root).ok());
  ASSERT_TRUE((*writer)->AddSummary((*fetched)[0], 3).ok());
  ASSERT_TRUE((*writer)->Flush().ok());
  // Readable while the file is open.
  const std::vector<std::string> records = RecordsOf((*writer)->path());
  ASSERT_EQ(records.size(), 3u);
  EXPECT_THAT(records[0], HasSubstr("brain.Event:2"));
  EXPECT_THAT(records[1], HasSubstr("HistogramSummary"));
  EXPECT_THAT(records[2], HasSubstr("weights"));
  ASSERT_TRUE((*writer)->Close().ok());
  EXPECT_TRUE((*writer)->Close().ok());
  EXPECT_TRUE(IsFailedPrecondition((*writer)->AddScalar("late", 1, 4)));
}

TEST(FileWriterTest, EventsAreReadAgain) {
  const Scope root = Scope::NewRoot();
  TensorSummary(root, "vector", {1.0f, 2.0f});
  ClientSession session(root);
  const auto fetched = session.Run({MergeAll(root)});
  ASSERT_TRUE(fetched.ok()) << fetched.status();
  const std::string folder = NewFolder("again");
  auto writer = FileWriter::Open(folder);
  ASSERT_TRUE(writer.ok()) << writer.status();
  EXPECT_EQ((*writer)->directory(), folder);
  ASSERT_TRUE((*writer)->AddScalar("loss", 2.5f, 7).ok());
  ASSERT_TRUE((*writer)->AddSummary((*fetched)[0], 8).ok());
  ASSERT_TRUE((*writer)->AddEvent(ScalarEvent(12.5, 9, "rate", 0.5f)).ok());
  ASSERT_TRUE((*writer)->AddMetaGraph("").ok());
  EXPECT_TRUE(IsInvalidArgument((*writer)->AddEvent("\xff\xff")));
  EXPECT_TRUE(IsInvalidArgument((*writer)->AddMetaGraph("\xff\xff")));
  ASSERT_TRUE((*writer)->Close().ok());

  const auto events = train::SummaryIterator::Open((*writer)->path());
  ASSERT_TRUE(events.ok()) << events.status();
  std::vector<EventRecord> all;
  EventRecord event;
  for (auto more = (*events)->Next(&event); more.ok() && *more; more = (*events)->Next(&event)) {
    all.push_back(event);
  }
  ASSERT_EQ(all.size(), 5u);
  EXPECT_TRUE(all[0].summary.empty());
  EXPECT_EQ(all[1].step, 7);
  EXPECT_EQ(all[1].scalars, (std::map<std::string, float>{{"loss", 2.5f}}));
  EXPECT_THAT(all[2].summary, HasSubstr("vector"));
  EXPECT_TRUE(all[2].scalars.empty());
  EXPECT_EQ(all[3].wall_time, 12.5);
  EXPECT_EQ(all[3].scalars["rate"], 0.5f);
  EXPECT_TRUE(IsNotFound(train::SummaryIterator::Open(folder + "/none").status()));
}

TEST(FileWriterTest, BeginsAnotherFileWhenOneIsFull) {
  const std::string folder = NewFolder("rotates");
  FileWriterOptions options;
  options.max_file_bytes = 200;
  options.filename_suffix = ".test";
  auto writer = FileWriter::Open(folder, options);
  ASSERT_TRUE(writer.ok()) << writer.status();
  const std::string first = (*writer)->path();
  for (int step = 0; step < 50; ++step) {
    ASSERT_TRUE((*writer)->AddScalar("value", static_cast<float>(step), step).ok());
  }
  ASSERT_TRUE((*writer)->Close().ok());
  EXPECT_NE((*writer)->path(), first);
  size_t records = 0, files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::vector<std::string> of_file = RecordsOf(entry.path().string());
    ASSERT_FALSE(of_file.empty());
    EXPECT_THAT(of_file[0], HasSubstr("brain.Event:2"));
    records += of_file.size();
    ++files;
  }
  EXPECT_GT(files, 3u);
  EXPECT_EQ(records, 50 + files);
}

TEST(FileWriterTest, TwoWritersOfASecondHaveTwoFiles) {
  const std::string folder = NewFolder("two");
  auto first = FileWriter::Open(folder), second = FileWriter::Open(folder);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_NE((*first)->path(), (*second)->path());
}

TEST(FileWriterTest, ManyThreadsMayWrite) {
  FileWriterOptions options;
  options.max_queue = 2;
  auto writer = FileWriter::Open(NewFolder("threads"), options);
  ASSERT_TRUE(writer.ok()) << writer.status();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) {
        EXPECT_TRUE((*writer)->AddScalar("value", 1, i).ok());
        if (i % 25 == 0) {
          EXPECT_TRUE((*writer)->Flush().ok());
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_TRUE((*writer)->Close().ok());
  EXPECT_EQ(RecordsOf((*writer)->path()).size(), 401u);
}

TEST(FileWriterTest, BadInputIsSaidSo) {
  EXPECT_TRUE(IsFailedPrecondition(FileWriter::Open("/proc/nothing/here").status()));
  FileWriterOptions none;
  none.max_queue = 0;
  EXPECT_TRUE(IsInvalidArgument(FileWriter::Open(NewFolder("none"), none).status()));
  auto writer = FileWriter::Open(NewFolder("bad"));
  ASSERT_TRUE(writer.ok());
  EXPECT_THAT(std::string((*writer)->AddSummary(Tensor::Scalar(1.0f), 1).message()),
              HasSubstr("one string"));
  EXPECT_THAT(std::string((*writer)->AddSummary("\x0a\xff no summary", 1).message()),
              HasSubstr("no serialized Summary"));
  EXPECT_TRUE((*writer)->Close().ok());
}

}  // namespace
}  // namespace summary
}  // namespace frontend
}  // namespace warpbeam
