#include <climits>
#include <cmath>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

template <class Q>
Tensor Quantized(std::initializer_list<int64_t> values) {
  std::vector<Q> list;
  for (int64_t v : values) list.push_back(Q(static_cast<decltype(Q::value)>(v)));
  return Tensor::Vector<Q>(MakeConstSpan(list));
}

TEST(QuantizeV2, Modes) {
  const auto x = Tensor::Vector<float>({1, -1, 0.5f, 1e9f, 0.3f});
  const auto run = [&](const char* mode) {
    return OpRunner("QuantizeV2")
        .Attr("T", DType::kQInt32)
        .Attr("mode", mode)
        .Input(x)
        .Input(Tensor::Scalar<float>(-1))
        .Input(Tensor::Scalar<float>(1))
        .Run();
  };
  const std::vector<std::pair<const char*, std::vector<int32_t>>> expected = {
      {"MIN_COMBINED", {INT32_MIN, INT32_MIN, 1073741824, INT32_MIN, 644244992}},
      {"SCALED", {INT32_MIN, INT32_MIN, 1073741824, INT32_MIN, 644245120}},
      {"MIN_FIRST", {2147483520, INT32_MIN, 1073741824, 2147483520, 644245120}}};
  for (const auto& [mode, values] : expected) {
    const auto result = run(mode);
    ASSERT_TRUE(result.ok()) << result.status();
    for (size_t i = 0; i < values.size(); ++i) {
      EXPECT_EQ((*result)[0].data<QInt32>()[i].value, values[i]) << mode << " " << i;
    }
  }
}

TEST(QuantizeV2, RangesHoldZeroAndAreNotEmpty) {
  const auto out = [](float min, float max, const char* mode, DType type) {
    const auto result = OpRunner("QuantizeV2")
                            .Attr("T", type)
                            .Attr("mode", mode)
                            .Input(Tensor::Vector<float>({1, NAN, INFINITY}))
                            .Input(Tensor::Scalar<float>(min))
                            .Input(Tensor::Scalar<float>(max))
                            .Run();
    EXPECT_TRUE(result.ok()) << result.status();
    return std::make_pair((*result)[1].scalar<float>(), (*result)[2].scalar<float>());
  };
  EXPECT_EQ(out(1, 1, "MIN_COMBINED", DType::kQUInt8), std::make_pair(0.0f, 1.0f));
  EXPECT_EQ(out(0, 0, "MIN_COMBINED", DType::kQUInt8), std::make_pair(0.0f, 0.01f));
  const auto [min, max] = out(0, 3, "SCALED", DType::kQInt8);
  EXPECT_FLOAT_EQ(min, -3.023622f);
  EXPECT_FLOAT_EQ(max, 3);
}

TEST(QuantizeV2, OneRangeForEachSlice) {
  const auto result = OpRunner("QuantizeV2")
                          .Attr("T", DType::kQUInt8)
                          .Attr("axis", 1)
                          .Input(OpTest::Make<float>({2, 2}, {1, 2, 3, 4}))
                          .Input(Tensor::Vector<float>({0, 1}))
                          .Input(Tensor::Vector<float>({3, 4}))
                          .Run();
  ASSERT_TRUE(result.ok()) << result.status();
  const uint8_t expected[] = {85, 128, 255, 255};
  for (int i = 0; i < 4; ++i) EXPECT_EQ((*result)[0].data<QUInt8>()[i].value, expected[i]);
  EXPECT_EQ((*result)[2].data<float>()[1], 4);
}

