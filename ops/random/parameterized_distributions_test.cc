// Ops whose distributions have parameters, states or seeds as inputs; values are TensorFlow's.
#include <cmath>
#include <utility>

#include "gtest/gtest.h"
#include "ops/launch/op_record.h"
#include "ops/launch/op_runner.h"

namespace warpbeam {
namespace {

Tensor Seed() { return Tensor::Vector<int64_t>({5, 9}); }

TEST(StatelessGamma, ShapeEndsInAlphas) {
  const Tensor alpha = Tensor::Vector<float>({.5f, 1, 3});
  const Tensor want = OpTest::Make<float>(
      {4, 3}, {0.374733895f, 1.69727075f, 2.27165127f, 0.434282839f, 1.29691482f, 1.21725523f,
               0.00322000729f, 0.873452365f, 4.83263874f, 0.0378749743f, 0.46020475f, 4.29878426f});
  OpTest("StatelessRandomGammaV2")
      .Input<int32_t>({2}, {4, 3})
      .Input(Seed())
      .Input(alpha)
      .Expect(want)
      .Within(1e-5, 1e-5);
  OpTest("StatelessRandomGammaV2")
      .Input<int32_t>({2}, {2, 2})
      .Input(Seed())
      .Scalar<double>(2.5)
      .Expect<double>({2, 2}, {1.99692092, 4.16452088, 0.41359108, 1.3146473})
      .Within(1e-6, 1e-6);
  auto state = OpRunner("StatelessRandomGetKeyCounter").Input(Seed()).Run();
  ASSERT_TRUE(state.ok()) << state.status();
  OpTest("StatelessRandomGammaV3")
      .Input<int32_t>({2}, {4, 3})
      .Input((*state)[0])
      .Input((*state)[1])
      .Scalar<int32_t>(1)
      .Input(alpha)
      .Expect(want)
      .Within(1e-5, 1e-5);
  OpTest("StatelessRandomGammaV3")
      .Input<int32_t>({2}, {4, 3})
      .Input((*state)[0])
      .Input((*state)[1])
      .Scalar<int32_t>(2)
      .Input(alpha)
      .ExpectError(kInvalid);
  OpTest("StatelessRandomGammaV2")
      .Input<int32_t>({2}, {4, 2})
      .Input(Seed())
      .Input(alpha)
      .ExpectError(kInvalid, "must end with broadcasted shape");
  OpTest("StatelessRandomGammaV2")
      .Input<int32_t>({2}, {-4, 3})
      .Input(Seed())
      .Input(alpha)
      .ExpectError(kInvalid);
  OpTest("StatelessRandomGammaV2")
      .Input<int32_t>({2}, {4, 3})
      .Input<int64_t>({3}, {5, 9, 1})
      .Input(alpha)
      .ExpectError(kInvalid);
}

TEST(StatelessPoisson, Values) {
  OpTest("StatelessRandomPoisson")
      .Attr("dtype", DType::kInt64)
      .Input<int32_t>({2}, {4, 3})
      .Input(Seed())
      .Input<float>({3}, {.5f, 5, 30})
      .Expect<int64_t>({4, 3}, {0, 3, 34, 0, 4, 29, 0, 5, 24, 0, 6, 22});
  OpTest("StatelessRandomPoisson")
      .Attr("dtype", DType::kHalf)
      .Input<int32_t>({2}, {2, 2})
      .Input(Seed())
      .Scalar<int32_t>(12)
      .Expect<Half>({2, 2}, {Half(10.f), Half(15.f), Half(12.f), Half(13.f)});
  OpTest("StatelessRandomPoisson")
      .Attr("dtype", DType::kInt64)
      .Input<int32_t>({2}, {4, 2})
      .Input(Seed())
      .Input<float>({3}, {.5f, 5, 30})
      .ExpectError(kInvalid, "must end with broadcasted shape");
}

TEST(StatelessBinomial, Values) {
  const auto sample = [](OpTest&& test, std::initializer_list<int32_t> shape, Tensor counts,
                         Tensor probabilities, DType type) -> OpTest& {
    return test.Attr("dtype", type)
        .Input(Tensor::Vector<int32_t>(shape))
        .Input(Seed())
        .Input(std::move(counts))
        .Input(std::move(probabilities));
  };
  const char* op = "StatelessRandomBinomial";
  const Tensor counts = Tensor::Vector<float>({10, 50, 200});
  const Tensor probabilities = Tensor::Vector<float>({.3f, .6f, .2f});
  sample(OpTest(op), {5, 3}, counts, probabilities, DType::kInt32)
      .Expect<int32_t>({5, 3}, {5, 27, 34, 3, 30, 32, 2, 31, 39, 3, 27, 40, 2, 30, 38});
  sample(OpTest(op), {8}, Tensor::Scalar<double>(10), Tensor::Scalar<double>(.5), DType::kInt64)
      .Expect<int64_t>({8}, {7, 5, 4, 7, 4, 6, 3, 7});
  sample(OpTest(op), {2, 2, 3}, OpTest::Make<float>({2, 1}, {10, 50}), probabilities, DType::kInt32)
      .Expect<int32_t>({2, 2, 3}, {5, 8, 0, 15, 27, 7, 3, 4, 4, 14, 30, 6});
  sample(OpTest(op), {2, 6}, Tensor::Vector<float>({-1, 5, 5, 5, 0, 7}),
         Tensor::Vector<float>({.3f, -1, 2, kNaN, .5f, .999f}), DType::kFloat)
      .Expect<float>({2, 6}, {0, 0, 5, kNaN, 0, 7, 0, 0, 5, kNaN, 0, 7});
  // TensorFlow's kernel never comes back from this one.
  sample(OpTest(op), {1}, Tensor::Scalar<float>(kNaN), Tensor::Scalar<float>(.3f), DType::kFloat)
      .Expect<float>({1}, {kNaN});
  sample(OpTest(op), {5, 2}, counts, probabilities, DType::kInt32)
      .ExpectError(kInvalid, "must end with broadcasted shape");
  sample(OpTest(op), {5, 3}, Tensor::Vector<float>({10, 50}), probabilities, DType::kInt32)
      .ExpectError(kInvalid);
}

// How the samples spread, and what is refused.
TEST(StatelessTruncatedNormal, LiesInItsInterval) {
  const Tensor mean = Tensor::Vector<float>({0, 1, 2}),
               deviation = Tensor::Vector<float>({1, 1, 2});
  const Tensor low = Tensor::Vector<float>({-1, 3, -100}),
               high = Tensor::Vector<float>({1, 8, 100});
  const char* op = "StatelessParameterizedTruncatedNormal";
  constexpr int kSamples = 4000;
  const auto got = OpRunner(op)
                       .Input(Tensor::Vector<int32_t>({kSamples, 3}))
                       .Input(Seed())
                       .Input(mean)
                       .Input(deviation)
                       .Input(low)
                       .Input(high)
                       .RunOne();
  ASSERT_TRUE(got.ok()) << got.status();
  // The means of the distributions: by symmetry, of a tail beyond two deviations, and untruncated.
  const double want[] = {0, 3.373, 2};
  for (int set = 0; set < 3; ++set) {
    double sum = 0;
    for (int i = 0; i < kSamples; ++i) {
      const float x = got->data<float>()[i * 3 + set];
      ASSERT_GE(x, low.data<float>()[set]);
      ASSERT_LE(x, high.data<float>()[set]);
      sum += x;
    }
    EXPECT_NEAR(sum / kSamples, want[set], 0.1) << set;
  }
  const auto refused = [&](std::initializer_list<int32_t> shape, Tensor own_mean,
                           Tensor own_deviation) -> StatusCode {
    return OpRunner(op)
        .Input(Tensor::Vector<int32_t>(shape))
        .Input(Seed())
        .Input(std::move(own_mean))
        .Input(std::move(own_deviation))
        .Input(Tensor::Scalar<float>(0))
        .Input(Tensor::Scalar<float>(1))
        .Run()
        .status()
        .code();
  };
  EXPECT_EQ(refused({4}, mean, deviation), kInvalid);
  EXPECT_EQ(refused({4}, Tensor::Scalar<float>(0), Tensor::Scalar<float>(-1)), kInvalid);
}

TEST(StatelessShuffle, Values) {
  auto state = OpRunner("StatelessRandomGetKeyCounter").Input(Seed()).Run();
  ASSERT_TRUE(state.ok()) << state.status();
  const auto shuffle = [&](OpTest&& test, Tensor value, int32_t algorithm) -> OpTest& {
    return test.Input(std::move(value))
        .Input((*state)[0])
        .Input((*state)[1])
        .Scalar<int32_t>(algorithm);
  };
  const Tensor ten = Tensor::Vector<int32_t>({0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  shuffle(OpTest("StatelessShuffle"), ten, 1).Expect<int32_t>({10}, {4, 3, 6, 8, 7, 0, 9, 5, 2, 1});
  shuffle(OpTest("StatelessShuffle"), *ten.Reshaped(Shape({5, 2})), 3)
      .Expect<int32_t>({5, 2}, {8, 9, 2, 3, 6, 7, 0, 1, 4, 5});
  shuffle(OpTest("StatelessShuffle"), Tensor::Scalar<int32_t>(7), 1).ExpectScalar<int32_t>(7);
  shuffle(OpTest("StatelessShuffle"), ten, 2).ExpectError(kInvalid);
  shuffle(OpTest("StatelessShuffle"), ten, 4).ExpectError(kInvalid);
}

TEST(RandomIndexShuffle, Values) {
  const Tensor seed = Tensor::Vector<int32_t>({1, 2, 3});
  OpTest("RandomIndexShuffle")
      .Input<int32_t>({8}, {0, 1, 2, 3, 4, 5, 6, 7})
      .Input(seed)
      .Scalar<int32_t>(7)
      .Expect<int32_t>({8}, {2, 0, 6, 4, 5, 1, 7, 3});
  OpTest("RandomIndexShuffle")
      .Attr("rounds", 6)
      .Input<int64_t>({10}, {65530, 65531, 65532, 65533, 65534, 65535, 65536, 65537, 65538, 65539})
      .Input<int32_t>({3}, {1, -2, 3})
      .Scalar<int64_t>(70000)
      .Expect<int64_t>({10}, {54880, 10708, 2556, 68672, 21288, 44330, 16095, 15020, 19653, 48744});
  OpTest("RandomIndexShuffle")
      .Input<int32_t>({3}, {1, 1, 1})
      .Input<int32_t>({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9})
      .Scalar<int32_t>(99)
      .Expect<int32_t>({3}, {61, 45, 15});
  OpTest("RandomIndexShuffle")
      .Scalar<int32_t>(1)
      .Input(seed)
      .Input<int32_t>({3}, {9, 99, 999})
      .Expect<int32_t>({3}, {0, 61, 816});
  OpTest("RandomIndexShuffle")
      .Input<int64_t>({3}, {0, 1, int64_t{1} << 40})
      .Input<int64_t>({3}, {(int64_t{1} << 40) + 1, 2, 3})
      .Scalar<int64_t>(int64_t{1} << 41)
      .Expect<int64_t>({3}, {55967634, 190185091, 1099575984002});
  OpTest("RandomIndexShuffle")
      .Input<uint64_t>({3}, {0, 1, uint64_t{1} << 40})
      .Input<int64_t>({3}, {(int64_t{1} << 40) + 1, 2, 3})
      .Scalar<uint64_t>(~uint64_t{0})
      .Expect<uint64_t>({3}, {114621939602, 389499846275, 18806319594898});
  OpTest("RandomIndexShuffle").Scalar<int32_t>(0).Input(seed).Scalar<int32_t>(0).ExpectScalar(0);
  OpTest("RandomIndexShuffle")
      .Input<int32_t>({2}, {65536, 3})
      .Input(seed)
      .Scalar<int32_t>(65536)
      .Expect<int32_t>({2}, {7886, 58068});
}

TEST(RandomIndexShuffle, Refusals) {
  const auto shuffle = [](Tensor index, Tensor seed, Tensor most) {
    OpTest("RandomIndexShuffle")
        .Input(std::move(index))
        .Input(std::move(seed))
        .Input(std::move(most))
        .ExpectError(kInvalid);
  };
  const Tensor seed = Tensor::Vector<int32_t>({1, 2, 3});
  const auto scalar = [](int32_t v) { return Tensor::Scalar<int32_t>(v); };
  shuffle(scalar(-1), seed, scalar(5));
  shuffle(scalar(1), seed, scalar(-5));
  shuffle(scalar(9), seed, scalar(5));
  shuffle(scalar(1), Tensor::Vector<int32_t>({1, 2}), scalar(5));
  shuffle(Tensor::Vector<int32_t>({1, 2}), seed, Tensor::Vector<int32_t>({5, 6, 7}));
  shuffle(OpTest::Make<int32_t>({1, 2}, {1, 2}), seed, scalar(5));
}

}  // namespace
}  // namespace warpbeam
