// Joining, adding, multiplying and normalising quantised tensors; the integers are TensorFlow
// 2.21's.
#include <limits>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

Tensor QuantizedU8(std::initializer_list<int64_t> shape, std::initializer_list<uint8_t> values) {
  return OpTest::Make<uint8_t>(shape, values).Bitcast(DType::kQUInt8);
}
Tensor QuantizedS32(std::initializer_list<int64_t> shape, std::initializer_list<int32_t> values) {
  return OpTest::Make<int32_t>(shape, values).Bitcast(DType::kQInt32);
}
std::vector<Tensor> Ends(std::initializer_list<float> ends) {
  std::vector<Tensor> tensors;
  for (const float end : ends) tensors.push_back(Tensor::Scalar<float>(end));
  return tensors;
}

OpTest& Concat(OpTest&& test, int32_t axis, std::vector<Tensor> values,
               std::initializer_list<float> mins, std::initializer_list<float> maxes) {
  return test.Scalar<int32_t>(axis)
      .InputList(std::move(values))
      .InputList(Ends(mins))
      .InputList(Ends(maxes));
}

TEST(QuantizedConcat, TheRangeHoldsAllRanges) {
  Concat(OpTest("QuantizedConcat"), 0, {QuantizedU8({1, 2}, {1, 2}), QuantizedU8({1, 2}, {3, 200})},
         {0, 0}, {255, 255})
      .Expect(QuantizedU8({2, 2}, {1, 2, 3, 200}))
      .ExpectScalar<float>(0)
      .ExpectScalar<float>(255);
  const auto joined = [](std::initializer_list<float> mins, std::initializer_list<float> maxes,
                         std::initializer_list<uint8_t> expected, float min, float max) {
    const Tensor x = QuantizedU8({1, 3}, {0, 128, 255});
    Concat(OpTest("QuantizedConcat"), 1, {x, x}, mins, maxes)
        .Expect(QuantizedU8({1, 6}, expected))
        .ExpectScalar<float>(min)
        .ExpectScalar<float>(max);
  };
  joined({0, -1}, {1, 2}, {85, 128, 170, 0, 128, 255}, -1, 2);
  joined({-5, -4}, {-1, -2}, {0, 128, 255, 64, 128, 191}, -5, -1);
  joined({1, 2}, {3, 5}, {51, 102, 153, 102, 179, 255}, 0, 5);
  Concat(OpTest("QuantizedConcat"), 0,
         {QuantizedS32({3}, {5, -7, 1 << 30}), QuantizedS32({2}, {1, 2})}, {-1, -2}, {1, 3})
      .Expect(QuantizedS32({5}, {2, -2, 357913952, 357913952, 357913952}))
      .ExpectScalar<float>(-3)
      .ExpectScalar<float>(3);
}

TEST(QuantizedConcat, NoElementsOfAnyExtent) {
  const Tensor x = QuantizedU8({int64_t{1} << 40, 0}, {});
  Concat(OpTest("QuantizedConcat"), 1, {x, x}, {0, 0}, {1, 1})
      .Expect(x)
      .ExpectScalar<float>(0)
      .ExpectScalar<float>(1);
}

TEST(QuantizedConcat, Refused) {
  const auto refused = [](int32_t axis, Tensor a, Tensor b, const char* why) {
    Concat(OpTest("QuantizedConcat"), axis, {std::move(a), std::move(b)}, {0, 0}, {1, 1})
        .ExpectError(kInvalid, why);
  };
  const Tensor x = QuantizedU8({1, 2}, {1, 2});
  refused(-1, x, x, "in the range [0, 2), but got -1");
  refused(2, x, x, "in the range [0, 2), but got 2");
  refused(0, x, QuantizedU8({1, 1}, {3}), "Dimensions of inputs should match");
  refused(0, x, QuantizedU8({1}, {3}), "Ranks of all input tensors should match");
  OpTest("QuantizedConcat")
      .Scalar<int32_t>(0)
      .InputList({x, x})
      .InputList({Tensor::Vector<float>({0, 1}), Tensor::Scalar<float>(0)})
      .InputList(Ends({1, 1}))
      .ExpectError(kInvalid, "num elements must be 1");
}

