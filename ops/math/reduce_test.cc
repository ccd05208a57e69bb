#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

Tensor Axes(const std::vector<int32_t>& axes) { return Tensor::Vector<int32_t>(axes); }

TEST(Reduce, ValuesOverEachAxis) {
  const auto x = OpTest::Make<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  OpTest("Sum").Input(x).Input(Axes({0})).Expect<float>({3}, {5, 7, 9});
  OpTest("Sum").Input(x).Input(Axes({-1})).Expect<float>({2}, {6, 15});
  OpTest("Sum").Input(x).Input(Axes({0, 1})).ExpectScalar<float>(21);
  OpTest("Sum").Input(x).Scalar<int64_t>(1).Expect<float>({2}, {6, 15});
  OpTest("Sum").Input(x).Input(Axes({})).Expect(x);
  OpTest("Sum").Attr("keep_dims", true).Input(x).Input(Axes({0})).Expect<float>({1, 3}, {5, 7, 9});
  OpTest("Mean").Input(x).Input(Axes({1})).Expect<float>({2}, {2, 5});
  OpTest("Prod").Input(x).Input(Axes({0})).Expect<float>({3}, {4, 10, 18});
  OpTest("Max").Input(x).Input(Axes({0})).Expect<float>({3}, {4, 5, 6});
  OpTest("Min").Input(x).Input(Axes({1})).Expect<float>({2}, {1, 4});
  OpTest("EuclideanNorm").Input<float>({2}, {3, -4}).Input(Axes({0})).ExpectScalar<float>(5);
  OpTest("EuclideanNorm").Input<float>({2}, {3, -4}).Input(Axes({})).Expect<float>({2}, {3, 4});
  OpTest("Any")
      .Input<bool>({2, 2}, {false, true, false, false})
      .Input(Axes({1}))
      .Expect<bool>({2}, {true, false});
  OpTest("All")
      .Input<bool>({2, 2}, {true, true, true, false})
      .Input(Axes({1}))
      .Expect<bool>({2}, {true, false});
}

// Every way of walking a tensor: each subset of the axes of small and of large shapes, against the
// definition. Values are small integers, so that sums are exact in any order.
TEST(Reduce, EverySubsetOfAxes) {
  for (const std::vector<int64_t>& dims : std::vector<std::vector<int64_t>>{{5},
                                                                            {2, 3, 4},
                                                                            {1, 4, 1, 3},
                                                                            {7, 40, 9},
                                                                            {3, 2, 5, 33},
                                                                            {300, 10},
                                                                            {2000, 3},
                                                                            {6, 5000},
                                                                            {40, 1100},
                                                                            {2, 9, 3000},
                                                                            {90000}}) {
    const Shape shape = *Shape::Make(dims);
    Tensor x = *Tensor::Allocate(DType::kFloat, shape);
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      x.data<float>()[i] = static_cast<float>((i * 37 + i / 11) % 7 - 3);
    }
    for (int bits = 0; bits < 1 << dims.size(); ++bits) {
      std::vector<int32_t> axes;
      Shape kept;
      for (size_t d = 0; d < dims.size(); ++d) {
        if ((bits >> d) & 1) {
          axes.push_back(static_cast<int32_t>(d));
        } else {
          kept = *kept.Insert(kept.rank(), dims[d]);
        }
      }
      Tensor sum = *Tensor::Allocate(DType::kFloat, kept);
      Tensor max = *Tensor::Allocate(DType::kFloat, kept);
      for (int64_t i = 0; i < sum.num_elements(); ++i) {
        sum.data<float>()[i] = 0;
        max.data<float>()[i] = -kInf;
      }
      for (int64_t i = 0; i < x.num_elements(); ++i) {
        int64_t rest = i, at = 0, stride = 1;
        for (int d = static_cast<int>(dims.size()) - 1; d >= 0; --d) {
          if (((bits >> d) & 1) == 0) {
            at += rest % dims[d] * stride;
            stride *= dims[d];
          }
          rest /= dims[d];
        }
        sum.data<float>()[at] += x.data<float>()[i];
        max.data<float>()[at] = std::max(max.data<float>()[at], x.data<float>()[i]);
      }
      OpTest("Sum").Input(x).Input(Axes(axes)).Expect(sum).Within(0, 0);
      OpTest("Max").Input(x).Input(Axes(axes)).Expect(max);
    }
  }
}

