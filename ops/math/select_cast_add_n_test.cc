#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

TEST(Select, ConditionPerElementRowOrTensor) {
  const auto t = OpTest::Make<int32_t>({2, 2}, {1, 2, 3, 4});
  const auto e = OpTest::Make<int32_t>({2, 2}, {5, 6, 7, 8});
  OpTest("Select")
      .Input<bool>({2, 2}, {true, false, false, true})
      .Input(t)
      .Input(e)
      .Expect<int32_t>({2, 2}, {1, 6, 7, 4});
  OpTest("Select")
      .Input<bool>({2}, {true, false})
      .Input(t)
      .Input(e)
      .Expect<int32_t>({2, 2}, {1, 2, 7, 8});
  OpTest("Select").Scalar<bool>(false).Input(t).Input(e).Expect(e);
  OpTest("Select").Input<bool>({3}, {true, false, true}).Input(t).Input(e).ExpectError(kInvalid);
  OpTest("Select").Scalar<bool>(true).Input(t).Input<int32_t>({2}, {1, 2}).ExpectError(kInvalid);
}

TEST(SelectV2, Broadcasts) {
  OpTest("SelectV2")
      .Input<bool>({2, 1}, {true, false})
      .Scalar<std::string>("yes")
      .Input<std::string>({3}, {"a", "b", "c"})
      .Expect<std::string>({2, 3}, {"yes", "yes", "yes", "a", "b", "c"});
  OpTest("SelectV2")
      .Input<bool>({3}, {true, false, true})
      .Input<float>({3}, {1, 2, 3})
      .Scalar<float>(0)
      .Expect<float>({3}, {1, 0, 3});
}

// Two rows of two elements, or of one that repeats, as bit `input` of `mask` says.
template <class T>
Tensor Rows(Span<const T> all, int input, int mask) {
  if (((mask >> input) & 1) == 0) return Tensor::FromValues<T>(Shape({2, 2}), all);
  return Tensor::FromValues<T>(Shape({2, 1}), {all[0], all[2]});
}

// Each input may repeat along the last dimension, alone or with others, and in types of all sizes.
template <class T>
void ExpectChosen(const std::vector<T>& t, const std::vector<T>& e) {
  const bool condition[] = {true, true, false, true};
  for (int mask = 0; mask < 8; ++mask) {
    std::vector<T> expected;
    const int columns = mask == 7 ? 1 : 2;
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < columns; ++j) {
        const auto at = [&](int input) { return 2 * i + (((mask >> input) & 1) != 0 ? 0 : j); };
        expected.push_back(condition[at(0)] ? t[at(1)] : e[at(2)]);
      }
    }
    OpTest("SelectV2")
        .Input(Rows<bool>(condition, 0, mask))
        .Input(Rows<T>(t, 1, mask))
        .Input(Rows<T>(e, 2, mask))
        .Expect(Tensor::FromValues<T>(Shape({2, columns}), expected));
  }
}

TEST(SelectV2, RepeatsAnyInput) {
  ExpectChosen<float>({1, 2, 3, 4}, {5, 6, 7, 8});
  ExpectChosen<int8_t>({1, 2, 3, 4}, {5, 6, 7, 8});
  ExpectChosen<std::complex<double>>({1, 2, 3, 4}, {5, 6, 7, 8});
  ExpectChosen<std::string>({"a", "b", "c", "d"}, {"e", "f", "g", "h"});
  OpTest("SelectV2").Input<bool>({0}, {}).Scalar<float>(1).Scalar<float>(2).Expect<float>({0}, {});
}

TEST(Cast, QuantisedNumbersAreTheIntegersThatStandForThem) {
  const auto quantised = [](DType type, const std::vector<int8_t>& values) {
    return Tensor::Vector<int8_t>(values).Bitcast(type);
  };
  OpTest("Cast")
      .Attr("DstT", DType::kQInt8)
      .Input<int32_t>({3}, {1, 300, -5})
      .Expect(quantised(DType::kQInt8, {1, 44, -5}));
  OpTest("Cast")
      .Attr("DstT", DType::kFloat)
      .Input(quantised(DType::kQInt8, {1, 44, -5}))
      .Expect<float>({3}, {1, 44, -5});
  OpTest("Cast")
      .Attr("DstT", DType::kQInt8)
      .Input<int8_t>({2}, {1, -1})
      .Expect(quantised(DType::kQInt8, {1, -1}));
}

