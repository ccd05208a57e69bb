// The integers are TensorFlow's.
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

Tensor Image(DType type) {
  Tensor x = *Tensor::Allocate(DType::kUInt8, Shape({1, 4, 5, 2}));
  for (int i = 0; i < 40; ++i) x.data<uint8_t>()[i] = static_cast<uint8_t>(i * 37);
  return x.Bitcast(type);
}

OpTest& Pool(OpTest&& test, Tensor x, std::vector<int64_t> size, std::vector<int64_t> strides,
             const char* padding = "SAME") {
  return test.Attr("ksize", std::move(size))
      .Attr("strides", std::move(strides))
      .Attr("padding", std::string(padding))
      .Input(std::move(x))
      .Scalar<float>(-1)
      .Scalar<float>(2);
}
Tensor U8(std::initializer_list<int64_t> shape, std::initializer_list<uint8_t> values) {
  return OpTest::Make<uint8_t>(shape, values).Bitcast(DType::kQUInt8);
}
Tensor S8(std::initializer_list<int64_t> shape, std::initializer_list<int8_t> values) {
  return OpTest::Make<int8_t>(shape, values).Bitcast(DType::kQInt8);
}

TEST(QuantizedPool, Values) {
  const auto expect = [](const char* op, DType type, bool valid, Tensor want) {
    OpTest test(op);
    if (valid) {
      Pool(std::move(test), Image(type), {1, 3, 2, 1}, {1, 1, 2, 1}, "VALID");
    } else {
      Pool(std::move(test), Image(type), {1, 2, 2, 1}, {1, 2, 2, 1});
    }
    test.Expect(std::move(want)).ExpectScalar<float>(-1).ExpectScalar<float>(2);
  };
  expect("QuantizedMaxPool", DType::kQUInt8, false,
         U8({1, 2, 3, 2}, {188, 225, 222, 185, 154, 191, 228, 197, 234, 231, 126, 163}));
  expect("QuantizedMaxPool", DType::kQUInt8, true,
         U8({1, 2, 2, 2}, {228, 225, 222, 231, 228, 225, 234, 231}));
  expect("QuantizedMaxPool", DType::kQInt8, false,
         S8({1, 2, 3, 2}, {114, 111, 80, 117, 40, 77, 86, 123, 120, 89, 126, 49}));
  expect("QuantizedAvgPool", DType::kQUInt8, false,
         U8({1, 2, 3, 2}, {94, 131, 114, 87, 97, 134, 130, 103, 150, 123, 69, 106}));
  expect("QuantizedAvgPool", DType::kQUInt8, true,
         U8({1, 2, 2, 2}, {108, 102, 128, 122, 137, 131, 114, 108}));
  expect("QuantizedAvgPool", DType::kQInt8, false,
         S8({1, 2, 3, 2}, {30, 3, -14, 23, -31, 6, 2, 39, 22, -5, 69, -22}));
}

TEST(QuantizedPool, Refusals) {
  constexpr auto kUnimplemented = StatusCode::kUnimplemented;
  const Tensor x = Image(DType::kQUInt8);
  for (const char* op : {"QuantizedMaxPool", "QuantizedAvgPool"}) {
    Pool(OpTest(op), x, {2, 1, 1, 1}, {1, 1, 1, 1}).ExpectError(kUnimplemented);
    Pool(OpTest(op), x, {1, 1, 1}, {1, 1, 1, 1}).ExpectError(kInvalid);
    Pool(OpTest(op), *x.Reshaped(Shape({4, 5, 2})), {1, 1, 1, 1}, {1, 1, 1, 1})
        .ExpectError(kInvalid);
    OpTest(op)
        .Attr("ksize", std::vector<int64_t>{1, 1, 1, 1})
        .Attr("strides", std::vector<int64_t>{1, 1, 1, 1})
        .Attr("padding", std::string("SAME"))
        .Input(x)
        .Input<float>({1}, {0})
        .Scalar<float>(1)
        .ExpectError(kInvalid);
  }
  Pool(OpTest("QuantizedAvgPool"), x, {1, 1, 1, 2}, {1, 1, 1, 2}).ExpectError(kUnimplemented);
}

}  // namespace
}  // namespace warpbeam
