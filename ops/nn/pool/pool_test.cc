#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ops/launch/op_record.h"
#include "ops/nn/window/channels_testing.h"

namespace warpbeam {
namespace {

constexpr auto kUnimplemented = StatusCode::kUnimplemented;

OpTest& Window(OpTest& op, int64_t size, int64_t stride, const char* padding = "SAME") {
  return op.Attr("ksize", std::vector<int64_t>{1, size, size, 1})
      .Attr("strides", std::vector<int64_t>{1, stride, stride, 1})
      .Attr("padding", std::string(padding));
}

// Square windows on an image of 5 x 5, and where their places lie.
struct Places {
  int64_t size;
  int64_t stride;
  const char* padding;
  int64_t before;  // the first place's first tap, outside of the image
  int64_t count;   // along one side
};
constexpr Places kOverlapping = {3, 2, "SAME", 1, 3};
constexpr Places kTiles = {2, 2, "SAME", 0, 3};
constexpr Places kTilesWithRemainder = {2, 2, "VALID", 0, 2};
constexpr Places kGaps = {1, 2, "SAME", 0, 3};

// Numbers of channels below, at and above what a vector holds; values repeat, so that there are
// equal elements in a window.
class PoolTest : public testing::TestWithParam<int64_t> {
 protected:
  static constexpr int64_t kSize = 5;
  const int64_t channels_ = GetParam();

  template <class T>
  Tensor Image(int64_t size, int seed) const {
    Tensor t = *Tensor::Allocate(DTypeOf<T>::value, Shape({2, size, size, channels_}));
    for (int64_t i = 0; i < t.num_elements(); ++i) {
      t.data<T>()[i] = static_cast<T>(static_cast<float>((i * 11 + seed * 5) % 7) - 3);
    }
    return t;
  }
  // fn(output place, input place) for all elements below the windows; the taps of one place come
  // in the order of the window.
  template <class Fn>
  void ForEachTap(const Places& w, Fn fn) const {
    for (int64_t b = 0; b < 2; ++b) {
      for (int64_t place = 0; place < w.count * w.count; ++place) {
        const int64_t top = place / w.count * w.stride - w.before;
        const int64_t left = place % w.count * w.stride - w.before;
        for (int64_t tap = 0; tap < w.size * w.size; ++tap) {
          const int64_t y = top + tap / w.size, x = left + tap % w.size;
          if (y < 0 || y >= kSize || x < 0 || x >= kSize) continue;
          for (int64_t k = 0; k < channels_; ++k) {
            fn((b * w.count * w.count + place) * channels_ + k,
               ((b * kSize + y) * kSize + x) * channels_ + k);
          }
        }
      }
    }
  }

