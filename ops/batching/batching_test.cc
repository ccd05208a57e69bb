// Batch, Unbatch and UnbatchGrad; values and messages are TensorFlow 2.21's.
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Code = StatusCode;
using Outputs = StatusOr<std::vector<Tensor>>;

OpRunner Batch(ResourceStore* store, int64_t most, int64_t timeout_micros = 1000) {
  OpRunner op("Batch");
  op.Resources(store)
      .Attr("num_batch_threads", int64_t{1})
      .Attr("max_batch_size", most)
      .Attr("batch_timeout_micros", timeout_micros)
      .Attr("grad_timeout_micros", int64_t{0})
      .Attr("shared_name", "batches");
  return op;
}
OpRunner Unbatch(ResourceStore* store, Tensor batch, Tensor index, int64_t id,
                 int64_t timeout_micros = 30000000) {
  OpRunner op("Unbatch");
  op.Resources(store)
      .Attr("timeout_micros", timeout_micros)
      .Attr("shared_name", "unbatched")
      .Input(std::move(batch))
      .Input(std::move(index))
      .Input(Tensor::Scalar<int64_t>(id));
  return op;
}
OpRunner Gradient(ResourceStore* store, Tensor original, Tensor index, Tensor gradient,
                  int64_t id) {
  OpRunner op("UnbatchGrad");
  op.Resources(store)
      .Attr("shared_name", "gradients")
      .Input(std::move(original))
      .Input(std::move(index))
      .Input(std::move(gradient))
      .Input(Tensor::Scalar<int64_t>(id));
  return op;
}
Tensor Index(std::initializer_list<int64_t> shape, std::initializer_list<int64_t> values) {
  return OpTest::Make<int64_t>(shape, values);
}
Tensor NoIndex() { return Index({0, 3}, {}); }
Tensor Ints(const std::vector<int32_t>& values) {
  return Tensor::Vector<int32_t>(MakeConstSpan(values));
}

template <class T>
std::vector<T> Values(const Tensor& tensor) {
  return std::vector<T>(tensor.data<T>(), tensor.data<T>() + tensor.num_elements());
}
void ExpectRefused(const Status& status, const char* text, Code code = Code::kInvalidArgument) {
  EXPECT_EQ(status.code(), code) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(text));
}

TEST(BatchTest, OfOneStep) {
  ResourceStore store;
  Outputs one =
      Batch(&store, 4).InputList({Ints({1, 2, 3}), OpTest::Make<float>({3, 1}, {1, 2, 3})}).Run();
  ASSERT_TRUE(one.ok()) << one.status();
  EXPECT_THAT(Values<int32_t>((*one)[0]), ElementsAre(1, 2, 3));
  EXPECT_EQ((*one)[1].shape(), Shape({3, 1}));
  EXPECT_THAT(Values<int64_t>((*one)[2]), ElementsAre((*one)[3].scalar<int64_t>(), 0, 3));
  EXPECT_EQ((*one)[2].shape(), Shape({1, 3}));
  Outputs none = Batch(&store, 4).InputList({Ints({})}).Run();
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_EQ((*none)[2].shape(), Shape({0}));
}

TEST(BatchTest, FilledUpWithItsFirstRow) {
  ResourceStore store;
  Outputs padded = Batch(&store, 4)
                       .Attr("allowed_batch_sizes", std::vector<int64_t>{2, 4})
                       .InputList({Ints({5, 6, 7})})
                       .Run();
  ASSERT_TRUE(padded.ok()) << padded.status();
  EXPECT_THAT(Values<int32_t>((*padded)[0]), ElementsAre(5, 6, 7, 5));
  EXPECT_EQ(Values<int64_t>((*padded)[1])[2], 3);
}

