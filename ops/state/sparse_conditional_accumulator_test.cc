// Gradients of some rows against what TensorFlow 2.21 makes of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "graph/build/node_builder.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAreArray;

struct Rows {
  std::vector<int64_t> indices;
  std::vector<float> values;  // two columns
  std::vector<int64_t> shape;
};

Tensor Matrix(const std::vector<float>& values, int64_t columns) {
  return Tensor::FromValues<float>(Shape({static_cast<int64_t>(values.size()) / columns, columns}),
                                   values);
}

class Accumulating {
 public:
  explicit Accumulating(PartialShape shape, const char* reduction = "MEAN", bool known_shape = true,
                        int32_t num_required = 1) {
    const OutputRef handle = Built(NodeBuilder(graph_.get(), "SparseConditionalAccumulator")
                                       .Name("acc")
                                       .Attr("dtype", DType::kFloat)
                                       .Attr("shape", std::move(shape))
                                       .Attr("reduction_type", reduction));
    const OutputRef step = Placeholder("step", DType::kInt64);
    EXPECT_TRUE(NodeBuilder(graph_.get(), "SparseAccumulatorApplyGradient")
                    .Name("apply")
                    .Input(handle)
                    .Input(step)
                    .Input(Placeholder("indices", DType::kInt64))
                    .Input(Placeholder("values", DType::kFloat))
                    .Input(Placeholder("shape", DType::kInt64))
                    .Attr("has_known_shape", known_shape)
                    .Build()
                    .ok());
    Built(NodeBuilder(graph_.get(), "AccumulatorNumAccumulated").Name("count").Input(handle));
    EXPECT_TRUE(NodeBuilder(graph_.get(), "AccumulatorSetGlobalStep")
                    .Name("set_step")
                    .Input(handle)
                    .Input(step)
                    .Build()
                    .ok());
    const OutputRef required = {
        (*AddConstant(graph_.get(), "required", Tensor::Scalar<int32_t>(num_required)))->id(), 0};
    Taker("take", "SparseAccumulatorTakeGradient", DType::kFloat, handle, required);
    Taker("take_double", "SparseAccumulatorTakeGradient", DType::kDouble, handle, required);
    Taker("take_dense", "AccumulatorTakeGradient", DType::kFloat, handle, required);
    session_ = *Session::Create({}, graph_);
  }

  Status Apply(const Rows& g, int64_t step = 0) {
    return Apply(Tensor::Vector<int64_t>(g.indices), Matrix(g.values, 2), g.shape, step);
  }
  Status Apply(Tensor indices, Tensor values, const std::vector<int64_t>& shape, int64_t step = 0) {
    return session_->Run({},
                         {{"step", Tensor::Scalar<int64_t>(step)},
                          {"indices", std::move(indices)},
                          {"values", std::move(values)},
                          {"shape", Tensor::Vector<int64_t>(shape)}},
                         {}, {"apply"}, nullptr, nullptr);
  }
  Status SetStep(int64_t step) {
    return session_->Run({}, {{"step", Tensor::Scalar<int64_t>(step)}}, {}, {"set_step"}, nullptr,
                         nullptr);
  }
  int32_t Count() {
    std::vector<Tensor> out;
    const Status s = session_->Run({}, {}, {"count"}, {}, &out, nullptr);
    EXPECT_TRUE(s.ok()) << s;
    return s.ok() ? out[0].scalar<int32_t>() : -1;
  }
  Status Fetch(const std::string& node, int64_t timeout_ms = 0) {
    RunOptions options;
    options.timeout_ms = timeout_ms;
    std::vector<Tensor> out;
    return session_->Run(options, {}, {node}, {}, &out, nullptr);
  }
  void Gives(const Rows& want) {
    std::vector<Tensor> out;
    const Status s = session_->Run({}, {}, {"take", "take:1", "take:2"}, {}, &out, nullptr);
    ASSERT_TRUE(s.ok()) << s;
    EXPECT_THAT(Values<int64_t>(out[0]), ElementsAreArray(want.indices));
    EXPECT_THAT(Values<float>(out[1]), ElementsAreArray(want.values));
    EXPECT_THAT(Values<int64_t>(out[2]), ElementsAreArray(want.shape));
  }