TEST(Cast, OutOfRangeNumbersAreDefined) {
  const auto x = OpTest::Make<float>({7}, {kNaN, kInf, -kInf, 3e9f, -1, 2.7f, 300});
  OpTest("Cast")
      .Attr("DstT", DType::kInt32)
      .Input(x)
      .Expect<int32_t>({7}, {INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN, -1, 2, 300});
  OpTest("Cast")
      .Attr("DstT", DType::kUInt8)
      .Input(x)
      .Expect<uint8_t>({7}, {0, 0, 0, 0, 255, 2, 44});
  OpTest("Cast")
      .Attr("DstT", DType::kUInt32)
      .Input(x)
      .Expect<uint32_t>({7}, {0, 0, 0, 3000000000u, 4294967295u, 2, 300});
  OpTest("Cast")
      .Attr("DstT", DType::kUInt64)
      .Input(x)
      .Expect<uint64_t>({7}, {uint64_t{1} << 63, uint64_t{1} << 63, uint64_t{1} << 63, 3000000000u,
                              ~uint64_t{0}, 2, 300});
  OpTest("Cast")
      .Attr("DstT", DType::kBool)
      .Input(x)
      .Expect<bool>({7}, {true, true, true, true, true, true, true});
}

TEST(Cast, BetweenFloatingTypes) {
  const auto x = OpTest::Make<float>({5}, {kNaN, 70000, 1e-8f, 1.0f / 3, 0.7f});
  OpTest("Cast")
      .Attr("DstT", DType::kHalf)
      .Input(x)
      .Expect<Half>({5},
                    {Half(kNaN), Half(kInf), Half(0.0f), Half(0.33325195f), Half(0.70019531f)});
  OpTest("Cast")
      .Attr("DstT", DType::kHalf)
      .Attr("Truncate", true)
      .Input(x)
      .Expect<Half>({5},
                    {Half(kNaN), Half(kInf), Half(0.0f), Half(0.33325195f), Half(0.69970703f)});
  OpTest("Cast")
      .Attr("DstT", DType::kDouble)
      .Input<BFloat16>({2}, {BFloat16(1.5f), BFloat16(kInf)})
      .Expect<double>({2}, {1.5, kInf});
  using C = std::complex<float>;
  OpTest("Cast").Attr("DstT", DType::kFloat).Input<C>({1}, {C(1, 2)}).Expect<float>({1}, {1});
  OpTest("Cast").Attr("DstT", DType::kComplex64).Input<int32_t>({1}, {3}).Expect<C>({1}, {C(3)});
  OpTest("Cast")
      .Attr("DstT", DType::kInt32)
      .Input<std::string>({1}, {"3"})
      .ExpectError(StatusCode::kUnimplemented);
}

TEST(AddN, SumsAndChecksShapes) {
  const auto x = OpTest::Make<float>({3}, {1, 2, 3});
  OpTest("AddN").InputList({x}).Expect(x);
  OpTest("AddN").InputList({x, x}).Expect<float>({3}, {2, 4, 6});
  OpTest("AddN").InputList({x, x, x, x, x, x, x}).Expect<float>({3}, {7, 14, 21});
  OpTest("AddN")
      .InputList({OpTest::Make<uint8_t>({1}, {200}), OpTest::Make<uint8_t>({1}, {100})})
      .Expect<uint8_t>({1}, {44});
  OpTest("AddN").InputList({x, OpTest::Make<float>({1}, {1})}).ExpectError(kInvalid);
}

// A tensor that is an input twice must not be overwritten between its uses.
TEST(AddN, TheSameTensorTwice) {
  std::vector<float> ramp(10000);
  for (size_t i = 0; i < ramp.size(); ++i) ramp[i] = static_cast<float>(i);
  const Tensor x = Tensor::Vector<float>(ramp), y = Tensor::Vector<float>(ramp);
  auto sum = OpRunner("AddN").InputList({x, y, x}).ForwardInputs().RunOne();
  ASSERT_TRUE(sum.ok()) << sum.status();
  for (size_t i = 0; i < ramp.size(); ++i) ASSERT_EQ(sum->data<float>()[i], 3 * ramp[i]);
}

