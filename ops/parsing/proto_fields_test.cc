// Fields of protobuf messages to tensors and back, against what TensorFlow 2.21 gives.
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/text_format.h>

#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

constexpr auto kDataLoss = StatusCode::kDataLoss;

constexpr char kFile[] = R"(
file { name: "m.proto" package: "t"
  message_type { name: "M"
    field { name: "a" number: 1 label: LABEL_OPTIONAL type: TYPE_INT32 }
    field { name: "b" number: 2 label: LABEL_REPEATED type: TYPE_INT64 options { packed: true } }
    field { name: "s" number: 3 label: LABEL_REPEATED type: TYPE_STRING }
    field { name: "f" number: 4 label: LABEL_OPTIONAL type: TYPE_FLOAT default_value: "2.5" }
    field { name: "e" number: 5 label: LABEL_OPTIONAL type: TYPE_ENUM type_name: ".t.E"
            default_value: "TWO" }
    field { name: "u" number: 6 label: LABEL_REPEATED type: TYPE_UINT32 }
    field { name: "z" number: 7 label: LABEL_OPTIONAL type: TYPE_SINT64 default_value: "-9" }
    field { name: "t" number: 8 label: LABEL_OPTIONAL type: TYPE_BOOL default_value: "true" }
    field { name: "m" number: 9 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".t.M" }
    field { name: "d" number: 10 label: LABEL_REPEATED type: TYPE_DOUBLE options { packed: true } }
    field { name: "x" number: 11 label: LABEL_OPTIONAL type: TYPE_FIXED32 }
    field { name: "y" number: 12 label: LABEL_OPTIONAL type: TYPE_BYTES default_value: "dflt" }
    field { name: "q" number: 13 label: LABEL_REPEATED type: TYPE_SFIXED64 }
    field { name: "g" number: 14 label: LABEL_OPTIONAL type: TYPE_GROUP type_name: ".t.M.G" }
    nested_type { name: "G"
      field { name: "g" number: 1 label: LABEL_OPTIONAL type: TYPE_INT32 } } }
  enum_type { name: "E" value { name: "ONE" number: 1 } value { name: "TWO" number: 2 } } }
)";

std::string Source() {
  google::protobuf::FileDescriptorSet set;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(kFile, &set));
  return "bytes://" + set.SerializeAsString();
}

Tensor ProtoBytes(std::vector<std::string> messages) {
  return Tensor::Vector<std::string>(MakeConstSpan(messages));
}
// Bytes that may hold zeros.
template <size_t n>
std::string B(const char (&bytes)[n]) {
  return std::string(bytes, n - 1);
}

using Names = std::vector<std::string>;
using Types = std::vector<DType>;

OpTest& Decode(OpTest&& test, Tensor messages, const Names& names, const Types& types,
               const std::string& format = "binary", bool sanitize = false) {
  return test.Attr("descriptor_source", Source())
      .Attr("message_type", std::string("t.M"))
      .Attr("field_names", names)
      .Attr("output_types", types)
      .Attr("message_format", format)
      .Attr("sanitize", sanitize)
      .Input(std::move(messages));
}

constexpr char kText[] =
    "a: -3 b: 1 b: -2 s: 'p' s: 'q' f: 1.5 e: ONE u: 7 z: -5 t: false m { a: 4 } d: 0.5 x: 9 "
    "y: 'by' q: -8 G { g: 3 }";