void Expect(const char* op, Tensor x, Tensor y, std::initializer_list<float> ends, Tensor expected,
            float most) {
  OpTest test(op);
  test.Attr("Toutput", DType::kQInt32).Input(std::move(x)).Input(std::move(y));
  for (const float end : ends) test.Scalar<float>(end);
  // The range of products is that of all integers times one step.
  const bool is_sum = std::string(op) == "QuantizedAdd";
  test.Expect(std::move(expected)).ExpectScalar<float>(-most).ExpectScalar<float>(most);
  if (!is_sum) test.Within(0, 1e-6);
}

TEST(QuantizedArithmetic, SumsAndProducts) {
  const Tensor x = QuantizedU8({4}, {0, 10, 128, 255}), y = QuantizedU8({4}, {1, 20, 100, 254}),
               one = QuantizedU8({}, {100});
  const auto ends = {-1.0f, 1.0f, -2.0f, 3.0f};
  Expect("QuantizedAdd", x, y, ends, QuantizedS32({4}, {-130044, -110360, -1524, 173734}), 49152);
  Expect("QuantizedAdd", x, one, ends, QuantizedS32({4}, {-45232, -41812, -1456, 41978}), 49152);
  Expect("QuantizedAdd", one, x, ends, QuantizedS32({4}, {-96633, -88073, 12935, 121647}), 49152);
  Expect("QuantizedAdd", x, y, {0, 10, 0, 10}, QuantizedS32({4}, {514, 15420, 117192, 261626}),
         163840);
  Expect("QuantizedMul", x, y, ends, QuantizedS32({4}, {12928, 9676, 0, 19304}), 330255.125f);
  Expect("QuantizedMul", x, one, ends, QuantizedS32({4}, {256, 236, 0, -254}), 330255.125f);
  Expect("QuantizedMul", one, x, ends, QuantizedS32({4}, {2856, 2576, -728, -4284}), 330255.125f);
}

TEST(QuantizedArithmetic, OperandsBroadcast) {
  const Tensor square = QuantizedU8({2, 2}, {0, 10, 128, 255}), row = QuantizedU8({2}, {1, 200});
  const auto ends = {0.0f, 10.0f, -3.0f, 10.0f};
  Expect("QuantizedAdd", square, row, ends, QuantizedS32({2, 2}, {-38756, 99316, 27036, 225246}),
         163840);
  Expect("QuantizedAdd", row, square, ends, QuantizedS32({2, 2}, {-38910, 70056, 46594, 233716}),
         163840);
  Expect("QuantizedMul", square, row, ends, QuantizedS32({2, 2}, {0, 1410, -7424, 35955}), 4293316);
  Expect("QuantizedMul", row, square, ends, QuantizedS32({2, 2}, {-59, -9800, 69, 39200}), 4293316);
  // TensorFlow takes the shorter operand for a row whatever its shape; here a column is a column.
  Expect("QuantizedMul", QuantizedU8({2, 1}, {1, 200}), square, ends,
         QuantizedS32({2, 2}, {-59, -49, 13800, 39200}), 4293316);
  Expect("QuantizedMul", QuantizedU8({0}, {}), QuantizedU8({0}, {}), ends, QuantizedS32({0}, {}),
         4293316);
}

TEST(QuantizedArithmetic, Refused) {
  for (const char* op : {"QuantizedAdd", "QuantizedMul"}) {
    const auto refused = [op](Tensor x, std::initializer_list<float> ends, const char* why) {
      OpTest test(op);
      test.Attr("Toutput", DType::kQInt32).Input(std::move(x)).Input(QuantizedU8({2}, {3, 4}));
      for (const float end : ends) test.Scalar<float>(end);
      test.ExpectError(kInvalid, why);
    };
    refused(QuantizedU8({3}, {1, 2, 3}), {0, 1, 0, 1}, "");
    refused(QuantizedU8({2}, {1, 2}), {10, 0, 0, 1}, "max_x must be larger");
    refused(QuantizedU8({2}, {1, 2}), {0, 0, 0, 1}, "max_x must be larger");
  }
}

Tensor Ramp() {
  return QuantizedU8({1, 4, 2, 2},
                     {0, 15, 30, 45, 60, 75, 90, 105, 120, 135, 150, 165, 180, 195, 210, 225});
}

