#include "graph/io/tensor_io.h"

#include "gmock/gmock.h"
#include "graph/types/attr_value.h"
#include "gtest/gtest.h"
#include "proto/tensor.pb.h"

namespace warpbeam {
namespace {

using tensorflow::TensorProto;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TensorProto Proto(tensorflow::DataType dtype, std::initializer_list<int64_t> dims) {
  TensorProto p;
  p.set_dtype(dtype);
  p.mutable_tensor_shape();
  for (int64_t d : dims) p.mutable_tensor_shape()->add_dim()->set_size(d);
  return p;
}

std::string Read(const TensorProto& p) {
  const auto t = TensorFromProto(p);
  return t.ok() ? t->ToString() : std::string(t.status().message());
}

TEST(TensorFromProtoTest, TypedListsOfEveryType) {
  TensorProto p = Proto(tensorflow::DT_FLOAT, {2});
  p.add_float_val(1.5f);
  p.add_float_val(-2);
  EXPECT_EQ(Read(p), "float[2] 1.5 -2");
  p = Proto(tensorflow::DT_DOUBLE, {});
  p.add_double_val(0.1);
  EXPECT_EQ(Read(p), "double[] 0.1");
  p = Proto(tensorflow::DT_UINT8, {2});
  p.add_int_val(300);  // cut, as the wire's 32 bits are for narrow types
  p.add_int_val(-1);
  EXPECT_EQ(Read(p), "uint8[2] 44 255");
  p = Proto(tensorflow::DT_INT8, {1});
  p.add_int_val(-200);
  EXPECT_EQ(Read(p), "int8[1] 56");
  p = Proto(tensorflow::DT_QINT32, {1});
  p.add_int_val(-7);
  EXPECT_EQ(TensorFromProto(p)->data<QInt32>()[0].value, -7);
  p = Proto(tensorflow::DT_UINT16, {1});
  p.add_int_val(65535);
  EXPECT_EQ(Read(p), "uint16[1] 65535");
  p = Proto(tensorflow::DT_INT64, {1});
  p.add_int64_val(int64_t{1} << 40);
  EXPECT_EQ(Read(p), "int64[1] 1099511627776");
  p = Proto(tensorflow::DT_UINT32, {1});
  p.add_uint32_val(4000000000u);
  EXPECT_EQ(Read(p), "uint32[1] 4000000000");
  p = Proto(tensorflow::DT_UINT64, {1});
  p.add_uint64_val(uint64_t{1} << 63);
  EXPECT_EQ(Read(p), "uint64[1] 9223372036854775808");
  p = Proto(tensorflow::DT_BOOL, {2});
  p.add_bool_val(true);
  p.add_bool_val(false);
  EXPECT_EQ(Read(p), "bool[2] true false");
  p = Proto(tensorflow::DT_HALF, {1});
  p.add_half_val(0x3c00);
  EXPECT_EQ(Read(p), "half[1] 1");
  p = Proto(tensorflow::DT_BFLOAT16, {1});
  p.add_half_val(0x13f80);  // only 16 bits count
  EXPECT_EQ(Read(p), "bfloat16[1] 1");
  p = Proto(tensorflow::DT_COMPLEX64, {1});
  p.add_scomplex_val(1);
  p.add_scomplex_val(2);
  EXPECT_EQ(Read(p), "complex64[1] 1+2j");
  p = Proto(tensorflow::DT_COMPLEX128, {1});
  p.add_dcomplex_val(1);
  p.add_dcomplex_val(2);
  EXPECT_EQ(Read(p), "complex128[1] 1+2j");
  p = Proto(tensorflow::DT_STRING, {1});
  p.add_string_val(std::string("a\0b", 3));
  EXPECT_EQ(TensorFromProto(p)->data<std::string>()[0], std::string("a\0b", 3));
  p = Proto(tensorflow::DT_FLOAT8_E5M2, {2});
  p.set_float8_val("\x01\x02");
  EXPECT_THAT(TensorFromProto(p)->Bitcast(DType::kUInt8).flat<uint8_t>(), ElementsAre(1, 2));
  p = Proto(tensorflow::DT_INT4, {2});
  p.add_int_val(1);
  p.add_int_val(-3);
  EXPECT_THAT(TensorFromProto(p)->Bitcast(DType::kInt8).flat<int8_t>(), ElementsAre(1, -3));
}

TEST(TensorFromProtoTest, ShortListsRepeatTheLastValueAndLongOnesAreCut) {
  TensorProto p = Proto(tensorflow::DT_FLOAT, {2, 2});
  EXPECT_EQ(Read(p), "float[2,2] 0 0 0 0");
  p.add_float_val(1);
  EXPECT_EQ(Read(p), "float[2,2] 1 1 1 1");
  p.add_float_val(2);
  EXPECT_EQ(Read(p), "float[2,2] 1 2 2 2");
  for (int i = 3; i <= 5; ++i) p.add_float_val(static_cast<float>(i));
  EXPECT_EQ(Read(p), "float[2,2] 1 2 3 4");
  p = Proto(tensorflow::DT_STRING, {3});
  p.add_string_val("x");
  EXPECT_EQ(Read(p), R"(string[3] "x" "x" "x")");
  p = Proto(tensorflow::DT_FLOAT, {0});
  p.add_float_val(1);
  EXPECT_EQ(Read(p), "float[0]");
}

TEST(TensorFromProtoTest, Content) {
  const float values[] = {3, 4};
  TensorProto p = Proto(tensorflow::DT_FLOAT, {2});
  p.set_tensor_content(values, sizeof(values));
  EXPECT_EQ(Read(p), "float[2] 3 4");
  p.add_float_val(9);  // content wins
  EXPECT_EQ(Read(p), "float[2] 3 4");
  p.mutable_tensor_content()->pop_back();
  EXPECT_EQ(Read(p), "tensor_content holds 7 bytes where float[2] needs 8");

  p = Proto(tensorflow::DT_STRING, {2});
  p.set_tensor_content(
      "\x02\x01"
      "abc");
  EXPECT_EQ(Read(p), R"(string[2] "ab" "c")");
  p.set_tensor_content(
      "\x02\x01"
      "abcd");
  EXPECT_THAT(Read(p), HasSubstr("holds 4 bytes of strings where its lengths add up to 3"));
  p.set_tensor_content("\x02");
  EXPECT_THAT(Read(p), HasSubstr("ends within the lengths"));

  p = Proto(tensorflow::DT_RESOURCE, {2});
  tensorflow::ResourceHandleProto handle;
  handle.set_container("c");
  handle.set_name("n");
  const std::string bytes = handle.SerializeAsString();
  p.set_tensor_content(std::string(1, static_cast<char>(bytes.size())) + '\0' + bytes);
  const auto handles = TensorFromProto(p);
  ASSERT_TRUE(handles.ok()) << handles.status();
  EXPECT_EQ(handles->data<ResourceHandle>()[0].container, "c");
  EXPECT_EQ(handles->data<ResourceHandle>()[0].name, "n");
  EXPECT_EQ(handles->data<ResourceHandle>()[1].name, "");
  p.set_tensor_content(std::string("\x01\x00\xff", 3));
  EXPECT_THAT(Read(p), HasSubstr("element 0 is no handle"));

  p = Proto(tensorflow::DT_BOOL, {2});
  p.set_tensor_content("\x02\x01");
  EXPECT_THAT(Read(p), HasSubstr("bytes other than 0 and 1"));
}

TEST(TensorFromProtoTest, RefusesWhatIsNoTensor) {
  EXPECT_EQ(Read(TensorProto()), "a tensor without an element type");
  EXPECT_THAT(Read(Proto(tensorflow::DT_FLOAT_REF, {})), HasSubstr("reference type float_ref"));
  TensorProto p = Proto(tensorflow::DT_FLOAT, {});
  p.set_dtype(static_cast<tensorflow::DataType>(77));
  EXPECT_EQ(Read(p), "no element type has the number 77");
  EXPECT_THAT(Read(Proto(tensorflow::DT_FLOAT, {-1})), HasSubstr("[?] is not fully known"));
  EXPECT_THAT(Read(Proto(tensorflow::DT_FLOAT, {-2})), HasSubstr("[-2]"));
  EXPECT_THAT(Read(Proto(tensorflow::DT_FLOAT, {INT64_MAX, 2})), HasSubstr("too many elements"));
  p = Proto(tensorflow::DT_FLOAT, {});
  p.mutable_tensor_shape()->set_unknown_rank(true);
  EXPECT_THAT(Read(p), HasSubstr("not fully known"));
  p = Proto(tensorflow::DT_FLOAT, {2});
  p.add_int_val(1);
  EXPECT_THAT(Read(p), HasSubstr("values in int_val, which that type does not use"));
  p = Proto(tensorflow::DT_VARIANT, {});
  p.add_variant_val()->set_type_name("nothing of the kind");
  EXPECT_THAT(Read(p), HasSubstr("a variant of the type 'nothing of the kind'"));
}

TEST(TensorFromProtoTest, Variants) {
  TensorProto p = Proto(tensorflow::DT_VARIANT, {3});
  auto* one = p.add_variant_val();
  one->set_type_name("int");
  one->set_metadata(std::string("\7\0\0\0", 4));
  auto* two = p.add_variant_val();
  two->set_type_name("tensorflow::Tensor");
  *two->add_tensors() = Proto(tensorflow::DT_FLOAT, {2});
  auto read = TensorFromProto(p);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read->data<Variant>()[0].get<int32_t>(), 7);
  EXPECT_EQ(read->data<Variant>()[1].get<Tensor>()->ToString(), "float[2] 0 0");
  EXPECT_FALSE(read->data<Variant>()[2].has_value()) << "the last one is not repeated";

