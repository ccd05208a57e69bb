// Resized quantised images; the integers are TensorFlow 2.21's.
#include "gtest/gtest.h"
#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

Tensor U8(std::initializer_list<int64_t> shape, std::initializer_list<uint8_t> values) {
  return OpTest::Make<uint8_t>(shape, values).Bitcast(DType::kQUInt8);
}
Tensor QuantizedImage() {
  return U8({1, 3, 4, 1}, {0, 21, 42, 63, 84, 105, 126, 147, 168, 189, 210, 231});
}

OpTest& Resized(OpTest&& test, Tensor image, int32_t height, int32_t width) {
  return test.Input(std::move(image))
      .Input(Tensor::Vector<int32_t>({height, width}))
      .Scalar<float>(0)
      .Scalar<float>(1);
}

void Expect(bool align_corners, bool half_pixel_centers, int32_t height, int32_t width,
            std::initializer_list<uint8_t> values) {
  OpTest test("QuantizedResizeBilinear");
  test.Attr("align_corners", align_corners).Attr("half_pixel_centers", half_pixel_centers);
  Resized(std::move(test), QuantizedImage(), height, width)
      .Expect(U8({1, height, width, 1}, values))
      .ExpectScalar<float>(0)
      .ExpectScalar<float>(1);
}

TEST(QuantizedResizeBilinear, Bytes) {
  Expect(false, false, 2, 3, {0, 28, 56, 126, 154, 182});
  Expect(false, false, 5, 6,
         {0,   14,  28,  42,  56,  63,  50,  64,  78,  92,  106, 113, 100, 114, 128,
          142, 156, 163, 151, 165, 179, 193, 207, 214, 168, 182, 196, 210, 224, 231});
  Expect(true, false, 5, 6,
         {0,   12,  25,  38,  50,  63,  42,  54,  67,  80,  92,  105, 84,  96,  109,
          122, 134, 147, 126, 138, 151, 164, 176, 189, 168, 180, 193, 206, 218, 231});
  Expect(false, true, 5, 6,
         {0,   11,  24,  38,  53,  63,  33,  44,  58,  72,  86,  96,  84,  95,  108,
          122, 137, 147, 134, 144, 158, 172, 186, 197, 168, 179, 192, 206, 221, 231});
  Expect(true, true, 5, 6,
         {0,  8,   21,  33,  46,  59,  21,  29,  42,  54,  67,  80,  63,  71,  84,
          96, 109, 122, 105, 113, 126, 138, 151, 164, 147, 155, 168, 180, 193, 206});
}

TEST(QuantizedResizeBilinear, OtherTypes) {
  constexpr int32_t kStep = 1 << 26;
  std::vector<int32_t> steps;
  for (int32_t i = 0; i < 12; ++i) steps.push_back(i * kStep);
  Resized(OpTest("QuantizedResizeBilinear"),
          Tensor::FromValues<int32_t>(Shape({1, 3, 4, 1}), steps).Bitcast(DType::kQInt32), 2, 3)
      .Expect(OpTest::Make<int32_t>({1, 2, 3, 1},
                                    {0, 89478488, 178956976, 402653184, 492131672, 581610160})
                  .Bitcast(DType::kQInt32))
      .ExpectScalar<float>(0)
      .ExpectScalar<float>(1);
  Resized(OpTest("QuantizedResizeBilinear"),
          OpTest::Make<float>({1, 3, 4, 1}, {0, 21, 42, 63, 84, 105, 126, 147, 168, 189, 210, 231}),
          2, 3)
      .Expect<float>({1, 2, 3, 1}, {0, 28, 56, 126, 154, 182})
      .ExpectScalar<float>(0)
      .ExpectScalar<float>(1);
}

TEST(QuantizedResizeBilinear, NoImages) {
  constexpr int32_t kMany = 1 << 25;
  Resized(OpTest("QuantizedResizeBilinear"), U8({0, 1, 1, 1}, {}), kMany, kMany)
      .Expect(U8({0, kMany, kMany, 1}, {}))
      .ExpectScalar<float>(0)
      .ExpectScalar<float>(1);
}

TEST(QuantizedResizeBilinear, Refused) {
  const auto refused = [](Tensor image, int32_t height, int32_t width, const char* why) {
    Resized(OpTest("QuantizedResizeBilinear"), std::move(image), height, width)
        .ExpectError(kInvalid, why);
  };
  refused(QuantizedImage(), 0, 3, "output dimensions must be positive");
  refused(U8({2}, {1, 2}), 2, 3, "");
  refused(U8({1, 0, 2, 1}, {}), 2, 2, "input image must be of non-zero size");
  OpTest("QuantizedResizeBilinear")
      .Input(QuantizedImage())
      .Input(Tensor::Vector<int32_t>({2, 3, 4}))
      .Scalar<float>(0)
      .Scalar<float>(1)
      .ExpectError(kInvalid);
}

}  // namespace
}  // namespace warpbeam
