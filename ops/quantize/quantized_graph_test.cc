// Ops of quantised inference graphs; the integers are TensorFlow's.
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

Tensor U8(std::initializer_list<int64_t> shape, std::initializer_list<uint8_t> values) {
  return OpTest::Make<uint8_t>(shape, values).Bitcast(DType::kQUInt8);
}
Tensor S8(std::initializer_list<int64_t> shape, std::initializer_list<int8_t> values) {
  return OpTest::Make<int8_t>(shape, values).Bitcast(DType::kQInt8);
}
Tensor S32(std::initializer_list<int64_t> shape, std::initializer_list<int32_t> values) {
  return OpTest::Make<int32_t>(shape, values).Bitcast(DType::kQInt32);
}
Tensor Many() {
  return S32({10}, {std::numeric_limits<int32_t>::min(), -1000000000, -65536, -1, 0, 1, 65536,
                    123456789, 1000000000, std::numeric_limits<int32_t>::max()});
}
Tensor Inner() { return S32({8}, {-1000000000, -65536, -1, 0, 1, 65536, 123456789, 1000000000}); }

// A tensor, then the ends of ranges.
OpTest& Ranged(OpTest&& test, Tensor x, std::initializer_list<float> ends) {
  test.Input(std::move(x));
  for (const float end : ends) test.Scalar<float>(end);
  return test;
}
OpTest& Changed(OpTest&& test, DType type, Tensor x, std::initializer_list<float> ends) {
  test.Attr("out_type", type);
  return Ranged(std::move(test), std::move(x), ends);
}

TEST(Requantize, Values) {
  Changed(OpTest("Requantize"), DType::kQUInt8, Many(), {-100, 150, -50, 70})
      .Expect(U8({10}, {0, 36, 159, 159, 159, 159, 159, 175, 255, 255}))
      .ExpectScalar<float>(-50)
      .ExpectScalar<float>(70);
  Changed(OpTest("Requantize"), DType::kQInt8, Many(), {-100, 100, -50, 50})
      .Expect(S8({10}, {-128, -119, 0, 0, 0, 0, 0, 15, 119, 127}))
      .ExpectScalar<float>(-50)
      .ExpectScalar<float>(50);
  Changed(OpTest("Requantize"), DType::kQUInt8, Many(), {-100, 150, 0, 0})
      .Expect(U8({10}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0}))
      .ExpectScalar<float>(0)
      .ExpectScalar<float>(0);
  Changed(OpTest("Requantize"), DType::kQUInt8, Many(), {-100, 150, 1, 2})
      .ExpectError(kInvalid, "requested_output_min must be <= 0");
  Changed(OpTest("Requantize"), DType::kQUInt8, Many(), {-100, 150, -1, -2})
      .ExpectError(kInvalid, "requested_output_max must be >= requested_output_min");
}

TEST(RequantizationRange, Values) {
  Ranged(OpTest("RequantizationRange"), Inner(), {-100, 150})
      .ExpectScalar<float>(-33.2076607f)
      .ExpectScalar<float>(83.2076645f);
  Ranged(OpTest("RequantizationRange"), S32({0}, {}), {-100, 150})
      .ExpectScalar<float>(0)
      .ExpectScalar<float>(-100);
  OpTest("RequantizationRange")
      .Input(Inner())
      .Input<float>({1}, {-100})
      .Scalar<float>(150)
      .ExpectError(kInvalid);
}

TEST(QuantizeDownAndShrinkRange, Values) {
  const char* op = "QuantizeDownAndShrinkRange";
  Changed(OpTest(op), DType::kQUInt8, Inner(), {-100, 150})
      .Expect(U8({8}, {0, 127, 127, 127, 127, 128, 143, 255}))
      .ExpectScalar<float>(-33.2076607f)
      .ExpectScalar<float>(83.2076645f);
  Changed(OpTest(op), DType::kQUInt8, S32({2}, {5000000, 70000000}), {-100, 100})
      .Expect(U8({2}, {18, 255}))
      .ExpectScalar<float>(0)
      .ExpectScalar<float>(3.25962901f);
  Changed(OpTest(op), DType::kQUInt8, S32({2}, {0, 0}), {-100, 100})
      .Expect(U8({2}, {0, 0}))
      .ExpectScalar<float>(0)
      .ExpectScalar<float>(2.32830644e-08f);
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  Changed(OpTest(op), DType::kQUInt8, S32({0}, {}), {kNaN, kNaN})
      .Expect(U8({0}, {}))
      .ExpectScalar<float>(0)
      .ExpectScalar<float>(kNaN);
}

Tensor Left() { return U8({2, 3}, {1, 200, 30, 255, 0, 128}); }
Tensor Right() { return U8({3, 2}, {7, 250, 0, 255, 90, 13}); }

OpTest& Product(OpTest&& test, Tensor a, Tensor b, std::initializer_list<float> ends) {
  test.Input(std::move(a));
  return Ranged(std::move(test), std::move(b), ends);
}

