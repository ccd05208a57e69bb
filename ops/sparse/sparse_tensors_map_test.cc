// Sparse tensors put aside and taken back, with what TensorFlow gives for them.
#include <gtest/gtest.h>

#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

using Code = StatusCode;

class SparseTensorsMapTest : public ::testing::Test {
 protected:
  OpRunner Op(const char* op) {
    OpRunner run(op);
    run.Attr("shared_name", std::string("m")).Resources(&store_);
    return run;
  }
  StatusOr<Tensor> Add(const char* op, Tensor indices, std::vector<float> values,
                       std::vector<int64_t> shape) {
    return Op(op)
        .Input(std::move(indices))
        .Input(Tensor::Vector<float>(values))
        .Input(Tensor::Vector<int64_t>(shape))
        .RunOne();
  }
  StatusOr<std::vector<Tensor>> Take(std::vector<int64_t> handles, DType dtype = DType::kFloat) {
    return Op("TakeManySparseFromTensorsMap")
        .Attr("dtype", dtype)
        .Input(Tensor::Vector<int64_t>(handles))
        .Run();
  }
  template <class T>
  static std::vector<T> Values(const Tensor& t) {
    const auto flat = t.flat<T>();
    return {flat.begin(), flat.end()};
  }

  ResourceStore store_;
};

constexpr char kAdd[] = "AddSparseToTensorsMap", kAddMany[] = "AddManySparseToTensorsMap";

TEST_F(SparseTensorsMapTest, MembersComeBackOnce) {
  const auto handles =
      Add(kAddMany, OpTest::Make<int64_t>({3, 2}, {0, 1, 2, 0, 2, 3}), {1, 2, 3}, {4, 5});
  ASSERT_TRUE(handles.ok()) << handles.status();
  ASSERT_EQ(handles->shape(), Shape({4}));
  const std::vector<int64_t> h = Values<int64_t>(*handles);
  const auto out = Take({h[0], h[2], h[1]});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(Values<int64_t>((*out)[0]), (std::vector<int64_t>{0, 1, 1, 0, 1, 3}));
  EXPECT_EQ(Values<float>((*out)[1]), (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(Values<int64_t>((*out)[2]), (std::vector<int64_t>{3, 5}));
  EXPECT_EQ(Take({h[0]}).status().code(), Code::kInvalidArgument);
  // What is there stays when another one is missing.
  EXPECT_EQ(Take({h[3], h[0]}).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(Take({h[3], h[3]}).status().code(), Code::kInvalidArgument);
  EXPECT_TRUE(Take({h[3]}).ok());
}

TEST_F(SparseTensorsMapTest, TheLargestShapeHoldsAll) {
  const auto small = Add(kAdd, OpTest::Make<int64_t>({1, 2}, {1, 1}), {1}, {3, 2});
  const auto large = Add(kAdd, OpTest::Make<int64_t>({1, 2}, {5, 5}), {2}, {7, 6});
  ASSERT_TRUE(small.ok() && large.ok());
  const auto out = Take({large->scalar<int64_t>(), small->scalar<int64_t>()});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(Values<int64_t>((*out)[0]), (std::vector<int64_t>{0, 5, 5, 1, 1, 1}));
  EXPECT_EQ(Values<int64_t>((*out)[2]), (std::vector<int64_t>{2, 7, 6}));
}

TEST_F(SparseTensorsMapTest, Refusals) {
  const Tensor one = OpTest::Make<int64_t>({1, 2}, {1, 1});
  const auto code = [&](const char* op, Tensor indices, std::vector<float> values,
                        std::vector<int64_t> shape) {
    return Add(op, std::move(indices), std::move(values), std::move(shape)).status().code();
  };
  EXPECT_EQ(code(kAdd, one, {1, 2}, {3, 2}), Code::kInvalidArgument);
  EXPECT_EQ(code(kAdd, one, {1}, {3, -2}), Code::kInvalidArgument);
  EXPECT_EQ(code(kAdd, OpTest::Make<int64_t>({2}, {1, 1}), {1}, {3, 2}), Code::kInvalidArgument);
  EXPECT_EQ(code(kAddMany, OpTest::Make<int64_t>({1, 1}, {0}), {1}, {3}), Code::kInvalidArgument);
  EXPECT_EQ(code(kAddMany, OpTest::Make<int64_t>({1, 2}, {1, 7}), {1}, {3, 2}),
            Code::kInvalidArgument);
  EXPECT_EQ(code(kAddMany, OpTest::Make<int64_t>({2, 2}, {1, 0, 0, 1}), {1, 2}, {3, 2}),
            Code::kInvalidArgument);
  EXPECT_EQ(Take({}).status().code(), Code::kInvalidArgument);
  const auto two = Add(kAdd, one, {1}, {3, 2});
  const auto three = Add(kAdd, OpTest::Make<int64_t>({1, 3}, {1, 1, 1}), {1}, {3, 2, 2});
  ASSERT_TRUE(two.ok() && three.ok());
  EXPECT_EQ(Take({two->scalar<int64_t>(), three->scalar<int64_t>()}).status().code(),
            Code::kInvalidArgument);
  const auto typed = Add(kAdd, one, {1}, {3, 2});
  EXPECT_EQ(Take({typed->scalar<int64_t>()}, DType::kInt32).status().code(),
            Code::kInvalidArgument);
}

}  // namespace
}  // namespace warpbeam
