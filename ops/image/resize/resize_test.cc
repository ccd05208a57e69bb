// Resized, moved and cropped images: values, gradients' sums, bad input.
#include <gtest/gtest.h>

#include <limits>

#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

Tensor TwoByTwo() { return OpTest::Make<float>({1, 2, 2, 1}, {1, 2, 3, 4}); }
Tensor Size(int32_t height, int32_t width) { return OpTest::Make<int32_t>({2}, {height, width}); }

TEST(ResizeTest, Nearest) {
  OpTest("ResizeNearestNeighbor")
      .Input(TwoByTwo())
      .Input(Size(4, 3))
      .Expect<float>({1, 4, 3, 1}, {1, 1, 2, 1, 1, 2, 3, 3, 4, 3, 3, 4});
  OpTest("ResizeNearestNeighbor")
      .Attr("half_pixel_centers", true)
      .Input<uint8_t>({1, 1, 4, 1}, {1, 2, 3, 4})
      .Input(Size(1, 2))
      .Expect<uint8_t>({1, 1, 2, 1}, {2, 4});
  OpTest("ResizeNearestNeighborGrad")
      .Input<float>({1, 1, 4, 1}, {1, 2, 3, 4})
      .Input(Size(1, 2))
      .Expect<float>({1, 1, 2, 1}, {3, 7});
}

TEST(ResizeTest, Bilinear) {
  OpTest("ResizeBilinear")
      .Attr("align_corners", true)
      .Input(TwoByTwo())
      .Input(Size(3, 3))
      .Expect<float>({1, 3, 3, 1}, {1, 1.5f, 2, 2, 2.5f, 3, 3, 3.5f, 4});
  OpTest("ResizeBilinear")
      .Attr("half_pixel_centers", true)
      .Input<int32_t>({1, 1, 2, 1}, {0, 4})
      .Input(Size(1, 4))
      .Expect<float>({1, 1, 4, 1}, {0, 1, 3, 4});
  OpTest("ResizeBilinearGrad")
      .Attr("half_pixel_centers", true)
      .Input<float>({1, 1, 4, 1}, {1, 1, 1, 1})
      .Input<double>({1, 1, 2, 1}, {0, 0})
      .Expect<double>({1, 1, 2, 1}, {2, 2});
}

TEST(ResizeTest, BicubicAndArea) {
  // A straight line stays one away from the borders.
  OpTest("ResizeBicubic")
      .Attr("align_corners", true)
      .Input<float>({1, 1, 4, 1}, {0, 1, 2, 3})
      .Input(Size(1, 4))
      .Expect<float>({1, 1, 4, 1}, {0, 1, 2, 3});
  OpTest("ResizeBicubicGrad")
      .Attr("align_corners", true)
      .Input<float>({1, 1, 4, 1}, {4, 5, 6, 7})
      .Input<float>({1, 1, 4, 1}, {0, 0, 0, 0})
      .Expect<float>({1, 1, 4, 1}, {4, 5, 6, 7});
  OpTest("ResizeArea").Input(TwoByTwo()).Input(Size(1, 1)).Expect<float>({1, 1, 1, 1}, {2.5f});
  OpTest("ResizeArea")
      .Input<uint8_t>({1, 1, 3, 1}, {0, 3, 6})
      .Input(Size(1, 2))
      .Expect<float>({1, 1, 2, 1}, {1, 5});
}

TEST(ResizeTest, BadInput) {
  for (const char* op :
       {"ResizeNearestNeighbor", "ResizeBilinear", "ResizeBicubic", "ResizeArea"}) {
    OpTest(op).Input(TwoByTwo()).Input(Size(0, 1)).ExpectError(kInvalid, "positive");
    OpTest(op).Input(TwoByTwo()).Input(Size(1, -1)).ExpectError(kInvalid);
    OpTest(op).Input(TwoByTwo()).Input<int32_t>({3}, {1, 1, 1}).ExpectError(kInvalid);
    OpTest(op).Input<float>({2, 2, 1}, {1, 2, 3, 4}).Input(Size(1, 1)).ExpectError(kInvalid);
    OpTest(op).Input<float>({1, 0, 2, 1}, {}).Input(Size(1, 1)).ExpectError(kInvalid, "non-zero");
    if (std::string(op) == "ResizeArea") continue;
    OpTest(op)
        .Attr("align_corners", true)
        .Attr("half_pixel_centers", true)
        .Input(TwoByTwo())
        .Input(Size(1, 1))
        .ExpectError(kInvalid, "half_pixel_centers");
  }
  OpTest("ResizeBilinearGrad")
      .Input(TwoByTwo())
      .Input<float>({1, 1, 1, 2}, {0, 0})
      .ExpectError(kInvalid);
}

