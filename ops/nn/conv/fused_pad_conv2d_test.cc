// Values are TensorFlow's.
#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

Tensor Image() {
  return OpTest::Make<float>({1, 3, 4, 1}, {0, 13, 9, 5, 1, 14, 10, 6, 2, 15, 11, 7});
}
Tensor Filter() { return OpTest::Make<float>({2, 2, 1, 2}, {-3, 2, 0, -2, 3, 1, -1, -3}); }
Tensor Borders() { return OpTest::Make<int32_t>({4, 2}, {0, 0, 1, 2, 2, 1, 0, 0}); }

OpTest& Padded(OpTest&& test, const char* mode, const char* padding, Tensor image = Image(),
               Tensor borders = Borders(), Tensor filter = Filter(),
               std::vector<int64_t> strides = {1, 2, 2, 1}) {
  return test.Attr("mode", std::string(mode))
      .Attr("padding", std::string(padding))
      .Attr("strides", std::move(strides))
      .Input(std::move(image))
      .Input(std::move(borders))
      .Input(std::move(filter))
      .Within(1e-4, 1e-5);
}

TEST(FusedPadConv2D, Values) {
  const char* op = "FusedPadConv2D";
  Padded(OpTest(op), "REFLECT", "SAME").Expect<float>({1, 3, 4, 2}, {-16, -38, -16, -65, -8,  2,
                                                                     -3,  29,  -12, -42, -12, -69,
                                                                     -4,  -2,  3,   31,  -16, -38,
                                                                     -16, -65, -8,  2,   -3,  29});
  Padded(OpTest(op), "REFLECT", "VALID")
      .Expect<float>({1, 3, 3, 2}, {-16, -38, -16, -65, -8, 2, -12, -42, -12, -69, -4, -2, -16, -38,
                                    -16, -65, -8, 2});
  Padded(OpTest(op), "SYMMETRIC", "SAME").Expect<float>({1, 3, 4, 2}, {0,   39,  -13, -65, -5,
                                                                       2,   0,   15,  1,   35,
                                                                       -12, -69, -4,  -2,  3,
                                                                       19,  -4,  37,  -17, -67,
                                                                       -9,  0,   -3,  20});
}

TEST(FusedResizeAndPadConv2D, Values) {
  const auto resized = [](OpTest&& test, const char* padding, bool align) -> OpTest& {
    return test.Attr("mode", std::string("REFLECT"))
        .Attr("padding", std::string(padding))
        .Attr("strides", std::vector<int64_t>{1, 2, 2, 1})
        .Attr("resize_align_corners", align)
        .Input(Image())
        .Input<int32_t>({2}, {5, 3})
        .Input(Borders())
        .Input(Filter())
        .Within(1e-4, 1e-5);
  };
  const char* op = "FusedResizeAndPadConv2D";
  resized(OpTest(op), "SAME", true).Expect<float>({1, 4, 3, 2}, {-12.5f, -40, -12.5f, -55,
                                                                 -12.5f, -40, -10.5f, -42,
                                                                 -10.5f, -57, -10.5f, -42,
                                                                 -11.5f, -44, -11.5f, -59,
                                                                 -11.5f, -44, -13.5f, -42,
                                                                 -13.5f, -57, -13.5f, -42});
  resized(OpTest(op), "VALID", false)
      .Expect<float>(
          {1, 4, 3, 2},
          {-13.4666662f, -39.3333321f, -13.4666662f, -58.3333282f, -13.4666662f, -39.3333321f,
           -11.0666666f, -41.7333298f, -11.0666656f, -60.7333298f, -11.0666666f, -41.7333298f,
           -13.0666666f, -43.3333321f, -13.0666656f, -62.3333282f, -13.0666666f, -43.3333321f,
           -14.666667f,  -41.7333298f, -14.666666f,  -60.7333298f, -14.666667f,  -41.7333298f});
  for (const Tensor& size : {Tensor::Vector<int32_t>({1, 2, 3}), Tensor::Vector<int32_t>({0, 3}),
                             Tensor::Vector<int32_t>({-1, 3})}) {
    OpTest(op)
        .Attr("mode", std::string("REFLECT"))
        .Attr("padding", std::string("SAME"))
        .Attr("strides", std::vector<int64_t>{1, 1, 1, 1})
        .Input(Image())
        .Input(size)
        .Input(Borders())
        .Input(Filter())
        .ExpectError(kInvalid);
  }
}

TEST(FusedPadConv2D, Refusals) {
  const char* op = "FusedPadConv2D";
  const auto borders = [](std::initializer_list<int32_t> values) {
    return OpTest::Make<int32_t>({4, 2}, values);
  };
  Padded(OpTest(op), "REFLECT", "SAME", Image(), borders({0, 0, 1, 3, 2, 1, 0, 0}))
      .ExpectError(kInvalid, "less than");
  Padded(OpTest(op), "SYMMETRIC", "SAME", Image(), borders({0, 0, 1, 4, 2, 1, 0, 0}))
      .ExpectError(kInvalid, "no greater than");
  Padded(OpTest(op), "REFLECT", "SAME", Image(), borders({0, 0, -1, 1, 2, 1, 0, 0}))
      .ExpectError(kInvalid, "non-negative");
  Padded(OpTest(op), "SYMMETRIC", "SAME", Image(), borders({0, 0, 1, 1, 2, 1, 1, 0}))
      .ExpectError(kInvalid, "channels");
  Padded(OpTest(op), "REFLECT", "SAME", Image(), OpTest::Make<int32_t>({3, 2}, {0, 0, 1, 1, 2, 1}))
      .ExpectError(kInvalid, "rank of inputs");
  Padded(OpTest(op), "REFLECT", "SAME", *Image().Reshaped(Shape({3, 4, 1}))).ExpectError(kInvalid);
  Padded(OpTest(op), "REFLECT", "SAME", Image(), Borders(), *Filter().Reshaped(Shape({2, 2, 2})))
      .ExpectError(kInvalid);
  Padded(OpTest(op), "REFLECT", "SAME", Image(), Borders(), *Filter().Reshaped(Shape({2, 1, 2, 2})))
      .ExpectError(kInvalid, "same depth");
  for (const std::vector<int64_t>& strides :
       {std::vector<int64_t>{1, 1, 1}, {2, 1, 1, 1}, {1, 0, 0, 1}}) {
    Padded(OpTest(op), "REFLECT", "SAME", Image(), Borders(), Filter(), strides)
        .ExpectError(kInvalid);
  }
}

}  // namespace
}  // namespace warpbeam