TEST(Reduce, EmptyTensors) {
  const auto x = OpTest::Make<float>({0, 2}, {});
  OpTest("Sum").Input(x).Input(Axes({0})).Expect<float>({2}, {0, 0});
  OpTest("Prod").Input(x).Input(Axes({0})).Expect<float>({2}, {1, 1});
  OpTest("Max").Input(x).Input(Axes({0})).Expect<float>({2}, {-kInf, -kInf});
  OpTest("Min").Input(x).Input(Axes({0})).Expect<float>({2}, {kInf, kInf});
  OpTest("Mean").Input(x).Input(Axes({0})).Expect<float>({2}, {kNaN, kNaN});
  OpTest("Sum").Input(x).Input(Axes({1})).Expect<float>({0}, {});
  OpTest("Max").Input<int32_t>({0}, {}).Input(Axes({0})).ExpectScalar<int32_t>(INT32_MIN);
  OpTest("Mean").Input<int32_t>({0}, {}).Input(Axes({0})).ExpectScalar<int32_t>(0);
  OpTest("All").Input<bool>({0}, {}).Input(Axes({0})).ExpectScalar<bool>(true);
}

TEST(Reduce, TypesWrapRoundAndKeepNaN) {
  OpTest("Sum").Input<int8_t>({2}, {100, 100}).Input(Axes({0})).ExpectScalar<int8_t>(-56);
  OpTest("Mean").Input<int8_t>({2}, {100, 101}).Input(Axes({0})).ExpectScalar<int8_t>(100);
  OpTest("Mean").Input<int32_t>({3}, {-1, -2, -4}).Input(Axes({0})).ExpectScalar<int32_t>(-2);
  OpTest("EuclideanNorm").Input<uint8_t>({2}, {3, 4}).Input(Axes({0})).ExpectScalar<uint8_t>(5);
  using C = std::complex<float>;
  OpTest("EuclideanNorm").Input<C>({2}, {C(3, 4), C(0, 12)}).Input(Axes({0})).ExpectScalar<C>(13);
  OpTest("Prod").Input<C>({2}, {C(1, 1), C(1, -1)}).Input(Axes({0})).ExpectScalar<C>(2);
  for (const char* op : {"Max", "Min"}) {
    OpTest(op).Input<float>({3}, {1, kNaN, 2}).Input(Axes({0})).ExpectScalar<float>(kNaN);
    OpTest(op).Input<float>({3, 1}, {1, kNaN, 2}).Input(Axes({0})).Expect<float>({1}, {kNaN});
  }
  std::vector<Half> ones(5000, Half(1.0f));
  OpTest("Sum")
      .Input(Tensor::Vector<Half>(ones))
      .Input(Axes({0}))
      .ExpectScalar<Half>(Half(5000.0f));
}

TEST(Reduce, AxesThatDoNotFit) {
  const auto x = OpTest::Make<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  OpTest("Sum").Input(x).Input(Axes({2})).ExpectError(kInvalid);
  OpTest("Sum")
      .Input(x)
      .Input(Axes({0, -2}))
      .ExpectError(kInvalid, "Axes contains duplicate dimension: 0");
  OpTest("Mean").Scalar<float>(1).Input(Axes({0})).ExpectError(kInvalid);
}