TEST(DecodeProto, EveryTypeAndItsDefault) {
  const Names names = {"a", "b", "s", "f", "e", "u", "z", "t", "m", "d", "x", "y", "q"};
  const Types types = {DType::kInt32,  DType::kInt64,  DType::kString, DType::kFloat,
                       DType::kInt32,  DType::kUInt32, DType::kInt64,  DType::kBool,
                       DType::kString, DType::kDouble, DType::kUInt32, DType::kString,
                       DType::kInt64};
  Decode(OpTest("DecodeProtoV2"), ProtoBytes({kText, ""}), names, types, "text")
      .Expect<int32_t>(
          {2, 13}, {1, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})
      .Expect<int32_t>({2, 1}, {-3, 0})
      .Expect<int64_t>({2, 2}, {1, -2, 0, 0})
      .Expect<std::string>({2, 2}, {"p", "q", "", ""})
      .Expect<float>({2, 1}, {1.5f, 2.5f})
      .Expect<int32_t>({2, 1}, {1, 2})
      .Expect<uint32_t>({2, 1}, {7, 0})
      .Expect<int64_t>({2, 1}, {-5, -9})
      .Expect<bool>({2, 1}, {false, true})
      .Expect<std::string>({2, 1}, {"\x08\x04", ""})
      .Expect<double>({2, 1}, {0.5, 0})
      .Expect<uint32_t>({2, 1}, {9, 0})
      .Expect<std::string>({2, 1}, {"by", "dflt"})
      .Expect<int64_t>({2, 1}, {-8, 0});
  Decode(OpTest("DecodeProtoV2"), ProtoBytes({kText}), {"a", "f", "u", "x"},
         {DType::kInt64, DType::kDouble, DType::kUInt64, DType::kUInt64}, "text")
      .Expect<int32_t>({1, 4}, {1, 1, 1, 1})
      .Expect<int64_t>({1, 1}, {-3})
      .Expect<double>({1, 1}, {1.5})
      .Expect<uint64_t>({1, 1}, {7})
      .Expect<uint64_t>({1, 1}, {9});
  // A group comes with its tags.
  Decode(OpTest("DecodeProtoV2"), ProtoBytes({"\x73\x08\x03\x74"}), {"g"}, {DType::kString})
      .Expect<int32_t>({1, 1}, {1})
      .Expect<std::string>({1, 1}, {"\x73\x08\x03\x74"});
}

TEST(DecodeProto, ShapesOfMessages) {
  Decode(OpTest("DecodeProtoV2"), Tensor::Scalar<std::string>(kText), {"s", "a"},
         {DType::kString, DType::kInt32}, "text")
      .Expect<int32_t>({2}, {2, 1})
      .Expect<std::string>({2}, {"p", "q"})
      .Expect<int32_t>({1}, {-3});
  Decode(OpTest("DecodeProtoV2"), OpTest::Make<std::string>({2, 1}, {kText, ""}), {"s"},
         {DType::kString}, "text")
      .Expect<int32_t>({2, 1, 1}, {2, 0})
      .Expect<std::string>({2, 1, 2}, {"p", "q", "", ""});
  Decode(OpTest("DecodeProtoV2"), ProtoBytes({""}), {}, {}).Expect<int32_t>({1, 0}, {});
}

TEST(DecodeProto, WireForms) {
  const auto ints = [](std::string message, const char* name, DType type) -> OpRunner {
    OpRunner run("DecodeProtoV2");
    run.Attr("descriptor_source", Source()).Attr("message_type", std::string("t.M"));
    run.Attr("field_names", Names{name}).Attr("output_types", Types{type});
    run.Input(ProtoBytes({std::move(message)}));
    return run;
  };
  const auto expect = [&](std::string message, const char* name, Tensor values, int32_t size) {
    auto got = ints(std::move(message), name, values.dtype()).Run();
    ASSERT_TRUE(got.ok()) << got.status();
    EXPECT_EQ((*got)[0].data<int32_t>()[0], size);
    EXPECT_EQ((*got)[1].ToString(), values.ToString());
  };
  expect("\x08\x05\x08\x07", "a", OpTest::Make<int32_t>({1, 1}, {7}), 1);
  expect("\x10\x01\x10\x02\x12\x02\x03\x04", "b", OpTest::Make<int64_t>({1, 4}, {1, 2, 3, 4}), 4);
  expect("\x32\x02\x07\x08\x30\x09", "u", OpTest::Make<uint32_t>({1, 3}, {7, 8, 9}), 3);
  expect(B("\x0d\x01\x00\x00\x00"), "a", OpTest::Make<int32_t>({1, 1}, {0}), 0);
  expect("\x18\x01", "s", OpTest::Make<std::string>({1, 1}, {""}), 0);
  expect("\xf8\x07\x01\x08\x02", "a", OpTest::Make<int32_t>({1, 1}, {2}), 1);
  expect("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "a", OpTest::Make<int32_t>({1, 1}, {-1}),
         1);
  expect("\x28\x63", "e", OpTest::Make<int32_t>({1, 1}, {99}), 1);
  const auto malformed = [&](std::string message, const char* name, DType type) {
    EXPECT_EQ(ints(std::move(message), name, type).Run().status().code(), kDataLoss);
  };
  malformed("\x08", "a", DType::kInt32);
  malformed(
      "\x1a\x05"
      "ab",
      "s", DType::kString);
  malformed(
      "\x1a\x05"
      "ab",
      "a", DType::kInt32);
  malformed("\x08\x02\x0c", "a", DType::kInt32);
  malformed(B("\x00\x08\x02"), "a", DType::kInt32);
  malformed("\x12\x01\x80", "b", DType::kInt64);
  malformed("\x52\x03\x01\x02\x03", "d", DType::kDouble);
}