TEST(ScaleAndTranslateTest, MovesByWholePixels) {
  for (const char* kernel : {"lanczos1", "lanczos3", "lanczos5", "triangle", "keyscubic", "box"}) {
    OpTest("ScaleAndTranslate")
        .Attr("kernel_type", kernel)
        .Input<float>({1, 1, 3, 1}, {1, 2, 3})
        .Input(Size(1, 3))
        .Input<float>({2}, {1, 1})
        .Input<float>({2}, {0, 1})
        .Expect<float>({1, 1, 3, 1}, {0, 1, 2})
        .Within(1e-5, 1e-5);
  }
  const auto scale = [](float y, float x) { return OpTest::Make<float>({2}, {y, x}); };
  OpTest("ScaleAndTranslateGrad")
      .Input<float>({1, 1, 3, 1}, {5, 6, 7})
      .Input<float>({1, 1, 3, 1}, {0, 0, 0})
      .Input(scale(1, 1))
      .Input(scale(0, 1))
      .Expect<float>({1, 1, 3, 1}, {6, 7, 0})
      .Within(1e-5, 1e-5);
  const auto move = [&](const char* kernel, float s) {
    return OpRunner("ScaleAndTranslate")
        .Attr("kernel_type", kernel)
        .Input(TwoByTwo())
        .Input(Size(2, 2))
        .Input(scale(s, s))
        .Input(scale(0, 0))
        .RunOne()
        .status()
        .code();
  };
  EXPECT_EQ(move("sinc", 1), kInvalid);
  EXPECT_EQ(move("box", 0), kInvalid);
  EXPECT_EQ(move("box", std::numeric_limits<float>::quiet_NaN()), kInvalid);
  EXPECT_EQ(move("box", 1e-30f), StatusCode::kOk);
}

OpTest& WithBox(OpTest& test, float y2, int32_t image) {
  return test.Input(TwoByTwo()).Input<float>({1, 4}, {0, 0, y2, 1}).Input<int32_t>({1}, {image});
}

TEST(CropAndResizeTest, PartsAndWhatIsOutside) {
  OpTest whole("CropAndResize");
  WithBox(whole, 1, 0).Input(Size(3, 2)).Expect<float>({1, 3, 2, 1}, {1, 2, 2, 3, 3, 4});
  OpTest outside("CropAndResize");
  outside.Attr("extrapolation_value", 9.0f);
  WithBox(outside, 2, 0).Input(Size(3, 2)).Expect<float>({1, 3, 2, 1}, {1, 2, 3, 4, 9, 9});
  OpTest center("CropAndResize");
  WithBox(center, 1, 0).Input(Size(1, 1)).Expect<float>({1, 1, 1, 1}, {2.5f});
  OpTest("CropAndResizeGradImage")
      .Attr("T", DType::kFloat)
      .Input<float>({1, 1, 1, 1}, {4})
      .Input<float>({1, 4}, {0, 0, 1, 1})
      .Input<int32_t>({1}, {0})
      .Input<int32_t>({4}, {1, 2, 2, 1})
      .Expect<float>({1, 2, 2, 1}, {1, 1, 1, 1});
  OpTest("CropAndResizeGradBoxes")
      .Input<float>({1, 1, 1, 1}, {4})
      .Input(TwoByTwo())
      .Input<float>({1, 4}, {0, 0, 1, 1})
      .Input<int32_t>({1}, {0})
      .Expect<float>({1, 4}, {4, 2, 4, 2});
}

// No images of very many rows: nothing may be made for the rows.
TEST(ResizeTest, OfNoImages) {
  constexpr int32_t kRows = std::numeric_limits<int32_t>::max();
  for (const char* op :
       {"ResizeNearestNeighbor", "ResizeBilinear", "ResizeBicubic", "ResizeArea"}) {
    OpTest(op)
        .Input<float>({0, 2, 2, 1}, {})
        .Input(Size(kRows, 2))
        .Expect<float>({0, kRows, 2, 1}, {});
  }
  OpTest("ResizeNearestNeighborGrad")
      .Input<float>({0, kRows, 2, 1}, {})
      .Input(Size(2, 2))
      .Expect<float>({0, 2, 2, 1}, {});
  for (const char* op : {"ResizeBilinearGrad", "ResizeBicubicGrad"}) {
    OpTest(op)
        .Input<float>({0, kRows, 2, 1}, {})
        .Input<float>({0, 2, 2, 1}, {})
        .Expect<float>({0, 2, 2, 1}, {});
  }
}

TEST(CropAndResizeTest, BadInput) {
  OpTest index("CropAndResize");
  WithBox(index, 1, 1).Input(Size(1, 1)).ExpectError(StatusCode::kOutOfRange, "box_index");
  OpTest size("CropAndResize");
  WithBox(size, 1, 0).Input(Size(0, 1)).ExpectError(kInvalid, "positive");
  OpTest infinite("CropAndResize");
  WithBox(infinite, std::numeric_limits<float>::infinity(), 0)
      .Input(Size(1, 1))
      .ExpectError(kInvalid, "finite");
  OpTest("CropAndResizeGradImage")
      .Attr("T", DType::kFloat)
      .Input<float>({1, 1, 1, 1}, {4})
      .Input<float>({1, 4}, {0, 0, 1, 1})
      .Input<int32_t>({1}, {-1})
      .Input<int32_t>({4}, {1, 2, 2, 1})
      .ExpectError(StatusCode::kOutOfRange);
}

}  // namespace
}  // namespace warpbeam