TEST(ArgMax, FirstOfEqualsAndNeverNaN) {
  const auto x = OpTest::Make<float>({2, 3}, {1, 5, 5, 4, 2, 0});
  OpTest("ArgMax").Input(x).Scalar<int32_t>(1).Expect<int64_t>({2}, {1, 0});
  OpTest("ArgMax").Input(x).Scalar<int32_t>(0).Expect<int64_t>({3}, {1, 0, 0});
  OpTest("ArgMin").Input(x).Scalar<int64_t>(-1).Expect<int64_t>({2}, {0, 2});
  OpTest("ArgMax")
      .Attr("output_type", DType::kInt32)
      .Input<float>({3}, {kNaN, 1, 2})
      .Scalar<int32_t>(0)
      .ExpectScalar<int32_t>(2);
  OpTest("ArgMax")
      .Input<bool>({3}, {false, true, true})
      .Scalar<int32_t>(0)
      .ExpectScalar<int64_t>(1);
  OpTest("ArgMax").Input<float>({0, 3}, {}).Scalar<int32_t>(0).ExpectError(kInvalid, "empty");
  OpTest("ArgMax").Input<float>({0, 3}, {}).Scalar<int32_t>(1).Expect<int64_t>({0}, {});
  OpTest("ArgMax").Input(x).Scalar<int32_t>(2).ExpectError(kInvalid);
}

TEST(Cumulative, Directions) {
  const auto x = OpTest::Make<float>({4}, {1, 2, 3, 4});
  OpTest("Cumsum").Input(x).Scalar<int32_t>(0).Expect<float>({4}, {1, 3, 6, 10});
  OpTest("Cumsum")
      .Attr("exclusive", true)
      .Input(x)
      .Scalar<int32_t>(0)
      .Expect<float>({4}, {0, 1, 3, 6});
  OpTest("Cumsum")
      .Attr("reverse", true)
      .Input(x)
      .Scalar<int32_t>(-1)
      .Expect<float>({4}, {10, 9, 7, 4});
  OpTest("Cumprod")
      .Attr("exclusive", true)
      .Attr("reverse", true)
      .Input(x)
      .Scalar<int64_t>(0)
      .Expect<float>({4}, {24, 12, 4, 1});
  OpTest("Cumsum")
      .Input<int32_t>({2, 2}, {1, 2, 3, 4})
      .Scalar<int32_t>(0)
      .Expect<int32_t>({2, 2}, {1, 2, 4, 6});
  OpTest("Cumsum").Input(x).Scalar<int32_t>(1).ExpectError(
      kInvalid, "Expected scan axis in the range [-1, 1), but got 1");
  OpTest("Cumsum").Input(x).Input(Axes({0})).ExpectError(kInvalid, "axis must be a scalar");
  OpTest("ArgMax").Input(x).Scalar<int32_t>(-2).ExpectError(
      kInvalid, "Expected dimension in the range [-1, 1), but got -2");
}

TEST(Segment, Sorted) {
  const auto x = OpTest::Make<float>({3, 2}, {1, 2, 3, 4, 5, 7});
  const auto ids = OpTest::Make<int32_t>({3}, {0, 2, 2});
  OpTest("SegmentSum").Input(x).Input(ids).Expect<float>({3, 2}, {1, 2, 0, 0, 8, 11});
  OpTest("SegmentMean").Input(x).Input(ids).Expect<float>({3, 2}, {1, 2, 0, 0, 4, 5.5});
  OpTest("SegmentProd").Input(x).Input(ids).Expect<float>({3, 2}, {1, 2, 1, 1, 15, 28});
  OpTest("SegmentMax").Input(x).Input(ids).Expect<float>({3, 2}, {1, 2, 0, 0, 5, 7});
  OpTest("SegmentMin").Input(x).Input(ids).Expect<float>({3, 2}, {1, 2, 0, 0, 3, 4});
  OpTest("SegmentMean")
      .Input(x)
      .Input<int64_t>({3}, {0, 0, INT64_MAX})
      .ExpectError(StatusCode::kInvalidArgument, "too large");
  OpTest("SegmentSum")
      .Input(x)
      .Input<int32_t>({3}, {1, 0, 2})
      .ExpectError(kInvalid, "segment ids are not increasing");
  OpTest("SegmentSum")
      .Input(x)
      .Input<int32_t>({3}, {-1, 0, 2})
      .ExpectError(kInvalid, "Segment id -1 out of range [0, 3), possibly because");
  OpTest("SegmentMax")
      .Input(x)
      .Input<int32_t>({3}, {0, 0, -1})
      .ExpectError(kInvalid, "segment ids must be >= 0");
  OpTest("SegmentMean")
      .Input(x)
      .Input<int32_t>({3}, {0, 1, 0})
      .ExpectError(kInvalid, "segment ids are not increasing");
  OpTest("SegmentMean")
      .Input(x)
      .Input<int32_t>({3}, {1, 2, 1})
      .ExpectError(kInvalid, "segment ids are not increasing");
  OpTest("SegmentSum")
      .Input(x)
      .Input<int32_t>({2}, {0, 2})
      .ExpectError(kInvalid, "segment_ids should be the same size");
}

