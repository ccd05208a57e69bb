// Values are TensorFlow's.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

// One channel of 4 rows and 5 columns.
template <typename T>
Tensor Image() {
  Tensor x = *Tensor::Allocate(DTypeOf<T>::value, Shape({1, 4, 5, 1}));
  for (int i = 0; i < 20; ++i) x.data<T>()[i] = static_cast<T>(static_cast<float>(i * 14 % 23));
  return x;
}
Tensor Projection() {
  return OpTest::Make<float>({1, 8}, {.9f, .2f, -.3f, -.1f, 1.1f, .4f, .01f, -.02f});
}
Tensor Enlarged() { return OpTest::Make<float>({1, 8}, {1.5f, 0, -3, 0, 1.5f, -3, 0, 0}); }

OpTest& Transform(OpTest&& test, const char* interpolation, const char* fill_mode, Tensor images,
                  Tensor transforms, std::initializer_list<int32_t> size) {
  return test.Attr("interpolation", std::string(interpolation))
      .Attr("fill_mode", std::string(fill_mode))
      .Input(std::move(images))
      .Input(std::move(transforms))
      .Input(Tensor::Vector<int32_t>(size))
      .Within(1e-5, 1e-5);
}

TEST(ImageProjectiveTransform, FillModes) {
  const auto expect = [](const char* interpolation, const char* fill_mode,
                         std::initializer_list<float> want) {
    Transform(OpTest("ImageProjectiveTransformV3"), interpolation, fill_mode, Image<float>(),
              Enlarged(), {4, 4})
        .Scalar<float>(5)
        .Expect<float>({1, 4, 4, 1}, want);
  };
  expect("NEAREST", "CONSTANT", {5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 0, 5, 5, 5, 2, 7});
  expect("NEAREST", "REFLECT", {7, 16, 2, 7, 6, 15, 1, 6, 5, 14, 0, 5, 7, 16, 2, 7});
  expect("NEAREST", "WRAP", {8, 13, 3, 8, 8, 13, 3, 8, 5, 10, 0, 5, 7, 12, 2, 7});
  expect("NEAREST", "NEAREST", {0, 0, 0, 5, 0, 0, 0, 5, 0, 0, 0, 5, 2, 2, 2, 7});
  expect("BILINEAR", "CONSTANT", {5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 0, 9.5f, 5, 5, 1.5f, 11});
  expect("BILINEAR", "REFLECT",
         {7, 9, 2, 11.5f, 5.5f, 7.5f, .5f, 10, 5, 7, 0, 9.5f, 6.5f, 8.5f, 1.5f, 11});
  expect("BILINEAR", "WRAP",
         {8, 17.5f, 3, 12.5f, 7.5f, 17, 2.5f, 12, 5, 14.5f, 0, 9.5f, 6.5f, 16, 1.5f, 11});
  expect("BILINEAR", "NEAREST",
         {0, 0, 0, 9.5f, 0, 0, 0, 9.5f, 0, 0, 0, 9.5f, 1.5f, 1.5f, 1.5f, 11});
}

