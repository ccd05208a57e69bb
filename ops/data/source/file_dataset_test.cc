#include "ops/data/source/file_dataset.h"

#include <cstdlib>

#include "absl/strings/escaping.h"
#include "gmock/gmock.h"
#include "ops/data/dataset_testing.h"
#include "runtime/record/file.h"
#include "runtime/record/record_writer.h"

namespace warpbeam {
namespace {

using namespace testing_data;  // NOLINT: the vocabulary of this test
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Code = StatusCode;

std::string Path(const std::string& name) {
  const char* folder = std::getenv("TEST_TMPDIR");
  return absl::StrCat(folder == nullptr ? "." : folder, "/", name);
}

std::string WriteFile(const std::string& name, const std::string& bytes) {
  const std::string path = Path(name);
  EXPECT_TRUE(WriteStringToFile(path, bytes).ok());
  return path;
}

std::string WriteRecords(const std::string& name, const std::vector<std::string>& records) {
  const std::string path = Path(name);
  auto writer = RecordWriter::Create(path);
  EXPECT_TRUE(writer.ok()) << writer.status();
  for (const std::string& r : records) EXPECT_TRUE((*writer)->Write(r).ok());
  EXPECT_TRUE((*writer)->Close().ok());
  return path;
}

OpRunner Files(const char* op, std::vector<std::string> paths) {
  OpRunner runner(op);
  runner.Input(Tensor::Vector<std::string>(paths));
  return runner;
}

Tensor Records(std::vector<std::string> paths) {
  return Made(Files("TFRecordDataset", std::move(paths)).Input(Text("")).Input(Int(0)).RunOne());
}

// Strings until the end; an error is a string too, and reading goes on behind it.
std::vector<std::string> ReadAll(const Tensor& dataset) {
  std::vector<std::string> values;
  Reader reader(dataset);
  for (;;) {
    if (reader.Next()) {
      values.push_back(reader.element[0].scalar<std::string>());
    } else if (reader.status.ok() || values.size() > 20) {
      return values;
    } else {
      values.push_back(reader.status.ToString());
    }
  }
}

TEST(FileDatasetTest, RecordsOfSeveralFiles) {
  const std::string a = WriteRecords("a", {"1", "22", ""});
  const std::string b = WriteRecords("b", {});
  const std::string c = WriteRecords("c", {std::string(300000, 'x')});
  EXPECT_THAT(ReadAll(Records({a, b, c})), ElementsAre("1", "22", "", std::string(300000, 'x')));
  EXPECT_THAT(ReadAll(Records({})), IsEmpty());
}

// What TensorFlow 2.21 writes for "abc" and a longer text with the compression "SNAPPY".
TEST(FileDatasetTest, SnappyRecords) {
  const std::string path = WriteFile(
      "snappy", absl::HexStringToBytes("000000285504030009012cb099490e6162636e57f121320912240024195"
                                       "6ec6465666768b205000c927fba72"));
  const Tensor dataset =
      Made(Files("TFRecordDataset", {path}).Input(Text("SNAPPY")).Input(Int(0)).RunOne());
  EXPECT_THAT(ReadAll(dataset),
              ElementsAre("abc", "defghdefghdefghdefghdefghdefghdefghdefghdefghdefgh"));
}

TEST(FileDatasetTest, RecordsFromAnOffset) {
  const std::string path = WriteRecords("offset", {"abc", "def"});
  const Tensor dataset = Made(Files("TFRecordDatasetV2", {path})
                                  .Input(Text(""))
                                  .Input(Int(0))
                                  .Input(Tensor::Vector<int64_t>({12 + 3 + 4}))
                                  .RunOne());
  EXPECT_THAT(ReadAll(dataset), ElementsAre("def"));
}

TEST(FileDatasetTest, AMissingFileIsNotFoundAndTheNextOneIsRead) {
  const std::string there = WriteRecords("there", {"x"});
  EXPECT_THAT(ReadAll(Records({Path("missing"), there})),
              ElementsAre(AllOf(HasSubstr("NOT_FOUND"), HasSubstr("missing")), "x"));
}

TEST(FileDatasetTest, EveryTruncationAndEveryFlippedBitIsDataLoss) {
  const std::string whole = WriteRecords("whole", {"some record", "another"});
  const std::string bytes = *ReadFileToString(whole);
  const size_t second = 12 + 11 + 4;
  for (size_t size = 1; size < bytes.size(); ++size) {
    if (size == second) continue;  // the end of the first record is a fine end
    const std::string path = WriteFile("truncated", bytes.substr(0, size));
    const auto values = ReadAll(Records({path}));
    ASSERT_FALSE(values.empty());
    EXPECT_THAT(values.back(), AllOf(HasSubstr("DATA_LOSS"), HasSubstr(path))) << size;
  }
  for (size_t bit = 0; bit < bytes.size() * 8; bit += 3) {
    std::string damaged = bytes;
    damaged[bit / 8] ^= static_cast<char>(1 << (bit % 8));
    const std::string path = WriteFile("flipped", damaged);
    const auto values = ReadAll(Records({path}));
    const size_t at = bit / 8 < second ? 0 : 1;
    ASSERT_EQ(values.size(), at + 1) << bit;
    EXPECT_THAT(values.back(), AllOf(HasSubstr("DATA_LOSS"), HasSubstr(path), HasSubstr("offset")));
  }
}

TEST(FileDatasetTest, LinesWithEveryKindOfEnd) {
  const std::string path = WriteFile("lines", "one\r\n\ntwo\nlast");
  const Tensor lines =
      Made(Files("TextLineDataset", {path}).Input(Text("")).Input(Int(0)).RunOne());
  EXPECT_THAT(ReadAll(lines), ElementsAre("one", "", "two", "last"));
}

TEST(FileDatasetTest, RecordsOfOneLength) {
  const auto read = [](const std::string& path, int64_t header, int64_t record, int64_t footer) {
    return ReadAll(Made(Files("FixedLengthRecordDatasetV2", {path})
                            .Input(Int(header))
                            .Input(Int(record))
                            .Input(Int(footer))
                            .Input(Int(0))
                            .Input(Text(""))
                            .RunOne()));
  };
  const std::string path = WriteFile("fixed", "HHaaabbbcccF");
  EXPECT_THAT(read(path, 2, 3, 1), ElementsAre("aaa", "bbb", "ccc"));
  EXPECT_THAT(read(path, 0, 12, 0), ElementsAre("HHaaabbbcccF"));
  EXPECT_THAT(read(path, 0, 5, 0), ElementsAre(HasSubstr("INVALID_ARGUMENT")));
}

}  // namespace
}  // namespace warpbeam
