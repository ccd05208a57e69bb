#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/op_record.h"
#include "ops/launch/op_runner.h"
#include "ops/nn/window/channels_testing.h"

namespace warpbeam {
namespace {

Tensor Pattern(const Shape& shape, int seed) {
  Tensor t = *Tensor::Allocate(DType::kFloat, shape);
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    t.data<float>()[i] = static_cast<float>(std::sin(i * 1.7 + seed)) + 0.3f;
  }
  return t;
}

// The definitions, in double, for one pixel of n channels.
struct Lrn {
  int64_t n, radius;
  double bias, alpha, beta;
  double Norm(const float* x, int64_t c) const {
    double sum = 0;
    for (int64_t k = std::max<int64_t>(0, c - radius); k <= std::min(n - 1, c + radius); ++k) {
      sum += static_cast<double>(x[k]) * x[k];
    }
    return bias + alpha * sum;
  }
};

TEST(Lrn, AgreesWithTheDefinition) {
  for (const int64_t channels : {1, 5, 8, 19}) {
    for (const int64_t radius : {0, 1, 4, 30}) {
      for (const float beta : {0.5f, 0.75f, 1.0f, 0.3f}) {
        const Lrn lrn{channels, radius, 1.5, 0.25, beta};
        const Shape shape({2, 1, 3, channels});
        const Tensor x = Pattern(shape, 0), dy = Pattern(shape, 1);
        Tensor y = *x.Clone(), dx = *x.Clone();
        for (int64_t p = 0; p < 6; ++p) {
          const float *in = x.data<float>() + p * channels, *g = dy.data<float>() + p * channels;
          float *out = y.data<float>() + p * channels, *d = dx.data<float>() + p * channels;
          for (int64_t c = 0; c < channels; ++c) {
            out[c] = static_cast<float>(in[c] * std::pow(lrn.Norm(in, c), -beta));
          }
          for (int64_t c = 0; c < channels; ++c) {
            double sum = g[c] * std::pow(lrn.Norm(in, c), -beta);
            for (int64_t j = 0; j < channels; ++j) {
              if (std::abs(j - c) > radius) continue;
              sum -= 2 * lrn.alpha * beta * in[c] * g[j] * out[j] / lrn.Norm(in, j);
            }
            d[c] = static_cast<float>(sum);
          }
        }
        const auto configure = [&](OpTest& op) {
          op.Attr("depth_radius", radius)
              .Attr("bias", 1.5f)
              .Attr("alpha", 0.25f)
              .Attr("beta", beta)
              .Within(1e-6, 1e-5);
        };
        OpTest forward("LRN"), backward("LRNGrad");
        forward.Input(x).Expect(y);
        backward.Input(dy).Input(x).Input(y).Expect(dx);
        configure(forward);
        configure(backward);
      }
    }
  }
}

TEST(Lrn, RefusesBadInput) {
  OpTest("LRN").Input<float>({2}, {1, 2}).ExpectError(kInvalid);
  OpTest("LRN")
      .Attr("depth_radius", int64_t{-1})
      .Input<float>({1, 1, 1, 1}, {1})
      .ExpectError(kInvalid);
  OpTest("LRNGrad")
      .Input<float>({1, 1, 1, 1}, {1})
      .Input<float>({1, 1, 1, 1}, {1})
      .Input<float>({1, 1, 1, 2}, {1, 1})
      .ExpectError(kInvalid);
}

constexpr float kEpsilon = 0.01f;

// The normalised data, mean and variance of a channel.
struct Moments {
  std::vector<double> mean, variance;
};
Moments MomentsOf(const Tensor& x, int64_t channels) {
  Moments m{std::vector<double>(channels), std::vector<double>(channels)};
  const int64_t rows = x.num_elements() / channels;
  for (int64_t i = 0; i < x.num_elements(); ++i) m.mean[i % channels] += x.data<float>()[i] / rows;
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    const double d = x.data<float>()[i] - m.mean[i % channels];
    m.variance[i % channels] += d * d / rows;
  }
  return m;
}
Tensor Floats(const std::vector<double>& values) {
  return Tensor::Vector<float>(std::vector<float>(values.begin(), values.end()));
}