TEST(DecodeProto, Refused) {
  const Types one = {DType::kInt32};
  Decode(OpTest("DecodeProtoV2"), ProtoBytes({}), {"a"}, one).ExpectError(kInvalid, "at least one");
  Decode(OpTest("DecodeProtoV2"), ProtoBytes({""}), {"nope"}, one)
      .ExpectError(kInvalid, "Unknown field");
  Decode(OpTest("DecodeProtoV2"), ProtoBytes({""}), {"a"}, {DType::kFloat})
      .ExpectError(kInvalid, "Unexpected output type");
  Decode(OpTest("DecodeProtoV2"), ProtoBytes({""}), {"a", "b"}, one)
      .ExpectError(kInvalid, "same length");
  Decode(OpTest("DecodeProtoV2"), ProtoBytes({""}), {"a"}, one, "json")
      .ExpectError(kInvalid, "format");
  Decode(OpTest("DecodeProtoV2"), ProtoBytes({"zz: 1"}), {"a"}, one, "text")
      .ExpectError(kDataLoss, "Unable to parse text");
  Decode(OpTest("DecodeProtoV2"), ProtoBytes({"\x08"}), {"a"}, one, "binary", true)
      .ExpectError(kDataLoss, "Unable to parse binary");
  const auto source = [](const std::string& from, const char* message, StatusCode code) {
    OpTest("DecodeProtoV2")
        .Attr("descriptor_source", from)
        .Attr("message_type", std::string(message))
        .Attr("field_names", Names{"a"})
        .Attr("output_types", Types{DType::kInt32})
        .Input(ProtoBytes({""}))
        .ExpectError(code);
  };
  source(Source(), "t.N", kInvalid);
  source("bytes://\xff", "t.M", kInvalid);
  source("/there/is/no/such/file", "t.M", StatusCode::kNotFound);
}

TEST(DecodeProto, MessagesOfThisProgram) {
  OpTest("DecodeProtoV2")
      .Attr("message_type", std::string("tensorflow.BytesList"))
      .Attr("field_names", Names{"value"})
      .Attr("output_types", Types{DType::kString})
      .Input(ProtoBytes({"\n\x01"
                         "a"}))
      .Expect<int32_t>({1, 1}, {1})
      .Expect<std::string>({1, 1}, {"a"});
}

OpTest& Encode(OpTest&& test, Tensor sizes, std::vector<Tensor> values, const Names& names) {
  return test.Attr("descriptor_source", Source())
      .Attr("message_type", std::string("t.M"))
      .Attr("field_names", names)
      .Input(std::move(sizes))
      .InputList(std::move(values));
}

template <class T>
Tensor Row(std::initializer_list<T> values) {
  return OpTest::Make<T>({1, static_cast<int64_t>(values.size())}, values);
}

