#include "graph/types/tensor.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Code = StatusCode;

TEST(TensorTest, ReadsAsItsTypeShapeAndValues) {
  const std::pair<Tensor, const char*> cases[] = {
      {Tensor(), "<no value>"},
      {Tensor::Scalar(1.5f), "float[] 1.5"},
      {Tensor::Vector<int8_t>({-1, 2}), "int8[2] -1 2"},
      {Tensor::Vector<uint8_t>({200}), "uint8[1] 200"},
      {Tensor::Vector<bool>({true, false}), "bool[2] true false"},
      {Tensor::Scalar(Half(0.5f)), "half[] 0.5"},
      {Tensor::Scalar(BFloat16(2.0f)), "bfloat16[] 2"},
      {Tensor::Scalar(std::complex<float>(1, 2)), "complex64[] 1+2j"},
      {Tensor::Scalar(std::complex<double>(1, -2)), "complex128[] 1-2j"},
      {Tensor::Vector<std::string>({"a", "b"}), "string[2] \"a\" \"b\""},
      {Tensor::FromValues<float>(Shape({0, 3}), {}), "float[0,3]"},
  };
  for (const auto& [tensor, text] : cases) EXPECT_EQ(tensor.ToString(), text);
  EXPECT_EQ(Tensor::Vector<int32_t>({1, 2, 3}).ToString(2), "int32[3] 1 2 …");
}

TEST(TensorTest, CopiesShareAndClonesDoNot) {
  Tensor t = Tensor::Vector<int32_t>({1, 2, 3});
  EXPECT_TRUE(t.IsUnique());
  const Tensor copy = t;
  EXPECT_FALSE(t.IsUnique());
  EXPECT_EQ(copy.raw_data(), t.raw_data());
  const auto clone = t.Clone();
  ASSERT_TRUE(clone.ok()) << clone.status();
  t.data<int32_t>()[0] = 9;
  EXPECT_EQ(copy.data<int32_t>()[0], 9);
  EXPECT_EQ(clone->data<int32_t>()[0], 1);
  t.Reset();
  EXPECT_FALSE(t.has_value());
  EXPECT_TRUE(copy.IsUnique());
}

// Objects are copied as objects, and go with their buffer.
TEST(TensorTest, StringsHaveOwners) {
  const std::string text(1000, 'x');
  auto clone = Tensor::Vector<std::string>({text, "b"}).Clone();
  ASSERT_TRUE(clone.ok()) << clone.status();
  EXPECT_EQ(clone->data<std::string>()[0], text);
  EXPECT_EQ(clone->data<std::string>()[1], "b");
  const auto empty = Tensor::Allocate(DType::kString, Shape({3}));
  ASSERT_TRUE(empty.ok());
  EXPECT_THAT(empty->flat<std::string>(), ElementsAre("", "", ""));
}

TEST(TensorTest, ViewsAreOfTheSameBuffer) {
  const Tensor t = Tensor::FromValues<float>(Shape({3, 2}), {1, 2, 3, 4, 5, 6});
  const Tensor rows = t.Rows(1, 3);
  EXPECT_EQ(rows.shape(), Shape({2, 2}));
  EXPECT_THAT(rows.flat<float>(), ElementsAre(3, 4, 5, 6));
  EXPECT_EQ(t.Rows(3, 3).num_elements(), 0);
  EXPECT_EQ(Tensor::FromValues<float>(Shape({0, 2}), {}).Rows(0, 0).shape(), Shape({0, 2}));
  const auto flat = rows.Reshaped(Shape({4}));
  ASSERT_TRUE(flat.ok());
  EXPECT_EQ(flat->raw_data(), rows.raw_data());
  const Status s = rows.Reshaped(Shape({5})).status();
  EXPECT_EQ(s.code(), Code::kInvalidArgument);
  EXPECT_THAT(std::string(s.message()), HasSubstr("[2,2] as [5]"));
  EXPECT_EQ(t.Bitcast(DType::kInt32).data<int32_t>()[0], 0x3f800000);
  EXPECT_FALSE(t.IsUnique());
}

TEST(TensorTest, WhatCannotBeAllocatedIsAnError) {
  struct Case {
    DType dtype;
    Shape shape;
    Code code;
  };
  const Case cases[] = {
      {DType::kInvalid, Shape(), Code::kInvalidArgument},
      {static_cast<DType>(kRefOffset + static_cast<int>(DType::kFloat)), Shape(),
       Code::kInvalidArgument},
      {DType::kDouble, Shape({int64_t{1} << 61}), Code::kInvalidArgument},
      {DType::kFloat, Shape({int64_t{1} << 50}), Code::kResourceExhausted},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(Tensor::Allocate(c.dtype, c.shape).status().code(), c.code)
        << DTypeName(c.dtype) << c.shape.ToString();
  }
  EXPECT_FALSE(Tensor::FromValues<float>(Shape({2}), {1}).has_value());
}

TEST(VariantTest, HoldsOneTypeAtATime) {
  const Variant none, number = Variant::Of(5);
  EXPECT_FALSE(none.has_value());
  EXPECT_EQ(none.get<int>(), nullptr);
  ASSERT_NE(number.get<int>(), nullptr);
  EXPECT_EQ(*number.get<int>(), 5);
  EXPECT_EQ(number.get<double>(), nullptr);
  EXPECT_STREQ(none.type_name(), "nothing");
}

TEST(PartialShapeTest, MergeKeepsWhatEitherKnows) {
  const PartialShape unknown, a({-1, 3}), b({2, -1}), both({2, 3});
  EXPECT_EQ(*PartialShape::Merge(a, b), both);
  EXPECT_EQ(*PartialShape::Merge(unknown, a), a);
  EXPECT_EQ(*PartialShape::Merge(a, unknown), a);
  EXPECT_EQ(PartialShape::Merge(a, PartialShape({2, 4})).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(PartialShape::Merge(a, PartialShape({2})).status().code(), Code::kInvalidArgument);
  EXPECT_TRUE(a.IsCompatibleWith(b));
  EXPECT_FALSE(a.IsCompatibleWith(PartialShape({2})));
  EXPECT_EQ(a.num_elements(), -1);
  EXPECT_EQ(both.num_elements(), 6);
  EXPECT_EQ(*both.AsShape(), Shape({2, 3}));
  EXPECT_FALSE(a.AsShape().ok());
  EXPECT_FALSE(PartialShape::Make({-2}).ok());
}

// Shapes of more dimensions than are kept in place are copied, moved and compared all the same.
TEST(ShapeTest, ManyDimensions) {
  for (int rank = 0; rank < 12; ++rank) {
    std::vector<int64_t> dims;
    for (int i = 0; i < rank; ++i) dims.push_back(1 + i % 2);
    Shape shape = *Shape::Make(dims);
    Shape copy = shape;
    EXPECT_EQ(copy, shape);
    Shape moved = std::move(copy);
    EXPECT_EQ(moved, shape);
    copy = moved;
    copy = *&copy;
    EXPECT_EQ(copy.rank(), rank);
    moved = Shape();
    EXPECT_EQ(moved, Shape());
    EXPECT_EQ(copy, shape);
    const auto longer = shape.Insert(rank / 2, 5);
    ASSERT_TRUE(longer.ok());
    EXPECT_EQ(longer->dim(rank / 2), 5);
    EXPECT_EQ(longer->Remove(rank / 2), shape);
  }
}

}  // namespace
}  // namespace warpbeam