TEST(QuantizeV2, RefusesWhatIsNoRange) {
  const auto x = OpTest::Make<float>({2, 2}, {1, 2, 3, 4});
  const auto refused = [&](int64_t axis, Tensor min, Tensor max, const char* round_mode) {
    OpTest("QuantizeV2")
        .Attr("T", DType::kQUInt8)
        .Attr("axis", axis)
        .Attr("round_mode", round_mode)
        .Input(x)
        .Input(std::move(min))
        .Input(std::move(max))
        .ExpectError(kInvalid);
  };
  const char* away = "HALF_AWAY_FROM_ZERO";
  refused(-1, Tensor::Scalar<float>(3), Tensor::Scalar<float>(1), away);
  refused(-1, Tensor::Vector<float>({0, 1}), Tensor::Vector<float>({3, 4}), away);
  refused(1, Tensor::Scalar<float>(0), Tensor::Scalar<float>(1), away);
  refused(1, Tensor::Vector<float>({0, 1}), Tensor::Vector<float>({3}), away);
  refused(2, Tensor::Vector<float>({0, 1}), Tensor::Vector<float>({3, 4}), away);
  refused(-2, Tensor::Vector<float>({0, 1}), Tensor::Vector<float>({3, 4}), away);
  refused(INT64_MAX, Tensor::Vector<float>({0, 1}), Tensor::Vector<float>({3, 4}), away);
  refused(-1, Tensor::Scalar<float>(0), Tensor::Scalar<float>(1), "HALF_TO_EVEN");
}

TEST(Dequantize, Modes) {
  const auto wide = Quantized<QInt32>({1, -128, INT32_MAX});
  OpTest("Dequantize")
      .Input(wide)
      .Scalar<float>(-2)
      .Scalar<float>(3)
      .Expect<float>({3}, {0.5f, 0.49999976f, 3});
  OpTest("Dequantize")
      .Attr("mode", "MIN_FIRST")
      .Input(wide)
      .Scalar<float>(-2)
      .Scalar<float>(3)
      .Expect<float>({3}, {0.5f, 0.49999985f, 3});
  OpTest("Dequantize")
      .Attr("mode", "SCALED")
      .Input(Quantized<QInt8>({1, -128}))
      .Scalar<float>(-2)
      .Scalar<float>(3)
      .Expect<float>({2}, {0.02362205f, -3.023622f});
  // A range turned around, and one without extent.
  const auto bytes = Quantized<QUInt8>({1, 2});
  OpTest("Dequantize")
      .Input(bytes)
      .Scalar<float>(3)
      .Scalar<float>(1)
      .Expect<float>({2}, {2.9921567f, 2.9843137f});
  OpTest("Dequantize")
      .Attr("mode", "MIN_FIRST")
      .Input(bytes)
      .Scalar<float>(1)
      .Scalar<float>(1)
      .Expect<float>({2}, {1, 1});
  OpTest("Dequantize")
      .Attr("axis", 0)
      .Input(bytes)
      .Input<float>({2}, {1, 2})
      .Input<float>({2}, {3, 4})
      .Expect<float>({2}, {1.0078431f, 2.0156863f});
  OpTest("Dequantize")
      .Attr("mode", "MIN_FIRST")
      .Attr("dtype", DType::kBFloat16)
      .Input(bytes)
      .Scalar<float>(1)
      .Scalar<float>(3)
      .ExpectError(kInvalid, "MIN_FIRST");
  OpTest("Dequantize")
      .Attr("axis", 1)
      .Input(bytes)
      .Scalar<float>(1)
      .Scalar<float>(3)
      .ExpectError(kInvalid);
}

const Tensor kX = OpTest::Make<float>({4}, {-1.3f, 0.2f, 0.5f, 2});

TEST(QuantizeAndDequantize, TheRangeIsGivenOrFound) {
  OpTest("QuantizeAndDequantizeV2")
      .Input(kX)
      .Scalar<float>(0)
      .Scalar<float>(0)
      .Expect<float>({4}, {-1.3070866f, 0.2047244f, 0.503937f, 2});
  OpTest("QuantizeAndDequantizeV2")
      .Attr("signed_input", false)
      .Input(kX)
      .Scalar<float>(0)
      .Scalar<float>(0)
      .Expect<float>({4}, {-1.3019608f, 0.20392159f, 0.5019608f, 2});
  OpTest("QuantizeAndDequantizeV4")
      .Attr("range_given", true)
      .Input(kX)
      .Scalar<float>(-1)
      .Scalar<float>(1)
      .Expect<float>({4}, {-1.007874f, 0.19685039f, 0.503937f, 1});
  OpTest("QuantizeAndDequantizeV3")
      .Input(kX)
      .Scalar<float>(-1)
      .Scalar<float>(1)
      .Scalar<int32_t>(8)
      .Expect<float>({4}, {-1.007874f, 0.19685039f, 0.503937f, 1});
  OpTest("QuantizeAndDequantizeV2")
      .Attr("axis", 1)
      .Input<float>({2, 2}, {1, -2, 3.3f, 4})
      .Input<float>({2}, {0, 0})
      .Input<float>({2}, {0, 0})
      .Expect<float>({2, 2}, {0.98740155f, -2.015748f, 3.3f, 4});
  OpTest("QuantizeAndDequantizeV2")
      .Attr("num_bits", 1)
      .Input<float>({2}, {-1.3f, 0.4f})
      .Scalar<float>(0)
      .Scalar<float>(0)
      .Expect<float>({2}, {-1.3f, 0});
  OpTest("QuantizeAndDequantize").Input<float>({3}, {0, 0, 0}).Expect<float>({3}, {0, 0, 0});
  OpTest("QuantizeAndDequantize").Input<double>({0}, {}).Expect<double>({0}, {});
}

