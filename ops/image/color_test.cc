// Colour ops: what TensorFlow gives for the same pixels.
#include <gtest/gtest.h>

#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

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
  // Where the graph did not know the shape.
  for (const char* op : {"RGBToHSV", "HSVToRGB"}) {
    EXPECT_EQ(OpRunner(op).Input(OpTest::Make<float>({2}, {0, 0})).Run().status().code(),
              StatusCode::kFailedPrecondition);
  }
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

// The first version clips, the upper bound first, and gives floats.
TEST(AdjustContrastTest, FirstVersion) {
  const Tensor image = OpTest::Make<uint8_t>({2, 2, 2}, {1, 2, 30, 4, 50, 6, 7, 80});
  OpTest("AdjustContrast")
      .Input(image)
      .Scalar<float>(2)
      .Scalar<float>(0)
      .Scalar<float>(60)
      .Expect<float>({2, 2, 2}, {0, 0, 38, 0, 60, 0, 0, 60});
  OpTest("AdjustContrast")
      .Input<float>({1, 1, 2}, {3, 4})
      .Scalar<float>(.5f)
      .Scalar<float>(10)
      .Scalar<float>(5)
      .Expect<float>({1, 1, 2}, {10, 10});
  OpTest("AdjustContrast")
      .Input(image)
      .Input<float>({1}, {2})
      .Scalar<float>(0)
      .Scalar<float>(60)
      .ExpectError(kInvalid);
  OpTest("AdjustContrast")
      .Input<float>({1, 2}, {3, 4})
      .Scalar<float>(.5f)
      .Scalar<float>(10)
      .Scalar<float>(5)
      .ExpectError(kInvalid);
}

TEST(RandomCropTest, PlaceFollowsFromTheSeeds) {
  Tensor image = *Tensor::Allocate(DType::kInt32, Shape({5, 6, 1}));
  for (int i = 0; i < 30; ++i) image.data<int32_t>()[i] = i;
  const auto crop = [&](OpTest&& test, std::initializer_list<int64_t> size) -> OpTest& {
    return test.Attr("seed", 3).Attr("seed2", 7).Input(image).Input(Tensor::Vector<int64_t>(size));
  };
  crop(OpTest("RandomCrop"), {2, 3}).Expect<int32_t>({2, 3, 1}, {12, 13, 14, 18, 19, 20});
  crop(OpTest("RandomCrop"), {5, 6}).Expect(image);
  constexpr auto kPrecondition = StatusCode::kFailedPrecondition;
  crop(OpTest("RandomCrop"), {6, 3}).ExpectError(kPrecondition, "height");
  crop(OpTest("RandomCrop"), {2, 9}).ExpectError(kPrecondition, "width");
  crop(OpTest("RandomCrop"), {2, 3, 1}).ExpectError(kInvalid);
  crop(OpTest("RandomCrop"), {-2, 3}).ExpectError(kInvalid);
  OpTest("RandomCrop")
      .Input<float>({2, 2}, {1, 2, 3, 4})
      .Input<int64_t>({2}, {1, 1})
      .ExpectError(kInvalid);
}

}  // namespace
}  // namespace warpbeam
