#include "frontend/host_tensor/host_tensor.h"

#include "absl/strings/str_cat.h"
#include "frontend/build.h"
#include "frontend/host_tensor/tensor_shape.h"
#include "frontend/scope.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace {

bool Mentions(const Status& status, const std::string& text) {
  return status.message().find(text) != absl::string_view::npos;
}

TEST(HostTensorTest, NestedListsAreTensors) {
  const StatusOr<Tensor> t = TensorOf<float>({{1, 2.5}, {3, 4}, {5, 6}});
  ASSERT_TRUE(t.ok()) << t.status();
  EXPECT_EQ(t->shape(), Shape({3, 2}));
  EXPECT_EQ(*ValuesOf<float>(*t), (std::vector<float>{1, 2.5, 3, 4, 5, 6}));
  EXPECT_EQ(*ValueAt<float>(*t, {0, 1}), 2.5f);
  EXPECT_EQ(TensorOf<std::string>({"a", "bc"})->shape(), Shape({2}));
  EXPECT_EQ(TensorOf<int64_t>(7)->rank(), 0);
  EXPECT_EQ(TensorOf<bool>({true, false})->data<bool>()[0], true);
  EXPECT_EQ(TensorOf<float>({{}, {}})->shape(), Shape({2, 0}));
  const size_t n = 3;
  EXPECT_EQ(Literal({n, size_t{4}}).dtype(), DType::kInt64);
  EXPECT_EQ(Literal({1, 4}).dtype(), DType::kInt32);
  EXPECT_EQ(Literal(std::vector<std::vector<int>>{{1, 2}, {3, 4}}).dims(),
            (std::vector<int64_t>{2, 2}));
}

TEST(HostTensorTest, WhatIsWrongIsSaidAtThePlace) {
  const int line = __LINE__ + 1;
  const Status ragged = TensorOf<float>({{1, 2}, {3}}).status();
  EXPECT_EQ(ragged.code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(Mentions(ragged, absl::StrCat("host_tensor_test.cc:", line))) << ragged;
  EXPECT_TRUE(Mentions(ragged, "different lengths")) << ragged;
  EXPECT_TRUE(Mentions(TensorOf<int32_t>({1, 2.5}).status(), "fraction"));
  EXPECT_TRUE(Mentions(TensorOf<int8_t>({300}).status(), "300"));
  EXPECT_FALSE(TensorOf<float>({"a"}).ok());
  const std::vector<float> three = {1, 2, 3};
  EXPECT_TRUE(Mentions(TensorOf(Shape({2, 2}), three).status(), "3 values"));
  const Tensor t = *TensorOf<float>({{1, 2}, {3, 4}});
  EXPECT_TRUE(Mentions(ValueOf<float>(t).status(), "one value"));
  EXPECT_TRUE(Mentions(ValueOf<double>(t).status(), "float is read as double"));
  EXPECT_TRUE(Mentions(ViewOf<float>(t, 1).status(), "1 dimensions"));
  EXPECT_TRUE(Mentions(ValueAt<float>(t, {2, 0}).status(), "index 2 of dimension 0"));
  EXPECT_FALSE(ValueAt<float>(t, {0}).ok());
  EXPECT_TRUE(Mentions(ValueOf<float>(Tensor()).status(), "no value"));
}

TEST(HostTensorTest, AViewHasElementsByTheirIndices) {
  const Tensor t = *TensorOf<int32_t>({{1, 2, 3}, {4, 5, 6}});
  const StatusOr<TensorView<int32_t>> view = ViewOf<int32_t>(t, 2);
  ASSERT_TRUE(view.ok()) << view.status();
  EXPECT_EQ((*view)(1, 2), 6);
  int sum = 0;
  for (const int32_t element : *view) sum += element;
  EXPECT_EQ(sum, 21);
}

TEST(HostTensorTest, ReshapeKnowsOneDimensionFromTheOthers) {
  const Tensor t = *TensorOf<int32_t>({1, 2, 3, 4, 5, 6});
  EXPECT_EQ(ReshapeTensor(t, {2, -1})->shape(), Shape({2, 3}));
  EXPECT_FALSE(ReshapeTensor(t, {4, -1}).ok());
  EXPECT_FALSE(ReshapeTensor(t, {-1, -1}).ok());
  EXPECT_FALSE(ReshapeTensor(t, {1 << 30, 1 << 30, 1 << 30}).ok());
}

TEST(HostTensorTest, NpyFilesGoInAndOut) {
  const Tensor t = *TensorOf<float>({{1, 2}, {3, 4}, {5, 6}});
  const std::string path = ::testing::TempDir() + "/t.npy";
  ASSERT_TRUE(WriteNpy(t, path).ok());
  const StatusOr<Tensor> back = ReadNpy(path);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->shape(), t.shape());
  EXPECT_EQ(*ValuesOf<float>(*back), *ValuesOf<float>(t));
  for (const Tensor& other :
       {*TensorOf<bool>(true), *TensorOf<int64_t>({7}), *TensorOf<double>({})}) {
    const StatusOr<Tensor> copy = TensorOfNpy(*NpyBytes(other));
    ASSERT_TRUE(copy.ok()) << copy.status();
    EXPECT_EQ(copy->dtype(), other.dtype());
    EXPECT_EQ(copy->shape(), other.shape());
  }
  EXPECT_EQ(NpyBytes(*TensorOf<std::string>("a")).status().code(), StatusCode::kUnimplemented);
}

