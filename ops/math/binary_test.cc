#include <cmath>

#include "gtest/gtest.h"
#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

TEST(BinaryArithmetic, Values) {
  const std::vector<double> any = {-3.5, -1, -0.0, 0, 0.25, 2, 7, kInf, -kInf, kNaN};
  ElementwiseOpTest("AddV2").Types(kFloatingTypes).Samples(any).Reference2([](double x, double y) {
    return x + y;
  });
  ElementwiseOpTest("Sub").Types(kFloatingTypes).Samples(any).Reference2([](double x, double y) {
    return x - y;
  });
  ElementwiseOpTest("Mul").Types(kFloatingTypes).Samples(any).Reference2([](double x, double y) {
    return x * y;
  });
  ElementwiseOpTest("RealDiv")
      .Types(kFloatingTypes)
      .Samples(any)
      .Reference2([](double x, double y) { return x / y; });
  ElementwiseOpTest("MulNoNan").Samples(any).Reference2([](double x, double y) {
    return y == 0 ? 0 : x * y;
  });
  ElementwiseOpTest("DivNoNan").Samples(any).Reference2([](double x, double y) {
    return y == 0 ? 0 : x / y;
  });
  ElementwiseOpTest("Maximum").Samples(any).Reference2(
      [](double x, double y) { return std::isnan(x) || std::isnan(y) ? kNaN : std::max(x, y); });
  ElementwiseOpTest("Minimum").Samples(any).Reference2(
      [](double x, double y) { return std::isnan(x) || std::isnan(y) ? kNaN : std::min(x, y); });
  ElementwiseOpTest("Atan2").Samples(any).Reference2(
      [](double y, double x) { return std::atan2(y, x); });
  ElementwiseOpTest("Xlogy").Samples({0, 0.5, 2, kInf}).Reference2([](double x, double y) {
    return x == 0 ? 0 : x * std::log(y);
  });
  ElementwiseOpTest("Xlog1py").Samples({-0.5, 0, 0.5, 2}).Reference2([](double x, double y) {
    return x == 0 ? 0 : x * std::log1p(y);
  });
}

TEST(BinaryArithmetic, Powers) {
  ElementwiseOpTest("Pow")
      .Samples({-2, -1, -0.5, 0, 0.3, 1, 1.7, 90, kInf, -kInf, kNaN})
      .Samples2({-3, -2.5, -1, 0, 0.5, 1, 2, 15, kInf, -kInf, kNaN})
      .Reference2([](double x, double y) { return std::pow(x, y); });
  OpTest("Pow")
      .Input<int32_t>({4}, {2, -3, 0, 7})
      .Input<int32_t>({4}, {10, 3, 0, 20})
      .Expect<int32_t>({4}, {1024, -27, 1, -1199696159});
  OpTest("Pow").Input<int32_t>({1}, {2}).Input<int32_t>({1}, {-1}).ExpectError(kInvalid,
                                                                               "negative");
}

TEST(BinaryArithmetic, Broadcasting) {
  OpTest("AddV2").Scalar<float>(1).Input<float>({3}, {1, 2, 3}).Expect<float>({3}, {2, 3, 4});
  OpTest("Sub").Input<float>({3}, {1, 2, 3}).Scalar<float>(1).Expect<float>({3}, {0, 1, 2});
  OpTest("Sub")
      .Input<int32_t>({2, 3}, {1, 2, 3, 4, 5, 6})
      .Input<int32_t>({2, 1}, {10, 20})
      .Expect<int32_t>({2, 3}, {-9, -8, -7, -16, -15, -14});
  OpTest("Mul")
      .Input<double>({3, 1, 2}, {1, 2, 3, 4, 5, 6})
      .Input<double>({2, 1}, {1, 10})
      .Expect<double>({3, 2, 2}, {1, 2, 10, 20, 3, 4, 30, 40, 5, 6, 50, 60});
  OpTest("AddV2")
      .Input<float>({0, 3}, {})
      .Input<float>({1, 3}, {1, 2, 3})
      .Expect<float>({0, 3}, {});
  OpTest("AddV2")
      .Input<float>({2}, {1, 2})
      .Input<float>({3}, {1, 2, 3})
      .ExpectError(kInvalid, "[2] and [3]");
}

