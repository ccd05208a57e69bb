#include <fstream>

#include "absl/strings/string_view.h"
#include "frontend/record/example.h"
#include "frontend/record/tf_record.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace {

std::string TempPath(const std::string& name) { return testing::TempDir() + "/" + name; }

// The bytes that TensorFlow 2.21 writes for this example.
TEST(ExampleTest, BytesAreTensorFlows) {
  const train::Example example({{"label", train::Int64Feature({7})},
                                {"image_raw", train::BytesFeature({std::string("\0\1\xff", 3)})}});
  const std::string image("\x0a\x14\x0a\x09image_raw\x12\x07\x0a\x05\x0a\x03\x00\x01\xff", 22);
  const std::string label("\x0a\x0e\x0a\x05label\x12\x05\x1a\x03\x0a\x01\x07", 16);
  EXPECT_EQ(example.SerializeToString(), "\x0a\x26" + image + label);
}

TEST(ExampleTest, ComesBack) {
  const train::Example example({{"a", train::Int64Feature({1, -2})},
                                {"b", train::FloatFeature({0.5f, 3})},
                                {"c", train::BytesFeature({"x", ""})},
                                {"d", train::Int64Feature({})}});
  const StatusOr<train::Example> back =
      train::Example::ParseFromString(example.SerializeToString());
  ASSERT_TRUE(back.ok()) << back.status();
  ASSERT_EQ(back->features().size(), 4u);
  for (const auto& entry : example.features()) {
    EXPECT_EQ(back->features().at(entry.first).values(), entry.second.values()) << entry.first;
  }
}

TEST(ExampleTest, RefusesOtherBytes) {
  EXPECT_EQ(train::Example::ParseFromString("\xff\xff").status().code(),
            StatusCode::kInvalidArgument);
}

TEST(TFRecordTest, RecordsComeBack) {
  for (const std::string compression : {"", "ZLIB", "GZIP"}) {
    const std::string path = TempPath("records" + compression);
    io::TFRecordWriter writer(path, compression);
    EXPECT_TRUE(writer.Write("one").ok());
    EXPECT_TRUE(writer.Write("").ok());
    EXPECT_TRUE(writer.Write(std::string(100000, 'x')).ok());
    ASSERT_TRUE(writer.Close().ok());
    const auto records = io::ReadTFRecords(path, compression);
    ASSERT_TRUE(records.ok()) << records.status();
    EXPECT_EQ(*records, (std::vector<std::string>{"one", "", std::string(100000, 'x')}));
  }
}

TEST(TFRecordTest, VisitorEndsTheReading) {
  const std::string path = TempPath("many");
  io::TFRecordWriter writer(path);
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(writer.Write(std::to_string(i)).ok());
  ASSERT_TRUE(writer.Close().ok());
  std::string seen;
  EXPECT_TRUE(io::ForEachTFRecord(path, [&](const std::string& record) {
                seen += record;
                return seen.size() < 3;
              }).ok());
  EXPECT_EQ(seen, "012");
}

TEST(TFRecordTest, ErrorsSayWhere) {
  io::TFRecordWriter nowhere("/no/such/folder/file");
  EXPECT_EQ(nowhere.Write("x").code(), StatusCode::kNotFound);
  EXPECT_EQ(nowhere.Close().code(), StatusCode::kNotFound);
  io::TFRecordWriter strange(TempPath("strange"), "LZ4");
  EXPECT_EQ(strange.Close().code(), StatusCode::kInvalidArgument);
  const std::string path = TempPath("damaged");
  std::ofstream(path) << "these are no records, whatever";
  const auto records = io::ReadTFRecords(path);
  EXPECT_EQ(records.status().code(), StatusCode::kDataLoss);
  EXPECT_NE(records.status().message().find(path), absl::string_view::npos);
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