TEST(BatchTest, OfSeveralSteps) {
  ResourceStore store;
  constexpr int kSteps = 4;
  std::vector<Outputs> outputs(kSteps, Unknown(""));
  std::vector<std::thread> steps;
  for (int i = 0; i < kSteps; ++i) {
    steps.emplace_back([&, i] {
      outputs[i] = Batch(&store, kSteps, 600000000).InputList({Ints({10 + i})}).Run();
    });
  }
  for (std::thread& step : steps) step.join();
  int full = -1;
  for (int i = 0; i < kSteps; ++i) {
    ASSERT_TRUE(outputs[i].ok()) << outputs[i].status();
    const int64_t rows = (*outputs[i])[0].dim(0);
    EXPECT_EQ((*outputs[i])[1].shape(), Shape({rows, 3}));
    if (rows == 0) continue;
    EXPECT_EQ(full, -1);
    full = i;
  }
  ASSERT_GE(full, 0);
  const Tensor rows = (*outputs[full])[0], index = (*outputs[full])[1];
  EXPECT_THAT(Values<int32_t>(rows), ::testing::UnorderedElementsAre(10, 11, 12, 13));
  // Each of them gets its own row back.
  std::vector<std::thread> back;
  for (int i = 0; i < kSteps; ++i) {
    back.emplace_back([&, i] {
      const int64_t id = (*outputs[i])[2].scalar<int64_t>();
      const bool is_full = i == full;
      auto row =
          Unbatch(&store, is_full ? rows : Ints({}), is_full ? index : NoIndex(), id).RunOne();
      EXPECT_TRUE(row.ok() && Values<int32_t>(*row) == std::vector<int32_t>{10 + i}) << i;
    });
  }
  for (std::thread& step : back) step.join();
}

TEST(BatchTest, WhatNoLongerFitsBeginsAnother) {
  ResourceStore store;
  Outputs two = Unknown("");
  std::thread step([&] { two = Batch(&store, 4, 20000).InputList({Ints({1, 2})}).Run(); });
  Outputs four = Batch(&store, 4, 20000).InputList({Ints({3, 4, 5, 6})}).Run();
  step.join();
  ASSERT_TRUE(two.ok()) << two.status();
  EXPECT_THAT(Values<int32_t>((*two)[0]), ElementsAre(1, 2));
  ASSERT_TRUE(four.ok()) << four.status();
  EXPECT_THAT(Values<int32_t>((*four)[0]), ElementsAre(3, 4, 5, 6));
}

TEST(BatchTest, Refuses) {
  ResourceStore store;
  ExpectRefused(Batch(&store, 4).InputList({Tensor::Scalar(1)}).Run().status(),
                "Batching input tensors must have at least one dimension");
  ExpectRefused(Batch(&store, 4).InputList({Ints({1}), Ints({1, 2})}).Run().status(),
                "must have equal 0th-dimension size");
  ExpectRefused(Batch(&store, 4).InputList({Ints({1, 1, 1, 1, 1})}).Run().status(),
                "Task size 5 is larger than maximum input batch size 4");
  ExpectRefused(Batch(&store, 0).InputList({Ints({1})}).Run().status(),
                "input_batch_size_limit must be positive; was 0");
  ExpectRefused(Batch(&store, 4, -1).InputList({Ints({1})}).Run().status(),
                "batch_timeout_micros must be non-negative; was -1");
  const auto sizes = [&](std::vector<int64_t> values) {
    return Batch(&store, 4)
        .Attr("allowed_batch_sizes", std::move(values))
        .InputList({Ints({1})})
        .Run()
        .status();
  };
  ExpectRefused(sizes({2, 3}), "final entry in allowed_batch_sizes must equal max_batch_size");
  ExpectRefused(sizes({4, 2}), "allowed_batch_sizes entries must be monotonically increasing");
}

TEST(UnbatchTest, OwnRows) {
  ResourceStore store;
  const Tensor batch = OpTest::Make<int32_t>({3, 2}, {1, 2, 3, 4, 5, 6});
  auto own = Unbatch(&store, batch, Index({2, 3}, {7, 0, 2, 9, 2, 3}), 7).RunOne();
  ASSERT_TRUE(own.ok()) << own.status();
  EXPECT_EQ(own->shape(), Shape({2, 2}));
  EXPECT_THAT(Values<int32_t>(*own), ElementsAre(1, 2, 3, 4));
  // The rest is kept for whom it belongs to.
  own = Unbatch(&store, Ints({}), NoIndex(), 9).RunOne();
  ASSERT_TRUE(own.ok()) << own.status();
  EXPECT_THAT(Values<int32_t>(*own), ElementsAre(5, 6));
  // Rows lie one after the other, wherever the index has them begin.
  own = Unbatch(&store, Ints({1, 2, 3, 4}), Index({2, 3}, {17, 2, 3, 18, 0, 2}), 17).RunOne();
  ASSERT_TRUE(own.ok()) << own.status();
  EXPECT_THAT(Values<int32_t>(*own), ElementsAre(1));
}

