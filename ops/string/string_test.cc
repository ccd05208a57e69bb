#include <gtest/gtest.h>

#include <limits>

#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

Tensor StringVector(const std::vector<std::string>& values) {
  return Tensor::Vector<std::string>(values);
}

struct AsStringRecord : OpTest {
  AsStringRecord(Tensor x, int line = __builtin_LINE())
      : OpTest("AsString", __builtin_FILE(), line) {
    Input(std::move(x));
  }
};

TEST(AsStringTest, RealNumbers) {
  const Tensor x =
      Tensor::Vector<float>({1.5f, -2.25f, 1e20f, std::numeric_limits<float>::infinity()});
  AsStringRecord(x).Expect(
      StringVector({"1.500000", "-2.250000", "100000002004087734272.000000", "inf"}));
  AsStringRecord(x)
      .Attr("precision", int64_t{0})
      .Attr("scientific", true)
      .Expect(StringVector({"2e+00", "-2e+00", "1e+20", "inf"}));
  AsStringRecord(x).Attr("shortest", true).Expect(StringVector({"1.5", "-2.25", "1e+20", "inf"}));
  AsStringRecord(Tensor::Vector<double>({1.5, -2.25}))
      .Attr("width", int64_t{12})
      .Attr("fill", std::string("0"))
      .Expect(StringVector({"00001.500000", "-0002.250000"}));
  AsStringRecord(Tensor::Vector<Half>({Half(0.1f)})).Expect(StringVector({"0.099976"}));
  AsStringRecord(Tensor::Vector<std::complex<float>>({{1, -2}}))
      .Attr("precision", int64_t{3})
      .Expect(StringVector({"(1.000,-2.000)"}));
}

TEST(AsStringTest, OtherTypes) {
  AsStringRecord(Tensor::Vector<int32_t>({5, -7}))
      .Attr("width", int64_t{6})
      .Attr("fill", std::string("-"))
      .Expect(StringVector({"5     ", "-7    "}));
  AsStringRecord(Tensor::Vector<uint64_t>({9223372036854775809u}))
      .Expect(StringVector({"9223372036854775809"}));
  AsStringRecord(Tensor::Vector<uint8_t>({200})).Expect(StringVector({"200"}));
  AsStringRecord(OpTest::Make<bool>({2}, {true, false}))
      .Attr("width", int64_t{6})
      .Expect(StringVector({"true", "false"}));
  AsStringRecord(StringVector({"a"})).Attr("width", int64_t{3}).Expect(StringVector({"  a"}));
  AsStringRecord(StringVector({std::string(600, 'x')}))
      .Expect(StringVector({std::string(600, 'x')}));
}

TEST(AsStringTest, RefusedAttributes) {
  const Tensor x = Tensor::Vector<float>({1});
  AsStringRecord(x).Attr("fill", std::string("x")).ExpectError(kInvalid, "Fill string");
  AsStringRecord(x).Attr("fill", std::string("00")).ExpectError(kInvalid, "Fill string");
  AsStringRecord(x)
      .Attr("scientific", true)
      .Attr("shortest", true)
      .ExpectError(kInvalid, "Cannot select both");
  AsStringRecord(Tensor::Vector<int32_t>({1}))
      .Attr("precision", int64_t{3})
      .ExpectError(kInvalid, "floating");
}

TEST(StringLengthTest, Units) {
  const Tensor x = StringVector({"h\xc3\xa9llo", "",
                                 "a\xff"
                                 "b",
                                 "\xc3"});
  OpTest("StringLength").Input(x).Expect<int32_t>({4}, {6, 0, 3, 1});
  OpTest("StringLength")
      .Attr("unit", std::string("UTF8_CHAR"))
      .Input(x)
      .Expect<int32_t>({4}, {5, 0, 3, 1});
}

struct SubstrRecord : OpTest {
  SubstrRecord(Tensor x, Tensor pos, Tensor len, int line = __builtin_LINE())
      : OpTest("Substr", __builtin_FILE(), line) {
    Input(std::move(x)).Input(std::move(pos)).Input(std::move(len));
  }
};

TEST(SubstrTest, Positions) {
  const auto n = [](int32_t v) { return Tensor::Scalar<int32_t>(v); };
  const Tensor hello = StringVector({"hello"});
  SubstrRecord(StringVector({"hello", "wor"}), n(1), n(2)).Expect(StringVector({"el", "or"}));
  SubstrRecord(hello, n(5), n(2)).Expect(StringVector({""}));
  SubstrRecord(hello, n(-2), n(2)).Expect(StringVector({"lo"}));
  SubstrRecord(hello, n(1), n(-1)).Expect(StringVector({"ello"}));
  SubstrRecord(hello, n(6), n(2)).ExpectError(kInvalid, "pos 6");
  SubstrRecord(hello, n(-6), n(2)).ExpectError(kInvalid, "pos -6");
  SubstrRecord(OpTest::Make<std::string>({2, 1}, {"hello", "world"}),
               Tensor::Vector<int32_t>({1, 2}), Tensor::Vector<int32_t>({2, 3}))
      .Expect<std::string>({2, 2}, {"el", "llo", "or", "rld"});
  SubstrRecord(hello, Tensor::Vector<int32_t>({1, 2}), Tensor::Vector<int32_t>({2}))
      .ExpectError(kInvalid);
  const Tensor accent = StringVector({"h\xc3\xa9llo"});
  SubstrRecord(accent, n(1), n(2))
      .Attr("unit", std::string("UTF8_CHAR"))
      .Expect(StringVector({"\xc3\xa9l"}));
  SubstrRecord(accent, n(-4), n(99))
      .Attr("unit", std::string("UTF8_CHAR"))
      .Expect(StringVector({"\xc3\xa9llo"}));
  SubstrRecord(accent, n(6), n(1)).Attr("unit", std::string("UTF8_CHAR")).ExpectError(kInvalid);
  SubstrRecord(accent, n(1), n(-1))
      .Attr("unit", std::string("UTF8_CHAR"))
      .Expect(StringVector({""}));
  SubstrRecord(accent, n(-4), n(-1)).Attr("unit", std::string("UTF8_CHAR")).ExpectError(kInvalid);
}