  template <class T>
  void CheckMax(const Places& w) const {
    const Tensor x = Image<T>(kSize, 1), dy = Image<T>(w.count, 2), g = Image<T>(kSize, 3);
    Tensor y = *dy.Clone(), dx = *x.Clone(), ddy = *dy.Clone();
    std::vector<int64_t> best(y.num_elements(), -1);
    ForEachTap(w, [&](int64_t to, int64_t from) {
      if (best[to] < 0 || x.data<T>()[best[to]] < x.data<T>()[from]) best[to] = from;
    });
    for (int64_t i = 0; i < dx.num_elements(); ++i) dx.data<T>()[i] = T(0);
    const int64_t image = kSize * kSize * channels_;
    Tensor argmax = *Tensor::Allocate(DType::kInt64, y.shape());
    for (size_t i = 0; i < best.size(); ++i) {
      y.data<T>()[i] = x.data<T>()[best[i]];
      dx.data<T>()[best[i]] = static_cast<T>(dx.data<T>()[best[i]] + dy.data<T>()[i]);
      ddy.data<T>()[i] = g.data<T>()[best[i]];
      argmax.data<int64_t>()[i] = best[i] % image;
    }
    OpTest forward("MaxPool"), with_argmax("MaxPoolWithArgmax"), backward("MaxPoolGrad"),
        second("MaxPoolGradGrad"), by_argmax("MaxPoolGradWithArgmax");
    Window(forward, w.size, w.stride, w.padding).Input(x).Expect(y);
    Window(with_argmax, w.size, w.stride, w.padding).Input(x).Expect(y).Expect(argmax);
    Window(backward, w.size, w.stride, w.padding).Input(x).Input(y).Input(dy).Expect(dx);
    Window(second, w.size, w.stride, w.padding).Input(x).Input(y).Input(g).Expect(ddy);
    Window(by_argmax, w.size, w.stride, w.padding).Input(x).Input(dy).Input(argmax).Expect(dx);
  }
};

TEST_P(PoolTest, MaximaAndTheirGradients) {
  for (const Places& w : {kOverlapping, kTiles, kTilesWithRemainder, kGaps}) {
    SCOPED_TRACE(absl::StrCat("windows of ", w.size, " every ", w.stride, ", ", w.padding));
    CheckMax<float>(w);
    CheckMax<double>(w);
    CheckMax<Half>(w);
    CheckMax<int32_t>(w);
    CheckMax<int8_t>(w);
  }
}

TEST_P(PoolTest, MeansAndTheirGradients) {
  const Tensor x = Image<float>(kSize, 1), dy = Image<float>(3, 2);
  Tensor y = *dy.Clone(), dx = *x.Clone();
  std::vector<float> sums(y.num_elements()), counts(y.num_elements());
  ForEachTap(kOverlapping, [&](int64_t to, int64_t from) {
    sums[to] += x.data<float>()[from];
    counts[to] += 1;
  });
  for (int64_t i = 0; i < y.num_elements(); ++i) y.data<float>()[i] = sums[i] / counts[i];
  for (int64_t i = 0; i < dx.num_elements(); ++i) dx.data<float>()[i] = 0;
  ForEachTap(kOverlapping, [&](int64_t to, int64_t from) {
    dx.data<float>()[from] += dy.data<float>()[to] / counts[to];
  });
  OpTest forward("AvgPool"), backward("AvgPoolGrad");
  Window(forward, 3, 2).Input(x).Expect(y).Within(1e-6, 1e-6);
  const auto c = static_cast<int32_t>(channels_);
  Window(backward, 3, 2).Input<int32_t>({4}, {2, 5, 5, c}).Input(dy).Expect(dx);
  backward.Within(1e-6, 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Channels, PoolTest, testing::Values(1, 3, 8, 13, 40));

TEST(MaxPool, ChannelsPaddingAndVolumes) {
  OpTest channels("MaxPool");
  channels.Attr("ksize", std::vector<int64_t>{1, 1, 1, 2})
      .Attr("strides", std::vector<int64_t>{1, 1, 1, 2})
      .Attr("padding", std::string("SAME"))
      .Input<float>({1, 1, 1, 4}, {1, 2, 4, 3})
      .Expect<float>({1, 1, 1, 2}, {2, 4});
  OpTest padded("MaxPool");
  Window(padded, 2, 2, "EXPLICIT")
      .Attr("explicit_paddings", std::vector<int64_t>{0, 0, 1, 1, 1, 1, 0, 0})
      .Input<float>({1, 2, 2, 1}, {-1, -2, -3, -4})
      .Expect<float>({1, 2, 2, 1}, {-1, -2, -3, -4});
  const std::vector<int64_t> size = {1, 2, 1, 1, 1};
  const auto x = OpTest::Make<float>({1, 2, 1, 2, 1}, {5, 1, 5, 2});
  const auto y = OpTest::Make<float>({1, 1, 1, 2, 1}, {5, 2});
  OpTest("MaxPool3D")
      .Attr("ksize", size)
      .Attr("strides", size)
      .Attr("padding", std::string("VALID"))
      .Input(x)
      .Expect(y);
  // Of a volume's window, all that equal the maximum have a part in its gradient.
  OpTest("MaxPool3DGrad")
      .Attr("ksize", size)
      .Attr("strides", size)
      .Attr("padding", std::string("VALID"))
      .Input(x)
      .Input(y)
      .Input<float>({1, 1, 1, 2, 1}, {10, 20})
      .Expect<float>({1, 2, 1, 2, 1}, {10, 0, 10, 20});
  OpTest("MaxPoolV2")
      .Attr("padding", std::string("VALID"))
      .Input<int32_t>({1, 1, 2, 1}, {7, 9})
      .Input<int32_t>({4}, {1, 1, 2, 1})
      .Input<int32_t>({4}, {1, 1, 2, 1})
      .Expect<int32_t>({1, 1, 1, 1}, {9});
}

// A gradient of minus zero is added to zero, whether windows overlap or not.
TEST(MaxPool, GradientHasNoMinusZero) {
  const auto dx = OpRunner("MaxPoolGrad")
                      .Attr("ksize", std::vector<int64_t>{1, 2, 2, 1})
                      .Attr("strides", std::vector<int64_t>{1, 2, 2, 1})
                      .Attr("padding", std::string("SAME"))
                      .Input(OpTest::Make<float>({1, 2, 2, 1}, {1, 2, 3, 4}))
                      .Input(OpTest::Make<float>({1, 1, 1, 1}, {4}))
                      .Input(OpTest::Make<float>({1, 1, 1, 1}, {-0.0f}))
                      .RunOne();
  ASSERT_TRUE(dx.ok()) << dx.status();
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(std::signbit(dx->data<float>()[i])) << i;
}

// Windows and strides may be any numbers of 31 bits, however small the image.
TEST(Pool, WindowsLargerThanAnyImage) {
  constexpr int64_t kMost = 0x7fffffff;
  const auto x = OpTest::Make<float>({1, 2, 2, 1}, {1, 2, 3, 6});
  const auto shape = OpTest::Make<int32_t>({4}, {1, 2, 2, 1});
  OpTest greatest("MaxPool"), mean("AvgPool"), back("MaxPoolGrad"), spread("AvgPoolGrad");
  Window(greatest, kMost, 1).Input(x).Expect<float>({1, 2, 2, 1}, {6, 6, 6, 6});
  Window(mean, kMost, kMost).Input(x).Expect<float>({1, 1, 1, 1}, {3});
  Window(back, kMost, kMost)
      .Input(x)
      .Input<float>({1, 1, 1, 1}, {6})
      .Input<float>({1, 1, 1, 1}, {5});
  back.Expect<float>({1, 2, 2, 1}, {0, 0, 0, 5});
  Window(spread, kMost, kMost).Input(shape).Input<float>({1, 1, 1, 1}, {4});
  spread.Expect<float>({1, 2, 2, 1}, {1, 1, 1, 1});
  const std::vector<int64_t> size = {1, kMost, kMost, kMost, 1};
  OpTest volume("MaxPool3D");
  volume.Attr("ksize", size).Attr("strides", size).Attr("padding", std::string("SAME"));
  volume.Input<float>({1, 1, 2, 2, 1}, {1, 2, 7, 6}).Expect<float>({1, 1, 1, 1, 1}, {7});
}

TEST(MaxPool, RefusesBadInput) {
  const auto x = OpTest::Make<float>({1, 2, 2, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  const auto refuse = [&](std::vector<int64_t> size, std::vector<int64_t> strides,
                          StatusCode code) {
    OpTest("MaxPool")
        .Attr("ksize", size)
        .Attr("strides", strides)
        .Attr("padding", std::string("VALID"))
        .Input(x)
        .ExpectError(code);
  };
  refuse({2, 1, 1, 1}, {1, 1, 1, 1}, kUnimplemented);
  refuse({1, 1, 1, 2}, {1, 1, 1, 2}, kUnimplemented);  // does not divide the channels
  refuse({1, 2, 2, 3}, {1, 1, 1, 3}, kUnimplemented);
  refuse({1, 0, 1, 1}, {1, 1, 1, 1}, kInvalid);
  refuse({1, 1, 1, 1}, {1, 0, 1, 1}, kInvalid);
  refuse({1, 9, 1, 1}, {1, 1, 1, 1}, kInvalid);
  refuse({1, 1, 1, 1, 1}, {1, 1, 1, 1}, kInvalid);
  OpTest gradient("MaxPoolGrad");
  Window(gradient, 2, 2).Input(x).Input(x).Input(x).ExpectError(kInvalid);
  OpTest outside("MaxPoolGradWithArgmax");
  Window(outside, 2, 2).Input(x).Input<float>({1, 1, 1, 3}, {1, 1, 1});
  outside.Input<int64_t>({1, 1, 1, 3}, {0, 12, 2}).ExpectError(kInvalid);
  for (const int64_t place : {int64_t{1}, int64_t{-3}, std::numeric_limits<int64_t>::max(),
                              std::numeric_limits<int64_t>::min()}) {
    for (const bool batch_in_index : {false, true}) {
      if (place == 1 && !batch_in_index) continue;  // that one is a place of the second image
      OpTest second("MaxPoolGradWithArgmax");
      Window(second, 1, 1).Input<float>({2, 1, 1, 2}, {1, 2, 3, 4});
      second.Attr("include_batch_in_index", batch_in_index);
      second.Input<float>({2, 1, 1, 2}, {1, 1, 1, 1});
      second.Input<int64_t>({2, 1, 1, 2}, {0, 1, 3, place}).ExpectError(kInvalid);
    }
  }
  OpTest negative("AvgPoolGrad");
  Window(negative, 2, 2).Input<int32_t>({4}, {1, -2, 2, 3}).Input<float>({1, 1, 1, 3}, {1, 1, 1});
  negative.ExpectError(kInvalid);
}

Tensor Numbers(const Shape& shape, int seed) {
  Tensor t = *Tensor::Allocate(DType::kFloat, shape);
  for (int64_t i = 0; i < t.num_elements(); ++i) {
    t.data<float>()[i] = static_cast<float>((i * 11 + seed * 5) % 7 - 3);
  }
  return t;
}

TEST(ChannelsFirst, ArePooledAsChannelsLast) {
  for (const int64_t channels : {1, 3, 17}) {
    for (const int spatial : {2, 3}) {
      std::vector<int64_t> dims = {2, 5, 6, channels}, pooled = {2, 3, 3, channels};
      std::vector<int64_t> size = {1, 3, 2, 1}, strides = {1, 2, 2, 1};
      if (spatial == 3) {
        for (auto* list : {&dims, &pooled, &size, &strides}) list->insert(list->begin() + 1, 1);
      }
      const Tensor x = Numbers(*Shape::Make(dims), 1), dy = Numbers(*Shape::Make(pooled), 2);
      const std::string suffix = spatial == 3 ? "3D" : "";
      const auto window = [&](const std::string& op) {
        FormatTest test(op, spatial);
        return test.Attr("padding", "SAME").List("ksize", size).List("strides", strides);
      };
      window("AvgPool" + suffix).Data(x).Check({true});
      window("AvgPool" + suffix + "Grad").Sizes(x.shape()).Data(dy).Check({true});
      window("MaxPool" + suffix).Data(x).Check({true});
      if (spatial == 3) continue;  // equal elements count otherwise
      OpRunner forward("MaxPool");
      forward.Attr("padding", "SAME").Attr("ksize", size).Attr("strides", strides);
      window("MaxPoolGrad").Data(x).Data(*forward.Input(x).RunOne()).Data(dy).Check({true});
    }
  }
}

// Of a volume with its channels first the gradient goes to the first of equal elements.
TEST(ChannelsFirst, GradientOfEqualElements) {
  const std::vector<int64_t> size = {1, 1, 2, 2, 2};
  OpTest op("MaxPool3DGrad");
  op.Attr("ksize", size).Attr("strides", size).Attr("padding", std::string("SAME"));
  op.Attr("data_format", std::string("NCDHW"));
  op.Input<float>({1, 1, 2, 2, 2}, {5, 1, 5, 5, 2, 5, 0, 5}).Input<float>({1, 1, 1, 1, 1}, {5});
  op.Input<float>({1, 1, 1, 1, 1}, {10}).Expect<float>({1, 1, 2, 2, 2}, {10, 0, 0, 0, 0, 0, 0, 0});
}

// What TensorFlow's kernels do not know with channels first.
TEST(ChannelsFirst, RefusesTypesPaddingsAndWindowsOverChannels) {
  const std::vector<int64_t> square = {1, 2, 2, 1}, depth = {1, 1, 1, 2};
  const Tensor x = Numbers(Shape({1, 4, 4, 2}), 0);
  const auto window = [&](const char* op, const std::vector<int64_t>& size) {
    return FormatTest(op, 2).List("ksize", size).List("strides", size);
  };
  const Tensor doubles = *Tensor::Allocate(DType::kDouble, Shape({1, 4, 4, 2}));
  for (const char* op : {"MaxPool", "AvgPool"}) {
    FormatTest test = window(op, square).Attr("padding", "SAME").Data(doubles);
    EXPECT_EQ(test.StatusOfFirst().code(), kInvalid) << op;
  }
  FormatTest padded = window("MaxPool", square).Attr("padding", "EXPLICIT").Data(x);
  padded.List("explicit_paddings", {0, 0, 1, 1, 1, 1, 0, 0});
  EXPECT_EQ(padded.StatusOfFirst().code(), kInvalid);
  FormatTest over = window("MaxPool", depth).Attr("padding", "SAME").Data(x);
  EXPECT_EQ(over.StatusOfFirst().code(), kInvalid);
  const Tensor y = Numbers(Shape({1, 2, 2, 2}), 0);
  FormatTest second = window("MaxPoolGradGrad", square).Attr("padding", "SAME");
  EXPECT_EQ(second.Data(x).Data(y).Data(x).StatusOfFirst().code(), kInvalid);
  FormatTest given = FormatTest("MaxPoolV2", 2).Attr("padding", "SAME").Data(x);
  given.Sizes(Shape({1, 2, 2, 1})).Sizes(Shape({1, 2, 2, 1}));
  EXPECT_EQ(given.StatusOfFirst().code(), kInvalid);
}

}  // namespace
}  // namespace warpbeam