// Long and short rows take different ways through the launch code.
TEST(BinaryArithmetic, BroadcastingOfLongAndShortRows) {
  for (const int64_t columns : {1, 2, 5, 23, 24, 70, 300}) {
    constexpr int64_t kRows = 37;
    std::vector<float> x(kRows * columns), row(columns), column(kRows);
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 101);
    for (int64_t i = 0; i < columns; ++i) row[i] = static_cast<float>(1000 + i);
    for (int64_t i = 0; i < kRows; ++i) column[i] = static_cast<float>(i) / 64;
    std::vector<float> with_row = x, with_column = x;
    for (int64_t i = 0; i < kRows; ++i) {
      for (int64_t j = 0; j < columns; ++j) {
        with_row[i * columns + j] += row[j];
        with_column[i * columns + j] = column[i] - x[i * columns + j];
      }
    }
    const auto matrix = [&](const std::vector<float>& v) {
      return Tensor::FromValues<float>(Shape({kRows, columns}), v);
    };
    OpTest("Add").Input(matrix(x)).Input(Tensor::Vector<float>(row)).Expect(matrix(with_row));
    OpTest("Sub")
        .Input(Tensor::FromValues<float>(Shape({kRows, 1}), column))
        .Input(matrix(x))
        .Expect(matrix(with_column));
  }
}

TEST(BinaryArithmetic, StringsAndComplex) {
  OpTest("Add")
      .Input<std::string>({2}, {"a", "b"})
      .Input<std::string>({1}, {"x"})
      .Expect<std::string>({2}, {"ax", "bx"});
  using C = std::complex<float>;
  OpTest("SquaredDifference")
      .Input<C>({1}, {C(1, 2)})
      .Input<C>({1}, {C(0, -1)})
      .Expect<C>({1}, {C(10, 0)});
}

TEST(BinaryDivision, IntegersRoundAndWrap) {
  const auto x = OpTest::Make<int32_t>({5}, {7, -7, 7, -7, INT32_MIN});
  const auto y = OpTest::Make<int32_t>({5}, {3, 3, -3, -3, -1});
  OpTest("Div").Input(x).Input(y).Expect<int32_t>({5}, {2, -2, -2, 2, INT32_MIN});
  OpTest("TruncateDiv").Input(x).Input(y).Expect<int32_t>({5}, {2, -2, -2, 2, INT32_MIN});
  OpTest("FloorDiv").Input(x).Input(y).Expect<int32_t>({5}, {2, -3, -3, 2, INT32_MIN});
  OpTest("FloorMod").Input(x).Input(y).Expect<int32_t>({5}, {1, 2, -2, -1, 0});
  OpTest("TruncateMod").Input(x).Input(y).Expect<int32_t>({5}, {1, -1, 1, -1, 0});
  OpTest("Mod").Input(x).Input(y).Expect<int32_t>({5}, {1, -1, 1, -1, 0});
  OpTest("FloorDiv")
      .Input<uint8_t>({2}, {200, 7})
      .Input<uint8_t>({2}, {7, 9})
      .Expect<uint8_t>({2}, {28, 0});
}

TEST(BinaryDivision, FloatsFollowTheSignRules) {
  const std::vector<double> x = {7, -7, 5.5, -5.5, 0, 1e30, kInf, -1, 1e-30, -1e-30};
  ElementwiseOpTest("FloorMod")
      .Samples(x)
      .Samples2({3, -3, 2, kInf})
      .Reference2([](double a, double b) {
        const double r = std::fmod(a, b);
        return r != 0 && (r < 0) != (b < 0) ? r + b : r;
      });
  ElementwiseOpTest("FloorDiv")
      .Samples({7, -7, 5.5, 0})
      .Samples2({3, -3, 2, 0})
      .Reference2([](double a, double b) { return std::floor(a / b); });
}

TEST(BinaryDivision, IntegerDivisionByZeroIsAnError) {
  for (const char* op : {"Div", "TruncateDiv", "FloorDiv", "FloorMod", "Mod", "TruncateMod"}) {
    OpTest(op)
        .Input<int32_t>({2}, {1, 2})
        .Input<int32_t>({2}, {1, 0})
        .ExpectError(kInvalid, "division by zero");
  }
}

