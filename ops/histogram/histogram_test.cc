#include <cmath>
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

using Code = StatusCode;
constexpr int64_t kHighest = std::numeric_limits<int64_t>::max();
constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();

TEST(Bucketize, BoundariesBelongToTheBucketAbove) {
  const std::vector<float> boundaries = {0, 1, 10};
  OpTest("Bucketize")
      .Attr("boundaries", boundaries)
      .Input<float>({7}, {NAN, kInf, -kInf, 0, 1, 2, 10})
      .Expect<int32_t>({7}, {3, 3, 0, 1, 2, 2, 3});
  OpTest("Bucketize")
      .Attr("boundaries", std::vector<float>{1, 1})
      .Input<int64_t>({3}, {0, 1, 3})
      .Expect<int32_t>({3}, {0, 2, 2});
  OpTest("Bucketize")
      .Attr("boundaries", std::vector<float>{})
      .Scalar<double>(3)
      .ExpectScalar<int32_t>(0);
  OpTest("Bucketize")
      .Attr("boundaries", std::vector<float>{1, 0})
      .Scalar<float>(1)
      .ExpectError(Code::kInvalidArgument, "sorted");
}

TEST(HistogramFixedWidth, CountsTheOutliersAtTheEnds) {
  OpTest("HistogramFixedWidth")
      .Input<float>({8}, {-1, 0, 1.5f, 2, 5, 15, kInf, -kInf})
      .Input<float>({2}, {0, 5})
      .Scalar<int32_t>(5)
      .Expect<int32_t>({5}, {3, 1, 1, 0, 3});
  OpTest("HistogramFixedWidth")
      .Attr("dtype", DType::kInt64)
      .Input<int32_t>({3, 3}, {-5, 0, 1, 2, 3, 4, 9, 10, 11})
      .Input<int32_t>({2}, {0, 10})
      .Scalar<int32_t>(3)
      .Expect<int64_t>({3}, {5, 1, 3});
}

TEST(HistogramFixedWidth, TakesRangesAsWideAsTheType) {
  OpTest("HistogramFixedWidth")
      .Input<int64_t>({4}, {kLowest, kLowest / 2, 1, kHighest})
      .Input<int64_t>({2}, {kLowest, kHighest})
      .Scalar<int32_t>(4)
      .Expect<int32_t>({4}, {1, 1, 1, 1});
  OpTest("HistogramFixedWidth")
      .Input<float>({2}, {1, kInf})
      .Input<float>({2}, {0, kInf})
      .Scalar<int32_t>(2)
      .Expect<int32_t>({2}, {2, 0});
}

TEST(HistogramFixedWidth, RefusesWhatIsNoRange) {
  const auto x = OpTest::Make<float>({1}, {1});
  const auto range = OpTest::Make<float>({2}, {0, 5});
  const auto refused = [&](Tensor values, Tensor value_range, Tensor bins) {
    OpTest("HistogramFixedWidth")
        .Input(std::move(values))
        .Input(std::move(value_range))
        .Input(std::move(bins))
        .ExpectError(Code::kInvalidArgument);
  };
  refused(x, range, Tensor::Scalar<int32_t>(0));
  refused(x, range, Tensor::Scalar<int32_t>(-1));
  refused(x, range, Tensor::Vector<int32_t>({5}));
  refused(x, Tensor::Vector<float>({5, 5}), Tensor::Scalar<int32_t>(5));
  refused(x, Tensor::Vector<float>({5, 0}), Tensor::Scalar<int32_t>(5));
  refused(x, Tensor::Vector<float>({NAN, 5}), Tensor::Scalar<int32_t>(5));
  refused(x, Tensor::Vector<float>({0, 5, 6}), Tensor::Scalar<int32_t>(5));
  refused(Tensor::Vector<float>({NAN}), range, Tensor::Scalar<int32_t>(5));
}

TEST(DenseBincount, CountsVectorsAndRows) {
  const auto none = OpTest::Make<float>({0}, {});
  const auto rows = OpTest::Make<int32_t>({2, 2}, {1, 1, 2, 7});
  OpTest("DenseBincount")
      .Input<int64_t>({4}, {1, 1, 2, 7})
      .Scalar<int64_t>(5)
      .Input<double>({4}, {0.5, 1, 2, 3})
      .Expect<double>({5}, {0, 1.5, 2, 0, 0});
  OpTest("DenseBincount")
      .Input(rows)
      .Scalar<int32_t>(3)
      .Input(none)
      .Expect<float>({2, 3}, {0, 2, 0, 0, 0, 1});
  OpTest("DenseBincount")
      .Attr("binary_output", true)
      .Input(rows)
      .Scalar<int32_t>(3)
      .Input<float>({2, 2}, {5, 5, 5, 5})
      .Expect<float>({2, 3}, {0, 1, 0, 0, 0, 1});
  OpTest("DenseBincount")
      .Scalar<int32_t>(1)
      .Scalar<int32_t>(2)
      .Input(none)
      .Expect<float>({2}, {0, 1});
  OpTest("DenseBincount")
      .Input<int32_t>({2, 0}, {})
      .Scalar<int32_t>(1)
      .Input(none)
      .Expect<float>({2, 1}, {0, 0});
}

TEST(DenseBincount, RefusesBadInput) {
  const auto refused = [](Tensor values, Tensor size, Tensor weights) {
    OpTest("DenseBincount")
        .Input(std::move(values))
        .Input(std::move(size))
        .Input(std::move(weights))
        .ExpectError(Code::kInvalidArgument);
  };
  const auto none = OpTest::Make<float>({0}, {});
  const auto x = Tensor::Vector<int32_t>({1});
  refused(Tensor::Vector<int32_t>({1, -1}), Tensor::Scalar<int32_t>(5), none);
  refused(x, Tensor::Scalar<int32_t>(-1), none);
  refused(x, Tensor::Vector<int32_t>({5}), none);
  refused(x, Tensor::Scalar<int32_t>(5), Tensor::Scalar<float>(1));
  refused(x, Tensor::Scalar<int32_t>(5), Tensor::Vector<float>({1, 2}));
  refused(OpTest::Make<int32_t>({1, 1, 1}, {1}), Tensor::Scalar<int32_t>(5), none);
  // More elements than 64 bits count.
  const auto many = OpTest::Make<int64_t>({4, 0}, {});
  refused(many, Tensor::Scalar<int64_t>(kHighest), none);
}

}  // namespace
}  // namespace warpbeam