  one->set_metadata("\7");
  EXPECT_EQ(Read(p), "a int: a variant with a number of 4 bytes has 1 bytes and 0 tensors");
  one->set_metadata(std::string("\7\0\0\0", 4));
  two->add_tensors();
  EXPECT_THAT(Read(p), HasSubstr("a tensor without an element type"));
}

TEST(TensorFromProtoTest, VariantsWithinVariants) {
  // Raw form within raw form: no parser of messages counts how deep that goes.
  const auto nested = [](int depth) {
    TensorProto p = Proto(tensorflow::DT_INT32, {});
    for (int i = 0; i < depth; ++i) {
      TensorProto outer = Proto(tensorflow::DT_VARIANT, {});
      tensorflow::VariantTensorDataProto variant;
      variant.set_type_name("tensorflow::Tensor");
      *variant.add_tensors() = p;
      const std::string bytes = variant.SerializeAsString();
      for (size_t n = bytes.size();; n >>= 7) {
        outer.mutable_tensor_content()->push_back(
            static_cast<char>(n < 0x80 ? n : (n & 0x7f) | 0x80));
        if (n < 0x80) break;
      }
      outer.mutable_tensor_content()->append(bytes);
      p = outer;
    }
    return p;
  };
  EXPECT_TRUE(TensorFromProto(nested(30)).ok());
  EXPECT_THAT(Read(nested(1000)), HasSubstr("variants lie within variants more than 32 deep"));
}

TEST(TensorFromProtoTest, WhatVariantsHoldCountsAsMemory) {
  TensorProto p = Proto(tensorflow::DT_VARIANT, {2});
  for (int i = 0; i < 2; ++i) {
    auto* variant = p.add_variant_val();
    variant->set_type_name("tensorflow::Tensor");
    *variant->add_tensors() = Proto(tensorflow::DT_FLOAT, {1000});
  }
  EXPECT_EQ(TensorFromProto(p, 8000).status().code(), StatusCode::kResourceExhausted);
  int64_t taken = 0;
  ASSERT_TRUE(TensorFromProto(p, 10000, &taken).ok());
  EXPECT_EQ(taken, 8000 + 2 * static_cast<int64_t>(sizeof(Variant)));
  p = Proto(tensorflow::DT_VARIANT, {1 << 27});
  p.set_tensor_content("\1");
  EXPECT_THAT(Read(p), HasSubstr("ends within the lengths"));
}

TEST(TensorFromProtoTest, AFewBytesCannotAskForMuchMemory) {
  TensorProto p = Proto(tensorflow::DT_FLOAT, {1 << 20, 1 << 20});
  p.add_float_val(1);
  EXPECT_EQ(TensorFromProto(p).status().code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(TensorFromProto(Proto(tensorflow::DT_FLOAT, {26}), 100).status().code(),
            StatusCode::kResourceExhausted);
  EXPECT_TRUE(TensorFromProto(Proto(tensorflow::DT_FLOAT, {25}), 100).ok());
}

template <typename T>
void ExpectRoundTrips(std::initializer_list<T> values) {
  const Tensor t = Tensor::Vector<T>(values);
  for (TensorForm form : {TensorForm::kCompact, TensorForm::kContent, TensorForm::kValues}) {
    TensorProto p;
    ASSERT_TRUE(TensorToProto(t, form, &p).ok());
    const auto back = TensorFromProto(p);
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(AttrValue(*back), AttrValue(t)) << p.DebugString();
  }
}

TEST(TensorToProtoTest, EveryFormReadsBackTheSame) {
  ExpectRoundTrips<float>({1, 2, 3});
  ExpectRoundTrips<float>({2, 2, 2});
  ExpectRoundTrips<float>({});
  ExpectRoundTrips<double>({1, 2});
  ExpectRoundTrips<int8_t>({-1, 5});
  ExpectRoundTrips<uint8_t>({200, 5});
  ExpectRoundTrips<int16_t>({-300, 5});
  ExpectRoundTrips<uint16_t>({60000, 5});
  ExpectRoundTrips<int32_t>({INT32_MIN, 5});
  ExpectRoundTrips<uint32_t>({UINT32_MAX, 5});
  ExpectRoundTrips<int64_t>({INT64_MIN, 5});
  ExpectRoundTrips<uint64_t>({UINT64_MAX, 5});
  ExpectRoundTrips<bool>({true, false});
  ExpectRoundTrips<Half>({Half(1.0f), Half(2.0f)});
  ExpectRoundTrips<BFloat16>({BFloat16(1.0f), BFloat16(2.0f)});
  ExpectRoundTrips<std::complex<float>>({{1, 2}, {3, 4}});
  ExpectRoundTrips<std::complex<double>>({{1, 2}, {3, 4}});
  ExpectRoundTrips<std::string>({"a", "b"});
  ExpectRoundTrips<std::string>({"a", "a"});
  ExpectRoundTrips<QInt8>({QInt8(-1), QInt8(2)});
  ExpectRoundTrips<QUInt16>({QUInt16(60000), QUInt16(2)});
}

TEST(TensorToProtoTest, CompactWritesEqualValuesOnce) {
  TensorProto p;
  auto t = Tensor::Allocate(DType::kFloat, Shape({1000}));
  ASSERT_TRUE(t.ok());
  for (float& v : t->flat<float>()) v = 7;
  ASSERT_TRUE(TensorToProto(*t, TensorForm::kCompact, &p).ok());
  EXPECT_EQ(p.float_val_size(), 1);
  EXPECT_TRUE(p.tensor_content().empty());
  t->data<float>()[999] = 8;
  ASSERT_TRUE(TensorToProto(*t, TensorForm::kCompact, &p).ok());
  EXPECT_EQ(p.float_val_size(), 0);
  EXPECT_EQ(p.tensor_content().size(), 4000u);
}

TEST(TensorToProtoTest, Resources) {
  ResourceHandle handle;
  handle.device = "/device:CPU:0";
  handle.name = "v";
  handle.hash_code = 42;
  handle.dtypes_and_shapes = {{DType::kFloat, PartialShape({-1, 2})}};
  TensorProto p;
  ASSERT_TRUE(TensorToProto(Tensor::Scalar(handle), TensorForm::kContent, &p).ok());
  const auto back = TensorFromProto(p);
  ASSERT_TRUE(back.ok()) << back.status();
  const ResourceHandle& read = back->scalar<ResourceHandle>();
  EXPECT_EQ(read.device, handle.device);
  EXPECT_EQ(read.name, "v");
  EXPECT_EQ(read.hash_code, 42u);
  EXPECT_EQ(read.dtypes_and_shapes, handle.dtypes_and_shapes);
}

TEST(TensorToProtoTest, RefusesWhatHasNoWireForm) {
  TensorProto p;
  EXPECT_EQ(TensorToProto(Tensor(), TensorForm::kContent, &p).code(), StatusCode::kInvalidArgument);
  struct Unknown {};
  const Tensor unknown = Tensor::Scalar(Variant::Of(Unknown()));
  EXPECT_EQ(TensorToProto(unknown, TensorForm::kContent, &p).code(), StatusCode::kUnimplemented);
}

TEST(TensorToProtoTest, VariantsInEveryForm) {
  auto t = Tensor::Allocate(DType::kVariant, Shape({3}));
  ASSERT_TRUE(t.ok());
  t->data<Variant>()[0] = Variant::Of(2.5f);
  t->data<Variant>()[2] = Variant::Of(Tensor::Vector<int32_t>({4, 5}));
  for (TensorForm form : {TensorForm::kCompact, TensorForm::kContent, TensorForm::kValues}) {
    TensorProto p;
    ASSERT_TRUE(TensorToProto(*t, form, &p).ok());
    EXPECT_EQ(p.variant_val().empty(), form == TensorForm::kContent);
    const auto back = TensorFromProto(p);
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(*back->data<Variant>()[0].get<float>(), 2.5f);
    EXPECT_FALSE(back->data<Variant>()[1].has_value());
    EXPECT_EQ(back->data<Variant>()[2].get<Tensor>()->ToString(), "int32[2] 4 5");
  }
  // As TensorFlow writes it.
  TensorProto p;
  ASSERT_TRUE(TensorToProto(t->Rows(0, 1), TensorForm::kContent, &p).ok());
  EXPECT_EQ(p.tensor_content(), std::string("\x0d\n\5float\x12\4\0\0\x20\x40", 14));
}

TEST(SerializedTensorTest, RoundTripAndGarbage) {
  const auto bytes = SerializeTensor(Tensor::Vector<int32_t>({1, 2}));
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(ParseTensor(*bytes)->ToString(), "int32[2] 1 2");
  EXPECT_THAT(std::string(ParseTensor("\xff\xff").status().message()),
              HasSubstr("no serialized tensor"));
}

TEST(ShapeProtoTest, KnownPartialAndUnknown) {
  for (const PartialShape& shape : {PartialShape(), PartialShape({}), PartialShape({2, -1, 0})}) {
    tensorflow::TensorShapeProto p;
    ShapeToProto(shape, &p);
    const auto back = ShapeFromProto(p);
    ASSERT_TRUE(back.ok());
    EXPECT_EQ(*back, shape);
  }
}

}  // namespace
}  // namespace warpbeam