TEST(Comparison, Values) {
  const auto x = OpTest::Make<float>({4}, {1, 2, 3, NAN});
  const auto y = OpTest::Make<float>({4}, {2, 2, 2, NAN});
  OpTest("Less").Input(x).Input(y).Expect<bool>({4}, {true, false, false, false});
  OpTest("LessEqual").Input(x).Input(y).Expect<bool>({4}, {true, true, false, false});
  OpTest("Greater").Input(x).Input(y).Expect<bool>({4}, {false, false, true, false});
  OpTest("GreaterEqual").Input(x).Input(y).Expect<bool>({4}, {false, true, true, false});
  OpTest("Equal").Input(x).Input(y).Expect<bool>({4}, {false, true, false, false});
  OpTest("NotEqual").Input(x).Input(y).Expect<bool>({4}, {true, false, true, true});
  OpTest("ApproximateEqual")
      .Attr("tolerance", 1.5f)
      .Input<float>({2}, {1, 3})
      .Input<float>({2}, {2, 1})
      .Expect<bool>({2}, {true, false});
  OpTest("ApproximateEqual")
      .Attr("tolerance", 0.5f)
      .Input<float>({3}, {1, 2, 3})
      .Input<float>({3}, {1.5f, 2.5f, 2.25f})
      .Expect<bool>({3}, {true, true, false});
  OpTest("ApproximateEqual")
      .Input<float>({2}, {1, 3})
      .Input<float>({1}, {2})
      .ExpectError(StatusCode::kInvalidArgument);
  OpTest("Equal")
      .Input<std::string>({2}, {"a", "b"})
      .Input<std::string>({}, {"b"})
      .Expect<bool>({2}, {false, true});
}

TEST(Comparison, ShapesThatDoNotFit) {
  OpTest("Equal").Input<float>({2}, {1, 2}).Input<float>({3}, {1, 2, 3}).ExpectError(kInvalid);
  OpTest("Equal")
      .Attr("incompatible_shape_error", false)
      .Input<float>({2}, {1, 2})
      .Input<float>({3}, {1, 2, 3})
      .ExpectScalar<bool>(false);
  OpTest("NotEqual")
      .Attr("incompatible_shape_error", false)
      .Input<float>({2}, {1, 2})
      .Input<float>({3}, {1, 2, 3})
      .ExpectScalar<bool>(true);
}

TEST(Comparison, PredicatesAndLogic) {
  const auto x = OpTest::Make<float>({4}, {0, INFINITY, -INFINITY, NAN});
  OpTest("IsNan").Input(x).Expect<bool>({4}, {false, false, false, true});
  OpTest("IsInf").Input(x).Expect<bool>({4}, {false, true, true, false});
  OpTest("IsFinite").Input(x).Expect<bool>({4}, {true, false, false, false});
  OpTest("LogicalAnd")
      .Input<bool>({2}, {true, false})
      .Scalar<bool>(true)
      .Expect<bool>({2}, {true, false});
  OpTest("LogicalOr")
      .Input<bool>({2}, {true, false})
      .Scalar<bool>(false)
      .Expect<bool>({2}, {true, false});
  OpTest("LogicalNot").Input<bool>({2}, {true, false}).Expect<bool>({2}, {false, true});
}

TEST(Bitwise, Values) {
  OpTest("BitwiseAnd")
      .Input<uint8_t>({1}, {12})
      .Input<uint8_t>({1}, {10})
      .Expect<uint8_t>({1}, {8});
  OpTest("BitwiseOr").Input<int16_t>({1}, {12}).Input<int16_t>({1}, {3}).Expect<int16_t>({1}, {15});
  OpTest("BitwiseXor")
      .Input<int64_t>({1}, {12})
      .Input<int64_t>({1}, {10})
      .Expect<int64_t>({1}, {6});
  OpTest("Invert").Input<int8_t>({2}, {0, 5}).Expect<int8_t>({2}, {-1, -6});
  OpTest("PopulationCount").Input<int16_t>({2}, {-1, 5}).Expect<uint8_t>({2}, {16, 2});
}

TEST(Bitwise, ShiftDistancesStayInRange) {
  OpTest("LeftShift")
      .Input<int32_t>({5}, {1, -8, -8, 5, 1})
      .Input<int32_t>({5}, {3, 1, 40, -1, 31})
      .Expect<int32_t>({5}, {8, -16, 0, 5, INT32_MIN});
  OpTest("RightShift")
      .Input<int32_t>({4}, {1, -8, -8, 5})
      .Input<int32_t>({4}, {3, 1, 40, -1})
      .Expect<int32_t>({4}, {0, -4, -1, 5});
}

}  // namespace
}  // namespace warpbeam