TEST(QuantizedMatMul, Values) {
  const Tensor want = S32({2, 2}, {-5538, 7610, 5060, 21384});
  Product(OpTest("QuantizedMatMul"), Left(), Right(), {-1, 2, 0, 5})
      .Expect(want)
      .ExpectScalar<float>(-495382.656f)
      .ExpectScalar<float>(495382.656f);
  OpTest("QuantizedMatMul")
      .Attr("transpose_a", true)
      .Attr("transpose_b", true)
      .Input(U8({3, 2}, {1, 255, 200, 0, 30, 128}))
      .Input(U8({2, 3}, {7, 0, 90, 250, 255, 13}))
      .Scalar<float>(-1)
      .Scalar<float>(2)
      .Scalar<float>(0)
      .Scalar<float>(5)
      .Expect(want)
      .ExpectScalar<float>(-495382.656f)
      .ExpectScalar<float>(495382.656f);
  // Neither range has a zero.
  Product(OpTest("QuantizedMatMul"), Left(), Right(), {1, 2, -3, -1})
      .Expect(S32({2, 2}, {-354026, -197738, -401644, -242180}))
      .ExpectScalar<float>(-66051.0234f)
      .ExpectScalar<float>(66051.0234f);
}

TEST(QuantizedMatMul, Refusals) {
  const char* op = "QuantizedMatMul";
  Product(OpTest(op), Left(), Right(), {2, 2, 0, 5}).ExpectError(kInvalid, "max_a must be larger");
  Product(OpTest(op), Left(), Right(), {-1, 2, 0, -1})
      .ExpectError(kInvalid, "max_b must be larger");
  Product(OpTest(op), Left(), U8({2, 2}, {1, 2, 3, 4}), {-1, 2, 0, 5}).ExpectError(kInvalid);
  Product(OpTest(op), U8({3}, {1, 2, 3}), Right(), {-1, 2, 0, 5}).ExpectError(kInvalid);
}

Tensor Image() {
  Tensor x = *Tensor::Allocate(DType::kUInt8, Shape({1, 4, 5, 2}));
  for (int i = 0; i < 40; ++i) x.data<uint8_t>()[i] = static_cast<uint8_t>(i * 37);
  return x.Bitcast(DType::kQUInt8);
}
Tensor Filter() {
  Tensor x = *Tensor::Allocate(DType::kUInt8, Shape({2, 2, 2, 3}));
  for (int i = 0; i < 24; ++i) x.data<uint8_t>()[i] = static_cast<uint8_t>(i * 59);
  return x.Bitcast(DType::kQUInt8);
}

OpTest& Convolution(OpTest&& test, Tensor x, std::vector<int64_t> strides, const char* padding,
                    std::initializer_list<float> ends, Tensor filter = Filter()) {
  test.Attr("strides", std::move(strides)).Attr("padding", std::string(padding));
  return Product(std::move(test), std::move(x), std::move(filter), ends);
}

TEST(QuantizedConv2D, Values) {
  const char* op = "QuantizedConv2D";
  Convolution(OpTest(op), Image(), {1, 1, 1, 1}, "SAME", {-1, 2, -2, 1})
      .Expect(S32({1, 4, 5, 3},
                  {940,    -21920, -4076,  -13788, 14664,  -660,   -5220,  -6096,  -4156,  -25580,
                   -40680, -6372,  3770,   10968,  2550,   -20220, 1768,   -30260, -6788,  -14128,
                   -28892, -2060,  -23624, -6020,  -16788, 12960,  -2604,  -10978, -7084,  -11638,
                   -28580, -42384, -8316,  -33580, 3928,   4828,   -23220, 64,     -32204, -9788,
                   -15832, -30836, 9090,   9680,   8990,   -22216, -8882,  -5276,  -12124, 3570,
                   -9408,  -24048, -21098, -228,   -9092,  -3782,  504,    -6424,  597,    -12350}))
      .ExpectScalar<float>(-297229.594f)
      .ExpectScalar<float>(297229.594f);
  Convolution(OpTest(op), Image(), {1, 2, 2, 1}, "VALID", {-1, 2, -2, 1})
      .Expect(S32({1, 2, 2, 3}, {940, -21920, -4076, -5220, -6096, -4156, -28580, -42384, -8316,
                                 -23220, 64, -32204}))
      .ExpectScalar<float>(-297229.594f)
      .ExpectScalar<float>(297229.594f);
}

