#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Code = StatusCode;

Tensor Floats(std::initializer_list<float> values) { return Tensor::Vector<float>(values); }
Tensor Ints(std::initializer_list<int32_t> values) { return Tensor::Vector<int32_t>(values); }

std::vector<float> ValuesOf(const Tensor& t) {
  return std::vector<float>(t.data<float>(), t.data<float>() + t.num_elements());
}

TEST(RefVariables, AssignHoldsTheShape) {
  RefVariable v("v", DType::kFloat, PartialShape({2}));
  EXPECT_EQ(OpRunner("Assign").RefInput(&v).Input(Floats({1, 2, 3})).Run().status().code(),
            Code::kInvalidArgument);
  EXPECT_FALSE(v.IsInitialized());
  ASSERT_TRUE(OpRunner("Assign").RefInput(&v).Input(Floats({1, 2})).Run().ok());
  EXPECT_THAT(ValuesOf(v.Read()), ElementsAre(1, 2));
  ASSERT_TRUE(OpRunner("Assign")
                  .Attr("validate_shape", false)
                  .RefInput(&v)
                  .Input(Floats({1, 2, 3}))
                  .Run()
                  .ok());
  EXPECT_THAT(ValuesOf(v.Read()), ElementsAre(1, 2, 3));
}

TEST(RefVariables, UpdatesLeaveEarlierReadersTheirValue) {
  RefVariable v("weights", DType::kFloat);
  const auto s = OpRunner("AssignAdd").RefInput(&v).Input(Floats({1})).Run().status();
  EXPECT_EQ(s.code(), Code::kFailedPrecondition);
  EXPECT_THAT(std::string(s.message()), HasSubstr("weights"));
  v.Assign(Floats({1, 2}));
  const Tensor before = v.Read();
  ASSERT_TRUE(OpRunner("AssignAdd").RefInput(&v).Input(Floats({10, 20})).Run().ok());
  ASSERT_TRUE(OpRunner("AssignSub").RefInput(&v).Input(Floats({1, 1})).Run().ok());
  EXPECT_THAT(ValuesOf(v.Read()), ElementsAre(10, 21));
  EXPECT_THAT(ValuesOf(before), ElementsAre(1, 2));
  EXPECT_EQ(OpRunner("AssignAdd").RefInput(&v).Input(Floats({1})).Run().status().code(),
            Code::kInvalidArgument);
}

TEST(RefVariables, ScattersTakeRowsInOrder) {
  RefVariable v("v", DType::kFloat);
  v.Assign(OpTest::Make<float>({3, 2}, {0, 0, 1, 1, 2, 2}));
  const Tensor rows = OpTest::Make<float>({2, 2}, {1, 2, 10, 20});
  ASSERT_TRUE(OpRunner("ScatterAdd").RefInput(&v).Input(Ints({2, 2})).Input(rows).Run().ok());
  EXPECT_THAT(ValuesOf(v.Read()), ElementsAre(0, 0, 1, 1, 13, 24));
  ASSERT_TRUE(OpRunner("ScatterUpdate").RefInput(&v).Input(Ints({0, 0})).Input(rows).Run().ok());
  EXPECT_THAT(ValuesOf(v.Read()), ElementsAre(10, 20, 1, 1, 13, 24));
  EXPECT_EQ(
      OpRunner("ScatterMul").RefInput(&v).Input(Ints({0, 3})).Input(rows).Run().status().code(),
      Code::kInvalidArgument);
  EXPECT_THAT(ValuesOf(v.Read()), ElementsAre(10, 20, 1, 1, 13, 24));
  ASSERT_TRUE(OpRunner("ScatterNdSub")
                  .RefInput(&v)
                  .Input(OpTest::Make<int32_t>({1, 2}, {1, 0}))
                  .Input(Floats({5}))
                  .Run()
                  .ok());
  EXPECT_THAT(ValuesOf(v.Read()), ElementsAre(10, 20, -4, 1, 13, 24));
}

TEST(RefVariables, CountUpToEnds) {
  RefVariable v("counter", DType::kInt32);
  v.Assign(Tensor::Scalar<int32_t>(0));
  for (int i = 0; i < 3; ++i) {
    auto y = OpRunner("CountUpTo").Attr("limit", 3).RefInput(&v).RunOne();
    ASSERT_TRUE(y.ok()) << y.status();
    EXPECT_EQ(y->scalar<int32_t>(), i);
  }
  EXPECT_EQ(OpRunner("CountUpTo").Attr("limit", 3).RefInput(&v).Run().status().code(),
            Code::kOutOfRange);
  EXPECT_EQ(v.Read().scalar<int32_t>(), 3);
}