TEST(StringJoinTest, ScalarsSpread) {
  OpTest("StringJoin")
      .Attr("separator", std::string("-"))
      .InputList({Tensor::Scalar<std::string>("a"), StringVector({"b", "c"})})
      .Expect(StringVector({"a-b", "a-c"}));
  OpTest("StringJoin").Attr("N", int64_t{0}).InputList({}).ExpectScalar<std::string>("");
  OpTest("StringJoin")
      .InputList({StringVector({"a"}), StringVector({"b", "c"})})
      .ExpectError(kInvalid);
}

struct SplitRecord : OpTest {
  SplitRecord(const char* op, std::vector<std::string> x, std::string sep,
              int line = __builtin_LINE())
      : OpTest(op, __builtin_FILE(), line) {
    Input(StringVector(x)).Scalar<std::string>(std::move(sep));
  }
};

TEST(StringSplitTest, AnyDelimiter) {
  SplitRecord("StringSplit", {"a b", " c "}, " ")
      .Expect<int64_t>({3, 2}, {0, 0, 0, 1, 1, 0})
      .Expect(StringVector({"a", "b", "c"}))
      .Expect<int64_t>({2}, {2, 2});
  SplitRecord("StringSplit", {"a,b;", ""}, ",;")
      .Attr("skip_empty", false)
      .Expect<int64_t>({3, 2}, {0, 0, 0, 1, 0, 2})
      .Expect(StringVector({"a", "b", ""}))
      .Expect<int64_t>({2}, {2, 3});
  SplitRecord("StringSplit", {"ab"}, "")
      .Expect<int64_t>({2, 2}, {0, 0, 0, 1})
      .Expect(StringVector({"a", "b"}))
      .Expect<int64_t>({2}, {1, 2});
  SplitRecord("StringSplit", {}, " ")
      .Expect<int64_t>({0, 2}, {})
      .Expect(StringVector({}))
      .Expect<int64_t>({2}, {0, 0});
}

TEST(StringSplitV2Test, SeparatorAndSpace) {
  SplitRecord("StringSplitV2", {"a<>b<><>"}, "<>")
      .Expect<int64_t>({4, 2}, {0, 0, 0, 1, 0, 2, 0, 3})
      .Expect(StringVector({"a", "b", "", ""}))
      .Expect<int64_t>({2}, {1, 4});
  SplitRecord("StringSplitV2", {"a<>b<><>", ""}, "<>")
      .Attr("maxsplit", int64_t{1})
      .Expect<int64_t>({3, 2}, {0, 0, 0, 1, 1, 0})
      .Expect(StringVector({"a", "b<><>", ""}))
      .Expect<int64_t>({2}, {2, 2});
  SplitRecord("StringSplitV2", {" a b  c ", " ", "a\t\nb\v\fc"}, "")
      .Attr("maxsplit", int64_t{1})
      .Expect<int64_t>({4, 2}, {0, 0, 0, 1, 2, 0, 2, 1})
      .Expect(StringVector({"a", "b  c ", "a", "b\v\fc"}))
      .Expect<int64_t>({2}, {3, 2});
  OpTest("StringSplitV2").Scalar<std::string>("a").Scalar<std::string>("").ExpectError(kInvalid);
}

TEST(Base64Test, UrlSafeAlphabet) {
  OpTest("EncodeBase64")
      .Input(StringVector({"\xfb\xff\xfe", "a", "ab", ""}))
      .Expect(StringVector({"-__-", "YQ", "YWI", ""}));
  OpTest("EncodeBase64")
      .Attr("pad", true)
      .Input(StringVector({"a", "ab"}))
      .Expect(StringVector({"YQ==", "YWI="}));
  OpTest("DecodeBase64")
      .Input(StringVector({"QUI", "QUI=", "", "-_8=", "QR"}))
      .Expect(StringVector({"AB", "AB", "", "\xfb\xff", "A"}));
  for (const char* bad : {"Q", "Q U=", "+/8=", "QQ=", "QQ===", "===="}) {
    OpTest("DecodeBase64").Input(StringVector({bad})).ExpectError(kInvalid);
  }
}

TEST(StringToHashBucketTest, Fingerprints) {
  OpTest("StringToHashBucketFast")
      .Attr("num_buckets", int64_t{1} << 62)
      .Input(StringVector({"", "a", "hello world", std::string(100, 'x')}))
      .Expect<int64_t>({4}, {1936946117179621455, 3694432073954588131, 1769834696496558107,
                             1978794067220662815});
}

}  // namespace
}  // namespace warpbeam