TEST(QuantizedConv2D, Refusals) {
  const char* op = "QuantizedConv2D";
  const std::initializer_list<float> ends = {-1, 2, -2, 1};
  Convolution(OpTest(op), Image(), {1, 1, 2, 1}, "SAME", ends)
      .ExpectError(kInvalid, "equal length");
  Convolution(OpTest(op), Image(), {2, 1, 1, 1}, "SAME", ends).ExpectError(kInvalid, "batch");
  Convolution(OpTest(op), Image(), {1, 0, 0, 1}, "SAME", ends).ExpectError(kInvalid);
  Convolution(OpTest(op), Image(), {1, 1, 1}, "SAME", ends).ExpectError(kInvalid);
  Convolution(OpTest(op), U8({1, 4, 1, 1}, {1, 2, 3, 4}), {1, 1, 1, 1}, "SAME", ends)
      .ExpectError(kInvalid, "same depth");
  Convolution(OpTest(op), U8({0, 4, 5, 2}, {}), {1, 1, 1, 1}, "SAME", ends).ExpectError(kInvalid);
  Convolution(OpTest(op), U8({1, 1, 1, 2}, {1, 2}), {1, 1, 1, 1}, "VALID", ends)
      .ExpectError(kInvalid, "does not fit");
}

TEST(QuantizedBiasAdd, Values) {
  OpTest("QuantizedBiasAdd")
      .Attr("out_type", DType::kQInt32)
      .Input(Left())
      .Input(U8({3}, {3, 100, 255}))
      .Scalar<float>(-1)
      .Scalar<float>(2)
      .Scalar<float>(-3)
      .Scalar<float>(1)
      .Expect(S32({2, 3}, {-21503, -407, 1949, -5183, -13257, 8246}))
      .ExpectScalar<float>(-393216)
      .ExpectScalar<float>(393216);
  OpTest("QuantizedBiasAdd")
      .Attr("out_type", DType::kQInt32)
      .Input(S8({2, 3}, {1, -56, 30, -1, 0, -128}))
      .Input(S8({3}, {3, 100, -127}))
      .Scalar<float>(-1)
      .Scalar<float>(2)
      .Scalar<float>(-3)
      .Scalar<float>(1)
      .Expect(S32({2, 3}, {-2313, 2335, -11587, -2441, 5933, -21738}))
      .ExpectScalar<float>(-393216)
      .ExpectScalar<float>(393216);
  const auto refused = [](Tensor x, Tensor bias, const char* message) {
    OpTest test("QuantizedBiasAdd");
    test.Attr("out_type", DType::kQInt32).Input(std::move(x)).Input(std::move(bias));
    for (const float end : {-1, 2, -3, 1}) test.Scalar<float>(end);
    test.ExpectError(kInvalid, message);
  };
  refused(U8({3}, {1, 2, 3}), U8({3}, {1, 2, 3}), "at least 2D");
  refused(Left(), Left(), "");
  refused(Left(), U8({2}, {1, 2}), "as many biases");
  refused(U8({2, 0}, {}), U8({0}, {}), "at least 1 bias");
}

TEST(QuantizedRelu, Values) {
  const Tensor x = U8({8}, {0, 1, 50, 85, 86, 128, 200, 255});
  const auto relu = [](OpTest&& test, Tensor features, float min, float max,
                       Tensor want) -> OpTest& {
    test.Attr("out_type", features.dtype());
    return Ranged(std::move(test), std::move(features), {min, max})
        .Expect(std::move(want))
        .ExpectScalar<float>(min)
        .ExpectScalar<float>(max);
  };
  relu(OpTest("QuantizedRelu"), x, -1, 2, U8({8}, {85, 85, 85, 85, 86, 128, 200, 255}));
  relu(OpTest("QuantizedRelu"), x, 1, 1, x);
  relu(OpTest("QuantizedRelu6"), x, -10, 20, U8({8}, {85, 85, 85, 85, 86, 128, 136, 136}));
  relu(OpTest("QuantizedRelu6"), x, 1, 1, U8({8}, {0, 0, 0, 0, 0, 0, 0, 0}));
  relu(OpTest("QuantizedRelu6"), Many(), -10, 20,
       S32({10},
           {-715827883, -715827883, -65536, -1, 0, 1, 65536, 123456789, 143165576, 143165576}));
  OpTest("QuantizedRelu")
      .Attr("out_type", DType::kQUInt8)
      .Input(x)
      .Input<float>({1}, {1})
      .Scalar<float>(2)
      .ExpectError(kInvalid);
}

TEST(QuantizedReshape, Values) {
  const auto reshape = [](OpTest&& test, std::initializer_list<int32_t> shape) -> OpTest& {
    test.Input(Left());
    return Ranged(std::move(test), Tensor::Vector<int32_t>(shape), {-1, 2});
  };
  reshape(OpTest("QuantizedReshape"), {3, -1})
      .Expect(U8({3, 2}, {1, 200, 30, 255, 0, 128}))
      .ExpectScalar<float>(-1)
      .ExpectScalar<float>(2);
  reshape(OpTest("QuantizedReshape"), {4, -1}).ExpectError(kInvalid, "multiple of 4");
  reshape(OpTest("QuantizedReshape"), {-1, -1}).ExpectError(kInvalid);
  reshape(OpTest("QuantizedReshape"), {7}).ExpectError(kInvalid);
  reshape(OpTest("QuantizedReshape"), {-6}).ExpectError(kInvalid);
}

}  // namespace
}  // namespace warpbeam
