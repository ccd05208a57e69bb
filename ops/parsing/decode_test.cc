#include <gtest/gtest.h>

#include <limits>

#include "graph/types/number.h"
#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

Tensor RawStrings(const std::vector<std::string>& values) {
  return Tensor::Vector<std::string>(values);
}

TEST(DecodeRawTest, Values) {
  OpTest("DecodeRaw")
      .Attr("out_type", DType::kUInt8)
      .Input(RawStrings({"ab", std::string("\0c", 2)}))
      .Expect<uint8_t>({2, 2}, {97, 98, 0, 99});
  OpTest("DecodeRaw")
      .Attr("out_type", DType::kInt32)
      .Attr("little_endian", false)
      .Input(Tensor::Scalar<std::string>(std::string("\0\0\0\1\0\0\0\2", 8)))
      .Expect<int32_t>({2}, {1, 2});
  OpTest("DecodeRaw")
      .Attr("out_type", DType::kInt16)
      .Input(RawStrings({"", ""}))
      .Expect<int16_t>({2, 0}, {});
  OpTest("DecodeRaw")
      .Attr("out_type", DType::kInt16)
      .Input(RawStrings({}))
      .Expect<int16_t>({0, 0}, {});
}

TEST(DecodeRawTest, Errors) {
  OpTest("DecodeRaw")
      .Attr("out_type", DType::kUInt8)
      .Input(RawStrings({"ab", "abc"}))
      .ExpectError(kInvalid, "the same size");
  OpTest("DecodeRaw")
      .Attr("out_type", DType::kInt16)
      .Input(RawStrings({"abc"}))
      .ExpectError(kInvalid, "int16");
  OpTest("DecodeRaw")
      .Attr("out_type", DType::kBool)
      .Input(RawStrings({"\2"}))
      .ExpectError(kInvalid, "bool");
}

TEST(DecodePaddedRawTest, CutsAndPads) {
  OpTest("DecodePaddedRaw")
      .Attr("out_type", DType::kInt16)
      .Input(RawStrings({std::string("\1\0\2\0\3", 5), "ab"}))
      .Scalar<int32_t>(4)
      .Expect<int16_t>({2, 2}, {1, 2, 25185, 0});
  OpTest("DecodePaddedRaw")
      .Attr("out_type", DType::kInt16)
      .Input(RawStrings({"ab"}))
      .Scalar<int32_t>(3)
      .ExpectError(kInvalid);
  OpTest("DecodePaddedRaw")
      .Attr("out_type", DType::kInt16)
      .Input(RawStrings({"ab"}))
      .Scalar<int32_t>(0)
      .ExpectError(kInvalid);
}

TEST(StringToNumberTest, Values) {
  const float inf = std::numeric_limits<float>::infinity();
  OpTest("StringToNumber")
      .Input(RawStrings({"1", " 2\n", "+3", "-0x10", "1e3", "-Infinity", "1e400", ".5", "5."}))
      .Expect<float>({9}, {1, 2, 3, -16, 1000, -inf, inf, .5, 5});
  OpTest("StringToNumber")
      .Attr("out_type", DType::kUInt64)
      .Input(RawStrings({"18446744073709551615", " 7"}))
      .Expect<uint64_t>({2}, {18446744073709551615u, 7});
  for (const char* bad : {"", " ", "1,5", "1e", "1 2", "+-1", "0x", "12a"}) {
    OpTest("StringToNumber").Input(RawStrings({bad})).ExpectError(kInvalid, bad);
  }
  for (const char* bad : {"1.5", "0x10", "2147483648", "nan"}) {
    OpTest("StringToNumber")
        .Attr("out_type", DType::kInt32)
        .Input(RawStrings({bad}))
        .ExpectError(kInvalid, bad);
  }
}

struct CsvTest : OpTest {
  explicit CsvTest(std::vector<std::string> records, int line = __builtin_LINE())
      : OpTest("DecodeCSV", __builtin_FILE(), line) {
    Input(RawStrings(records));
  }
};
Tensor Required() { return OpTest::Make<int32_t>({0}, {}); }
Tensor RequiredText() { return RawStrings({}); }

