#include "tools/cli/npy.h"

#include <filesystem>

#include "frontend/npy/npy.h"
#include "gmock/gmock.h"
#include "graph/types/attr_value.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace cli {
namespace {

using frontend::FormatNpy;
using frontend::ParseNpy;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Files that NumPy wrote.
StatusOr<Tensor> ReadTestdata(const std::string& name) {
  return ReadNpy("tools/cli/testdata/" + name);
}

TEST(NpyTest, ReadsWhatNumpyWrote) {
  auto t = ReadTestdata("float_2x3.npy");
  ASSERT_TRUE(t.ok()) << t.status();
  EXPECT_EQ(t->ToString(), "float[2,3] 0 1 2 3 4 5");
  t = ReadTestdata("fortran_2x3.npy");
  ASSERT_TRUE(t.ok()) << t.status();
  EXPECT_EQ(t->ToString(), "int64[2,3] 0 1 2 3 4 5");
  t = ReadTestdata("scalar.npy");
  ASSERT_TRUE(t.ok()) << t.status();
  EXPECT_EQ(t->ToString(), "double[] 2.5");
  t = ReadTestdata("words.npy");
  ASSERT_TRUE(t.ok()) << t.status();
  EXPECT_THAT(t->flat<std::string>(), ElementsAre("a", "h\xc3\xa9\xce\xbb\xf0\x9f\x98\x80"));
}

template <typename T>
void ExpectRoundTrip(std::initializer_list<T> values) {
  const Tensor t = Tensor::Vector<T>(values);
  const auto bytes = FormatNpy(t);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const auto back = ParseNpy(*bytes);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(AttrValue(*back), AttrValue(t)) << back->ToString();
}

TEST(NpyTest, RoundTrips) {
  ExpectRoundTrip<float>({1.5f, -2});
  ExpectRoundTrip<double>({1.5});
  ExpectRoundTrip<int8_t>({-1});
  ExpectRoundTrip<uint8_t>({200});
  ExpectRoundTrip<int16_t>({-300});
  ExpectRoundTrip<uint16_t>({60000});
  ExpectRoundTrip<int32_t>({1, 2, 3});
  ExpectRoundTrip<uint32_t>({4000000000u});
  ExpectRoundTrip<int64_t>({int64_t{1} << 40});
  ExpectRoundTrip<uint64_t>({uint64_t{1} << 63});
  ExpectRoundTrip<bool>({true, false});
  ExpectRoundTrip<std::complex<float>>({{1, 2}});
  ExpectRoundTrip<std::complex<double>>({{1, 2}});
  ExpectRoundTrip<Half>({Half(1.5f)});
  ExpectRoundTrip<std::string>({"abc", "", "de"});
}

TEST(NpyTest, ShapesOfEveryRank) {
  for (const Shape& shape : {Shape(), Shape({0}), Shape({5}), Shape({2, 0, 3}), Shape({1, 2, 3})}) {
    auto t = Tensor::Allocate(DType::kUInt8, shape);
    ASSERT_TRUE(t.ok());
    for (uint8_t& v : t->flat<uint8_t>()) v = 7;
    const auto bytes = FormatNpy(*t);
    ASSERT_TRUE(bytes.ok());
    EXPECT_EQ((bytes->size() - t->bytes()) % 64, 0u);
    const auto back = ParseNpy(*bytes);
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(back->shape(), shape);
  }
}

TEST(NpyTest, BFloat16IsWrittenAsFloat) {
  const auto bytes = FormatNpy(Tensor::Scalar(BFloat16(1.5f)));
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(ParseNpy(*bytes)->ToString(), "float[] 1.5");
}

TEST(NpyTest, SaysWhatIsWrong) {
  EXPECT_EQ(ReadTestdata("nothing.npy").status().code(), StatusCode::kNotFound);
  EXPECT_THAT(std::string(ReadTestdata("big_endian.npy").status().message()),
              HasSubstr("big-endian"));
  EXPECT_THAT(std::string(ParseNpy("PK").status().message()), HasSubstr("not a .npy file"));
  const std::string whole = *FormatNpy(Tensor::Vector<double>({1, 2, 3}));
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(ParseNpy(whole.substr(0, size)).ok()) << size;
  }
  EXPECT_THAT(std::string(ParseNpy(whole.substr(0, whole.size() - 1)).status().message()),
              HasSubstr("[3] elements of 8 bytes are announced, 23 bytes follow"));
  EXPECT_EQ(FormatNpy(Tensor::Scalar(QInt8(1))).status().code(), StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(WriteNpy(Tensor::Scalar(1.0f), "/nowhere/x.npy").message()),
              HasSubstr("'/nowhere/x.npy'"));
}

}  // namespace
}  // namespace cli
}  // namespace warpbeam