TEST(QuantizedInstanceNorm, EachChannelOfEachImage) {
  OpTest("QuantizedInstanceNorm")
      .Input(Ramp())
      .Scalar<float>(0)
      .Scalar<float>(10)
      .Expect(QuantizedU8({1, 4, 2, 2},
                          {0, 0, 37, 37, 73, 73, 110, 110, 146, 146, 183, 183, 219, 219, 255, 255}))
      .ExpectScalar<float>(-1.5275241f)
      .ExpectScalar<float>(1.5275241f)
      .Within(0, 1e-6);
  OpTest("QuantizedInstanceNorm")
      .Attr("output_range_given", true)
      .Attr("given_y_min", -2.0f)
      .Attr("given_y_max", 2.0f)
      .Input(Ramp())
      .Scalar<float>(0)
      .Scalar<float>(10)
      .Expect(QuantizedU8(
          {1, 4, 2, 2}, {31, 31, 58, 58, 86, 86, 114, 114, 142, 142, 170, 170, 198, 198, 225, 225}))
      .ExpectScalar<float>(-2)
      .ExpectScalar<float>(2);
  OpTest("QuantizedInstanceNorm")
      .Input(QuantizedU8({1, 2, 2, 1}, {7, 7, 7, 7}))
      .Scalar<float>(0)
      .Scalar<float>(10)
      .Expect(QuantizedU8({1, 2, 2, 1}, {0, 0, 0, 0}))
      .ExpectScalar<float>(0)
      .ExpectScalar<float>(0.001f);
  OpTest("QuantizedInstanceNorm")
      .Input(Ramp())
      .Scalar<float>(10)
      .Scalar<float>(0)
      .ExpectError(kInvalid, "input_min must be less than input_max");
  OpTest("QuantizedInstanceNorm")
      .Input(QuantizedU8({1, 2}, {7, 7}))
      .Scalar<float>(0)
      .Scalar<float>(1)
      .ExpectError(kInvalid);
}

TEST(QuantizedInstanceNorm, NoElementsOfAnyExtent) {
  const float infinity = std::numeric_limits<float>::infinity();
  OpTest("QuantizedInstanceNorm")
      .Input(QuantizedU8({int64_t{1} << 40, 0, 1, 1 << 10}, {}))
      .Scalar<float>(0)
      .Scalar<float>(1)
      .Expect(QuantizedU8({int64_t{1} << 40, 0, 1, 1 << 10}, {}))
      .ExpectScalar<float>(infinity)
      .ExpectScalar<float>(infinity);
}

OpTest& BatchNorm(OpTest&& test, bool scales, Tensor x, Tensor mean) {
  const auto add = [&test](Tensor t, float min, float max) {
    test.Input(std::move(t)).Scalar<float>(min).Scalar<float>(max);
  };
  test.Attr("out_type", DType::kQInt32)
      .Attr("variance_epsilon", 0.001f)
      .Attr("scale_after_normalization", scales);
  add(std::move(x), 0, 10);
  add(std::move(mean), 0, 5);
  add(QuantizedU8({2}, {100, 50}), 0, 4);
  add(QuantizedU8({2}, {10, 250}), -1, 1);
  add(QuantizedU8({2}, {30, 240}), -2, 2);
  return test;
}

TEST(QuantizedBatchNorm, WithAndWithoutScales) {
  const Tensor x = QuantizedU8({1, 2, 2, 2}, {0, 30, 60, 90, 120, 150, 180, 210}),
               mean = QuantizedU8({2}, {10, 200});
  BatchNorm(OpTest("QuantizedBatchNormWithGlobalNormalization"), true, x, mean)
      .Expect(QuantizedS32({1, 2, 2, 2}, {-1392, -9271, -7243, 367, -13095, 10005, -18946, 19643}))
      .ExpectScalar<float>(-1048576)
      .ExpectScalar<float>(1048576);
  BatchNorm(OpTest("QuantizedBatchNormWithGlobalNormalization"), false, x, mean)
      .Expect(QuantizedS32({1, 2, 2, 2}, {-2200, -4369, 1647, 1069, 5494, 6507, 9340, 11944}))
      .ExpectScalar<float>(-1048576)
      .ExpectScalar<float>(1048576);
  const auto refused = [](Tensor images, Tensor means) {
    BatchNorm(OpTest("QuantizedBatchNormWithGlobalNormalization"), true, std::move(images),
              std::move(means))
        .ExpectError(kInvalid);
  };
  refused(QuantizedU8({1, 2}, {1, 2}), mean);
  refused(x, QuantizedU8({1, 2}, {1, 2}));
  refused(x, QuantizedU8({3}, {1, 2, 3}));
}

}  // namespace
}  // namespace warpbeam