// Few rows, and more than one block of them.
TEST(FusedBatchNorm, TrainingAndItsGradient) {
  for (const int64_t size : {2, 80}) {
    for (const int64_t channels : {1, 6, 8}) {
      const Shape shape({2, size, size, channels});
      const Tensor x = Pattern(shape, 0), dy = Pattern(shape, 1),
                   scale = Pattern(Shape({channels}), 2), offset = Pattern(Shape({channels}), 3);
      const Moments m = MomentsOf(x, channels);
      const double rows = 2.0 * size * size;
      Tensor y = *x.Clone(), dx = *x.Clone();
      std::vector<double> unbiased = m.variance, sum_dy(channels), sum_dy_xh(channels);
      for (double& v : unbiased) v *= rows / (rows - 1);
      const auto xh = [&](int64_t i) {
        const int64_t c = i % channels;
        return (x.data<float>()[i] - m.mean[c]) / std::sqrt(m.variance[c] + kEpsilon);
      };
      for (int64_t i = 0; i < x.num_elements(); ++i) {
        const int64_t c = i % channels;
        y.data<float>()[i] =
            static_cast<float>(xh(i) * scale.data<float>()[c] + offset.data<float>()[c]);
        sum_dy[c] += dy.data<float>()[i];
        sum_dy_xh[c] += dy.data<float>()[i] * xh(i);
      }
      for (int64_t i = 0; i < x.num_elements(); ++i) {
        const int64_t c = i % channels;
        dx.data<float>()[i] = static_cast<float>(
            scale.data<float>()[c] / std::sqrt(m.variance[c] + kEpsilon) *
            (dy.data<float>()[i] - sum_dy[c] / rows - xh(i) * sum_dy_xh[c] / rows));
      }
      OpTest("FusedBatchNorm")
          .Attr("epsilon", kEpsilon)
          .Input(x)
          .Input(scale)
          .Input(offset)
          .Input<float>({0}, {})
          .Input<float>({0}, {})
          .Expect(y)
          .Expect(Floats(m.mean))
          .Expect(Floats(unbiased))
          .Expect(Floats(m.mean))
          .Expect(Floats(m.variance))
          .Within(1e-5, 1e-4);
      OpTest("FusedBatchNormGrad")
          .Attr("epsilon", kEpsilon)
          .Input(dy)
          .Input(x)
          .Input(scale)
          .Input(Floats(m.mean))
          .Input(Floats(m.variance))
          .Expect(dx)
          .Expect(Floats(sum_dy_xh))
          .Expect(Floats(sum_dy))
          .Expect<float>({0}, {})
          .Expect<float>({0}, {})
          .Within(2e-3, 1e-3);
    }
  }
}

TEST(FusedBatchNorm, InferenceInBothFormats) {
  const auto vector = [](float a, float b) { return OpTest::Make<float>({2}, {a, b}); };
  const auto expect = [&](OpTest& op) {
    op.Attr("is_training", false)
        .Attr("epsilon", 0.0f)
        .Input(vector(2, 3))
        .Input(vector(10, 20))
        .Input(vector(1, 2))
        .Input(vector(4, 1))
        .Within(1e-5, 1e-5);
  };
  OpTest last("FusedBatchNormV3"), first("FusedBatchNormV3");
  last.Input<float>({1, 1, 2, 2}, {1, 2, 3, 4});
  expect(last);
  last.Expect<float>({1, 1, 2, 2}, {10, 20, 12, 26});
  first.Attr("data_format", std::string("NCHW")).Input<float>({1, 2, 1, 2}, {1, 3, 2, 4});
  expect(first);
  first.Expect<float>({1, 2, 1, 2}, {10, 12, 20, 26});
  for (OpTest* op : {&last, &first}) {
    op->Expect(vector(1, 2)).Expect(vector(4, 1)).Expect(vector(1, 2)).Expect(vector(4, 1));
    op->Expect<float>({}, {0});
  }
}

TEST(FusedBatchNorm, ChannelsFirstAndLastAgree) {
  const auto numbers = [](const Shape& shape, int seed) {
    Tensor t = *Tensor::Allocate(DType::kFloat, shape);
    for (int64_t i = 0; i < t.num_elements(); ++i) {
      t.data<float>()[i] = static_cast<float>((i * 11 + seed * 5) % 7 + 1);
    }
    return t;
  };
  for (const int spatial : {2, 3}) {
    for (const bool training : {true, false}) {
      const int64_t channels = 5;
      const Shape shape = spatial == 2 ? Shape({2, 4, 3, channels}) : Shape({2, 2, 4, 3, channels});
      const Tensor x = numbers(shape, 1), dy = numbers(shape, 2), none = numbers(Shape({0}), 0);
      const auto vector = [&](int seed) { return numbers(Shape({channels}), seed); };
      const Tensor mean = training ? none : vector(3), variance = training ? none : vector(4);
      FormatTest forward("FusedBatchNormV3", spatial), backward("FusedBatchNormGradV3", spatial);
      forward.Attr("is_training", training).Data(x).Plain(vector(1)).Plain(vector(2));
      forward.Plain(mean).Plain(variance).Within(1e-6);
      forward.Check({true, false, false, false, false});
      backward.Attr("is_training", training).Data(dy).Data(x).Plain(vector(1));
      backward.Plain(vector(3)).Plain(vector(4)).Plain(none).Within(1e-5);
      if (spatial == 3 && !training) {
        EXPECT_EQ(backward.StatusOfFirst().code(), kInvalid);
      } else {
        backward.Check({true, false, false});
      }
    }
  }
}

