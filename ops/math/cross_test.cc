#include <cmath>

#include "gtest/gtest.h"
#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

using Code = StatusCode;

TEST(Cross, Products) {
  OpTest("Cross")
      .Input<float>({2, 3}, {1, 0, 0, 1, 2, 3})
      .Input<float>({2, 3}, {0, 1, 0, 4, 5, 6})
      .Expect<float>({2, 3}, {0, 0, 1, -3, 6, -3});
  // Unsigned numbers wrap around.
  OpTest("Cross")
      .Input<uint8_t>({3}, {1, 2, 3})
      .Input<uint8_t>({3}, {3, 2, 1})
      .Expect<uint8_t>({3}, {252, 8, 252});
}

TEST(Cross, RefusesOtherVectors) {
  OpTest("Cross").Scalar<float>(1).Scalar<float>(1).ExpectError(Code::kInvalidArgument);
  OpTest("Cross")
      .Input<float>({2}, {1, 2})
      .Input<float>({2}, {1, 2})
      .ExpectError(Code::kInvalidArgument, "3 elements");
  OpTest("Cross")
      .Input<float>({3}, {1, 2, 3})
      .Input<float>({1, 3}, {1, 2, 3})
      .ExpectError(Code::kInvalidArgument);
}

TEST(CumulativeLogsumexp, RunsFromBothEnds) {
  const auto x = OpTest::Make<float>({3}, {1, 2, 3});
  const float two = std::log(std::exp(1.0f) + std::exp(2.0f));
  const float all = 3.4076059f;
  OpTest("CumulativeLogsumexp").Input(x).Scalar<int32_t>(0).Expect<float>({3}, {1, two, all});
  OpTest("CumulativeLogsumexp")
      .Attr("exclusive", true)
      .Input(x)
      .Scalar<int64_t>(-1)
      .Expect<float>({3}, {-kInf, 1, two});
  OpTest("CumulativeLogsumexp")
      .Attr("reverse", true)
      .Input<float>({3, 2}, {1, -kInf, 2, -kInf, 3, 5})
      .Scalar<int32_t>(0)
      .Expect<float>({3, 2}, {all, 5, 3.3132617f, 5, 3, 5});
}

TEST(CumulativeLogsumexp, StaysInTheRangeOfTheNumbers) {
  OpTest("CumulativeLogsumexp")
      .Input<float>({3}, {1000, 1000, 1e30f})
      .Scalar<int32_t>(0)
      .Expect<float>({3}, {1000, 1000.6932f, 1e30f});
  OpTest("CumulativeLogsumexp")
      .Input<float>({6}, {-kInf, -kInf, 1, kInf, 2, NAN})
      .Scalar<int32_t>(0)
      .Expect<float>({6}, {-kInf, -kInf, 1, kInf, kInf, NAN});
  OpTest("CumulativeLogsumexp")
      .Scalar<float>(1)
      .Scalar<int32_t>(0)
      .ExpectError(Code::kInvalidArgument);
  OpTest("CumulativeLogsumexp")
      .Input<float>({2}, {1, 2})
      .Input<int32_t>({1}, {0})
      .ExpectError(Code::kInvalidArgument);
}

TEST(SparseMatMul, MultipliesInFloat) {
  OpTest("SparseMatMul")
      .Attr("transpose_b", true)
      .Attr("a_is_sparse", true)
      .Input<float>({1, 2}, {0, 2})
      .Input<BFloat16>({1, 2}, {BFloat16(3.0f), BFloat16(4.0f)})
      .Expect<float>({1, 1}, {8});
  OpTest("SparseMatMul")
      .Input<float>({1, 2}, {0, 2})
      .Input<float>({1, 2}, {3, 4})
      .ExpectError(Code::kInvalidArgument, "inner dimensions");
  OpTest("SparseMatMul")
      .Input<float>({2}, {0, 2})
      .Input<float>({2, 1}, {3, 4})
      .ExpectError(Code::kInvalidArgument);
}

}  // namespace
}  // namespace warpbeam
