#include <complex>
#include <limits>

#include "gtest/gtest.h"
#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

TEST(MatrixInverse, InvertsEveryMatrixOfABatch) {
  OpTest("MatrixInverse")
      .Input<double>({2, 1, 2, 2}, {1, 2, 3, 4, 2, 0, 0, 4})
      .Expect<double>({2, 1, 2, 2}, {-2, 1, 1.5, -0.5, 0.5, 0, 0, 0.25});
  OpTest("BatchMatrixInverse").Input<float>({1, 1}, {4}).Expect<float>({1, 1}, {0.25f});
}

TEST(MatrixInverse, NeedsToExchangeRows) {
  OpTest("MatrixInverse")
      .Input<float>({3, 3}, {0, 2, 0, 0, 0, 4, 5, 0, 0})
      .Expect<float>({3, 3}, {0, 0, 0.2f, 0.5f, 0, 0, 0, 0.25f, 0});
}

TEST(MatrixInverse, AdjointOfAComplexMatrix) {
  using C = std::complex<float>;
  OpTest("MatrixInverse")
      .Attr("adjoint", true)
      .Input<C>({2, 2}, {C(0, 2), C(0, 0), C(0, 0), C(4, 0)})
      .Expect<C>({2, 2}, {C(0, 0.5f), C(0, 0), C(0, 0), C(0.25f, 0)});
}

TEST(MatrixInverse, SixteenBitFloats) {
  OpTest("MatrixInverse")
      .Input<Half>({2, 2}, {Half(2.0f), Half(0.0f), Half(0.0f), Half(4.0f)})
      .Expect<Half>({2, 2}, {Half(0.5f), Half(0.0f), Half(0.0f), Half(0.25f)});
}

TEST(MatrixInverse, EmptyMatricesAndBatches) {
  OpTest("MatrixInverse").Input<float>({0, 0}, {}).Expect<float>({0, 0}, {});
  OpTest("MatrixInverse").Input<float>({0, 3, 3}, {}).Expect<float>({0, 3, 3}, {});
  OpTest("MatrixInverse").Input<float>({2, 0, 0}, {}).Expect<float>({2, 0, 0}, {});
}

TEST(MatrixInverse, RefusesWhatHasNoInverse) {
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  // Only the first pivot may not be NaN.
  for (const Tensor& x : {OpTest::Make<float>({2, 2}, {1, 2, kNaN, 3}),
                          OpTest::Make<float>({2, 2}, {1, kNaN, 2, 3})}) {
    OpTest("MatrixInverse").Input(x).Expect<float>({2, 2}, {kNaN, kNaN, kNaN, kNaN});
  }
  OpTest("MatrixInverse")
      .Input<float>({2, 2}, {0, kNaN, 0, 1})
      .ExpectError(kInvalid, "not invertible");
  OpTest("MatrixInverse")
      .Input<float>({2, 2}, {1, 2, 2, 4})
      .ExpectError(kInvalid, "not invertible");
  OpTest("MatrixInverse")
      .Input<float>({2, 2}, {kNaN, 1, 1, 2})
      .ExpectError(kInvalid, "not invertible");
  OpTest("MatrixInverse").Input<float>({3, 1, 1}, {1, 0, 0}).ExpectError(kInvalid, "matrix 1 of 3");
  OpTest("MatrixInverse").Input<float>({2, 3}, {1, 2, 3, 4, 5, 6}).ExpectError(kInvalid, "square");
  OpTest("MatrixInverse").Input<float>({2}, {1, 2}).ExpectError(kInvalid);
}

}  // namespace
}  // namespace warpbeam
