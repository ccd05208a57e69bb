// CSVDataset on files as they come; what TensorFlow 2.21 reads of each.
#include <cstdlib>

#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "ops/data/dataset_testing.h"
#include "runtime/record/file.h"

namespace warpbeam {
namespace {

using namespace testing_data;  // NOLINT: the vocabulary of this test
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Code = StatusCode;

struct Csv {
  std::vector<std::string> files;  // their contents
  bool header = false, quotes = true;
  std::string delimiter = ",", na_value, compression;
  int64_t buffer_size = 4096;
  std::vector<int64_t> select, exclude;
  // An int32 that must be there, a float and a string with defaults.
  std::vector<Tensor> defaults = {Tensor::Vector<int32_t>({}), Tensor::Vector<float>({1.5f}),
                                  Tensor::Vector<std::string>({"d"})};

  StatusOr<Tensor> Make() const {
    std::vector<std::string> paths;
    for (const std::string& contents : files) {
      const char* folder = std::getenv("TEST_TMPDIR");
      paths.push_back(absl::StrCat(folder == nullptr ? "." : folder, "/csv", paths.size(), ".txt"));
      EXPECT_TRUE(WriteStringToFile(paths.back(), contents).ok());
    }
    return MakeOf(paths);
  }
  StatusOr<Tensor> MakeOf(const std::vector<std::string>& paths) const {
    std::vector<DType> types;
    for (const Tensor& t : defaults) types.push_back(t.dtype());
    OpRunner op("CSVDatasetV2");
    op.Attr("output_types", types);
    op.Attr("output_shapes", std::vector<PartialShape>(types.size(), PartialShape(Shape())));
    op.Input(Tensor::Vector<std::string>(MakeConstSpan(paths)));
    op.Input(Text(compression)).Input(Int(buffer_size)).Input(Tensor::Scalar<bool>(header));
    op.Input(Text(delimiter)).Input(Tensor::Scalar<bool>(quotes)).Input(Text(na_value));
    op.Input(Tensor::Vector<int64_t>(MakeConstSpan(select))).InputList(defaults);
    op.Input(Tensor::Vector<int64_t>(MakeConstSpan(exclude)));
    return op.RunOne();
  }
};

std::string Shown(const Tensor& t) {
  switch (t.dtype()) {
    case DType::kString:
      return t.scalar<std::string>();
    case DType::kInt32:
      return absl::StrCat(t.scalar<int32_t>());
    case DType::kInt64:
      return absl::StrCat(t.scalar<int64_t>());
    case DType::kFloat:
      return absl::StrCat(t.scalar<float>());
    default:
      return absl::StrCat(t.scalar<double>());
  }
}

// Records as "1|2.5|a", errors by their messages.
std::vector<std::string> Read(const StatusOr<Tensor>& dataset) {
  std::vector<std::string> records;
  Reader reader(Made(dataset));
  while (records.size() < 10) {
    if (reader.Next()) {
      records.push_back(absl::StrJoin(reader.element, "|", [](std::string* out, const Tensor& t) {
        absl::StrAppend(out, Shown(t));
      }));
    } else if (reader.status.ok()) {
      break;
    } else {
      records.emplace_back(reader.status.message());
    }
  }
  return records;
}
std::vector<std::string> Read(const char* contents) {
  Csv csv;
  csv.files = {contents};
  return Read(csv.Make());
}

constexpr char kUnclosed[] = "Reached end of file without closing quoted field in record";
constexpr char kQuoteInside[] = "Unquoted fields cannot have quotes inside";
constexpr char kMissing[] = "Field 0 is required but missing in record!";

TEST(CSVDatasetTest, LineEnds) {
  for (const char* text : {"1,2.5,a\n3,4,b\n", "1,2.5,a\n3,4,b", "1,2.5,a\r\n3,4,b",
                           "1,2.5,a\r3,4,b\r", "1,2.5,a\r\n3,4,b\r\n"}) {
    EXPECT_THAT(Read(text), ElementsAre("1|2.5|a", "3|4|b")) << text;
  }
  EXPECT_THAT(Read(""), IsEmpty());
  EXPECT_THAT(Read("1,2,"), ElementsAre("1|2|d"));
}

TEST(CSVDatasetTest, DefaultsAndErrorsOfOneRecord) {
  EXPECT_THAT(Read("1,,\n3,4,b\n"), ElementsAre("1|1.5|d", "3|4|b"));
  EXPECT_THAT(Read(",2,x\n3,4,b\n"), ElementsAre(kMissing, "3|4|b"));
  EXPECT_THAT(Read("1,2,a\n\n3,4,b\n"), ElementsAre("1|2|a", kMissing, "3|4|b"));
  EXPECT_THAT(Read("x,2,x\n3,4,b\n"),
              ElementsAre("Field 0 in record is not a valid int32: x", "3|4|b"));
  EXPECT_THAT(Read("1,2\n3,4,b\n"), ElementsAre("Expect 3 fields but have 2 in record", "3|4|b"));
  EXPECT_THAT(Read("1,2,a,9\n3,4,b\n"),
              ElementsAre("Expect 3 fields but have more in record", "3|4|b"));
}

TEST(CSVDatasetTest, Quotes) {
  EXPECT_THAT(Read("1,2,\"a,b\"\n3,4,\"q\"\"r\"\n5,6,\"multi\nline\"\n"),
              ElementsAre("1|2|a,b", "3|4|q\"r", "5|6|multi\nline"));
  EXPECT_THAT(Read("\"1\",\"2\",\"\""), ElementsAre("1|2|d"));
  EXPECT_THAT(Read("1,2,a\"b\n3,4,b\n"), ElementsAre(kQuoteInside, "3|4|b"));
  EXPECT_THAT(Read("1,2, \"a\"\n"), ElementsAre(kQuoteInside));
  EXPECT_THAT(Read("1,2,\"a\"b\n3,4,b\n"), ElementsAre(kUnclosed));
  EXPECT_THAT(Read("1,2,\"ab\n3,4,b\n"), ElementsAre(kUnclosed));
  Csv csv;
  csv.files = {"1,2,\"a\"b\n3,4,\"b\n"};
  csv.quotes = false;
  EXPECT_THAT(Read(csv.Make()), ElementsAre("1|2|\"a\"b", "3|4|\"b"));
}

TEST(CSVDatasetTest, HeadersAndSeveralFiles) {
  Csv csv;
  csv.header = true;
  csv.files = {"h1,h2,h3\n1,2,a\n", "h\r\n7,8,z\n"};
  EXPECT_THAT(Read(csv.Make()), ElementsAre("1|2|a", "7|8|z"));
  csv.files = {"", "h\n"};
  EXPECT_THAT(Read(csv.Make()), ElementsAre(HasSubstr("Can't read header of file")));
  csv.header = false;
  csv.files = {"1,2,a\nx,2,b\n5,6,\"c", "7,8,z\n"};
  EXPECT_THAT(Read(csv.Make()), ElementsAre("1|2|a", "Field 0 in record is not a valid int32: x",
                                            kUnclosed, "7|8|z"));
  EXPECT_THAT(Read(csv.MakeOf({"no_such_file.csv"})), ElementsAre(HasSubstr("no_such_file.csv")));
}

TEST(CSVDatasetTest, ColumnsSelectedAndLeftOut) {
  Csv csv;
  csv.files = {"1,2,a,9\n3,4,b,8\n"};
  csv.defaults = {Tensor::Vector<int32_t>({}), Tensor::Vector<std::string>({"d"})};
  csv.select = {0, 2};
  EXPECT_THAT(Read(csv.Make()), ElementsAre("1|a", "3|b"));
  csv.select = {0, 7};
  EXPECT_THAT(Read(csv.Make()), ElementsAre("Expect 2 fields but have 1 in record",
                                            "Expect 2 fields but have 1 in record"));
  csv.select = {};
  csv.exclude = {1, 3, 9};
  EXPECT_THAT(Read(csv.Make()), ElementsAre("1|a", "3|b"));
  for (const auto& [select, exclude] :
       std::vector<std::pair<std::vector<int64_t>, std::vector<int64_t>>>{
           {{2, 0}, {}}, {{0}, {}}, {{-1, 0}, {}}, {{0, 1}, {1}}, {{}, {1, 1}}}) {
    csv.select = select;
    csv.exclude = exclude;
    EXPECT_EQ(csv.Make().status().code(), Code::kInvalidArgument);
  }
}

TEST(CSVDatasetTest, TypesAndOtherWordsForNothing) {
  Csv csv;
  csv.files = {"1,9999999999,3e3,1e400,x\n1, 2 , 3 , 4 , y \n9999999999,1,1,1,\n"};
  csv.defaults = {Tensor::Vector<int32_t>({}), Tensor::Vector<int64_t>({}),
                  Tensor::Vector<float>({}), Tensor::Vector<double>({}),
                  Tensor::Vector<std::string>({})};
  EXPECT_THAT(Read(csv.Make()), ElementsAre("1|9999999999|3000|inf|x", "1|2|3|4| y ",
                                            "Field 0 in record is not a valid int32: 9999999999"));
  csv = Csv();
  csv.na_value = "NA";
  csv.files = {"1,NA,NA\n3,,b\n"};
  EXPECT_THAT(Read(csv.Make()), ElementsAre("1|1.5|d", "3|1.5|b"));
  csv.delimiter = "\t";
  csv.files = {"1\t2\ta,b\n"};
  csv.buffer_size = 1;
  EXPECT_THAT(Read(csv.Make()), ElementsAre("1|2|a,b"));
}

TEST(CSVDatasetTest, RefusesWhatItCannotUse) {
  Csv csv;
  const auto code = [&csv] { return csv.MakeOf({}).status().code(); };
  EXPECT_EQ(code(), Code::kOk);
  for (const char* delimiter : {"", "ab"}) {
    csv.delimiter = delimiter;
    EXPECT_EQ(code(), Code::kInvalidArgument);
  }
  csv = Csv();
  csv.buffer_size = 0;
  EXPECT_EQ(code(), Code::kInvalidArgument);
  csv = Csv();
  csv.compression = "FOO";
  EXPECT_EQ(code(), Code::kInvalidArgument);
  csv = Csv();
  csv.defaults[1] = Tensor::Vector<float>({1, 2});
  EXPECT_EQ(code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace warpbeam