TEST(QuantizeAndDequantize, OnlyVersion3TakesVectorsOfOneAsScalars) {
  const Tensor x = OpTest::Make<float>({1}, {.5f}), low = OpTest::Make<float>({1}, {0});
  const Tensor high = Tensor::Scalar<float>(1);
  for (const char* op : {"QuantizeAndDequantizeV2", "QuantizeAndDequantizeV4"}) {
    OpRunner runner(op);
    runner.Attr("range_given", true).Input(x).Input(low).Input(high);
    EXPECT_EQ(runner.Run().status().code(), StatusCode::kInvalidArgument) << op;
  }
  OpRunner runner("QuantizeAndDequantizeV3");
  runner.Attr("range_given", true)
      .Input(x)
      .Input(low)
      .Input(high)
      .Input(Tensor::Scalar<int32_t>(8));
  EXPECT_TRUE(runner.Run().ok());
}

TEST(QuantizeAndDequantize, RefusesBadBitsAndRanges) {
  for (const int64_t bits : {INT64_MIN, int64_t{0}, int64_t{62}, INT64_MAX}) {
    OpTest("QuantizeAndDequantizeV2")
        .Attr("num_bits", bits)
        .Input(kX)
        .Scalar<float>(0)
        .Scalar<float>(0)
        .ExpectError(kInvalid, "num_bits");
  }
  const auto refused = [](Tensor min, Tensor max, int64_t axis) {
    OpTest("QuantizeAndDequantizeV2")
        .Attr("range_given", true)
        .Attr("axis", axis)
        .Input(kX)
        .Input(std::move(min))
        .Input(std::move(max))
        .ExpectError(kInvalid);
  };
  refused(Tensor::Scalar<float>(2), Tensor::Scalar<float>(1), -1);
  refused(Tensor::Scalar<float>(NAN), Tensor::Scalar<float>(1), -1);
  refused(Tensor::Vector<float>({1, 2}), Tensor::Vector<float>({3, 4}), 0);
  refused(Tensor::Vector<float>({1, 2}), Tensor::Vector<float>({3, 4}), 1);
  refused(Tensor::Scalar<float>(1), Tensor::Scalar<float>(2), -2);
  OpTest("QuantizeAndDequantizeV3")
      .Input(kX)
      .Scalar<float>(-1)
      .Scalar<float>(1)
      .Input<int32_t>({1}, {8})
      .ExpectError(kInvalid);
}

TEST(QuantizeAndDequantize, GradientsStopOutsideOfTheRange) {
  OpTest("QuantizeAndDequantizeV4Grad")
      .Input<float>({3}, {1, 2, 3})
      .Input<float>({3}, {-2, NAN, 1})
      .Scalar<float>(-1)
      .Scalar<float>(1)
      .Expect<float>({3}, {0, 0, 3})
      .ExpectScalar<float>(0)
      .ExpectScalar<float>(0);
  OpTest("QuantizeAndDequantizeV4Grad")
      .Input<float>({2}, {1, 2})
      .Input<float>({3}, {-2, 0, 1})
      .Scalar<float>(-1)
      .Scalar<float>(1)
      .ExpectError(kInvalid);
}

}  // namespace
}  // namespace warpbeam
