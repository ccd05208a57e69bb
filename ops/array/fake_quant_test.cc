#include "gtest/gtest.h"
#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

using Code = StatusCode;

const Tensor kX = OpTest::Make<float>({4}, {-1, 0.4f, 0.6f, 300});
const Tensor kOnes = OpTest::Make<float>({4}, {1, 1, 1, 1});

TEST(FakeQuant, RoundsToLevels) {
  OpTest("FakeQuantWithMinMaxArgs")
      .Attr("min", 0.0f)
      .Attr("max", 255.0f)
      .Input(kX)
      .Expect<float>({4}, {0, 0, 1, 255});
  OpTest("FakeQuantWithMinMaxVars")
      .Input(kX)
      .Scalar<float>(0)
      .Scalar<float>(255)
      .Expect<float>({4}, {0, 0, 1, 255});
  // Zero is always a level: the range moves from [-0.1, 254.9].
  OpTest("FakeQuantWithMinMaxVars")
      .Input<float>({1}, {0})
      .Scalar<float>(-0.1f)
      .Scalar<float>(254.9f)
      .Expect<float>({1}, {0});
  OpTest("FakeQuantWithMinMaxVarsPerChannel")
      .Input<float>({2, 2}, {0.4f, 3.2f, 9, 9})
      .Input<float>({2}, {0, 0})
      .Input<float>({2}, {255, 0})
      .Expect<float>({2, 2}, {0, 0, 9, 0});
}

TEST(FakeQuant, GradientsStopOutsideOfTheRange) {
  OpTest("FakeQuantWithMinMaxArgsGradient")
      .Attr("min", 0.0f)
      .Attr("max", 255.0f)
      .Input(kOnes)
      .Input(kX)
      .Expect<float>({4}, {0, 1, 1, 0});
  OpTest("FakeQuantWithMinMaxVarsGradient")
      .Input(kOnes)
      .Input(kX)
      .Scalar<float>(0)
      .Scalar<float>(255)
      .Expect<float>({4}, {0, 1, 1, 0})
      .ExpectScalar<float>(1)
      .ExpectScalar<float>(1);
}

TEST(FakeQuant, RefusesWrongRanges) {
  OpTest("FakeQuantWithMinMaxArgs")
      .Attr("min", 1.0f)
      .Attr("max", 0.0f)
      .Input(kX)
      .ExpectError(Code::kInvalidArgument);
  OpTest("FakeQuantWithMinMaxArgs")
      .Attr("num_bits", 17)
      .Input(kX)
      .ExpectError(Code::kInvalidArgument);
  OpTest("FakeQuantWithMinMaxVarsPerChannel")
      .Input(kX)
      .Input<float>({3}, {0, 0, 0})
      .Input<float>({3}, {1, 1, 1})
      .ExpectError(Code::kInvalidArgument);
}

}  // namespace
}  // namespace warpbeam
