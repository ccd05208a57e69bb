// The ops made of LU factors: Lu, MatrixDeterminant, LogMatrixDeterminant, MatrixSolve.
#include <cmath>
#include <complex>

#include "gtest/gtest.h"
#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

using C = std::complex<float>;

TEST(Lu, FactorsAndTheOrderOfTheRows) {
  OpTest("Lu")
      .Input<float>({2, 2, 2}, {1, 2, 4, 6, 8, 2, 4, 3})
      .Expect<float>({2, 2, 2}, {4, 6, 0.25f, 0.5f, 8, 2, 0.5f, 2})
      .Expect<int32_t>({2, 2}, {1, 0, 0, 1});
  OpTest("Lu")
      .Attr("output_idx_type", DType::kInt64)
      .Input<double>({3, 3}, {0, 2, 0, 0, 0, 4, 5, 0, 0})
      .Expect<double>({3, 3}, {5, 0, 0, 0, 2, 0, 0, 0, 4})
      .Expect<int64_t>({3}, {2, 0, 1});
}

TEST(Lu, EmptyAndSingular) {
  OpTest("Lu").Input<float>({2, 0, 0}, {}).Expect<float>({2, 0, 0}, {}).Expect<int32_t>({2, 0}, {});
  OpTest("Lu").Input<C>({2, 2}, {C(1), C(1), C(1), C(1)}).ExpectError(kInvalid, "singular");
  OpTest("Lu").Input<float>({1, 2}, {1, 2}).ExpectError(kInvalid, "square");
}

TEST(MatrixDeterminant, OfEveryMatrix) {
  OpTest("MatrixDeterminant")
      .Input<double>({3, 2, 2}, {1, 2, 3, 4, 1, 2, 2, 4, 0, 1, 1, 0})
      .Expect<double>({3}, {-2, 0, -1});
  OpTest("MatrixDeterminant").Input<C>({1, 1}, {C(0, 3)}).ExpectScalar<C>(C(0, 3));
  OpTest("BatchMatrixDeterminant").Input<float>({1, 1, 1}, {7}).Expect<float>({1}, {7});
}

TEST(MatrixDeterminant, EmptyIsOneAndNothingOverflowsOnTheWay) {
  OpTest("MatrixDeterminant").Input<float>({2, 0, 0}, {}).Expect<float>({2}, {1, 1});
  OpTest("MatrixDeterminant").Input<float>({0, 2, 2}, {}).Expect<float>({0}, {});
  OpTest("MatrixDeterminant")
      .Input<float>({4, 4}, {1e30f, 0, 0, 0, 0, 1e30f, 0, 0, 0, 0, 1e-30f, 0, 0, 0, 0, 1e-30f})
      .ExpectScalar<float>(1);
  OpTest("MatrixDeterminant").Input<float>({2, 2}, {kNaN, 1, 1, 2}).ExpectScalar<float>(kNaN);
  OpTest("MatrixDeterminant").Input<float>({2, 2}, {kInf, 1, 1, 2}).ExpectScalar<float>(kInf);
}

TEST(LogMatrixDeterminant, SignAndLogarithm) {
  OpTest("LogMatrixDeterminant")
      .Input<float>({3, 2, 2}, {1, 2, 3, 4, 2, 0, 0, 2, 0, 0, 0, 0})
      .Expect<float>({3}, {-1, 1, 0})
      .Expect<float>({3}, {std::log(2.0f), std::log(4.0f), -kInf});
  OpTest("LogMatrixDeterminant")
      .Input<C>({1, 1}, {C(0, -3)})
      .ExpectScalar<C>(C(0, -1))
      .ExpectScalar<C>(C(std::log(3.0f)));
  OpTest("LogMatrixDeterminant")
      .Input<float>({0, 0}, {})
      .ExpectScalar<float>(1)
      .ExpectScalar<float>(0);
  OpTest("LogMatrixDeterminant").Input<float>({2, 3}, {1, 2, 3, 4, 5, 6}).ExpectError(kInvalid);
}

TEST(MatrixSolve, SolvesEverySystem) {
  OpTest("MatrixSolve")
      .Input<float>({2, 2, 2}, {2, 1, 0, 4, 0, 1, 1, 0})
      .Input<float>({2, 2, 1}, {4, 8, 5, 6})
      .Expect<float>({2, 2, 1}, {1, 2, 6, 5});
  OpTest("BatchMatrixSolve")
      .Input<double>({1, 1}, {4})
      .Input<double>({1, 2}, {2, 8})
      .Expect<double>({1, 2}, {0.5, 2});
}

TEST(MatrixSolve, Adjoint) {
  OpTest("MatrixSolve")
      .Attr("adjoint", true)
      .Input<float>({2, 2}, {2, 0, 1, 4})
      .Input<float>({2, 1}, {4, 8})
      .Expect<float>({2, 1}, {1, 2});
  OpTest("MatrixSolve")
      .Attr("adjoint", true)
      .Input<C>({1, 1}, {C(0, 2)})
      .Input<C>({1, 1}, {C(4)})
      .Expect<C>({1, 1}, {C(0, 2)});
}

TEST(MatrixSolve, EmptySystems) {
  OpTest("MatrixSolve")
      .Input<float>({2, 2}, {1, 2, 2, 4})
      .Input<float>({2, 0}, {})
      .Expect<float>({2, 0}, {});
  OpTest("MatrixSolve").Input<float>({0, 0}, {}).Input<float>({0, 2}, {}).Expect<float>({0, 2}, {});
}

TEST(MatrixSolve, RefusesWhatHasNoSolutionOrDoesNotFit) {
  OpTest("MatrixSolve")
      .Input<float>({2, 2}, {1, 2, 2, 4})
      .Input<float>({2, 1}, {1, 2})
      .ExpectError(kInvalid, "not invertible");
  OpTest("MatrixSolve")
      .Input<float>({2, 2}, {1, 0, 0, 1})
      .Input<float>({2}, {1, 2})
      .ExpectError(kInvalid);
  OpTest("MatrixSolve")
      .Input<float>({2, 2}, {1, 0, 0, 1})
      .Input<float>({3, 1}, {1, 2, 3})
      .ExpectError(kInvalid);
  OpTest("MatrixSolve")
      .Input<float>({2, 1, 1}, {1, 1})
      .Input<float>({3, 1, 1}, {1, 2, 3})
      .ExpectError(kInvalid);
  OpTest("MatrixSolve")
      .Input<float>({1, 2}, {1, 2})
      .Input<float>({1, 1}, {1})
      .ExpectError(kInvalid, "square");
}

}  // namespace
}  // namespace warpbeam