 private:
  static OutputRef Built(NodeBuilder& builder) {
    auto made = builder.BuildOutput();
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? *made : OutputRef();
  }
  OutputRef Placeholder(const char* name, DType dtype) {
    return Built(NodeBuilder(graph_.get(), "Placeholder").Name(name).Attr("dtype", dtype));
  }
  void Taker(const char* name, const char* op, DType dtype, OutputRef handle, OutputRef required) {
    EXPECT_TRUE(NodeBuilder(graph_.get(), op)
                    .Name(name)
                    .Attr("dtype", dtype)
                    .Input(handle)
                    .Input(required)
                    .Build()
                    .ok());
  }
  template <typename T>
  static std::vector<T> Values(const Tensor& t) {
    return std::vector<T>(t.data<T>(), t.data<T>() + t.num_elements());
  }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  std::unique_ptr<Session> session_;
};

const Rows kFirst = {{0, 2}, {1, 2, 3, 4}, {4, 2}};
const Rows kSecond = {{1, 2}, {5, 6, 7, 8}, {4, 2}};

TEST(SparseConditionalAccumulator, TheMeanOfARowIsOverTheGradientsThatHaveIt) {
  struct Case {
    PartialShape shape;
    const char* reduction;
    bool known_shape;
    Rows want;
  };
  const std::vector<float> mean = {1, 2, 5, 6, 5, 6}, sum = {1, 2, 5, 6, 10, 12};
  for (const Case& c :
       std::vector<Case>{{PartialShape({4, 2}), "MEAN", true, {{0, 1, 2}, mean, {4, 2}}},
                         {PartialShape({4, 2}), "SUM", true, {{0, 1, 2}, sum, {4, 2}}},
                         {PartialShape(), "MEAN", true, {{0, 1, 2}, mean, {-1, 2}}},
                         {PartialShape({-1, 2}), "MEAN", true, {{0, 1, 2}, mean, {-1, 2}}},
                         {PartialShape({-1, 2}), "MEAN", false, {{0, 1, 2}, mean, {-1, 2}}}}) {
    Accumulating acc(c.shape, c.reduction, c.known_shape, 2);
    ASSERT_TRUE(acc.Apply(kFirst).ok());
    ASSERT_TRUE(acc.Apply(kSecond).ok());
    EXPECT_EQ(acc.Count(), 2);
    acc.Gives(c.want);
    EXPECT_EQ(acc.Count(), 0);
  }
}

TEST(SparseConditionalAccumulator, RowsAreMergedAsTheyStand) {
  const Rows unsorted = {{2, 0}, {1, 2, 3, 4}, {4, 2}}, twice = {{1, 1}, {1, 2, 3, 4}, {4, 2}};
  const auto expect = [](const Rows& a, const Rows& b, const Rows& want) {
    Accumulating acc(PartialShape({4, 2}));
    ASSERT_TRUE(acc.Apply(a).ok());
    ASSERT_TRUE(acc.Apply(b).ok());
    acc.Gives(want);
  };
  expect(kFirst, unsorted, {{0, 2, 0}, {1, 2, 2, 3, 3, 4}, {4, 2}});
  expect(unsorted, kFirst, {{0, 2, 0}, {1, 2, 2, 3, 3, 4}, {4, 2}});
  expect(twice, twice, {{1, 1}, {1, 2, 3, 4}, {4, 2}});
  expect(kFirst, twice, {{0, 1, 1, 2}, {1, 2, 1, 2, 3, 4, 3, 4}, {4, 2}});
}

TEST(SparseConditionalAccumulator, GradientsOfOtherShapes) {
  Accumulating empty(PartialShape({4, 2}));
  ASSERT_TRUE(empty.Apply({{}, {}, {4, 2}}).ok());
  empty.Gives({{}, {}, {4, 2}});
  Accumulating unknown(PartialShape({4, 2}), "MEAN", /*known_shape=*/false);
  ASSERT_TRUE(unknown.Apply({{0, 2}, {1, 2, 3, 4}, {5, 2}}).ok());
  unknown.Gives({{0, 2}, {1, 2, 3, 4}, {4, 2}});
  Accumulating vector(PartialShape({4}));
  ASSERT_TRUE(
      vector.Apply(Tensor::Vector<int64_t>({1, 3}), Tensor::Vector<float>({1, 2}), {4}).ok());
  ASSERT_TRUE(vector.Apply(Tensor::Vector<int64_t>({3}), Tensor::Vector<float>({5}), {4}).ok());
  vector.Gives({{1, 3}, {1, 3.5f}, {4}});
  Accumulating deep(PartialShape({4, 2}));
  const Tensor row = Tensor::FromValues<float>(Shape({1, 2, 3}), {1, 2, 3, 1, 2, 3});
  ASSERT_TRUE(deep.Apply(Tensor::Vector<int64_t>({1}), row, {4, 2, 3}).ok());
  deep.Gives({{1}, {1, 2, 3, 1, 2, 3}, {4, 2, 3}});
}

