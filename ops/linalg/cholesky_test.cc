// Cholesky and the ops on triangular systems.
#include <complex>

#include "gtest/gtest.h"
#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

using C = std::complex<float>;

TEST(Cholesky, LowerFactor) {
  OpTest("Cholesky")
      .Input<double>({2, 2, 2}, {4, 99, 2, 10, 9, 0, 0, 1})
      .Expect<double>({2, 2, 2}, {2, 0, 1, 3, 3, 0, 0, 1});
  OpTest("Cholesky")
      .Input<C>({2, 2}, {C(4), C(9), C(0, 2), C(10)})
      .Expect<C>({2, 2}, {C(2), C(0), C(0, 1), C(3)});
  OpTest("BatchCholesky").Input<float>({1, 1, 1}, {4}).Expect<float>({1, 1, 1}, {2});
  OpTest("Cholesky").Input<float>({2, 0, 0}, {}).Expect<float>({2, 0, 0}, {});
}

TEST(Cholesky, NotPositiveDefiniteGivesNan) {
  OpTest("Cholesky")
      .Input<float>({2, 2}, {1, 2, 2, 1})
      .Expect<float>({2, 2}, {kNaN, 0, kNaN, kNaN});
  OpTest("Cholesky").Input<float>({1, 1}, {kNaN}).Expect<float>({1, 1}, {kNaN});
  OpTest("Cholesky").Input<float>({1, 2}, {1, 2}).ExpectError(kInvalid, "square");
}

TEST(MatrixTriangularSolve, TrianglesAndAdjoints) {
  OpTest("MatrixTriangularSolve")
      .Input<float>({2, 2}, {2, 99, 1, 4})
      .Input<float>({2, 1}, {4, 10})
      .Expect<float>({2, 1}, {2, 2});
  OpTest("MatrixTriangularSolve")
      .Attr("lower", false)
      .Input<double>({2, 2}, {2, 1, 99, 4})
      .Input<double>({2, 1}, {5, 4})
      .Expect<double>({2, 1}, {2, 1});
  OpTest("MatrixTriangularSolve")
      .Attr("adjoint", true)
      .Input<C>({2, 2}, {C(1), C(0, 2), C(0, 3), C(4)})
      .Input<C>({2, 1}, {C(1), C(2)})
      .Expect<C>({2, 1}, {C(1, 1.5f), C(0.5f)});
}

TEST(MatrixTriangularSolve, LeadingDimensionsBroadcast) {
  OpTest("MatrixTriangularSolve")
      .Input<float>({2, 1, 1, 1}, {1, 2})
      .Input<float>({3, 1, 1}, {2, 4, 6})
      .Expect<float>({2, 3, 1, 1}, {2, 4, 6, 1, 2, 3});
  OpTest("MatrixTriangularSolve")
      .Input<float>({2, 1, 1}, {1, 2})
      .Input<float>({3, 1, 1}, {2, 4, 6})
      .ExpectError(kInvalid);
}

TEST(MatrixTriangularSolve, ZeroPivotsEmptySystemsAndBadShapes) {
  OpTest("MatrixTriangularSolve")
      .Input<float>({1, 1}, {0})
      .Input<float>({1, 2}, {1, 0})
      .Expect<float>({1, 2}, {kInf, kNaN});
  OpTest("BatchMatrixTriangularSolve")
      .Input<float>({0, 0}, {})
      .Input<float>({0, 2}, {})
      .Expect<float>({0, 2}, {});
  OpTest("MatrixTriangularSolve")
      .Input<float>({1, 1}, {1})
      .Input<float>({2, 1}, {1, 2})
      .ExpectError(kInvalid);
  OpTest("MatrixTriangularSolve")
      .Input<float>({1, 1}, {1})
      .Input<float>({1}, {1})
      .ExpectError(kInvalid);
}

}  // namespace
}  // namespace warpbeam