// As TensorFlow has it, a number that follows NaN takes its place.
TEST(Segment, ExtremaOfInfinityAndNaN) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  const auto x = OpTest::Make<double>({8}, {kInf, -kInf, kNaN, kNaN, kInf, -kInf, kNaN, 1});
  const auto ids = OpTest::Make<int32_t>({8}, {0, 1, 2, 4, 4, 5, 5, 6});
  for (const char* op : {"SegmentMin", "SegmentMax"}) {
    OpTest(op).Input(x).Input(ids).Expect<double>({7}, {kInf, -kInf, kNaN, 0, kInf, kNaN, 1});
  }
  constexpr double kMost = std::numeric_limits<double>::max();
  const char* const kInAnyOrder = "docs/gpu.md: which of a NaN and a number is there in the end";
  OpTest("UnsortedSegmentMin")
      .Input(x)
      .Input(ids)
      .Scalar<int32_t>(7)
      .Expect<double>({7}, {kMost, -kInf, kNaN, kMost, kInf, kNaN, 1})
      .NotOnGpu(kInAnyOrder);
  OpTest("UnsortedSegmentMax")
      .Input(x)
      .Input(ids)
      .Scalar<int32_t>(7)
      .Expect<double>({7}, {kInf, -kMost, kNaN, -kMost, kInf, kNaN, 1})
      .NotOnGpu(kInAnyOrder);
}

TEST(Segment, Unsorted) {
  const auto x = OpTest::Make<float>({3, 1}, {1, 2, 3});
  const auto ids = OpTest::Make<int64_t>({3}, {2, -1, 2});
  OpTest("UnsortedSegmentSum")
      .Input(x)
      .Input(ids)
      .Scalar<int32_t>(4)
      .Expect<float>({4, 1}, {0, 0, 4, 0});
  OpTest("UnsortedSegmentMax")
      .Input<int32_t>({2}, {3, 4})
      .Input<int32_t>({2}, {0, 0})
      .Scalar<int32_t>(2)
      .Expect<int32_t>({2}, {4, INT32_MIN});
  OpTest("UnsortedSegmentProd")
      .Input<float>({2, 2}, {1, 2, 3, 4})
      .Input<int32_t>({2, 2}, {0, 1, 1, 0})
      .Scalar<int64_t>(2)
      .Expect<float>({2}, {4, 6});
  OpTest("UnsortedSegmentSum")
      .Input(x)
      .Input(ids)
      .Scalar<int32_t>(2)
      .ExpectError(kInvalid, "is out of range [0, 2)");
  OpTest("UnsortedSegmentSum")
      .Input<float>({1, 1}, {17})
      .Input<int32_t>({1, 1}, {7})
      .Scalar<int32_t>(2)
      .ExpectError(kInvalid, "segment_ids[0,0] = 7 is out of range [0, 2)");
  OpTest("UnsortedSegmentSum").Input(x).Input(ids).Scalar<int32_t>(-1).ExpectError(kInvalid);
  OpTest("UnsortedSegmentSum")
      .Input(x)
      .Input<int32_t>({2}, {0, 1})
      .Scalar<int32_t>(2)
      .ExpectError(kInvalid);
}

}  // namespace
}  // namespace warpbeam
