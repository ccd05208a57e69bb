// Summaries: the bytes that TensorFlow writes for the same values.
#include <gtest/gtest.h>

#include <limits>

#include "absl/strings/escaping.h"
#include "ops/launch/op_record.h"
#include "proto/summary.pb.h"

namespace warpbeam {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

Tensor Text(absl::string_view s) { return Tensor::Scalar<std::string>(std::string(s)); }
Tensor Bytes(absl::string_view hex) { return Text(absl::HexStringToBytes(hex)); }

TEST(ScalarSummaryTest, OneValueForEachTag) {
  OpTest("ScalarSummary")
      .Input(Tensor::Vector<std::string>({"a", "b"}))
      .Input<float>({2}, {1.5f, kNaN})
      .Expect(Bytes("0a080a0161150000c03f0a080a0162150000c07f"));
  OpTest("ScalarSummary").Input(Text("a")).Scalar<int64_t>(1).Expect(Bytes("0a080a0161150000803f"));
  OpTest("ScalarSummary")
      .Input(Tensor::Vector<std::string>({"a", "b"}))
      .Input<float>({1}, {1})
      .ExpectError(kInvalid, "not the same shape");
}

tensorflow::HistogramProto HistogramOf(Tensor values) {
  auto bytes = OpRunner("HistogramSummary").Input(Text("h")).Input(std::move(values)).RunOne();
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  tensorflow::Summary summary;
  EXPECT_TRUE(bytes.ok() && summary.ParseFromString(bytes->scalar<std::string>()));
  return summary.value(0).histo();
}

TEST(HistogramSummaryTest, Buckets) {
  OpTest("HistogramSummary")
      .Input(Text("h"))
      .Scalar<int32_t>(3)
      .Expect(Bytes("0a660a01682a6109000000000000084011000000000000084019000000000000f03f2100"
                    "00000000000840290000000000002240321868bc10359a0707400d9cc5a029550940ffff"
                    "ffffffffef7f3a180000000000000000000000000000f03f0000000000000000"));
  OpTest("HistogramSummary")
      .Input(Text("h"))
      .Input<float>({0}, {})
      .Expect(Bytes("0a2b0a01682a2609ffffffffffffef7f11ffffffffffffefff3208ffffffffffffef7f3a"
                    "080000000000000000"));
  const auto h = HistogramOf(OpTest::Make<double>({7}, {-1, 0, 0, 1, 5, 1e20, -1e-13}));
  EXPECT_EQ(h.num(), 7);
  EXPECT_EQ(h.min(), -1);
  EXPECT_EQ(h.max(), 1e20);
  ASSERT_EQ(h.bucket_size(), 11);
  EXPECT_EQ(h.bucket(4), 2);  // the zeros
  EXPECT_EQ(h.bucket_limit(10), std::numeric_limits<double>::max());
  EXPECT_EQ(HistogramOf(OpTest::Make<double>({1}, {std::numeric_limits<double>::max()})).num(), 1);
}

TEST(HistogramSummaryTest, Refused) {
  OpTest("HistogramSummary")
      .Input(Text("h"))
      .Input<float>({1}, {kNaN})
      .ExpectError(kInvalid, "Nan");
  OpTest("HistogramSummary")
      .Input(Text("h"))
      .Input<float>({1}, {kInfinity})
      .ExpectError(kInvalid, "Infinity");
  OpTest("HistogramSummary")
      .Input(Tensor::Vector<std::string>({"h"}))
      .Scalar<float>(1)
      .ExpectError(kInvalid, "scalar");
}

TEST(ImageSummaryTest, PngOfTwoPixels) {
  auto bytes = OpRunner("ImageSummary")
                   .Attr("max_images", int64_t{1})
                   .Input(Text("i"))
                   .Input(OpTest::Make<float>({1, 2, 2, 1}, {-1, kNaN, kInfinity, 2}))
                   .RunOne();
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  // As TensorFlow writes it: -1 is 64, what is not finite is the bad colour, 2 is 255.
  EXPECT_EQ(absl::BytesToHexString(bytes->scalar<std::string>()),
            "0a5a0a07692f696d616765224f080210021801224789504e470d0a1a0a0000000d49484452000000"
            "0200000002080000000057dd52f80000000e4944415408996370f8cff89f010007430240bf318a90"
            "0000000049454e44ae426082");
}

TEST(ImageSummaryTest, TagsAndRefusals) {
  auto bytes = OpRunner("ImageSummary")
                   .Input(Text("i"))
                   .Input(*Tensor::Allocate(DType::kUInt8, Shape({5, 2, 2, 4})))
                   .RunOne();
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  tensorflow::Summary summary;
  ASSERT_TRUE(summary.ParseFromString(bytes->scalar<std::string>()));
  ASSERT_EQ(summary.value_size(), 3);
  EXPECT_EQ(summary.value(2).tag(), "i/image/2");
  EXPECT_EQ(summary.value(2).image().colorspace(), 4);
  for (const Shape& bad : {Shape({1, 2, 2, 2}), Shape({2, 2, 3}), Shape({1, 2, 0, 3})}) {
    OpTest("ImageSummary")
        .Input(Text("i"))
        .Input(*Tensor::Allocate(DType::kFloat, bad))
        .ExpectError(kInvalid);
  }
  OpTest("ImageSummary")
      .Attr("bad_color", Tensor::Vector<float>({1, 2, 3}))
      .Input(Text("i"))
      .Input<float>({1, 1, 1, 1}, {0})
      .ExpectError(kInvalid, "uint8");
}

TEST(AudioSummaryTest, Wav) {
  OpTest("AudioSummaryV2")
      .Attr("max_outputs", int64_t{1})
      .Input(Text("a"))
      .Input<float>({1, 3, 2}, {0, .5f, -1, 1, 2, -.25f})
      .Scalar<float>(8000.5f)
      .Expect(Bytes("0a590a07612f617564696f324e0d0004fa45100218032238524946463000000057415645"
                    "666d74201000000001000200401f0000007d000004001000646174610c00000000000040"
                    "0080ff7fff7f00e02a09617564696f2f776176"));
  OpTest("AudioSummaryV2")
      .Input(Text("a"))
      .Input<float>({1, 1}, {0})
      .Scalar<float>(0)
      .ExpectError(kInvalid, "sample_rate");
  OpTest("AudioSummaryV2")
      .Input(Text("a"))
      .Input<float>({1}, {0})
      .Scalar<float>(1)
      .ExpectError(kInvalid, "3-D or 2-D");
}

TEST(TensorSummaryTest, WholeTensors) {
  OpTest("TensorSummary")
      .Input<float>({2}, {1, 2})
      .Expect(Bytes("0a233a0d54656e736f7253756d6d6172794212080112041202080222080000803f000000"
                    "40"));
  OpTest("TensorSummaryV2")
      .Input(Text("tg"))
      .Scalar<bool>(true)
      .Input(Bytes("12017a"))
      .Expect(Bytes("0a120a0274674207080a12002201014a0312017a"));
  OpTest("TensorSummaryV2")
      .Input(Text("tg"))
      .Scalar<bool>(true)
      .Input(Bytes("ff"))
      .Expect(Bytes("0a0f0a0274674207080a12002201014a00"));
}

TEST(MergeSummaryTest, Tags) {
  const Tensor a = Bytes("0a080a0161150000803f");
  const Tensor b = Bytes("0a080a0162150000803f");
  OpTest("MergeSummary")
      .InputList({a, b})
      .Expect(Bytes("0a080a0161150000803f0a080a0162150000803f"));
  OpTest("MergeSummary").InputList({a, a}).ExpectError(kInvalid, "Duplicate tag a");
  OpTest("MergeSummary").InputList({Bytes("ffff")}).ExpectError(kInvalid, "parse");
}

}  // namespace
}  // namespace warpbeam
