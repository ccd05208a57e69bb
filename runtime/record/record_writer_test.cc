#include "runtime/record/record_writer.h"

#include <random>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "runtime/record/file.h"
#include "runtime/record/record_reader.h"

namespace warpbeam {
namespace {

std::string WriterPath(const std::string& name) {
  return testing::TempDir() + "/record_writer_test_" + name;
}

std::vector<std::string> ReadBack(const std::string& path, CompressionType compression) {
  RecordReaderOptions options;
  options.compression = compression;
  auto reader = RecordReader::Open(path, options).value();
  std::vector<std::string> records;
  absl::string_view record;
  while (reader->Next(&record).value()) records.emplace_back(record);
  return records;
}

TEST(RecordWriterTest, RoundTripsOfAllSizesAndBuffers) {
  std::mt19937 random(3);
  std::vector<std::string> records;
  for (int size : {0, 1, 11, 12, 13, 100, 1000, 65535, 65536, 300000, 3}) {
    std::string record(size, '\0');
    for (char& c : record) c = static_cast<char>(random());
    records.push_back(record);
  }
  for (CompressionType compression :
       {CompressionType::kNone, CompressionType::kZlib, CompressionType::kGzip}) {
    for (size_t buffer_bytes : {0, 1, 100, 1 << 16}) {
      const std::string path = WriterPath("round");
      RecordWriterOptions options;
      options.compression = compression;
      options.buffer_bytes = buffer_bytes;
      auto writer = RecordWriter::Create(path, options).value();
      for (const std::string& record : records) ASSERT_TRUE(writer->Write(record).ok());
      EXPECT_EQ(writer->records_written(), static_cast<int64_t>(records.size()));
      ASSERT_TRUE(writer->Close().ok());
      EXPECT_EQ(ReadBack(path, compression), records);
    }
  }
}

TEST(RecordWriterTest, DestructorCloses) {
  for (CompressionType compression : {CompressionType::kNone, CompressionType::kGzip}) {
    const std::string path = WriterPath("destructor");
    RecordWriterOptions options;
    options.compression = compression;
    {
      auto writer = RecordWriter::Create(path, options).value();
      ASSERT_TRUE(writer->Write("one").ok());
    }
    EXPECT_EQ(ReadBack(path, compression), std::vector<std::string>{"one"});
  }
}

TEST(RecordWriterTest, FlushMakesCompressedRecordsReadable) {
  const std::string path = WriterPath("flush");
  RecordWriterOptions options;
  options.compression = CompressionType::kZlib;
  auto writer = RecordWriter::Create(path, options).value();
  ASSERT_TRUE(writer->Write("one").ok());
  ASSERT_TRUE(writer->Flush().ok());
  ASSERT_TRUE(writer->Flush().ok());
  RecordReaderOptions reader_options;
  reader_options.compression = CompressionType::kZlib;
  auto reader = RecordReader::Open(path, reader_options).value();
  absl::string_view record;
  ASSERT_TRUE(reader->Next(&record).value());
  EXPECT_EQ(record, "one");
  ASSERT_TRUE(writer->Write("two").ok());
  ASSERT_TRUE(writer->Close().ok());
  EXPECT_EQ(ReadBack(path, CompressionType::kZlib), (std::vector<std::string>{"one", "two"}));
}

TEST(RecordWriterTest, ClosedWriterRefuses) {
  auto writer = RecordWriter::Create(WriterPath("closed")).value();
  ASSERT_TRUE(writer->Close().ok());
  EXPECT_TRUE(writer->Close().ok());
  EXPECT_EQ(writer->Write("x").code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(writer->Flush().code(), StatusCode::kFailedPrecondition);
}

TEST(RecordWriterTest, FullDiskIsReportedAndStays) {
  for (CompressionType compression : {CompressionType::kNone, CompressionType::kGzip}) {
    RecordWriterOptions options;
    options.compression = compression;
    auto writer = RecordWriter::Create("/dev/full", options);
    if (!writer.ok()) GTEST_SKIP() << "no /dev/full here";
    ASSERT_TRUE((*writer)->Write("one").ok());  // gathered, not yet written
    const Status status = (*writer)->Flush();
    EXPECT_EQ(status.code(), StatusCode::kResourceExhausted) << status;
    EXPECT_TRUE(absl::StrContains(status.message(), "/dev/full")) << status;
    EXPECT_EQ((*writer)->Write("two"), status);
    EXPECT_EQ((*writer)->Close(), status);
  }
}

TEST(RecordWriterTest, BadOptionsLeaveTheFileAlone) {
  const std::string path = WriterPath("kept");
  ASSERT_TRUE(WriteStringToFile(path, "precious").ok());
  RecordWriterOptions options;
  options.compression = CompressionType::kZlib;
  options.deflate.level = 17;
  const Status status = RecordWriter::Create(path, options).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(absl::StrContains(status.message(), "level 17")) << status;
  EXPECT_EQ(ReadFileToString(path).value(), "precious");
}

TEST(CompressionTest, Names) {
  EXPECT_EQ(ParseCompressionType("").value(), CompressionType::kNone);
  EXPECT_EQ(ParseCompressionType("ZLIB").value(), CompressionType::kZlib);
  EXPECT_EQ(ParseCompressionType("GZIP").value(), CompressionType::kGzip);
  EXPECT_EQ(ParseCompressionType("SNAPPY").value(), CompressionType::kSnappy);
  const Status status = ParseCompressionType("zip").status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(absl::StrContains(status.message(), "'zip'")) << status;
}

}  // namespace
}  // namespace warpbeam