TEST(RefVariables, IsVariableInitialized) {
  RefVariable v("v", DType::kFloat);
  EXPECT_FALSE(OpRunner("IsVariableInitialized").RefInput(&v).RunOne()->scalar<bool>());
  v.Assign(Floats({1}));
  EXPECT_TRUE(OpRunner("IsVariableInitialized").RefInput(&v).RunOne()->scalar<bool>());
}

class ResourceVariables : public ::testing::Test {
 protected:
  ResourceVariables() {
    auto handle = OpRunner("VarHandleOp")
                      .Attr("dtype", DType::kFloat)
                      .Attr("shape", PartialShape({-1, 2}))
                      .Attr("shared_name", "weights")
                      .Resources(&store_)
                      .RunOne();
    EXPECT_TRUE(handle.ok()) << handle.status();
    if (handle.ok()) handle_ = *handle;
  }
  OpRunner On(const char* op) {
    OpRunner runner(op);
    runner.Resources(&store_).Input(handle_);
    return runner;
  }
  StatusOr<Tensor> Read() { return On("ReadVariableOp").Attr("dtype", DType::kFloat).RunOne(); }
  Status Assign(Tensor value) {
    return On("AssignVariableOp").Input(std::move(value)).Run().status();
  }

  ResourceStore store_;
  Tensor handle_;
};

TEST_F(ResourceVariables, FromHandleToDestruction) {
  EXPECT_EQ(Read().status().code(), Code::kFailedPrecondition);
  EXPECT_THAT(std::string(Read().status().message()), HasSubstr("Resource localhost/weights/"));
  EXPECT_FALSE(On("VarIsInitializedOp").RunOne()->scalar<bool>());
  ASSERT_TRUE(Assign(OpTest::Make<float>({1, 2}, {1, 2})).ok());
  EXPECT_TRUE(On("VarIsInitializedOp").RunOne()->scalar<bool>());
  ASSERT_TRUE(On("AssignAddVariableOp").Input(OpTest::Make<float>({1, 2}, {1, 1})).Run().ok());
  EXPECT_THAT(ValuesOf(*Read()), ElementsAre(2, 3));
  EXPECT_EQ(Assign(Tensor::Scalar<int32_t>(1)).code(), Code::kInvalidArgument);
  ASSERT_TRUE(On("DestroyResourceOp").Run().ok());
  EXPECT_EQ(Read().status().code(), Code::kFailedPrecondition);
  EXPECT_EQ(On("DestroyResourceOp").Attr("ignore_lookup_error", false).Run().status().code(),
            Code::kNotFound);
}

TEST_F(ResourceVariables, GathersAndScatters) {
  ASSERT_TRUE(Assign(OpTest::Make<float>({3, 2}, {0, 1, 2, 3, 4, 5})).ok());
  auto rows = On("ResourceGather").Attr("dtype", DType::kFloat).Input(Ints({2, 0})).RunOne();
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_THAT(ValuesOf(*rows), ElementsAre(4, 5, 0, 1));
  EXPECT_EQ(
      On("ResourceGather").Attr("dtype", DType::kFloat).Input(Ints({3})).Run().status().code(),
      Code::kInvalidArgument);
  ASSERT_TRUE(On("ResourceScatterAdd")
                  .Input(Ints({1}))
                  .Input(OpTest::Make<float>({1, 2}, {10, 10}))
                  .Run()
                  .ok());
  ASSERT_TRUE(On("ResourceScatterNdUpdate")
                  .Input(OpTest::Make<int32_t>({1, 2}, {0, 1}))
                  .Input(Floats({-1}))
                  .Run()
                  .ok());
  ASSERT_TRUE(On("ResourceScatterMax").Input(Ints({})).Input(Floats({7, 8, 9})).Run().ok());
  EXPECT_THAT(ValuesOf(*Read()), ElementsAre(0, -1, 12, 13, 4, 5));
  auto shape = On("VariableShape").RunOne();
  ASSERT_TRUE(shape.ok()) << shape.status();
  EXPECT_THAT(shape->flat<int32_t>(), ElementsAre(3, 2));
}

}  // namespace
}  // namespace warpbeam
