#include <complex>

#include "gtest/gtest.h"
#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

using C = std::complex<float>;

TEST(TridiagonalMatMul, Product) {
  OpTest("TridiagonalMatMul")
      .Input<float>({1, 3}, {1, 2, kNaN})
      .Input<float>({1, 3}, {4, 5, 6})
      .Input<float>({1, 3}, {kNaN, 1, 2})
      .Input<float>({3, 2}, {1, 2, 3, 4, 5, 6})
      .Expect<float>({3, 2}, {7, 12, 26, 34, 36, 44});
  OpTest("TridiagonalMatMul")
      .Input<C>({2, 1, 1}, {C(1), C(1)})
      .Input<C>({2, 1, 1}, {C(0, 2), C(3)})
      .Input<C>({2, 1, 1}, {C(1), C(1)})
      .Input<C>({2, 1, 1}, {C(5), C(7)})
      .Expect<C>({2, 1, 1}, {C(0, 10), C(21)});
  OpTest("TridiagonalMatMul")
      .Input<float>({1, 2}, {1, 2})
      .Input<float>({1, 3}, {4, 5, 6})
      .Input<float>({1, 3}, {9, 1, 2})
      .Input<float>({3, 1}, {1, 2, 3})
      .ExpectError(kInvalid, "superdiag");
}

TEST(TridiagonalSolve, WithAndWithoutPivoting) {
  for (const bool pivoting : {true, false}) {
    OpTest("TridiagonalSolve")
        .Attr("partial_pivoting", pivoting)
        .Input<double>({2, 3, 2}, {1, 99, 2, 3, 99, 1, 1, 99, 2, 3, 99, 1})
        .Input<double>({2, 2, 2}, {1, 2, 3, 4, 0, 5, 0, 5})
        .Expect<double>({2, 2, 2}, {0, 0.4, 1, 1.2, 0, 2, 0, 1});
  }
  OpTest("TridiagonalSolve")
      .Input<float>({3, 3}, {1, 1, 0, 0, 1, 1, 0, 1, 1})
      .Input<float>({3, 1}, {1, 2, 3})
      .Expect<float>({3, 1}, {-1, 1, 2});
}

TEST(TridiagonalSolve, SingularSystems) {
  OpTest("TridiagonalSolve")
      .Input<float>({3, 2}, {1, 0, 1, 1, 0, 1})
      .Input<float>({2, 1}, {1, 2})
      .Expect<float>({2, 1}, {kNaN, kNaN});
  OpTest("TridiagonalSolve")
      .Attr("perturb_singular", true)
      .Input<float>({3, 2}, {1, 0, 1, 1, 0, 1})
      .Input<float>({2, 1}, {1, 2})
      .Expect<float>({2, 1}, {-8388607, 8388608});
  OpTest("TridiagonalSolve")
      .Attr("perturb_singular", true)
      .Input<float>({3, 3}, {0, 0, 0, 0, 0, 0, 0, 0, 0})
      .Input<float>({3, 1}, {1, 2, 3})
      .Expect<float>({3, 1}, {8.5070592e37f, 5.6713730e37f, 8.5070592e37f});
}

TEST(TridiagonalSolve, RefusesWhatDoesNotFit) {
  OpTest("TridiagonalSolve")
      .Attr("partial_pivoting", false)
      .Attr("perturb_singular", true)
      .Input<float>({3, 1}, {0, 1, 0})
      .Input<float>({1, 1}, {1})
      .ExpectError(kInvalid, "partial_pivoting");
  OpTest("TridiagonalSolve")
      .Input<float>({2, 1}, {0, 1})
      .Input<float>({1, 1}, {1})
      .ExpectError(kInvalid);
}

}  // namespace
}  // namespace warpbeam
