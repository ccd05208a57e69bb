#include "examples/idx.h"

#include <zlib.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "absl/strings/match.h"
#include "graph/types/errors.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace examples {
namespace {

std::string TempPath(const std::string& name) { return testing::TempDir() + "/idx_test_" + name; }

std::string WritePlain(const std::string& name, const std::string& bytes) {
  const std::string path = TempPath(name);
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

std::string WriteGzip(const std::string& name, const std::string& bytes) {
  const std::string path = TempPath(name);
  gzFile file = gzopen(path.c_str(), "wb9");
  EXPECT_EQ(gzwrite(file, bytes.data(), bytes.size()), static_cast<int>(bytes.size()));
  EXPECT_EQ(gzclose(file), Z_OK);
  return path;
}

std::string ReadAll(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
}

std::string BigEndian(uint32_t v) {
  return {static_cast<char>(v >> 24), static_cast<char>(v >> 16), static_cast<char>(v >> 8),
          static_cast<char>(v)};
}

std::string Header(int type, const std::vector<uint32_t>& dims) {
  std::string header = {0, 0, static_cast<char>(type), static_cast<char>(dims.size())};
  for (uint32_t d : dims) header += BigEndian(d);
  return header;
}

// A 2x3 array, whole.
std::string Small() { return Header(8, {2, 3}) + "\1\2\3\4\5\xff"; }

TEST(IdxTest, ReadsPlainAndGzip) {
  for (const std::string& path : {WritePlain("plain", Small()), WriteGzip("gz", Small())}) {
    StatusOr<IdxArray> array = ReadIdx(path);
    ASSERT_TRUE(array.ok()) << array.status();
    EXPECT_EQ(array->dims, (std::vector<int64_t>{2, 3}));
    EXPECT_EQ(array->values, (std::vector<uint8_t>{1, 2, 3, 4, 5, 255}));
  }
}

TEST(IdxTest, EmptyDimensionGivesNoValues) {
  StatusOr<IdxArray> array = ReadIdx(WritePlain("empty", Header(8, {0, 0xffffffff})));
  ASSERT_TRUE(array.ok()) << array.status();
  EXPECT_TRUE(array->values.empty());
}

TEST(IdxTest, MissingFileNamesThePath) {
  const Status status = ReadIdx(TempPath("absent")).status();
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_TRUE(absl::StrContains(status.message(), "absent")) << status;
}

TEST(IdxTest, FolderIsRefused) { EXPECT_FALSE(ReadIdx(testing::TempDir()).ok()); }

TEST(IdxTest, TruncationAtEachByte) {
  const std::string whole = Small();
  for (size_t size = 0; size < whole.size(); ++size) {
    const Status status = ReadIdx(WritePlain("cut", whole.substr(0, size))).status();
    EXPECT_EQ(status.code(), StatusCode::kDataLoss) << size << ": " << status;
    EXPECT_TRUE(absl::StrContains(status.message(), "cut")) << status;
  }
}

TEST(IdxTest, CompressedTruncationAtEachByte) {
  const std::string whole = ReadAll(WriteGzip("whole.gz", Small()));
  for (size_t size = 0; size < whole.size(); ++size) {
    const Status status = ReadIdx(WritePlain("cut.gz", whole.substr(0, size))).status();
    EXPECT_FALSE(status.ok()) << size;
  }
}

TEST(IdxTest, CompressedBitFlipsNeverGiveOtherValues) {
  const std::string whole = ReadAll(WriteGzip("flip_whole.gz", Small()));
  for (size_t i = 0; i < whole.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = whole;
      flipped[i] ^= static_cast<char>(1 << bit);
      StatusOr<IdxArray> array = ReadIdx(WritePlain("flip.gz", flipped));
      if (array.ok()) {  // bytes of the gzip header that nothing depends on
        EXPECT_EQ(array->values, (std::vector<uint8_t>{1, 2, 3, 4, 5, 255})) << i << "," << bit;
      }
    }
  }
}

TEST(IdxTest, WrongMagic) {
  EXPECT_EQ(ReadIdx(WritePlain("magic", "\x89PNG\r\n")).status().code(), StatusCode::kDataLoss);
  EXPECT_EQ(ReadIdx(WritePlain("rank0", Header(8, {}))).status().code(), StatusCode::kDataLoss);
  EXPECT_EQ(ReadIdx(WritePlain("float", Header(0x0d, {1}) + "1234")).status().code(),
            StatusCode::kUnimplemented);
}

TEST(IdxTest, HostileSizes) {
  EXPECT_EQ(
      ReadIdx(WritePlain("huge", Header(8, {0xffffffff, 0xffffffff, 0xffffffff}))).status().code(),
      StatusCode::kResourceExhausted);
  // Within the limit, but not there: refused before the memory is taken.
  EXPECT_EQ(ReadIdx(WritePlain("absent_values", Header(8, {1 << 28}))).status().code(),
            StatusCode::kDataLoss);
  EXPECT_EQ(ReadIdx(WritePlain("limit", Small()), 5).status().code(),
            StatusCode::kResourceExhausted);
  std::string many_dims = {0, 0, 8, static_cast<char>(255)};
  for (int i = 0; i < 255; ++i) many_dims += BigEndian(0xffffffff);
  EXPECT_EQ(ReadIdx(WritePlain("dims", many_dims)).status().code(), StatusCode::kResourceExhausted);
}

TEST(IdxTest, TrailingBytes) {
  EXPECT_EQ(ReadIdx(WritePlain("trailing", Small() + "x")).status().code(), StatusCode::kDataLoss);
}

TEST(DigitsTest, PairsMustBelongTogether) {
  const std::string images = WritePlain("images", Header(8, {2, 1, 2}) + "\1\2\3\4");
  const std::string labels = WritePlain("labels", Header(8, {2}) + "\7\3");
  StatusOr<Digits> digits = ReadDigits(images, labels);
  ASSERT_TRUE(digits.ok()) << digits.status();
  EXPECT_EQ(digits->size(), 2);
  EXPECT_EQ(digits->pixels_per_image(), 2);
  EXPECT_EQ(digits->labels, (std::vector<uint8_t>{7, 3}));

  const std::string other = WritePlain("other", Header(8, {1}) + "\7");
  EXPECT_EQ(ReadDigits(images, other).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(ReadDigits(labels, labels).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(ReadDigits(images, images).status().code(), StatusCode::kInvalidArgument);
}

TEST(DigitsTest, ShippedDigits) {
  const std::string folder = "examples/data/";
  int64_t expected[] = {4000, 1000};
  int i = 0;
  for (const char* part : {"train", "test"}) {
    StatusOr<Digits> digits = ReadDigits(folder + part + "-images-idx3-ubyte.gz",
                                         folder + part + "-labels-idx1-ubyte.gz");
    ASSERT_TRUE(digits.ok()) << digits.status();
    EXPECT_EQ(digits->size(), expected[i]);
    EXPECT_EQ(digits->pixels_per_image(), 784);
    int64_t count[10] = {};
    for (uint8_t label : digits->labels) {
      ASSERT_LT(label, 10);
      ++count[label];
    }
    for (int64_t c : count) EXPECT_EQ(c, expected[i] / 10);
    ++i;
  }
}

}  // namespace
}  // namespace examples
}  // namespace warpbeam
