#include "gtest/gtest.h"
#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

TEST(CholeskyGrad, ReadsLowerTrianglesAndIsSymmetric) {
  OpTest("CholeskyGrad")
      .Input<float>({2, 2}, {2, 7, 1, 3})
      .Input<float>({2, 2}, {1, 2, 3, 4})
      .Expect<float>({2, 2}, {0.0416667f, 0.4166667f, 0.4166667f, 0.6666667f});
  OpTest("BatchCholeskyGrad")
      .Input<double>({1, 1, 1}, {2})
      .Input<double>({1, 1, 1}, {8})
      .Expect<double>({1, 1, 1}, {2});
  OpTest("CholeskyGrad")
      .Input<float>({1, 1}, {2})
      .Input<float>({1, 1, 1}, {8})
      .ExpectError(kInvalid);
}

}  // namespace
}  // namespace warpbeam