// As numpy.save writes numpy.arange(3, dtype=numpy.int16).
TEST(HostTensorTest, ReadsWhatNumpyWrites) {
  std::string header = "{'descr': '<i2', 'fortran_order': False, 'shape': (3,), }";
  header.resize(117, ' ');
  header += '\n';
  std::string bytes = std::string("\x93NUMPY\x01\x00v\x00", 10) + header;
  bytes += std::string("\0\0\1\0\2\0", 6);
  const StatusOr<Tensor> t = TensorOfNpy(bytes);
  ASSERT_TRUE(t.ok()) << t.status();
  EXPECT_EQ(*ValuesOf<int16_t>(*t), (std::vector<int16_t>{0, 1, 2}));
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(TensorOfNpy(bytes.substr(0, size)).ok()) << size;
  }
  bytes[bytes.find("<i2") + 2] = '8';
  EXPECT_EQ(TensorOfNpy(bytes).status().code(), StatusCode::kDataLoss);
}

TEST(TensorShapeTest, ShapesAreAskedAndJoined) {
  const PartialShape a({-1, 3}), b({2, -1}), unknown;
  EXPECT_TRUE(AssertHasRank(a, 2).ok());
  EXPECT_FALSE(AssertHasRank(a, 3).ok());
  EXPECT_TRUE(AssertHasRank(unknown, 3).ok());
  EXPECT_FALSE(AssertSameRank(a, PartialShape({1})).ok());
  EXPECT_FALSE(AssertIsFullyDefined(a).ok());
  EXPECT_FALSE(AssertIsCompatibleWith(a, PartialShape({2, 4})).ok());
  EXPECT_EQ(*MergeShapes(a, b), PartialShape({2, 3}));
  EXPECT_EQ(*WithRank(unknown, 2), PartialShape({-1, -1}));
  EXPECT_FALSE(WithRankAtLeast(a, 3).ok());
  EXPECT_FALSE(WithRankAtMost(a, 1).ok());
  EXPECT_EQ(ConcatenateShapes(a, b), PartialShape({-1, 3, 2, -1}));
  EXPECT_EQ(MostSpecificCompatibleShape(a, b), PartialShape({-1, -1}));
  EXPECT_EQ(RealType(DType::kComplex64), DType::kFloat);
  EXPECT_TRUE(IsUnsigned(DType::kUInt8) && IsBool(DType::kBool) && IsQuantized(DType::kQInt8));
  EXPECT_EQ(*ValueOf<uint8_t>(*MaxOf(DType::kUInt8)), 255);
  EXPECT_EQ(*ValueOf<int64_t>(*MinOf(DType::kInt64)), std::numeric_limits<int64_t>::min());
  EXPECT_FALSE(MaxOf(DType::kString).ok());
}

TEST(InputTest, ListsOfListsAndSizesBecomeConstants) {
  const Scope root = Scope::NewRoot();
  EXPECT_EQ(Constant(root, {{1.0f, 2.0f}, {3.0f, 4.0f}}).shape(), PartialShape({2, 2}));
  const std::vector<int> three = {1, 2, 3};
  const Output mixed = Constant(root, {three.size(), 784});
  EXPECT_EQ(mixed.dtype(), DType::kInt64);
  EXPECT_EQ(Constant(root, three.size()).dtype(), DType::kInt64);
  EXPECT_EQ(Constant(root, {}).dtype(), DType::kFloat);
  EXPECT_EQ(Constant(root, {true, false}).dtype(), DType::kBool);
  const Output scalar = BuildOutput(root, "Reshape", {Constant(root, {1.0f}), Input({})});
  EXPECT_EQ(scalar.rank(), 0);
  EXPECT_EQ(Constant(root, {"a", "b"}).dtype(), DType::kString);
  EXPECT_EQ(Constant(root, std::vector<bool>{true}).dtype(), DType::kBool);
  EXPECT_TRUE(root.ok()) << root.status();
  Constant(root, {{1, 2}, {3}});
  EXPECT_TRUE(Mentions(root.status(), "different lengths")) << root.status();
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