TEST(FusedBatchNorm, RefusesBadInput) {
  const auto x = OpTest::Make<float>({1, 1, 1, 2}, {1, 2});
  const auto two = OpTest::Make<float>({2}, {1, 2}), one = OpTest::Make<float>({1}, {1});
  const auto none = OpTest::Make<float>({0}, {});
  OpTest("FusedBatchNorm")
      .Input(x)
      .Input(one)
      .Input(two)
      .Input(none)
      .Input(none)
      .ExpectError(kInvalid);
  OpTest("FusedBatchNorm")
      .Input(two)
      .Input(two)
      .Input(two)
      .Input(none)
      .Input(none)
      .ExpectError(kInvalid);
  OpTest("FusedBatchNorm")
      .Attr("is_training", false)
      .Input(x)
      .Input(two)
      .Input(two)
      .Input(none)
      .Input(none)
      .ExpectError(kInvalid);
  OpTest("FusedBatchNormGrad")
      .Input(x)
      .Input(two)
      .Input(two)
      .Input(two)
      .Input(two)
      .ExpectError(kInvalid);
}

// Values are TensorFlow's.
TEST(BatchNormWithGlobalNormalization, ForwardAndGradient) {
  const Tensor x = OpTest::Make<float>({1, 2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7});
  const Tensor dy = OpTest::Make<float>({1, 2, 2, 2}, {0, 1, 4, 9, 16, 25, 36, 49});
  const Tensor mean = Tensor::Vector<float>({1, 2}), variance = Tensor::Vector<float>({.5f, 2});
  const Tensor beta = Tensor::Vector<float>({.1f, .2f}), gamma = Tensor::Vector<float>({3, 4});
  const auto forward = [&](bool scale, Tensor moments) -> std::unique_ptr<OpTest> {
    auto test = std::make_unique<OpTest>("BatchNormWithGlobalNormalization");
    test->Attr("variance_epsilon", .25f).Attr("scale_after_normalization", scale);
    test->Input(x).Input(moments).Input(variance).Input(beta).Input(gamma).Within(1e-5, 1e-5);
    return test;
  };
  forward(true, mean)
      ->Expect<float>({1, 2, 2, 2}, {-3.36410165f, -2.4666667f, 3.56410146f, 2.86666679f,
                                     10.4923048f, 8.19999981f, 17.4205074f, 13.5333338f});
  forward(false, mean)
      ->Expect<float>({1, 2, 2, 2}, {-1.05470049f, -.466666698f, 1.25470054f, .866666675f,
                                     3.56410146f, 2.20000005f, 5.87350225f, 3.53333354f});
  forward(true, Tensor::Vector<float>({1, 2, 3}))->ExpectError(kInvalid);
  const auto gradient = [&](bool scale) -> std::unique_ptr<OpTest> {
    auto test = std::make_unique<OpTest>("BatchNormWithGlobalNormalizationGrad");
    test->Attr("variance_epsilon", .25f).Attr("scale_after_normalization", scale);
    test->Input(x).Input(mean).Input(variance).Input(gamma).Input(dy).Within(1e-5, 1e-5);
    return test;
  };
  gradient(true)
      ->Expect<float>({1, 2, 2, 2}, {0, 2.66666675f, 13.8564062f, 24, 55.4256248f, 66.6666718f,
                                     124.707657f, 130.666672f})
      .Expect<float>({2}, {-193.989685f, -224})
      .Expect<float>({2}, {-535.781067f, -194.370377f})
      .Expect<float>({2}, {56, 84})
      .Expect<float>({2}, {267.890533f, 218.666672f});
  gradient(false)
      ->Expect<float>({1, 2, 2, 2}, {0, .666666687f, 4.61880207f, 6, 18.4752083f, 16.6666679f,
                                     41.5692177f, 32.6666679f})
      .Expect<float>({2}, {-64.6632309f, -56})
      .Expect<float>({2}, {-178.593689f, -48.5925941f})
      .Expect<float>({2}, {56, 84})
      .Expect<float>({2}, {0, 0});
}

}  // namespace
}  // namespace warpbeam