TEST(SparseConditionalAccumulator, GradientsThatDoNotFitAreRefused) {
  Accumulating acc(PartialShape({4, 2}));
  const auto refused = StatusCode::kInvalidArgument;
  const Tensor rows = Matrix({1, 2, 3, 4}, 2);
  EXPECT_EQ(acc.Apply({{0, 2}, {1, 2, 3, 4}, {5, 2}}).code(), refused);
  EXPECT_EQ(acc.Apply({{0, 2}, {1, 2, 3, 4}, {4}}).code(), refused);
  EXPECT_EQ(acc.Apply({{0, 4}, {1, 2, 3, 4}, {4, 2}}).code(), refused);
  EXPECT_EQ(acc.Apply({{0, 2, 3}, {1, 2, 3, 4}, {4, 2}}).code(), refused);
  EXPECT_EQ(acc.Apply({{0}, {1, 2, 3, 4}, {4, 2}}).code(), refused);
  const Tensor two = Tensor::Vector<int64_t>({0, 2});
  EXPECT_EQ(acc.Apply(two, Matrix({1, 2, 3, 4, 5, 6}, 3), {4, 2}).code(), refused);
  EXPECT_EQ(acc.Apply(two, Tensor::Vector<float>({1, 2}), {4, 2}).code(), refused);
  EXPECT_EQ(acc.Apply(Tensor::Scalar<int64_t>(1), rows, {4, 2}).code(), refused);
  EXPECT_EQ(acc.Apply(two, Tensor::Scalar<float>(1), {4, 2}).code(), refused);
  EXPECT_EQ(acc.Count(), 0);

  Accumulating wide((PartialShape()));
  ASSERT_TRUE(wide.Apply(kFirst).ok());
  EXPECT_EQ(wide.Apply(two, Matrix({1, 2, 3, 4, 5, 6}, 3), {4, 2}).code(), refused);
  EXPECT_EQ(wide.Apply(two, Tensor::Vector<float>({1, 2}), {4}).code(), refused);
  wide.Gives({{0, 2}, {1, 2, 3, 4}, {-1, 2}});
}

TEST(SparseConditionalAccumulator, StaleGradientsAreDropped) {
  Accumulating acc(PartialShape({4, 2}));
  ASSERT_TRUE(acc.SetStep(3).ok());
  ASSERT_TRUE(acc.Apply(kFirst, 2).ok());
  EXPECT_EQ(acc.Count(), 0);
  ASSERT_TRUE(acc.Apply(kFirst, 3).ok());
  EXPECT_EQ(acc.Count(), 1);
  acc.Gives({{0, 2}, {1, 2, 3, 4}, {4, 2}});
  ASSERT_TRUE(acc.Apply(kFirst, 3).ok());
  EXPECT_EQ(acc.Count(), 0);
}

TEST(SparseConditionalAccumulator, ATakerWaitsForEnoughOrForItsDeadline) {
  Accumulating acc(PartialShape({4, 2}), "SUM", true, 2);
  ASSERT_TRUE(acc.Apply(kFirst).ok());
  EXPECT_EQ(acc.Fetch("take", 50).code(), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(acc.Count(), 1);
  std::thread taker([&] { acc.Gives({{0, 1, 2}, {1, 2, 5, 6, 10, 12}, {4, 2}}); });
  EXPECT_TRUE(acc.Apply(kSecond).ok());
  taker.join();
}

TEST(SparseConditionalAccumulator, TakersAskForItsKindAndForGradients) {
  Accumulating acc(PartialShape({4, 2}));
  EXPECT_EQ(acc.Fetch("take_double").code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(acc.Fetch("take_dense").code(), StatusCode::kInvalidArgument);
  Accumulating none(PartialShape({4, 2}), "MEAN", true, 0);
  EXPECT_EQ(none.Fetch("take").code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace warpbeam
