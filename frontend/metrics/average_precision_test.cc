// Average precisions over two batches are those of TensorFlow 2.21.
#include "frontend/metrics/average_precision.h"

#include <cmath>
#include <string>
#include <vector>

#include "frontend/array.h"
#include "frontend/client_session.h"
#include "frontend/collections.h"
#include "frontend/control.h"
#include "frontend/math.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace metrics {
namespace {

const Tensor& Scores(int batch) {
  static const Tensor* const first = new Tensor(Tensor::FromValues<float>(
      Shape({3, 5}), {.1f, .7f, .3f, .5f, .2f, .9f, .2f, .4f, .3f, .8f, .2f, .3f, .1f, .6f, .5f}));
  static const Tensor* const second = new Tensor(Tensor::FromValues<float>(
      Shape({3, 5}), {.5f, .1f, .6f, .2f, .9f, .3f, .3f, .9f, .1f, .2f, .8f, .7f, .6f, .5f, .4f}));
  return batch == 0 ? *first : *second;
}

class AveragePrecisionTest : public ::testing::Test {
 protected:
  // The value before, the updates' values after each of two batches.
  void Expect(const Metric& metric, double first, double second) {
    ASSERT_TRUE(root_.ok()) << root_.status();
    const Operation init =
        VariablesInitializer(root_, GetVariables(root_, GraphKeys::kLocalVariables));
    ClientSession session(root_);
    ASSERT_TRUE(session.Run({init}).ok());
    EXPECT_EQ(Run(session, metric.value, 0), 0);
    EXPECT_NEAR(Run(session, metric.update_op, 0), first, 1e-12);
    EXPECT_NEAR(Run(session, metric.update_op, 1), second, 1e-12);
    EXPECT_NEAR(Run(session, metric.value, 0), second, 1e-12);
  }
  double Run(ClientSession& session, const Output& fetch, int batch) {
    auto out = session.Run({{scores_, Scores(batch)}}, {fetch});
    EXPECT_TRUE(out.ok()) << out.status();
    return out.ok() ? (*out)[0].scalar<double>() : -1;
  }
  Output Dense(std::vector<int64_t> values, int64_t columns) {
    return Constant(root_, Tensor::FromValues<int64_t>(Shape({3, columns}), values));
  }
  Output Labels() { return Dense({1, 3, -1, 2, 2, 4, 0, 7, 3}, 3); }
  ClassLabels Sparse(std::vector<int64_t> indices, std::vector<int64_t> values) {
    const int64_t n = static_cast<int64_t>(values.size());
    return ClassLabels(Constant(root_, Tensor::FromValues<int64_t>(Shape({n, 2}), indices)),
                       Constant(root_, values), Constant(root_, std::vector<int64_t>{3, 3}));
  }

  const Scope root_ = Scope::NewRoot();
  const Output scores_ = Placeholder(root_, DType::kFloat, {3, 5});
};

TEST_F(AveragePrecisionTest, OfDenseLabels) {
  const Output labels = Labels();
  Expect(AveragePrecisionAtK(root_, labels, scores_, 1), 0.6666666666666666, 0.6666666666666666);
  Expect(AveragePrecisionAtK(root_, labels, scores_, 2), 0.5833333333333334, 0.4583333333333333);
  Expect(AveragePrecisionAtK(root_, labels, scores_, 3), 0.6296296296296297, 0.4537037037037037);
  Expect(AveragePrecisionAtK(root_, labels, scores_, 5), 0.7129629629629629, 0.6189814814814815);
}

TEST_F(AveragePrecisionTest, OfOneLabelEach) {
  const Output labels = Constant(root_, std::vector<int64_t>{1, 4, 3});
  Expect(AveragePrecisionAtK(root_, labels, scores_, 2), 0.8333333333333334, 0.4166666666666667);
  Expect(AveragePrecisionAtK(root_, labels, scores_, 4), 0.8333333333333334, 0.5);
}

TEST_F(AveragePrecisionTest, Weighted) {
  const MetricOptions each = MetricOptions().weights(Constant(root_, {1.0f, 0.5f, 2.0f}));
  Expect(AveragePrecisionAtK(root_, Labels(), scores_, 3, each), 0.6269841269841271,
         0.48015873015873023);
  const MetricOptions all = MetricOptions().weights(Constant(root_, 0.5f));
  Expect(AveragePrecisionAtK(root_, Labels(), scores_, 3, all), 0.6296296296296297,
         0.4537037037037037);
}

TEST_F(AveragePrecisionTest, OfSparseLabels) {
  // A class that is named twice counts once, and 7, which is none, counts.
  const ClassLabels labels =
      Sparse({0, 0, 0, 1, 1, 0, 1, 1, 2, 0, 2, 1, 2, 2}, {1, 3, 2, 2, 0, 7, 3});
  Expect(AveragePrecisionAtK(root_, labels, scores_, 2), 0.5, 0.5);
  Expect(AveragePrecisionAtK(root_, labels, scores_, 3), 0.5555555555555555, 0.5);
  Expect(AveragePrecisionAtK(root_, labels, scores_, 5), 0.611111111111111, 0.6097222222222222);
}

TEST_F(AveragePrecisionTest, AnExampleWithoutLabelsMakesItNan) {
  const Metric dense = AveragePrecisionAtK(root_, Dense({1, 3, -1, -1, 3, 0}, 2), scores_, 3);
  const Metric sparse =
      AveragePrecisionAtK(root_, Sparse({0, 0, 0, 1, 2, 0}, {1, 3, 3}), scores_, 3);
  ASSERT_TRUE(root_.ok()) << root_.status();
  const Operation init =
      VariablesInitializer(root_, GetVariables(root_, GraphKeys::kLocalVariables));
  ClientSession session(root_);
  ASSERT_TRUE(session.Run({init}).ok());
  EXPECT_TRUE(std::isnan(Run(session, dense.update_op, 0)));
  EXPECT_TRUE(std::isnan(Run(session, sparse.update_op, 0)));
}

TEST_F(AveragePrecisionTest, NamesAndWhatCannotBe) {
  const Metric metric = AveragePrecisionAtK(root_, Labels(), scores_, 5);
  ASSERT_TRUE(root_.ok()) << root_.status();
  EXPECT_EQ(metric.value.name(), "average_precision_at_5/mean:0");
  EXPECT_EQ(metric.update_op.name(), "average_precision_at_5:0");
  EXPECT_EQ(metric.value.dtype(), DType::kDouble);
  std::vector<std::string> names;
  for (const Variable& v : GetVariables(root_, GraphKeys::kLocalVariables)) {
    names.push_back(v.name());
  }
  EXPECT_EQ(names, (std::vector<std::string>{"average_precision_at_5/max_1",
                                             "average_precision_at_5/total"}));
  AveragePrecisionAtK(root_, Labels(), scores_, 0);
  EXPECT_EQ(root_.status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace metrics
}  // namespace frontend
}  // namespace warpbeam