TEST(DecodeCsvTest, Columns) {
  CsvTest({"1,2.5,abc", "3,,\"x, y\"", "-4,1e3,"})
      .InputList({Required(), Tensor::Vector<float>({9}), RawStrings({"def"})})
      .Expect<int32_t>({3}, {1, 3, -4})
      .Expect<float>({3}, {2.5, 9, 1000})
      .Expect<std::string>({3}, {"abc", "x, y", "def"});
  CsvTest({"1,\"a \"\"b\"\" c\""})
      .InputList({Required(), RequiredText()})
      .Expect<int32_t>({1}, {1})
      .Expect<std::string>({1}, {"a \"b\" c"});
  CsvTest({"1;2;3"})
      .Attr("field_delim", std::string(";"))
      .Attr("select_cols", std::vector<int64_t>{0, 2})
      .InputList({Required(), Required()})
      .Expect<int32_t>({1}, {1})
      .Expect<int32_t>({1}, {3});
  CsvTest({"1,\"a\""})
      .Attr("use_quote_delim", false)
      .InputList({Required(), RequiredText()})
      .Expect<int32_t>({1}, {1})
      .Expect<std::string>({1}, {"\"a\""});
  CsvTest({"NA,b"})
      .Attr("na_value", std::string("NA"))
      .InputList({Tensor::Vector<int32_t>({5}), RequiredText()})
      .Expect<int32_t>({1}, {5})
      .Expect<std::string>({1}, {"b"});
}

TEST(DecodeCsvTest, Errors) {
  for (const char* bad : {"1,a\"b", "1,\"a\"b", "1,\"ab", "1", "1,2,3", ",a", "1,", "", "x,a",
                          "99999999999,a", "1,a\n", "1, \"a\""}) {
    CsvTest({bad}).InputList({Required(), RequiredText()}).ExpectError(kInvalid);
  }
  CsvTest({"1,2"})
      .Attr("select_cols", std::vector<int64_t>{1, 0})
      .InputList({Required(), Required()})
      .ExpectError(kInvalid, "rising");
  CsvTest({"1,2"})
      .Attr("field_delim", std::string(";;"))
      .InputList({Required(), Required()})
      .ExpectError(kInvalid, "one character");
}

TEST(DecodeCompressedTest, Values) {
  const std::string zlib("\x78\x9c\x4b\x4c\x4a\x06\x00\x02\x4d\x01\x27", 11);
  OpTest("DecodeCompressed")
      .Attr("compression_type", std::string("ZLIB"))
      .Input(RawStrings({zlib, ""}))
      .Expect<std::string>({2}, {"abc", ""});
  OpTest("DecodeCompressed").Input(RawStrings({"raw"})).Expect<std::string>({1}, {"raw"});
  OpTest("DecodeCompressed")
      .Attr("compression_type", std::string("ZLIB"))
      .Input(RawStrings({"raw"}))
      .ExpectError(StatusCode::kDataLoss);
  OpTest("DecodeCompressed")
      .Attr("compression_type", std::string("GZIP"))
      .Input(RawStrings({zlib}))
      .ExpectError(StatusCode::kDataLoss);
  OpTest("DecodeCompressed")
      .Attr("compression_type", std::string("LZ4"))
      .Input(RawStrings({""}))
      .ExpectError(kInvalid, "LZ4");
}

TEST(SerializeTensorTest, WireForm) {
  const std::string wire("\x08\x01\x12\x04\x12\x02\x08\x02\"\x08\x00\x00\x80?\x00\x00\x00@", 18);
  OpTest("SerializeTensor").Input<float>({2}, {1, 2}).ExpectScalar<std::string>(wire);
  OpTest("ParseTensor")
      .Attr("out_type", DType::kFloat)
      .Scalar<std::string>(wire)
      .Expect<float>({2}, {1, 2});
  OpTest("ParseTensor")
      .Attr("out_type", DType::kInt32)
      .Scalar<std::string>(wire)
      .ExpectError(kInvalid, "int32");
  OpTest("ParseTensor")
      .Attr("out_type", DType::kFloat)
      .Scalar<std::string>("\1\2\3")
      .ExpectError(kInvalid);
  OpTest("ParseTensor")
      .Attr("out_type", DType::kFloat)
      .Scalar<std::string>("")
      .ExpectError(kInvalid);
}

}  // namespace
}  // namespace warpbeam