// Larger than any cache, in a buffer of its own and in place; the last elements fill no vector.
TEST(AddN, LargeTensors) {
  const int64_t count = (int64_t{12} << 20) + 5;
  std::vector<float> a(count), b(count);
  for (int64_t i = 0; i < count; ++i) {
    a[i] = static_cast<float>(i % 1001);
    b[i] = static_cast<float>(i % 77);
  }
  const Tensor x = Tensor::Vector<float>(a), y = Tensor::Vector<float>(b);
  const auto sum = OpRunner("AddN").InputList({x, y, x}).RunOne();
  ASSERT_TRUE(sum.ok()) << sum.status();
  const auto mean = OpRunner("_Average").Attr("divisor", 2.0f).InputList({x, y}).RunOne();
  ASSERT_TRUE(mean.ok()) << mean.status();
  for (int64_t i = 0; i < count; ++i) {
    ASSERT_EQ(sum->data<float>()[i], a[i] + b[i] + a[i]) << i;
    ASSERT_EQ(mean->data<float>()[i], (a[i] + b[i]) / 2) << i;
  }
}

TEST(Average, DividesAndScales) {
  std::vector<Tensor> towers;
  std::vector<float> want(9001);
  for (int t = 0; t < 3; ++t) {
    std::vector<float> g(want.size());
    for (size_t i = 0; i < g.size(); ++i) g[i] = static_cast<float>(i * (t + 1)) / 7;
    towers.push_back(Tensor::Vector<float>(g));
  }
  for (size_t i = 0; i < want.size(); ++i) {
    want[i] =
        (towers[0].data<float>()[i] + towers[1].data<float>()[i] + towers[2].data<float>()[i]) / 3;
  }
  OpTest("_Average")
      .Attr("divisor", 3.0f)
      .InputList(towers)
      .Expect(Tensor::Vector<float>(want))
      .Within(0, 0);
  OpTest("_Average")
      .Attr("divisor", 2.0f)
      .Attr("scale", 3.0f)
      .InputList({OpTest::Make<Half>({2}, {Half(1.0f), Half(2.0f)}),
                  OpTest::Make<Half>({2}, {Half(3.0f), Half(4.0f)})})
      .Expect<Half>({2}, {Half(6.0f), Half(9.0f)});
  OpTest("_Average")
      .InputList({OpTest::Make<float>({1}, {1}), OpTest::Make<float>({2}, {1, 2})})
      .ExpectError(kInvalid);
}

// Longer than a block of the loop, with elements of each size.
template <class T>
void ChooseMany() {
  constexpr int kCount = 203;
  bool condition[kCount];
  std::vector<T> t, e, chosen, or_one;
  for (int i = 0; i < kCount; ++i) {
    condition[i] = i * i % 7 < 3;
    t.push_back(static_cast<T>(i % 100));
    e.push_back(static_cast<T>(i % 50 + 2));
    chosen.push_back(condition[i] ? t[i] : e[i]);
    or_one.push_back(condition[i] ? t[i] : static_cast<T>(1));
  }
  const Tensor c = Tensor::Vector<bool>(condition), x = Tensor::Vector<T>(t);
  OpTest("SelectV2")
      .Input(c)
      .Input(x)
      .Input(Tensor::Vector<T>(e))
      .Expect(Tensor::Vector<T>(chosen));
  OpTest("Select").Input(c).Input(x).Input(Tensor::Vector<T>(e)).Expect(Tensor::Vector<T>(chosen));
  OpTest("SelectV2").Input(c).Input(x).Scalar<T>(T(1)).Expect(Tensor::Vector<T>(or_one));
}

TEST(SelectLongRows, OfEachElementSize) {
  ChooseMany<int8_t>();
  ChooseMany<int16_t>();
  ChooseMany<float>();
  ChooseMany<double>();
}

}  // namespace
}  // namespace warpbeam
