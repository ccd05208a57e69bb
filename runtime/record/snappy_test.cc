#include "runtime/record/snappy.h"

#include <cstdlib>
#include <random>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "runtime/record/compression.h"
#include "runtime/record/file.h"
#include "runtime/record/record_reader.h"

namespace warpbeam {
namespace {

std::string Path(const std::string& name) {
  const char* folder = std::getenv("TEST_TMPDIR");
  return absl::StrCat(folder == nullptr ? "." : folder, "/", name);
}

std::string Noise(size_t size, int symbols) {
  std::mt19937 random(static_cast<uint32_t>(size));
  std::string bytes(size, '\0');
  for (char& c : bytes) c = static_cast<char>(random() % symbols);
  return bytes;
}

TEST(SnappyTest, ThereAndBack) {
  for (const size_t size : {0, 1, 3, 4, 5, 59, 60, 61, 62, 255, 256, 257, 65535, 65536, 65537,
                            65600, 200000, 1000000}) {
    for (const int symbols : {1, 2, 7, 256}) {
      const std::string bytes = Noise(size, symbols);
      const std::string block = SnappyCompress(bytes);
      EXPECT_LE(block.size(), size + size / 6 + 32);
      auto back = SnappyUncompress(block);
      ASSERT_TRUE(back.ok()) << size << " bytes of " << symbols << ": " << back.status();
      EXPECT_EQ(*back, bytes) << size << " bytes of " << symbols;
    }
  }
  EXPECT_LT(SnappyCompress(std::string(100000, 'a')).size(), 6000);
}

TEST(SnappyTest, EveryElement) {
  // "abcd", then copies with offsets of 1, 2 and 4 bytes; a literal whose length is apart.
  const std::string block(
      "\x14\x0c"
      "abcd"
      "\x05\x01"
      "\x0a\x02\x00"
      "\x0b\x0c\x00\x00\x00"
      "\xf0\x04"
      "vwxyz",
      23);
  auto bytes = SnappyUncompress(block);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_EQ(*bytes, "abcdddddddddabcvwxyz");
}

TEST(SnappyTest, DamagedBlocks) {
  const std::string block = SnappyCompress(Noise(300, 3));
  for (size_t i = 0; i < block.size(); ++i) {
    EXPECT_EQ(SnappyUncompress(block.substr(0, i)).status().code(), StatusCode::kDataLoss);
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = block;
      flipped[i] ^= static_cast<char>(1 << bit);
      auto bytes = SnappyUncompress(flipped);
      EXPECT_TRUE(bytes.ok() || IsDataLoss(bytes.status())) << bytes.status();
    }
  }
  // A length of 4 GiB takes no memory.
  EXPECT_FALSE(SnappyUncompress("\xff\xff\xff\xff\x0f"
                                "a")
                   .ok());
  EXPECT_FALSE(SnappyUncompress("\xff\xff\xff\xff\xff\xff\xff\xff\x7f").ok());
}

// A file of a saved dataset that TensorFlow 2.21 has written: nine records.
constexpr char kTensorFlows[] =
    "0000008b8802040e00090124c5e5693f0809120022080910140000882b95ea110d40ff86240f080712002202"
    "01300c834ee8120d252c241f64250801120412020802193a0c8600a4a946580000010d340ca0bddf544a5800"
    "1031bb674fe65e580024803f000000405647d99346580000020d580c194f125f4a580010321a45a7465e5800"
    "2400400000804055f978bf";

TEST(SnappyTest, ReadsTensorFlowsFiles) {
  const std::string path = Path("snappy_stream"), file = absl::HexStringToBytes(kTensorFlows);
  ASSERT_EQ(file.size(), 143);
  ASSERT_TRUE(WriteStringToFile(path, file).ok());
  RecordReaderOptions options;
  options.compression = CompressionType::kSnappy;
  const auto read = [&](Status* status) {
    std::vector<std::string> records;
    auto reader = RecordReader::Open(path, options);
    EXPECT_TRUE(reader.ok()) << reader.status();
    absl::string_view record;
    for (;;) {
      auto more = (*reader)->Next(&record);
      *status = more.status();
      if (!more.ok() || !*more) return records;
      records.emplace_back(record);
    }
  };
  Status status;
  const std::vector<std::string> records = read(&status);
  EXPECT_TRUE(status.ok()) << status;
  ASSERT_EQ(records.size(), 9);
  EXPECT_EQ(records[4], "\x08\x07\x12" + std::string("\0\"\x02\x01"
                                                     "1",
                                                     5));
  for (size_t size = 1; size < file.size(); ++size) {
    ASSERT_TRUE(WriteStringToFile(path, file.substr(0, size)).ok());
    read(&status);
    EXPECT_EQ(status.code(), StatusCode::kDataLoss) << size << " bytes: " << status;
  }
}

TEST(SnappyTest, StreamsOfSeveralBlocks) {
  const std::string path = Path("blocks"), bytes = Noise(700000, 5);
  auto sink = CreateByteSink(path, CompressionType::kSnappy, {}, 1 << 16);
  ASSERT_TRUE(sink.ok()) << sink.status();
  for (size_t at = 0; at < bytes.size(); at += 70000) {
    ASSERT_TRUE((*sink)->Append(absl::string_view(bytes).substr(at, 70000)).ok());
  }
  ASSERT_TRUE((*sink)->Close().ok());
  auto source = OpenByteSource(path, CompressionType::kSnappy, 1 << 16);
  ASSERT_TRUE(source.ok()) << source.status();
  for (const int64_t from : {0, 650000, 300000}) {
    ASSERT_TRUE((*source)->Seek(from).ok());
    std::string got(1000, '\0');
    size_t done = 0;
    while (done < got.size()) {
      auto n = (*source)->Read(&got[done], got.size() - done);
      ASSERT_TRUE(n.ok() && *n > 0) << n.status();
      done += *n;
    }
    EXPECT_EQ(got, bytes.substr(from, 1000)) << from;
  }
}

}  // namespace
}  // namespace warpbeam