TEST(EncodeProto, EveryTypeByNumberOfField) {
  Encode(OpTest("EncodeProto"), Row<int32_t>({1, 2, 1}),
         {Row<int32_t>({-3}), Row<int64_t>({1, -2}), Row<std::string>({"p"})}, {"a", "b", "s"})
      .Expect(ProtoBytes(
          {B("\x08\xfd\xff\xff\xff\xff\xff\xff\xff\xff\x01\x12\x0b\x01\xfe\xff\xff\xff\xff"
             "\xff\xff\xff\xff\x01\x1a\x01p")}));
  Encode(OpTest("EncodeProto"), Row<int32_t>({2, 1}),
         {Row<std::string>({"p", "q"}), Row<int32_t>({5})}, {"s", "a"})
      .Expect(ProtoBytes({"\x08\x05\x1a\x01p\x1a\x01q"}));
  Encode(OpTest("EncodeProto"), Row<int32_t>({1, 1, 1, 1}),
         {Row<int64_t>({5}), Row<double>({5.5}), Row<uint64_t>({7}), Row<uint64_t>({9})},
         {"a", "f", "u", "x"})
      .Expect(ProtoBytes({B("\x08\x05%\x00\x00\xb0@0\x07]\t\x00\x00\x00")}));
  Encode(OpTest("EncodeProto"), Row<int32_t>({1, 1, 1, 1, 2, 1, 1, 2, 1}),
         {Row<int32_t>({1}), Row<int64_t>({-5}), Row<bool>({true}), Row<std::string>({"\x08\x04"}),
          Row<double>({.5, 1.5}), Row<uint32_t>({9}), Row<std::string>({"by"}),
          Row<int64_t>({-8, 1}), Row<std::string>({"\x08\x03"})},
         {"e", "z", "t", "m", "d", "x", "y", "q", "g"})
      .Expect(ProtoBytes(
          {B("(\x01"
             "8\t@\x01J\x02\x08\x04R\x10\x00\x00\x00\x00\x00\x00\xe0?\x00\x00\x00\x00\x00"
             "\x00\xf8?]\t\x00\x00\x00"
             "b\x02"
             "byi\xf8\xff\xff\xff\xff\xff\xff\xffi\x01\x00\x00\x00\x00\x00\x00\x00s\x08"
             "\x03t")}));
  Encode(OpTest("EncodeProto"), OpTest::Make<int32_t>({1, 2, 1}, {1, 0}),
         {OpTest::Make<int32_t>({1, 2, 1}, {1, 2})}, {"a"})
      .Expect<std::string>({1, 2}, {"\x08\x01", ""});
  Encode(OpTest("EncodeProto"), OpTest::Make<int32_t>({0, 1}, {}),
         {OpTest::Make<int32_t>({0, 1}, {})}, {"a"})
      .Expect(ProtoBytes({}));
}

TEST(EncodeProto, MessagesOfThisProgram) {
  OpTest("EncodeProto")
      .Attr("message_type", std::string("tensorflow.Int64List"))
      .Attr("field_names", Names{"value"})
      .Input(Row<int32_t>({2}))
      .InputList({Row<int64_t>({3, 4})})
      .Expect(ProtoBytes({"\n\x02\x03\x04"}));
}

TEST(EncodeProto, Refused) {
  const auto refused = [](Tensor sizes, std::vector<Tensor> values, const Names& names,
                          const char* why) {
    Encode(OpTest("EncodeProto"), std::move(sizes), std::move(values), names)
        .ExpectError(kInvalid, why);
  };
  refused(Row<int32_t>({2}), {Row<int32_t>({-3})}, {"a"}, "must not be larger than value tensor");
  refused(Row<int32_t>({-1}), {Row<int32_t>({-3})}, {"a"}, "must not be negative");
  refused(Row<int32_t>({1}), {Row<float>({-3})}, {"a"}, "Incompatible type for field a");
  refused(Tensor::Vector<int32_t>({1}), {Tensor::Vector<int32_t>({-3})}, {"a"},
          "at least a matrix");
  refused(Tensor::Vector<int32_t>({1}), {Row<int32_t>({-3})}, {"a"}, "sizes should be batch_size");
  refused(Row<int32_t>({1, 1}), {Row<int32_t>({-3}), OpTest::Make<int64_t>({2, 1}, {1, 2})},
          {"a", "b"}, "Values must match up to the last dimension");
  refused(Row<int32_t>({1}), {Row<int32_t>({-3})}, {"a", "b"}, "must match field_names");
  refused(Row<int32_t>({1}), {Row<int32_t>({-3})}, {"nope"}, "Unknown field");
}

}  // namespace
}  // namespace warpbeam
