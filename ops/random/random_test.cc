// Streams against values that TensorFlow 2.21 gives for the same seeds.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "graph/types/testing/tensor_compare.h"
#include "ops/launch/op_record.h"
#include "ops/launch/op_runner.h"

namespace warpbeam {
namespace {

Tensor Ints(std::initializer_list<int32_t> v) { return Tensor::Vector<int32_t>(v); }

TEST(RandomUniformTest, Streams) {
  OpTest("RandomUniform")
      .Attr("seed", int64_t{11})
      .Attr("seed2", int64_t{22})
      .Attr("dtype", DType::kFloat)
      .Input(Ints({7}))
      .Within(0, 0)
      .Expect<float>(
          {7}, {0.12248075008392334f, 0.993476390838623f, 0.5753567218780518f, 0.3502579927444458f,
                0.8236185312271118f, 0.4701344966888428f, 0.26086723804473877f});
  OpTest("RandomUniform")
      .Attr("seed", int64_t{11})
      .Attr("seed2", int64_t{22})
      .Attr("dtype", DType::kDouble)
      .Input(Ints({7}))
      .Within(0, 0)
      .Expect<double>(
          {7}, {0.9798463974026523, 0.6028539917436577, 0.5889484630341353, 0.08693854364297149,
                0.5047025613675449, 0.6590941671002675, 0.7065969849463563});
}

template <typename T>
void Expect16(const char* op, std::vector<uint16_t> bits) {
  auto y = OpRunner(op)
               .Attr("seed", int64_t{11})
               .Attr("seed2", int64_t{22})
               .Attr("dtype", DTypeOf<T>::value)
               .Input(Ints({7}))
               .RunOne();
  ASSERT_TRUE(y.ok()) << y.status();
  for (int i = 0; i < 7; ++i) EXPECT_EQ(y->template data<T>()[i].bits, bits[i]) << op << " " << i;
}

TEST(RandomUniformTest, SixteenBits) {
  Expect16<Half>("RandomUniform", {13772, 14456, 13608, 13572, 11600, 13688, 9792});
  Expect16<BFloat16>("RandomUniform", {16230, 16112, 16148, 16130, 16170, 16188, 15944});
  Expect16<Half>("RandomStandardNormal", {44384, 16408, 15052, 47349, 12144, 47333, 15971});
  Expect16<BFloat16>("RandomStandardNormal", {48556, 16387, 16218, 48927, 15854, 48925, 16332});
  Expect16<Half>("TruncatedNormal", {44384, 15052, 47349, 12144, 48583, 14732, 46682});
  Expect16<BFloat16>("TruncatedNormal", {48556, 16218, 48927, 15854, 49081, 16177, 48843});
}

TEST(RandomNormalTest, Streams) {
  OpTest("RandomStandardNormal")
      .Attr("seed", int64_t{11})
      .Attr("seed2", int64_t{22})
      .Attr("dtype", DType::kFloat)
      .Input(Ints({7}))
      .Expect<float>(
          {7}, {-0.0839754194021225f, 2.047571897506714f, 0.8496314883232117f, -0.6194000244140625f,
                0.11621642857789993f, -0.6120370626449585f, 1.5965594053268433f});
  OpTest("RandomStandardNormal")
      .Attr("seed", int64_t{11})
      .Attr("seed2", int64_t{22})
      .Attr("dtype", DType::kDouble)
      .Input(Ints({7}))
      .Within(1e-14, 1e-13)
      .Expect<double>(
          {7}, {-0.12151697908536145, -0.16109791335282317, 0.5345505974847876, 0.8792547157863829,
                -0.983802038081672, -0.6322227227048437, -0.49487732037520665});
  OpTest("TruncatedNormal")
      .Attr("seed", int64_t{11})
      .Attr("seed2", int64_t{22})
      .Attr("dtype", DType::kFloat)
      .Input(Ints({7}))
      .Expect<float>({7}, {-0.0839754194021225f, 0.8496314883232117f, -0.6194000244140625f,
                           0.11621642857789993f, -1.4444817304611206f, 0.693289041519165f,
                           -0.39692917466163635f});
  OpTest("TruncatedNormal")
      .Attr("seed", int64_t{11})
      .Attr("seed2", int64_t{22})
      .Attr("dtype", DType::kDouble)
      .Input(Ints({7}))
      .Within(1e-14, 1e-13)
      .Expect<double>({7}, {-0.12151697908536145, -0.16109791335282317, -0.896287422177153,
                            -0.20758828441545493, 1.6261484527257737, -0.6461691399453418,
                            -0.8225197231429096});
}

// The record runs loops in pieces and in one; large tensors have many.
TEST(RandomNormalTest, PiecesDoNotShow) {
  for (const char* op : {"RandomUniform", "RandomStandardNormal", "TruncatedNormal"}) {
    OpRunner whole(op), pieces(op);
    for (OpRunner* r : {&whole, &pieces}) {
      r->Attr("seed", int64_t{1}).Attr("dtype", DType::kFloat).Input(Ints({10007}));
    }
    auto a = whole.UnsplitLoops().RunOne();
    auto b = pieces.RunOne();
    ASSERT_TRUE(a.ok() && b.ok()) << a.status() << b.status();
    EXPECT_TRUE(CompareTensors(*a, *b, {}).ok()) << op;
  }
}

TEST(RandomUniformTest, UnseededKernelsDiffer) {
  auto run = [] {
    return OpRunner("RandomUniform").Attr("dtype", DType::kFloat).Input(Ints({8})).RunOne();
  };
  auto a = run(), b = run();
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_FALSE(CompareTensors(*a, *b, {}).ok());
}

TEST(RandomUniformIntTest, Streams) {
  OpTest("RandomUniformInt")
      .Attr("seed", int64_t{5})
      .Attr("seed2", int64_t{-6})
      .Input(Ints({5}))
      .Scalar<int32_t>(-3)
      .Scalar<int32_t>(2000000000)
      .Expect<int32_t>({5}, {1503641433, 1643636447, 478316524, 1188823263, 1190134205});
  OpTest("RandomUniformInt")
      .Attr("seed", int64_t{5})
      .Attr("seed2", int64_t{-6})
      .Input(Ints({5}))
      .Scalar<int64_t>(-3)
      .Scalar<int64_t>(int64_t{1} << 62)
      .Expect<int64_t>({5}, {2447678782339792726, 4472519618702351337, 3301607523301561789,
                             3969318041387700460, 1886198593924683734});
}

TEST(RandomUniformIntTest, Bounds) {
  OpTest("RandomUniformInt")
      .Input(Ints({1}))
      .Scalar<int32_t>(3)
      .Scalar<int32_t>(3)
      .ExpectError(StatusCode::kInvalidArgument, "minval < maxval");
  OpTest("RandomUniformInt")
      .Input(Ints({0}))
      .Scalar<int32_t>(3)
      .Scalar<int32_t>(2)
      .Expect<int32_t>({0}, {});
  OpTest("RandomUniformInt")
      .Input(Ints({1}))
      .Input(Ints({3}))
      .Scalar<int32_t>(9)
      .ExpectError(StatusCode::kInvalidArgument);
  OpTest("RandomUniform")
      .Attr("dtype", DType::kFloat)
      .Input(Ints({-1}))
      .ExpectError(StatusCode::kInvalidArgument);
}

TEST(RandomShuffleTest, Order) {
  OpTest("RandomShuffle")
      .Attr("seed", int64_t{3})
      .Attr("seed2", int64_t{4})
      .Input<int64_t>({10}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
      .Expect<int64_t>({10}, {1, 5, 3, 8, 0, 4, 7, 6, 9, 2});
  OpTest("RandomShuffle")
      .Attr("seed", int64_t{3})
      .Attr("seed2", int64_t{4})
      .Input<std::string>({5, 2}, {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"})
      .Expect<std::string>({5, 2}, {"2", "3", "0", "1", "8", "9", "6", "7", "4", "5"});
  OpTest("RandomShuffle").Scalar<float>(3).ExpectScalar<float>(3);
}

TEST(MultinomialTest, Classes) {
  OpTest("Multinomial")
      .Attr("seed", int64_t{3})
      .Attr("seed2", int64_t{4})
      .Input<float>({2, 3}, {0, 1, 2, 3, 0, -1})
      .Scalar<int32_t>(7)
      .Expect<int64_t>({2, 7}, {2, 2, 1, 2, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0});
  OpTest("Multinomial")
      .Input<float>({3}, {0, 1, 2})
      .Scalar<int32_t>(7)
      .ExpectError(StatusCode::kInvalidArgument);
  OpTest("Multinomial")
      .Input<float>({1, 2}, {0, 1})
      .Scalar<int32_t>(-1)
      .ExpectError(StatusCode::kInvalidArgument, "negative");
}

TEST(RandomGammaTest, Streams) {
  OpTest("RandomGamma")
      .Attr("seed", int64_t{3})
      .Attr("seed2", int64_t{4})
      .Input(Ints({2}))
      .Input<double>({3}, {0.3, 1.0, 2.5})
      .Within(1e-14, 1e-13)
      .Expect<double>({2, 3}, {0.004520016264262328, 1.3681521753420611, 0.6521686586306138,
                               0.14288064955737248, 1.4409040920653111, 2.5642432413270893});
  OpTest("RandomGammaGrad")
      .Input<double>({2}, {0.5, 2})
      .Input<double>({2}, {0.3, 1.5})
      .Within(1e-9, 1e-9)
      .Expect<double>({2}, {1.0098019459488548, 0.9366390678772176});
}

TEST(ParameterizedTruncatedNormalTest, MomentsOfEachMethod) {
  // Interval, and mean and standard deviation of the standard normal distribution cut to it.
  const struct {
    float low, high;
    double mean, stdev;
  } kCases[] = {{-2, 2, 0, 0.8796},
                {5, 7, 5.1865, 0.1807},
                {0.1f, 0.2f, 0.14987, 0.02887},
                {-7, -5, -5.1865, 0.1807}};
  for (const auto& c : kCases) {
    auto y = OpRunner("ParameterizedTruncatedNormal")
                 .Attr("seed", int64_t{3})
                 .Input(Ints({20000}))
                 .Input(Tensor::Scalar<float>(0))
                 .Input(Tensor::Scalar<float>(1))
                 .Input(Tensor::Scalar<float>(c.low))
                 .Input(Tensor::Scalar<float>(c.high))
                 .RunOne();
    ASSERT_TRUE(y.ok()) << y.status();
    double sum = 0, squares = 0;
    for (float v : y->flat<float>()) {
      ASSERT_GE(v, c.low);
      ASSERT_LE(v, c.high);
      sum += v;
      squares += double{v} * v;
    }
    const double mean = sum / 20000;
    EXPECT_NEAR(mean, c.mean, 0.04 * c.stdev) << c.low;
    EXPECT_NEAR(std::sqrt(squares / 20000 - mean * mean), c.stdev, 0.04 * c.stdev) << c.low;
  }
}

TEST(ParameterizedTruncatedNormalTest, HopelessParametersEnd) {
  // So far out that the density is 0.
  OpTest("ParameterizedTruncatedNormal")
      .Input(Ints({3}))
      .Scalar<float>(0)
      .Scalar<float>(1)
      .Scalar<float>(1e30f)
      .Scalar<float>(2e30f)
      .ExpectError(StatusCode::kInternal, "1000 values");
}

TEST(ParameterizedTruncatedNormalTest, Parameters) {
  const auto run = [](float stdev, float low, float high) {
    return OpRunner("ParameterizedTruncatedNormal")
        .Input(Ints({2, 3}))
        .Input(Tensor::Vector<float>({0, 100}))
        .Input(Tensor::Scalar<float>(stdev))
        .Input(Tensor::Vector<float>({low, 99}))
        .Input(Tensor::Vector<float>({high, 101}))
        .RunOne();
  };
  auto y = run(1, -1, 1);
  ASSERT_TRUE(y.ok()) << y.status();
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(y->data<float>()[i], i < 3 ? 0 : 100, 1);
  EXPECT_EQ(run(0, -1, 1).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(run(1, 1, 1).status().code(), StatusCode::kInvalidArgument);
}

TEST(RandomPoissonTest, Streams) {
  OpTest("RandomPoissonV2")
      .Attr("seed", int64_t{3})
      .Attr("seed2", int64_t{4})
      .Input(Ints({4}))
      .Input<double>({4}, {0.5, 3.0, 12.5, 100})
      .Expect<int64_t>({4, 4}, {0, 1, 16, 90, 1, 5, 17, 109, 1, 3, 16, 111, 1, 8, 11, 102});
}

TEST(StatelessRandomTest, SeedsMix) {
  OpTest("StatelessRandomUniformFullInt")
      .Input(Ints({3}))
      .Input(Ints({1, -2}))
      .Expect<uint64_t>({3}, {11124129794229253118u, 5413153324959265176u, 14445813779840809244u});
  OpTest("StatelessRandomUniformInt")
      .Input(Ints({3}))
      .Input(Ints({1, -2}))
      .Scalar<int64_t>(-10)
      .Scalar<int64_t>(10)
      .Expect<int64_t>({3}, {8, 6, -6});
  OpTest("StatelessRandomGetKeyCounter")
      .Input(Ints({1592, 7625}))
      .Expect<uint64_t>({1}, {17921709854183115610u})
      .Expect<uint64_t>({2}, {0, 13810706065358828528u});
}

TEST(StatelessRandomTest, States) {
  const auto v2 = [](int32_t alg) {
    return std::move(OpRunner("StatelessRandomUniformV2")
                         .Input(Ints({3}))
                         .Input(Tensor::Vector<uint64_t>({123}))
                         .Input(Tensor::Vector<uint64_t>({5, 6}))
                         .Input(Tensor::Scalar<int32_t>(alg)))
        .RunOne();
  };
  for (int32_t alg : {1, 3}) {
    auto y = v2(alg);
    ASSERT_TRUE(y.ok()) << y.status();
    EXPECT_EQ(y->data<float>()[0], 0.7274227142333984f);
    EXPECT_EQ(y->data<float>()[2], 0.10901153087615967f);
  }
  EXPECT_EQ(v2(2).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(v2(7).status().code(), StatusCode::kInvalidArgument);
  OpTest("StatelessRandomUniform")
      .Input(Ints({2}))
      .Input(Ints({3, 4, 5}))
      .ExpectError(StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace warpbeam