TEST(ImageProjectiveTransform, Types) {
  const char* op = "ImageProjectiveTransformV2";
  Transform(OpTest(op), "NEAREST", "CONSTANT", Image<uint8_t>(), Projection(), {3, 4})
      .Expect<uint8_t>({1, 3, 4, 1}, {0, 14, 14, 5, 2, 15, 6, 20, 3, 17, 7, 21});
  Transform(OpTest(op), "BILINEAR", "CONSTANT", Image<uint8_t>(), Projection(), {3, 4})
      .Expect<uint8_t>({1, 3, 4, 1}, {0, 8, 9, 9, 1, 12, 8, 14, 4, 16, 8, 18});
  Transform(OpTest(op), "BILINEAR", "CONSTANT", Image<int64_t>(), Projection(), {3, 4})
      .Expect<int64_t>({1, 3, 4, 1}, {0, 8, 9, 9, 1, 12, 8, 14, 4, 16, 8, 18});
  Transform(OpTest(op), "BILINEAR", "CONSTANT", Image<double>(), Projection(), {3, 4})
      .Expect<double>({1, 3, 4, 1},
                      {.280000001, 8.61386013, 9.96078396, 9.71844387, 1.37442732, 12.727273,
                       8.99999905, 14.2277222, 4.16666651, 16.2989693, 8, 18.9191933});
  const float sixteen_bits[] = {.279296875f, 8.625f, 9.9375f,  9.6875f, 1.375f, 12.75f,
                                9,           14.25f, 4.15625f, 16.25f,  8,      18.875f};
  Tensor want = *Tensor::Allocate(DType::kBFloat16, Shape({1, 3, 4, 1}));
  for (int i = 0; i < 12; ++i) want.data<BFloat16>()[i] = BFloat16(sixteen_bits[i]);
  Transform(OpTest(op), "BILINEAR", "CONSTANT", Image<BFloat16>(), Projection(), {3, 4})
      .Expect(want);
}

TEST(ImageProjectiveTransform, FarAwayAndNowhere) {
  const char* op = "ImageProjectiveTransformV2";
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  Transform(OpTest(op), "NEAREST", "CONSTANT", Image<float>(),
            OpTest::Make<float>({1, 8}, {1, 0, 0, 0, 1, 0, -1, 0}), {2, 3})
      .Expect<float>({1, 2, 3, 1}, {0, 0, 0, 1, 0, 0});
  const Tensor nan = OpTest::Make<float>({1, 8}, {kNaN, 0, 0, 0, 1, 0, 0, 0});
  Transform(OpTest(op), "BILINEAR", "CONSTANT", Image<float>(), nan, {2, 3})
      .Expect<float>({1, 2, 3, 1}, {kNaN, kNaN, kNaN, kNaN, kNaN, kNaN});
  for (const char* fill : {"CONSTANT", "REFLECT", "WRAP", "NEAREST"}) {
    Transform(OpTest(op), "NEAREST", fill, Image<int32_t>(), nan, {1, 2})
        .Expect<int32_t>({1, 1, 2, 1}, {0, 0});
  }
  Transform(OpTest(op), "BILINEAR", "WRAP", Image<float>(),
            OpTest::Make<float>({1, 8}, {1e30f, 0, 0, 0, 1, 0, 0, 0}), {2, 3})
      .Expect<float>({1, 2, 3, 1}, {0, 10, 10, 1, 11, 11});
}

TEST(ImageProjectiveTransform, Refusals) {
  const char* op = "ImageProjectiveTransformV2";
  const auto refused = [&](Tensor images, Tensor transforms, std::initializer_list<int32_t> size,
                           const char* interpolation = "NEAREST",
                           const char* fill_mode = "CONSTANT") {
    Transform(OpTest(op), interpolation, fill_mode, std::move(images), std::move(transforms), size)
        .ExpectError(kInvalid);
  };
  const Tensor image = Image<float>();
  refused(*image.Reshaped(Shape({4, 5, 1})), Projection(), {3, 4});
  refused(image, *Projection().Reshaped(Shape({8})), {3, 4});
  refused(image, OpTest::Make<float>({1, 7}, {1, 0, 0, 0, 1, 0, 0}), {3, 4});
  refused(image, OpTest::Make<float>({2, 8}, {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}),
          {3, 4});
  refused(image, Projection(), {3, 4, 1});
  refused(image, Projection(), {0, 4});
  refused(image, Projection(), {3, -4});
  // TensorFlow computes nothing then, but says so in its log only.
  refused(image, Projection(), {3, 4}, "CUBIC");
  refused(image, Projection(), {3, 4}, "NEAREST", "MIRROR");
  Transform(OpTest("ImageProjectiveTransformV3"), "NEAREST", "CONSTANT", image, Projection(),
            {3, 4})
      .Input<float>({1}, {1})
      .ExpectError(kInvalid);
}

}  // namespace
}  // namespace warpbeam
