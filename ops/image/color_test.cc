// Colour ops: what TensorFlow gives for the same pixels.
#include <gtest/gtest.h>

#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

constexpr absl::StatusCode kInvalid = absl::StatusCode::kInvalidArgument;

Tensor Pixels() {
  return OpTest::Make<float>({1, 2, 3}, {1.146441f, 1.645568f, 1.30829f,  //
                                         1.205302f, -0.4436306f, 1.352906f});
}

TEST(ColorSpaceTest, ThereAndBack) {
  OpTest("RGBToHSV")
      .Input(Pixels())
      .Expect<float>({1, 2, 3}, {0.3873775f, 0.3033162f, 1.645568f,  //
                                 0.8196399f, 1.327909f, 1.352906f})
      .Within(1e-5, 1e-5);
  OpTest("HSVToRGB")
      .Input<float>({2, 3}, {0.3873775f, 0.3033162f, 1.645568f, 0, 0, .5f})
      .Expect<float>({2, 3}, {1.146441f, 1.645568f, 1.30829f, .5f, .5f, .5f})
      .Within(1e-5, 1e-5);
  OpTest("RGBToHSV").Input<double>({3}, {0, 0, 0}).Expect<double>({3}, {0, 0, 0});
  OpTest("RGBToHSV").Input<float>({2}, {0, 0}).ExpectError(kInvalid, "3");
  OpTest("HSVToRGB").Scalar<float>(0).ExpectError(kInvalid);
}

TEST(AdjustColorTest, HueAndSaturation) {
  for (float turn : {.3f, -.7f, 2.3f}) {
    OpTest("AdjustHue")
        .Input(Pixels())
        .Scalar<float>(turn)
        .Expect<float>({1, 2, 3}, {1.208465f, 1.146441f, 1.645568f,  //
                                   1.352906f, 0.8459951f, -0.4436306f})
        .Within(1e-5, 1e-5);
  }
  OpTest("AdjustSaturation")
      .Input(Pixels())
      .Scalar<float>(1.5f)
      .Expect<float>({1, 2, 3}, {0.8968768f, 1.645568f, 1.139651f,  //
                                 1.24175f, 0, 1.352906f})
      .Within(1e-5, 1e-5);
  for (const char* op : {"AdjustHue", "AdjustSaturation"}) {
    OpTest(op).Input<float>({1, 3}, {0, 0, 0}).Scalar<float>(0).ExpectError(kInvalid);
    OpTest(op).Input<float>({1, 1, 2}, {0, 0}).Scalar<float>(0).ExpectError(kInvalid, "3 channels");
    OpTest(op).Input(Pixels()).Input<float>({1}, {0}).ExpectError(kInvalid);
  }
}

TEST(AdjustContrastTest, AwayFromTheMeanOfEachImage) {
  OpTest("AdjustContrastv2")
      .Input<float>({2, 1, 2, 2}, {1, 10, 3, 10, 0, 1, 0, 3})
      .Scalar<float>(2)
      .Expect<float>({2, 1, 2, 2}, {0, 10, 4, 10, 0, 0, 0, 4});
  OpTest("AdjustContrastv2")
      .Input<float>({0, 1, 2, 2}, {})
      .Scalar<float>(2)
      .Expect<float>({0, 1, 2, 2}, {});
  OpTest("AdjustContrastv2").Input<float>({1, 1}, {0}).Scalar<float>(2).ExpectError(kInvalid);
}

}  // namespace
}  // namespace warpbeam
