#include "runtime/record/record_reader.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "runtime/record/crc32c.h"
#include "runtime/record/file.h"
#include "runtime/record/record_format.h"
#include "runtime/record/record_writer.h"

namespace warpbeam {
namespace {

using Records = std::vector<std::string>;

constexpr CompressionType kAllCompressions[] = {CompressionType::kNone, CompressionType::kZlib,
                                                CompressionType::kGzip};

std::string TempPath(const std::string& name) {
  return testing::TempDir() + "/record_reader_test_" + name;
}

RecordReaderOptions ReaderOptions(CompressionType compression, size_t readahead_bytes) {
  RecordReaderOptions options;
  options.compression = compression;
  options.readahead_bytes = readahead_bytes;
  return options;
}

// Appends records to *records until the end or the first error, which is returned.
Status ReadRecords(const std::string& path, const RecordReaderOptions& options, Records* records) {
  StatusOr<std::unique_ptr<RecordReader>> reader = RecordReader::Open(path, options);
  if (!reader.ok()) return reader.status();
  absl::string_view record;
  for (;;) {
    const StatusOr<bool> more = (*reader)->Next(&record);
    if (!more.ok()) {
      // The error stays.
      EXPECT_EQ((*reader)->Next(&record).status(), more.status());
      return more.status();
    }
    if (!*more) return OkStatus();
    records->emplace_back(record);
  }
}

std::string FileWith(const std::string& name, const Records& records,
                     CompressionType compression = CompressionType::kNone) {
  const std::string path = TempPath(name);
  RecordWriterOptions options;
  options.compression = compression;
  auto writer = RecordWriter::Create(path, options).value();
  for (const std::string& record : records) EXPECT_TRUE(writer->Write(record).ok());
  EXPECT_TRUE(writer->Close().ok());
  return path;
}

// Whether `part` holds the first records of `whole` and nothing else.
bool IsPrefix(const Records& part, const Records& whole) {
  return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin());
}

std::string Bytes(std::initializer_list<int> values) {
  std::string bytes;
  for (int v : values) bytes += static_cast<char>(v);
  return bytes;
}

Records GoldenRecords() {
  std::string ascending;
  for (int i = 0; i < 40; ++i) ascending += static_cast<char>(i);
  return {"", "warpbeam", std::string(300, 'x'), ascending};
}

// What tf.io.TFRecordWriter of TensorFlow 2.21 writes for GoldenRecords().
std::string GoldenPlain() {
  return Bytes({0, 0, 0, 0, 0, 0, 0, 0, 0x29, 0x03, 0x98, 0x07, 0xd8, 0xea, 0x82, 0xa2,  //
                8, 0, 0, 0, 0, 0, 0, 0, 0xff, 0x86, 0x24, 0x0f}) +
         "warpbeam" +
         Bytes({0x6b, 0xc0, 0xd9, 0xdb,  //
                0x2c, 1, 0, 0, 0, 0, 0, 0, 0xf2, 0xfe, 0x5b, 0x9d}) +
         std::string(300, 'x') +
         Bytes({0xcd, 0x82, 0x94, 0x21,  //
                0x28, 0, 0, 0, 0, 0, 0, 0, 0xff, 0x70, 0x16, 0x4a}) +
         GoldenRecords()[3] + Bytes({0x75, 0x11, 0x89, 0x83});
}

std::string GoldenDeflated() {
  return Bytes({0x63, 0x60, 0x80, 0x00, 0x4d, 0xe6, 0x19, 0xec, 0x37, 0x5e, 0x35, 0x2d, 0xe2,
                0x80, 0xf2, 0xff, 0xb7, 0xa9, 0xf0, 0x97, 0x27, 0x16, 0x15, 0x24, 0xa5, 0x26,
                0xe6, 0x66, 0x1f, 0xb8, 0x79, 0x5b, 0x87, 0x11, 0x22, 0xfe, 0xe9, 0x5f, 0xf4,
                0xdc, 0x8a, 0x51, 0x40, 0x34, 0x38, 0xdb, 0x34, 0x45, 0x51, 0x03, 0x16, 0xa6,
                0x05, 0x62, 0x5e, 0x0c, 0x8c, 0x4c, 0xcc, 0x2c, 0xac, 0x6c, 0xec, 0x1c, 0x9c,
                0x5c, 0xdc, 0x3c, 0xbc, 0x7c, 0xfc, 0x02, 0x82, 0x42, 0xc2, 0x22, 0xa2, 0x62,
                0xe2, 0x12, 0x92, 0x52, 0xd2, 0x32, 0xb2, 0x72, 0xf2, 0x0a, 0x8a, 0x4a, 0xca,
                0x2a, 0xaa, 0x6a, 0xea, 0xa5, 0x82, 0x9d, 0xcd, 0x00});
}

std::string GoldenZlib() {
  return Bytes({0x78, 0x9c}) + GoldenDeflated() + Bytes({0x9f, 0xf6, 0xa3, 0xee});
}

std::string GoldenGzip() {
  return Bytes({0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3}) + GoldenDeflated() +
         Bytes({0x3b, 0xcf, 0x07, 0x19, 0x9c, 0x01, 0, 0});
}

TEST(RecordReaderTest, ReadsWhatTensorFlowWrote) {
  const std::string golden[] = {GoldenPlain(), GoldenZlib(), GoldenGzip()};
  for (int i = 0; i < 3; ++i) {
    const std::string path = TempPath("golden");
    ASSERT_TRUE(WriteStringToFile(path, golden[i]).ok());
    for (size_t readahead : {0, 1, 13, 64, 1 << 18}) {
      Records records;
      ASSERT_TRUE(ReadRecords(path, ReaderOptions(kAllCompressions[i], readahead), &records).ok());
      EXPECT_EQ(records, GoldenRecords()) << i << " readahead " << readahead;
    }
  }
}

TEST(RecordReaderTest, WriterWritesTensorFlowsBytes) {
  EXPECT_EQ(ReadFileToString(FileWith("same", GoldenRecords())).value(), GoldenPlain());
}

TEST(RecordReaderTest, EmptyFilesHoldNoRecords) {
  for (CompressionType compression : kAllCompressions) {
    Records records;
    EXPECT_TRUE(
        ReadRecords(FileWith("none", {}, compression), ReaderOptions(compression, 100), &records)
            .ok());
    const std::string path = TempPath("zero_bytes");
    ASSERT_TRUE(WriteStringToFile(path, "").ok());
    EXPECT_TRUE(ReadRecords(path, ReaderOptions(compression, 100), &records).ok());
    EXPECT_TRUE(records.empty());
  }
}

TEST(RecordReaderTest, TruncationAtEachByte) {
  const Records whole = {"first", "", "third record", "4"};
  for (CompressionType compression : kAllCompressions) {
    const std::string bytes = ReadFileToString(FileWith("cut_whole", whole, compression)).value();
    const std::string path = TempPath("cut");
    for (size_t size = 1; size < bytes.size(); ++size) {
      ASSERT_TRUE(WriteStringToFile(path, bytes.substr(0, size)).ok());
      Records records;
      const Status status = ReadRecords(path, ReaderOptions(compression, 64), &records);
      EXPECT_TRUE(IsPrefix(records, whole));
      size_t boundary = 0;  // where the records that were read end
      for (const std::string& record : records) boundary += 16 + record.size();
      if (compression == CompressionType::kNone && boundary == size) {
        // Cut between two records it is just a shorter file.
        EXPECT_TRUE(status.ok()) << status;
      } else {
        ASSERT_EQ(status.code(), StatusCode::kDataLoss) << size << ": " << status;
        EXPECT_TRUE(absl::StrContains(status.message(), path)) << status;
        EXPECT_TRUE(absl::StrContains(status.message(), "truncated")) << status;
        if (compression == CompressionType::kNone) {
          EXPECT_TRUE(absl::StrContains(status.message(), absl::StrCat("record ", records.size())));
          EXPECT_TRUE(absl::StrContains(status.message(), absl::StrCat("offset ", boundary)));
        }
      }
    }
  }
}

TEST(RecordReaderTest, EachFlippedBitIsFound) {
  const Records whole = {"first", "", "third record"};
  for (CompressionType compression : kAllCompressions) {
    const std::string bytes = ReadFileToString(FileWith("flip_whole", whole, compression)).value();
    const std::string path = TempPath("flip");
    for (size_t i = 0; i < bytes.size() * 8; ++i) {
      std::string flipped = bytes;
      flipped[i / 8] ^= static_cast<char>(1 << i % 8);
      ASSERT_TRUE(WriteStringToFile(path, flipped).ok());
      Records records;
      const Status status = ReadRecords(path, ReaderOptions(compression, 64), &records);
      EXPECT_TRUE(IsPrefix(records, whole)) << i;
      if (status.ok()) {
        // Nothing depends on some bits: the flags, time and system of gzip's header, and those that
        // fill up the last byte of the compressed data.
        const size_t trailer_bytes = compression == CompressionType::kGzip ? 8 : 4;
        const bool in_gzip_header = compression == CompressionType::kGzip && i / 8 < 10;
        const bool in_last_byte =
            compression != CompressionType::kNone && i / 8 == bytes.size() - trailer_bytes - 1;
        EXPECT_TRUE(in_gzip_header || in_last_byte) << i;
        EXPECT_EQ(records, whole) << i;
      } else {
        EXPECT_EQ(status.code(), StatusCode::kDataLoss) << i << ": " << status;
        EXPECT_TRUE(absl::StrContains(status.message(), path)) << status;
      }
    }
  }
}

// A header with a true checksum that claims `length` bytes, then `rest`.
std::string Claim(uint64_t length, const std::string& rest) {
  std::string bytes(kRecordHeaderBytes, '\0');
  StoreLittle64(length, &bytes[0]);
  StoreLittle32(MaskCrc32c(Crc32c(bytes.data(), kRecordLengthBytes)), &bytes[kRecordLengthBytes]);
  return bytes + rest;
}

// As it stands, or compressed.
std::string FileOfBytes(const std::string& bytes, CompressionType compression) {
  const std::string path = TempPath("bytes");
  auto sink = CreateByteSink(path, compression, DeflateOptions(), 1000).value();
  EXPECT_TRUE(sink->Append(bytes).ok());
  EXPECT_TRUE(sink->Close().ok());
  return path;
}

TEST(RecordReaderTest, HostileLengths) {
  for (CompressionType compression : kAllCompressions) {
    for (uint64_t length : {uint64_t{5}, uint64_t{1} << 30, (uint64_t{1} << 31) + 1,
                            uint64_t{1} << 62, ~uint64_t{0}, ~uint64_t{0} - 15}) {
      for (uint64_t limit : {uint64_t{1} << 31, ~uint64_t{0}}) {
        RecordReaderOptions options = ReaderOptions(compression, 100);
        options.max_record_bytes = limit;
        Records records;
        const Status status =
            ReadRecords(FileOfBytes(Claim(length, "12345678"), compression), options, &records);
        EXPECT_EQ(status.code(), StatusCode::kDataLoss) << length << ": " << status;
        EXPECT_TRUE(absl::StrContains(status.message(), "record 0 at offset 0")) << status;
        EXPECT_TRUE(records.empty());
      }
    }
  }
}

TEST(RecordReaderTest, LimitOnRecordsIsTheCallers) {
  const std::string path = FileWith("limit", {"1234", "12345"});
  RecordReaderOptions options;
  options.max_record_bytes = 4;
  Records records;
  EXPECT_EQ(ReadRecords(path, options, &records).code(), StatusCode::kDataLoss);
  EXPECT_EQ(records, Records{"1234"});
}

TEST(RecordReaderTest, RecordsLongerThanTheReadahead) {
  Records whole;
  for (int i = 0; i < 20; ++i) whole.push_back(std::string(i * i * 1000, static_cast<char>(i)));
  for (CompressionType compression : kAllCompressions) {
    const std::string path = FileWith("long", whole, compression);
    for (size_t readahead : {1, 1000, 1 << 20}) {
      Records records;
      const Status status = ReadRecords(path, ReaderOptions(compression, readahead), &records);
      EXPECT_TRUE(status.ok()) << status;
      EXPECT_EQ(records, whole);
    }
  }
}

TEST(RecordReaderTest, ViewHoldsUntilTheNextCall) {
  const std::string path = FileWith("view", {"one", "two"});
  auto reader = RecordReader::Open(path).value();
  absl::string_view record;
  ASSERT_TRUE(reader->Next(&record).value());
  EXPECT_EQ(record, "one");
  const char* first = record.data();
  ASSERT_TRUE(reader->Next(&record).value());
  EXPECT_EQ(record, "two");
  // No copy: the second record lies behind the first one, a footer and a header further on.
  EXPECT_EQ(record.data(), first + 3 + kRecordFooterBytes + kRecordHeaderBytes);
}

TEST(RecordReaderTest, SeekGoesOnWhereOffsetSaid) {
  const Records whole = {"zero", std::string(5000, 'a'), "", "three"};
  for (CompressionType compression : kAllCompressions) {
    auto reader =
        RecordReader::Open(FileWith("seek", whole, compression), ReaderOptions(compression, 100))
            .value();
    std::vector<int64_t> offsets;
    absl::string_view record;
    do {
      offsets.push_back(reader->offset());
    } while (reader->Next(&record).value());
    ASSERT_EQ(offsets.size(), whole.size() + 1);
    for (int i : {2, 0, 3, 1}) {
      ASSERT_TRUE(reader->Seek(offsets[i]).ok());
      ASSERT_TRUE(reader->Next(&record).value());
      EXPECT_EQ(record, whole[i]);
      EXPECT_EQ(reader->offset(), offsets[i + 1]);
      EXPECT_EQ(reader->records_read(), 1);
    }
    ASSERT_TRUE(reader->Seek(offsets[1] + 1).ok());
    EXPECT_EQ(reader->Next(&record).status().code(), StatusCode::kDataLoss);
    ASSERT_TRUE(reader->Seek(offsets[1]).ok());
    EXPECT_TRUE(reader->Next(&record).value());
    EXPECT_GT(reader->bytes_read(), 0);
  }
}

TEST(RecordReaderTest, GrowingFileGoesOn) {
  const std::string path = TempPath("growing");
  auto writer = RecordWriter::Create(path).value();
  ASSERT_TRUE(writer->Write("one").ok());
  ASSERT_TRUE(writer->Flush().ok());
  auto reader = RecordReader::Open(path).value();
  absl::string_view record;
  ASSERT_TRUE(reader->Next(&record).value());
  EXPECT_FALSE(reader->Next(&record).value());
  ASSERT_TRUE(writer->Write("two").ok());
  ASSERT_TRUE(writer->Flush().ok());
  ASSERT_TRUE(reader->Next(&record).value());
  EXPECT_EQ(record, "two");
  EXPECT_FALSE(reader->Next(&record).value());
}

TEST(RecordReaderTest, ConcatenatedGzipFiles) {
  const std::string one =
      ReadFileToString(FileWith("a", {"1", "2"}, CompressionType::kGzip)).value();
  const std::string two = ReadFileToString(FileWith("b", {"3"}, CompressionType::kGzip)).value();
  const std::string path = TempPath("both");
  ASSERT_TRUE(WriteStringToFile(path, one + two).ok());
  Records records;
  ASSERT_TRUE(ReadRecords(path, ReaderOptions(CompressionType::kGzip, 7), &records).ok());
  EXPECT_EQ(records, (Records{"1", "2", "3"}));
}

TEST(RecordReaderTest, WrongCompressionIsGuessed) {
  Records records;
  Status status = ReadRecords(FileWith("gz", {"1"}, CompressionType::kGzip), {}, &records);
  EXPECT_EQ(status.code(), StatusCode::kDataLoss);
  EXPECT_TRUE(absl::StrContains(status.message(), "GZIP")) << status;
  status = ReadRecords(FileWith("zl", {"1"}, CompressionType::kZlib), {}, &records);
  EXPECT_TRUE(absl::StrContains(status.message(), "ZLIB")) << status;
  status =
      ReadRecords(FileWith("plain", {"1"}), ReaderOptions(CompressionType::kGzip, 10), &records);
  EXPECT_EQ(status.code(), StatusCode::kDataLoss);
}

TEST(RecordReaderTest, MissingFile) {
  const Status status = RecordReader::Open(TempPath("absent")).status();
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_TRUE(absl::StrContains(status.message(), "absent"));
}

}  // namespace
}  // namespace warpbeam
