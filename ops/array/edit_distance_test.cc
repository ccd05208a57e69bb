#include <cmath>
#include <string>

#include "gtest/gtest.h"
#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

using Code = StatusCode;

struct Sequences {
  Tensor indices, values, shape;
};

// Three sequences: 1 2, 3 and none; against 1, 3 4 and 5.
const Sequences kHypothesis = {OpTest::Make<int64_t>({3, 2}, {0, 0, 0, 1, 1, 0}),
                               Tensor::Vector<int64_t>({1, 2, 3}), Tensor::Vector<int64_t>({2, 2})};
const Sequences kTruth = {OpTest::Make<int64_t>({4, 2}, {0, 0, 1, 0, 1, 1, 2, 0}),
                          Tensor::Vector<int64_t>({1, 3, 4, 5}), Tensor::Vector<int64_t>({3, 2})};

OpRunner Runner(const Sequences& hypothesis, const Sequences& truth) {
  OpRunner runner("EditDistance");
  for (const Sequences* s : {&hypothesis, &truth}) {
    runner.Input(s->indices).Input(s->values).Input(s->shape);
  }
  return runner;
}
StatusCode CodeOf(const Sequences& hypothesis, const Sequences& truth) {
  return Runner(hypothesis, truth).Run().status().code();
}

TEST(EditDistance, CountsEdits) {
  for (const bool normalize : {false, true}) {
    const auto distances = Runner(kHypothesis, kTruth).Attr("normalize", normalize).RunOne();
    ASSERT_TRUE(distances.ok()) << distances.status();
    ASSERT_EQ(distances->shape(), Shape({3}));
    EXPECT_EQ(distances->data<float>()[0], 1);
    EXPECT_EQ(distances->data<float>()[1], normalize ? 0.5f : 1);
    EXPECT_EQ(distances->data<float>()[2], 1);
  }
  // Without a truth there is nothing to normalise by.
  const auto turned = Runner(kTruth, kHypothesis).RunOne();
  ASSERT_TRUE(turned.ok()) << turned.status();
  EXPECT_EQ(turned->data<float>()[2], kInf);
}

TEST(EditDistance, ComparesStrings) {
  const Sequences a = {OpTest::Make<int64_t>({2, 2}, {0, 0, 0, 1}),
                       Tensor::Vector<std::string>({"a", "b"}), Tensor::Vector<int64_t>({1, 2})};
  const Sequences b = {OpTest::Make<int64_t>({2, 2}, {0, 0, 0, 1}),
                       Tensor::Vector<std::string>({"b", "c"}), Tensor::Vector<int64_t>({1, 2})};
  const auto distances = Runner(a, b).RunOne();
  ASSERT_TRUE(distances.ok()) << distances.status();
  EXPECT_EQ(distances->data<float>()[0], 1);
}

TEST(EditDistance, RefusesBadSequences) {
  Sequences bad = kHypothesis;
  bad.indices = OpTest::Make<int64_t>({3, 2}, {0, 0, 0, 1, 7, 0});
  EXPECT_EQ(CodeOf(bad, kTruth), Code::kInternal);
  bad.indices = OpTest::Make<int64_t>({3, 2}, {0, 0, 0, 1, -1, 0});
  EXPECT_EQ(CodeOf(bad, kTruth), Code::kInternal);
  bad.indices = OpTest::Make<int64_t>({2, 2}, {0, 0, 0, 1});
  EXPECT_EQ(CodeOf(bad, kTruth), Code::kInvalidArgument);
  bad = kHypothesis;
  bad.shape = Tensor::Vector<int64_t>({2});
  EXPECT_EQ(CodeOf(bad, kTruth), Code::kInvalidArgument);
  bad.shape = Tensor::Vector<int64_t>({-1, 2});
  EXPECT_EQ(CodeOf(kHypothesis, bad), Code::kInvalidArgument);
  const Sequences flat = {OpTest::Make<int64_t>({1, 1}, {0}), Tensor::Vector<int64_t>({1}),
                          Tensor::Vector<int64_t>({1})};
  EXPECT_EQ(CodeOf(flat, flat), Code::kInvalidArgument);
  // More elements than 64 bits count.
  const int64_t large = int64_t{1} << 40;
  const Sequences huge = {OpTest::Make<int64_t>({1, 3}, {0, 0, 0}), Tensor::Vector<int64_t>({1}),
                          Tensor::Vector<int64_t>({large, large, 2})};
  EXPECT_EQ(CodeOf(huge, huge), Code::kInvalidArgument);
}

}  // namespace
}  // namespace warpbeam
