// BandedTriangularSolve, against what TensorFlow 2.21 gives.
#include <complex>

#include "gtest/gtest.h"
#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

using Z = std::complex<double>;

OpTest& Solve(OpTest&& test, bool lower, bool adjoint) {
  return test.Attr("lower", lower).Attr("adjoint", adjoint);
}

Tensor Lower() { return OpTest::Make<double>({2, 3}, {1, 2, 3, 0, 4, 5}); }
Tensor Upper() { return OpTest::Make<double>({2, 3}, {9, 4, 5, 1, 2, 3}); }
Tensor Rhs() { return OpTest::Make<double>({3, 1}, {1, 2, 3}); }

TEST(BandedTriangularSolve, BothTrianglesAndTheirAdjoints) {
  const auto solved = [](bool lower, bool adjoint, std::initializer_list<double> x) {
    Solve(OpTest("BandedTriangularSolve"), lower, adjoint)
        .Input(lower ? Lower() : Upper())
        .Input(Rhs())
        .Expect<double>({3, 1}, x);
  };
  solved(true, false, {1, -1, 8.0 / 3});
  solved(true, true, {7, -1.5, 1});
  solved(false, false, {10, -1, 1});
  solved(false, true, {1, -3.5, 17.0 / 3});
  Solve(OpTest("BandedTriangularSolve"), true, true)
      .Input<Z>({2, 3}, {Z(1, 1), Z(2, 2), Z(3, 3), Z(0), Z(4, 4), Z(5, 5)})
      .Input<Z>({3, 1}, {Z(1), Z(2), Z(3)})
      .Expect<Z>({3, 1}, {Z(3.5, 3.5), Z(-0.75, -0.75), Z(0.5, 0.5)});
  OpTest("BandedTriangularSolve")
      .Input<double>({3, 4}, {2, 3, 4, 5, 0, 1, 2, 3, 9, 9, 1, 2})
      .Input<double>({4, 2}, {0, 1, 2, 3, 4, 5, 6, 7})
      .Expect<double>({4, 2}, {0, 0.5, 2.0 / 3, 5.0 / 6, 2.0 / 3, 17.0 / 24, 8.0 / 15, 77.0 / 120});
  // More diagonals than the matrix has are not read.
  OpTest("BandedTriangularSolve")
      .Input<float>({4, 3}, {1, 1, 1, 0, 0, 0, 0, 0, 0, 7, 7, 7})
      .Input<float>({3, 1}, {1, 2, 3})
      .Expect<float>({3, 1}, {1, 2, 3});
}

TEST(BandedTriangularSolve, LeadingDimensionsBroadcast) {
  OpTest("BandedTriangularSolve")
      .Input<double>({2, 2, 3}, {1, 2, 3, 0, 4, 5, 2, 4, 6, 0, 8, 10})
      .Input(Rhs())
      .Expect<double>({2, 3, 1}, {1, -1, 8.0 / 3, 0.5, -0.5, 4.0 / 3});
}

TEST(BandedTriangularSolve, Refused) {
  const auto refused = [](Tensor matrix, Tensor rhs, const char* why) {
    OpTest("BandedTriangularSolve")
        .Input(std::move(matrix))
        .Input(std::move(rhs))
        .ExpectError(kInvalid, why);
  };
  refused(OpTest::Make<double>({2, 3}, {1, 0, 3, 0, 4, 5}), Rhs(), "is not invertible");
  refused(OpTest::Make<double>({1, 4}, {1, 1, 1, 1}), Rhs(), "");
  refused(OpTest::Make<double>({3}, {1, 1, 1}), Rhs(), "");
  refused(OpTest::Make<double>({0, 3}, {}), Rhs(), "must not be an empty tensor");
  refused(Lower(), OpTest::Make<double>({3, 0}, {}), "must not be an empty tensor");
}

}  // namespace
}  // namespace warpbeam
