#include <cmath>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/op_record.h"
#include "ops/nn/window/channels_testing.h"

namespace warpbeam {
namespace {

constexpr auto kUnimplemented = StatusCode::kUnimplemented;

// One convolution as its definition says, in double.
struct Problem {
  int64_t batch, height, width, in, out, filter_height, filter_width, stride, groups = 1;
  bool same = true;
  int64_t dilation = 1;

  int64_t Reach(int64_t size) const { return (size - 1) * dilation + 1; }
  int64_t OutputSize(int64_t input, int64_t size) const {
    return same ? (input + stride - 1) / stride : (input - Reach(size) + stride) / stride;
  }
  int64_t Before(int64_t input, int64_t size) const {
    if (!same) return 0;
    const int64_t all = (OutputSize(input, size) - 1) * stride + Reach(size) - input;
    return all > 0 ? all / 2 : 0;
  }
  Shape input_shape() const { return Shape({batch, height, width, in}); }
  Shape filter_shape() const { return Shape({filter_height, filter_width, in / groups, out}); }
  Shape output_shape() const {
    return Shape({batch, OutputSize(height, filter_height), OutputSize(width, filter_width), out});
  }

  // fn(index of the input, of the filter, of the output) of every product in the sum.
  template <class Fn>
  void ForEachProduct(Fn fn) const {
    const Shape y = output_shape();
    const int64_t in_group = in / groups, out_group = out / groups;
    for (int64_t b = 0; b < batch; ++b) {
      for (int64_t r = 0; r < y.dim(1); ++r) {
        for (int64_t c = 0; c < y.dim(2); ++c) {
          for (int64_t i = 0; i < filter_height; ++i) {
            for (int64_t j = 0; j < filter_width; ++j) {
              const int64_t row = r * stride - Before(height, filter_height) + i * dilation;
              const int64_t column = c * stride - Before(width, filter_width) + j * dilation;
              if (row < 0 || row >= height || column < 0 || column >= width) continue;
              for (int64_t o = 0; o < out; ++o) {
                for (int64_t k = 0; k < in_group; ++k) {
                  fn(((b * height + row) * width + column) * in + o / out_group * in_group + k,
                     ((i * filter_width + j) * in_group + k) * out + o,
                     ((b * y.dim(1) + r) * y.dim(2) + c) * out + o);
                }
              }
            }
          }
        }
      }
    }
  }
};

template <class T>
Tensor Pattern(const Shape& shape, int seed) {
  Tensor t = *Tensor::Allocate(DTypeOf<T>::value, shape);
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    t.data<T>()[i] = static_cast<T>(static_cast<float>((i * 7 + seed * 13) % 19) - 9);
  }
  return t;
}
template <class T>
Tensor Rounded(const Shape& shape, const std::vector<double>& values) {
  Tensor t = *Tensor::Allocate(DTypeOf<T>::value, shape);
  for (size_t i = 0; i < values.size(); ++i) t.data<T>()[i] = static_cast<T>(values[i]);
  return t;
}
template <class T>
double At(const Tensor& t, int64_t i) {
  return static_cast<double>(t.data<T>()[i]);
}

Tensor Sizes(const Shape& shape) {
  std::vector<int32_t> sizes(shape.dims().begin(), shape.dims().end());
  return Tensor::Vector<int32_t>(sizes);
}

OpTest& Configure(OpTest& op, const Problem& p) {
  return op.Attr("strides", std::vector<int64_t>{1, p.stride, p.stride, 1})
      .Attr("padding", std::string(p.same ? "SAME" : "VALID"))
      .Attr("dilations", std::vector<int64_t>{1, p.dilation, p.dilation, 1})
      .Within(1e-4, 4e-3);
}

template <class T>
void CheckForward(const Problem& p, const char* name = "Conv2D", const Shape* filter = nullptr) {
  const Tensor x = Pattern<T>(p.input_shape(), 1), w = Pattern<T>(p.filter_shape(), 2);
  std::vector<double> sums(p.output_shape().num_elements());
  p.ForEachProduct([&](int64_t i, int64_t f, int64_t o) { sums[o] += At<T>(x, i) * At<T>(w, f); });
  OpTest op(name);
  op.Input(x).Input(filter == nullptr ? w : *w.Reshaped(*filter));
  op.Expect(Rounded<T>(p.output_shape(), sums));
  Configure(op, p);
}
template <class T>
void CheckBackpropInput(const Problem& p, const char* name = "Conv2DBackpropInput",
                        const Shape* filter = nullptr) {
  const Tensor w = Pattern<T>(p.filter_shape(), 2), dy = Pattern<T>(p.output_shape(), 3);
  std::vector<double> sums(p.input_shape().num_elements());
  p.ForEachProduct([&](int64_t i, int64_t f, int64_t o) { sums[i] += At<T>(dy, o) * At<T>(w, f); });
  OpTest op(name);
  op.Input(Sizes(p.input_shape())).Input(filter == nullptr ? w : *w.Reshaped(*filter)).Input(dy);
  op.Expect(Rounded<T>(p.input_shape(), sums));
  Configure(op, p);
}
template <class T>
void CheckBackpropFilter(const Problem& p, const char* name = "Conv2DBackpropFilter",
                         const Shape* filter = nullptr) {
  const Tensor x = Pattern<T>(p.input_shape(), 1), dy = Pattern<T>(p.output_shape(), 3);
  std::vector<double> sums(p.filter_shape().num_elements());
  p.ForEachProduct([&](int64_t i, int64_t f, int64_t o) { sums[f] += At<T>(x, i) * At<T>(dy, o); });
  const Shape shape = filter == nullptr ? p.filter_shape() : *filter;
  OpTest op(name);
  op.Input(x).Input(Sizes(shape)).Input(dy);
  op.Expect(Rounded<T>(shape, sums));
  Configure(op, p);
}

const Problem kProblems[] = {
    {2, 5, 6, 3, 4, 3, 3, 1},
    {3, 8, 7, 5, 17, 5, 3, 2},
    {1, 9, 9, 16, 16, 2, 2, 3, 1, false},
    {2, 6, 6, 1, 1, 1, 1, 1, 1, false},
    {2, 4, 4, 3, 2, 1, 1, 3},  // a stride beyond the filter
    {1, 3, 2, 3, 4, 5, 7, 1},  // a filter beyond the image on all sides
};

TEST(Conv2D, AgreesWithTheDefinition) {
  for (const Problem& p : kProblems) {
    CheckForward<float>(p);
    CheckForward<double>(p);
    CheckForward<int32_t>(p);
    CheckForward<BFloat16>(p);
    CheckBackpropInput<float>(p);
    CheckBackpropInput<double>(p);
    CheckBackpropInput<int32_t>(p);
    CheckBackpropFilter<float>(p);
    CheckBackpropFilter<double>(p);
  }
}

TEST(Conv2D, GroupsAndDilations) {
  const Problem grouped{2, 6, 5, 6, 8, 3, 3, 1, 2}, dilated{2, 9, 8, 3, 4, 3, 3, 1, 1, true, 2};
  CheckForward<float>(grouped);
  CheckForward<double>(grouped);
  const Problem strided{2, 11, 10, 3, 4, 3, 2, 2, 1, false, 3};
  for (const Problem& p : {dilated, strided}) {
    CheckForward<float>(p);
    CheckForward<int32_t>(p);
    CheckBackpropInput<float>(p);
    CheckBackpropInput<double>(p);
    CheckBackpropFilter<float>(p);
    CheckBackpropFilter<double>(p);
  }
}

// Large enough to be shared out among threads, by a number that does not divide the batch.
TEST(Conv2D, SharedBatch) {
  const Problem p{7, 12, 12, 24, 32, 3, 3, 1};
  CheckForward<float>(p);
  CheckBackpropInput<float>(p);
  CheckBackpropFilter<float>(p);
  // More places than one matrix of patches has, which ends within an image.
  CheckBackpropInput<float>({20, 28, 28, 3, 4, 5, 5, 1});
}

// One image, or two, whose rows are shared out: with padding, strides and dilations, and with rows
// that read nothing but padding.
TEST(Conv2D, SharedRows) {
  for (const Problem& p :
       {Problem{1, 40, 12, 24, 32, 3, 3, 1}, Problem{1, 61, 13, 3, 24, 7, 7, 2},
        Problem{2, 56, 9, 16, 16, 3, 5, 1, 1, false}, Problem{1, 50, 9, 16, 16, 3, 3, 1, 4},
        Problem{1, 45, 10, 16, 20, 3, 3, 1, 1, true, 9}, Problem{1, 30, 9, 4, 8, 71, 3, 1}}) {
    CheckForward<float>(p);
  }
}

// Input gradients with channels enough to be convolutions with the mirrored filter, whose padding
// on the two sides differs.
TEST(Conv2DBackpropInput, MirroredFilters) {
  for (const Problem& p : {Problem{3, 14, 13, 32, 7, 3, 3, 1}, Problem{3, 17, 14, 40, 9, 2, 4, 1},
                           Problem{3, 15, 14, 33, 20, 4, 2, 1, 1, false},
                           Problem{2, 19, 18, 48, 16, 2, 3, 1, 1, true, 3}}) {
    CheckBackpropInput<float>(p);
    CheckBackpropInput<BFloat16>(p);
  }
}

TEST(DepthwiseConv2d, AgreesWithTheDefinition) {
  const Problem p{2, 6, 7, 3, 6, 3, 2, 1, 3};
  const Shape filter({3, 2, 3, 2});
  CheckForward<float>(p, "DepthwiseConv2dNative", &filter);
  CheckForward<double>(p, "DepthwiseConv2dNative", &filter);
  CheckBackpropInput<float>(p, "DepthwiseConv2dNativeBackpropInput", &filter);
  CheckBackpropInput<double>(p, "DepthwiseConv2dNativeBackpropInput", &filter);
  CheckBackpropFilter<float>(p, "DepthwiseConv2dNativeBackpropFilter", &filter);
  CheckBackpropFilter<double>(p, "DepthwiseConv2dNativeBackpropFilter", &filter);
}

TEST(Conv3D, SumsOverDepthToo) {
  const auto x = OpTest::Make<float>({1, 2, 1, 2, 1}, {1, 2, 3, 4});
  const auto w = OpTest::Make<float>({2, 1, 1, 1, 1}, {1, 10});
  const std::vector<int64_t> ones = {1, 1, 1, 1, 1};
  OpTest("Conv3D")
      .Attr("strides", ones)
      .Attr("padding", std::string("VALID"))
      .Input(x)
      .Input(w)
      .Expect<float>({1, 1, 1, 2, 1}, {31, 42});
  OpTest("Conv3DBackpropInputV2")
      .Attr("strides", ones)
      .Attr("padding", std::string("VALID"))
      .Input<int32_t>({5}, {1, 2, 1, 2, 1})
      .Input(w)
      .Input<float>({1, 1, 1, 2, 1}, {1, 2})
      .Expect<float>({1, 2, 1, 2, 1}, {1, 2, 10, 20});
  OpTest("Conv3DBackpropFilterV2")
      .Attr("strides", ones)
      .Attr("padding", std::string("VALID"))
      .Input(x)
      .Input<int32_t>({5}, {2, 1, 1, 1, 1})
      .Input<float>({1, 1, 1, 2, 1}, {1, 2})
      .Expect<float>({2, 1, 1, 1, 1}, {5, 11});
}

OpTest& Dilated(OpTest& op) {
  return op.Attr("strides", std::vector<int64_t>{1, 1, 1, 1, 1})
      .Attr("dilations", std::vector<int64_t>{1, 2, 1, 1, 1})
      .Attr("padding", std::string("VALID"));
}

TEST(Conv3D, Dilations) {
  const auto x = OpTest::Make<float>({1, 3, 1, 2, 1}, {1, 2, 3, 4, 5, 6});
  const auto w = OpTest::Make<float>({2, 1, 1, 1, 1}, {1, 10});
  OpTest forward("Conv3D"), to_input("Conv3DBackpropInputV2"), to_filter("Conv3DBackpropFilterV2");
  Dilated(forward).Input(x).Input(w).Expect<float>({1, 1, 1, 2, 1}, {51, 62});
  Dilated(to_input)
      .Input<int32_t>({5}, {1, 3, 1, 2, 1})
      .Input(w)
      .Input<float>({1, 1, 1, 2, 1}, {1, 2})
      .Expect<float>({1, 3, 1, 2, 1}, {1, 2, 0, 0, 10, 20});
  Dilated(to_filter)
      .Input(x)
      .Input<int32_t>({5}, {2, 1, 1, 1, 1})
      .Input<float>({1, 1, 1, 2, 1}, {1, 2})
      .Expect<float>({2, 1, 1, 1, 1}, {5, 17});
}

// A filter of two places in depth, mirrored for 32 channels.
TEST(Conv3DBackpropInput, MirroredFilter) {
  constexpr int64_t kPixels = 64, kChannels = 32;
  const Tensor w = Pattern<float>(Shape({2, 1, 1, kChannels, 1}), 1);
  const Tensor dy = Pattern<float>(Shape({1, 2, 8, 8, 1}), 2);
  std::vector<double> dx(3 * kPixels * kChannels);
  for (int64_t place = 0; place < 2 * kPixels; ++place) {
    for (int64_t c = 0; c < 2 * kChannels; ++c) {
      const int64_t depth = place / kPixels + c / kChannels;
      dx[(depth * kPixels + place % kPixels) * kChannels + c % kChannels] +=
          At<float>(dy, place) * At<float>(w, c);
    }
  }
  OpTest("Conv3DBackpropInputV2")
      .Attr("strides", std::vector<int64_t>{1, 1, 1, 1, 1})
      .Attr("padding", std::string("VALID"))
      .Input<int32_t>({5}, {1, 3, 8, 8, kChannels})
      .Input(w)
      .Input(dy)
      .Expect(Rounded<float>(Shape({1, 3, 8, 8, kChannels}), dx));
}

OpTest& Plain(OpTest& op, const char* padding = "SAME") {
  return op.Attr("strides", std::vector<int64_t>{1, 1, 1, 1}).Attr("padding", std::string(padding));
}

// Only the middle of the filter falls on the image.
TEST(Conv2D, ADilationFarBeyondTheImage) {
  const auto x = OpTest::Make<float>({1, 3, 2, 1}, {1, 2, 3, 4, 5, 6});
  const auto w = OpTest::Make<float>({3, 1, 1, 1}, {7, 10, 9});
  for (const int64_t far : {int64_t{100}, int64_t{1} << 30, (int64_t{1} << 31) - 1}) {
    OpTest("Conv2D")
        .Attr("strides", std::vector<int64_t>{1, 1, 1, 1})
        .Attr("dilations", std::vector<int64_t>{1, far, 1, 1})
        .Attr("padding", std::string("SAME"))
        .Input(x)
        .Input(w)
        .Expect<float>({1, 3, 2, 1}, {10, 20, 30, 40, 50, 60});
  }
}

TEST(Conv2D, ExplicitPaddingAndEmptyTensors) {
  OpTest op("Conv2D");
  Plain(op, "EXPLICIT")
      .Attr("explicit_paddings", std::vector<int64_t>{0, 0, 1, 0, 0, 1, 0, 0})
      .Input<float>({1, 1, 1, 1}, {3})
      .Input<float>({1, 1, 1, 1}, {2})
      .Expect<float>({1, 2, 2, 1}, {0, 0, 6, 0});
  OpTest empty("Conv2D");
  Plain(empty).Input<float>({0, 2, 2, 1}, {}).Input<float>({1, 1, 1, 2}, {1, 2});
  empty.Expect<float>({0, 2, 2, 2}, {});
  OpTest no_batch("Conv2DBackpropFilter");
  Plain(no_batch).Input<float>({0, 2, 2, 1}, {}).Input<int32_t>({4}, {1, 1, 1, 2});
  no_batch.Input<float>({0, 2, 2, 2}, {}).Expect<float>({1, 1, 1, 2}, {0, 0});
}

TEST(Conv2D, RefusesBadInput) {
  const Tensor x = Pattern<float>(Shape({1, 3, 3, 4}), 0);
  const auto refuse = [&](const Shape& filter, StatusCode code) {
    OpTest op("Conv2D");
    Plain(op, "VALID").Input(x).Input(Pattern<float>(filter, 1)).ExpectError(code);
  };
  refuse(Shape({2, 2, 3, 5}), kInvalid);  // channels
  refuse(Shape({2, 2, 2, 5}), kInvalid);  // groups
  refuse(Shape({5, 5, 4, 5}), kInvalid);  // too large
  refuse(Shape({2, 2, 4}), kInvalid);
  refuse(Shape({0, 2, 4, 5}), kInvalid);
  const Tensor w = Pattern<float>(Shape({2, 2, 4, 5}), 1);
  const auto refuse_attr = [&](const char* name, AttrValue value, StatusCode code) {
    OpTest op("Conv2D");
    Plain(op).Attr(name, std::move(value)).Input(x).Input(w).ExpectError(code);
  };
  refuse_attr("strides", std::vector<int64_t>{2, 1, 1, 1}, kUnimplemented);
  refuse_attr("strides", std::vector<int64_t>{1, 0, 1, 1}, kInvalid);
  refuse_attr("strides", std::vector<int64_t>{1, 1, 1}, kInvalid);
  refuse_attr("dilations", std::vector<int64_t>{1, 1, -1, 1}, kInvalid);
  refuse_attr("dilations", std::vector<int64_t>{1, 1, 1, 2}, kInvalid);
  refuse_attr("explicit_paddings", std::vector<int64_t>{1, 1}, kInvalid);
}

TEST(Conv2DBackprop, RefusesBadInput) {
  const Tensor w = Pattern<float>(Shape({2, 2, 4, 5}), 1);
  const Tensor dy = Pattern<float>(Shape({1, 3, 3, 5}), 2);
  const auto refuse = [&](std::vector<int32_t> sizes) {
    OpTest op("Conv2DBackpropInput");
    Plain(op).Input(Tensor::Vector<int32_t>(sizes)).Input(w).Input(dy).ExpectError(kInvalid);
  };
  // The forward pass says UNIMPLEMENTED, as TensorFlow's does.
  OpRunner steps("Conv2DBackpropInput");
  steps.Attr("padding", std::string("SAME")).Attr("strides", std::vector<int64_t>{2, 1, 1, 1});
  steps.Input(Tensor::Vector<int32_t>({1, 4, 4, 4})).Input(w).Input(dy);
  EXPECT_EQ(steps.Run().status().code(), kInvalid);
  refuse({1, 3, 3});
  refuse({2, 3, 3, 4});
  refuse({1, 4, 3, 4});
  refuse({1, 3, -3, 4});
  refuse({1, 3, 3, 8});  // two groups
  refuse({1, 3, 3, 0});  // none
}

// Convolutions with channels first, and both their gradients.
struct FirstProblem {
  std::vector<int64_t> data, filter, strides, dilations;
  const char* padding = "SAME";
};

template <class T>
void CheckFirst(const std::string& kind, const FirstProblem& p) {
  const int spatial = static_cast<int>(p.data.size()) - 2;
  const std::string forward = kind == "Depthwise" ? "DepthwiseConv2dNative" : kind;
  const std::string suffix = spatial == 3 ? "V2" : "";
  const Tensor x = Pattern<T>(*Shape::Make(p.data), 1), w = Pattern<T>(*Shape::Make(p.filter), 2);
  const auto steps = [&](FormatTest test) {
    test.Attr("padding", p.padding).List("strides", p.strides).List("dilations", p.dilations);
    return test;
  };
  steps(FormatTest(forward, spatial)).Data(x).Plain(w).Check({true});
  OpRunner last(forward);
  last.Attr("padding", p.padding).Attr("strides", p.strides).Attr("dilations", p.dilations);
  const auto y = last.Input(x).Input(w).RunOne();
  ASSERT_TRUE(y.ok()) << y.status();
  const Tensor dy = Pattern<T>(y->shape(), 3);
  FormatTest to_input(forward + "BackpropInput" + suffix, spatial);
  steps(to_input).Sizes(x.shape()).Plain(w).Data(dy).Check({true});
  FormatTest to_filter(forward + "BackpropFilter" + suffix, spatial);
  const std::vector<int32_t> sizes(w.shape().dims().begin(), w.shape().dims().end());
  steps(to_filter).Data(x).Plain(Tensor::Vector<int32_t>(sizes)).Data(dy).Check({false});
}

TEST(ChannelsFirst, AreConvolvedAsChannelsLast) {
  const std::vector<int64_t> ones = {1, 1, 1, 1}, volume = {1, 1, 1, 1, 1};
  const std::vector<FirstProblem> images = {
      {{2, 5, 6, 4}, {3, 3, 4, 8}, ones, ones},
      {{3, 14, 13, 32}, {3, 3, 32, 17}, ones, ones},
      {{2, 9, 8, 3}, {3, 2, 3, 5}, {1, 2, 3, 1}, ones, "VALID"},
      {{1, 9, 8, 3}, {3, 3, 3, 4}, ones, {1, 2, 3, 1}},
      {{2, 7, 7, 16}, {1, 1, 16, 40}, ones, ones},
  };
  for (const FirstProblem& p : images) {
    CheckFirst<float>("Conv2D", p);
    CheckFirst<BFloat16>("Conv2D", p);
  }
  CheckFirst<float>("Depthwise", {{2, 5, 6, 4}, {3, 3, 4, 2}, ones, ones});
  CheckFirst<Half>("Depthwise", {{2, 5, 6, 4}, {3, 3, 4, 1}, {1, 2, 2, 1}, ones, "VALID"});
  CheckFirst<float>("Conv3D", {{2, 3, 5, 6, 4}, {2, 3, 3, 4, 8}, volume, volume});
  CheckFirst<float>("Conv3D", {{2, 3, 5, 6, 4}, {2, 3, 3, 4, 8}, {1, 1, 2, 2, 1}, volume, "VALID"});
}

// What the CPU does of channels first only: groups in gradients, and depthwise ones with dilations
// and with strides that differ.
TEST(ChannelsFirst, GroupsInGradients) {
  // Two groups of one channel: input k, filter k.
  OpTest to_input("Conv2DBackpropInput"), to_filter("Conv2DBackpropFilter");
  for (OpTest* op : {&to_input, &to_filter}) {
    Plain(*op, "VALID").Attr("data_format", std::string("NCHW"));
  }
  const auto dy = OpTest::Make<float>({1, 2, 1, 1}, {5, 7});
  to_input.Input<int32_t>({4}, {1, 2, 1, 2}).Input<float>({1, 2, 1, 2}, {1, 2, 3, 4}).Input(dy);
  to_input.Expect<float>({1, 2, 1, 2}, {5, 15, 14, 28});
  to_filter.Input<float>({1, 2, 1, 2}, {1, 2, 3, 4}).Input<int32_t>({4}, {1, 2, 1, 2}).Input(dy);
  to_filter.Expect<float>({1, 2, 1, 2}, {5, 21, 10, 28});
  OpTest depthwise("DepthwiseConv2dNative");
  depthwise.NotOnGpu("as TensorFlow's, they have one stride for rows and columns");
  depthwise.Attr("strides", std::vector<int64_t>{1, 1, 1, 2}).Attr("padding", std::string("VALID"));
  depthwise.Attr("dilations", std::vector<int64_t>{1, 1, 1, 2});
  depthwise.Attr("data_format", std::string("NCHW")).Input<float>({1, 1, 1, 5}, {1, 2, 3, 4, 5});
  depthwise.Input<float>({1, 2, 1, 1}, {10, 100}).Expect<float>({1, 1, 1, 2}, {310, 530});
}

// What TensorFlow's kernels for channels first do not know is refused with the codes of those for
// channels last.
TEST(ChannelsFirst, RefusesOtherTypesAndPaddings) {
  const std::vector<int64_t> ones = {1, 1, 1, 1};
  const Tensor x = Pattern<double>(Shape({1, 3, 3, 4}), 0);
  const Tensor w = Pattern<double>(Shape({2, 2, 4, 5}), 0);
  const auto image = [&](const char* op) {
    return FormatTest(op, 2).Attr("padding", "SAME").List("strides", ones);
  };
  EXPECT_EQ(image("Conv2D").Data(x).Plain(w).StatusOfFirst().code(), kUnimplemented);
  EXPECT_EQ(image("DepthwiseConv2dNative").Data(x).Plain(w).StatusOfFirst().code(), kUnimplemented);
  const Tensor dy = Pattern<double>(Shape({1, 3, 3, 5}), 1);
  FormatTest to_input = image("Conv2DBackpropInput").Sizes(x.shape()).Plain(w).Data(dy);
  EXPECT_EQ(to_input.StatusOfFirst().code(), kInvalid);
  const Tensor floats = Pattern<float>(Shape({1, 3, 3, 5}), 1);
  FormatTest padded("Conv2DBackpropInput", 2);
  padded.Attr("padding", "EXPLICIT").List("strides", ones);
  padded.List("explicit_paddings", {0, 0, 0, 1, 1, 0, 0, 0}).Sizes(x.shape());
  padded.Plain(Pattern<float>(Shape({2, 2, 4, 5}), 0)).Data(floats);
  EXPECT_EQ(padded.StatusOfFirst().code(), kInvalid);
}

}  // namespace
}  // namespace warpbeam