TEST(UnbatchTest, Refuses) {
  ResourceStore store;
  const auto unbatch = [&](const Tensor& batch, const Tensor& index) {
    return Unbatch(&store, batch, index, 7, 20000).RunOne().status();
  };
  ExpectRefused(unbatch(Ints({}), NoIndex()), "Batched data did not arrive within timeout window.",
                Code::kDeadlineExceeded);
  ExpectRefused(unbatch(Ints({1, 2}), Index({2, 2}, {7, 0, 9, 2})),
                "Expected 1st dimension size to be 3 ; Got: 2.");
  ExpectRefused(unbatch(Ints({1}), Index({2, 3}, {7, 0, 1, 9, 1, 2})),
                "Expected 0th dimension size to be no greater than 1; Got: 2.");
  ExpectRefused(unbatch(Ints({1, 2}), Index({1, 3}, {7, 0, 3})),
                "Sum of split sizes must not exceed dim0-size of input tensor");
  // TensorFlow ends with these.
  ExpectRefused(unbatch(Ints({1}), Index({1, 3}, {7, 1, 0})), "before its begin");
  ExpectRefused(unbatch(Ints({1}), Index({1, 3}, {7, INT64_MAX, INT64_MIN})), "before its begin");
  ExpectRefused(unbatch(Tensor::Scalar(1), Index({1, 3}, {7, 0, 1})), "must have rows");
  ExpectRefused(unbatch(Ints({1, 2, 3}), Index({3, 3}, {6, 0, 1, 8, 1, 2, 8, 2, 3})),
                "Multiple tensors returned for same batch key.", Code::kAlreadyExists);
}

TEST(UnbatchGradTest, PutTogether) {
  ResourceStore store;
  const Tensor original = OpTest::Make<int32_t>({2, 2}, {1, 2, 3, 4});
  const Tensor nothing = OpTest::Make<int32_t>({0, 2}, {});
  const auto row = [](int32_t a, int32_t b) { return OpTest::Make<int32_t>({1, 2}, {a, b}); };
  StatusOr<Tensor> all = Unknown("");
  std::thread step([&] {
    all = Gradient(&store, original, Index({2, 3}, {7, 0, 1, 8, 1, 2}), row(10, 20), 7).RunOne();
  });
  auto none = Gradient(&store, nothing, NoIndex(), row(30, 40), 8).RunOne();
  step.join();
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_EQ(none->shape(), Shape({0, 2}));
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_THAT(Values<int32_t>(*all), ElementsAre(10, 20, 30, 40));
}

TEST(UnbatchGradTest, Refuses) {
  ResourceStore store;
  const Tensor one = Ints({1});
  ExpectRefused(Gradient(&store, one, NoIndex(), one, 7).RunOne().status(),
                "batch_index is empty while the tensor isn't.");
  ExpectRefused(
      Gradient(&store, one, Index({1, 3}, {7, 0, 1}), Tensor::Scalar(1), 7).RunOne().status(),
      "no rows");
  ExpectRefused(Gradient(&store, one, Index({2, 3}, {7, 0, 1, 7, 0, 1}), one, 7).RunOne().status(),
                "twice");
  ASSERT_TRUE(Gradient(&store, Ints({}), NoIndex(), one, 8).RunOne().ok());
  ExpectRefused(Gradient(&store, Ints({}), NoIndex(), one, 8).RunOne().status(),
                "Two runs with the same batch key.");
}

}  // namespace
}  // namespace warpbeam
