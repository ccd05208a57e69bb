// Windows and values are TensorFlow's.
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

Tensor Image() {
  Tensor x = *Tensor::Allocate(DType::kFloat, Shape({1, 7, 9, 1}));
  for (int i = 0; i < 63; ++i) x.data<float>()[i] = static_cast<float>(i * 37 % 101);
  return x;
}

OpTest& Pool(OpTest&& test, Tensor x, std::vector<float> ratio, bool pseudo_random = false,
             bool overlapping = false) {
  return test.Attr("pooling_ratio", std::move(ratio))
      .Attr("pseudo_random", pseudo_random)
      .Attr("overlapping", overlapping)
      .Attr("deterministic", true)
      .Attr("seed", 3)
      .Attr("seed2", 4)
      .Input(std::move(x));
}

TEST(FractionalMaxPool, Values) {
  Pool(OpTest("FractionalMaxPool"), Image(), {1, 1.44f, 1.73f, 1})
      .Expect<float>({1, 4, 5, 1}, {30, 74, 77, 84, 94, 90, 97, 100, 80, 83,
                                    19, 93, 66, 39, 76, 79, 86, 96,  99, 72})
      .Expect<int64_t>({5}, {0, 2, 4, 5, 7})
      .Expect<int64_t>({6}, {0, 1, 3, 5, 7, 9});
  Pool(OpTest("FractionalMaxPool"), Image(), {1, 1.44f, 1.73f, 1}, false, true)
      .Expect<float>({1, 4, 5, 1}, {97, 97, 84, 87, 94, 97, 100, 100, 80, 83,
                                    86, 93, 96, 76, 76, 86, 89,  96,  99, 72})
      .Expect<int64_t>({5}, {0, 2, 4, 5, 7})
      .Expect<int64_t>({6}, {0, 1, 3, 5, 7, 9});
  Pool(OpTest("FractionalMaxPool"), Image(), {1, 1.44f, 1.73f, 1}, true, false)
      .Expect<float>({1, 4, 5, 1}, {67, 74, 77,  84, 94, 97, 33, 70, 80, 53,
                                    90, 93, 100, 73, 83, 86, 52, 96, 99, 72})
      .Expect<int64_t>({5}, {0, 2, 3, 5, 7})
      .Expect<int64_t>({6}, {0, 2, 3, 5, 7, 9});
}

TEST(FractionalAvgPool, Values) {
  Pool(OpTest("FractionalAvgPool"), Image(), {1, 1.44f, 1.73f, 1})
      .Expect<float>({1, 4, 5, 1},
                     {15, 45.25f, 43.5f, 41.75f, 65.25f, 75, 54.75f, 53,     51.25f, 49.5f,
                      19, 74.5f,  47.5f, 20.5f,  44,     64, 43.75f, 67.25f, 65.5f,  38.5f})
      .Expect<int64_t>({5}, {0, 2, 4, 5, 7})
      .Expect<int64_t>({6}, {0, 1, 3, 5, 7, 9});
  Pool(OpTest("FractionalAvgPool"), Image(), {1, 1.44f, 1.73f, 1}, true, true)
      .Expect<float>({1, 4, 5, 1},
                     {44.5555573f, 38.3333321f, 43.3333321f, 50,    55,          61.5f,       66.5f,
                      54.6666679f, 44.5f,       49.5f,       56,    61,          54.7777786f, 39,
                      44,          50.5f,       55.5f,       60.5f, 50.3333321f, 38.5f})
      .Expect<int64_t>({5}, {0, 2, 3, 5, 7})
      .Expect<int64_t>({6}, {0, 2, 3, 5, 7, 9});
  // Integers are divided as integers.
  Pool(OpTest("FractionalAvgPool"), OpTest::Make<int64_t>({1, 2, 2, 1}, {1, 2, 3, 5}), {1, 2, 2, 1})
      .Expect<int64_t>({1, 1, 1, 1}, {2})
      .Expect<int64_t>({2}, {0, 2})
      .Expect<int64_t>({2}, {0, 2});
}

TEST(FractionalPool, Refusals) {
  for (const char* op : {"FractionalMaxPool", "FractionalAvgPool"}) {
    constexpr auto kUnimplemented = StatusCode::kUnimplemented;
    Pool(OpTest(op), Image(), {1.2f, 1.44f, 1, 1.2f}).ExpectError(kUnimplemented, "batch");
    Pool(OpTest(op), Image(), {1, 1.44f, 1, 1.2f}).ExpectError(kUnimplemented, "channel");
    Pool(OpTest(op), Image(), {1, .5f, 1, 1}).ExpectError(kInvalid, "smaller than 1");
    Pool(OpTest(op), Image(), {1, 50, 1, 1}).ExpectError(kInvalid, "dimension 1");
    Pool(OpTest(op), Image(), {1, 1.44f, 1}).ExpectError(kInvalid);
    Pool(OpTest(op), *Image().Reshaped(Shape({7, 9, 1})), {1, 1.44f, 1, 1}).ExpectError(kInvalid);
    Pool(OpTest(op), OpTest::Make<float>({0, 7, 9, 1}, {}), {1, 1.44f, 1, 1})
        .ExpectError(kInvalid, "dimension 0");
    OpTest(op)
        .Attr("pooling_ratio", std::vector<float>{1, 1.44f, 1, 1})
        .Attr("seed", 3)
        .Input(Image())
        .ExpectError(kInvalid, "deterministic is false");
  }
}

struct GradientCase {
  Tensor shape = Tensor::Vector<int64_t>({1, 5, 6, 1});
  Tensor dy = OpTest::Make<float>({1, 2, 3, 1}, {1, 2, 3, 4, 5, 6});
  Tensor rows = Tensor::Vector<int64_t>({0, 3, 5}), cols = Tensor::Vector<int64_t>({0, 2, 4, 6});

  OpTest& Avg(OpTest&& test, bool overlapping = false) const {
    return test.Attr("overlapping", overlapping).Input(shape).Input(dy).Input(rows).Input(cols);
  }
};

TEST(FractionalAvgPoolGrad, Values) {
  const float s = 1.f / 6, t = 1.f / 3;
  GradientCase()
      .Avg(OpTest("FractionalAvgPoolGrad"))
      .Expect<float>({1, 5, 6, 1},
                     {s,   s,   t, t, .5f,   .5f,   s,    s,    t, t, .5f,   .5f,   s,    s,   t, t,
                      .5f, .5f, 1, 1, 1.25f, 1.25f, 1.5f, 1.5f, 1, 1, 1.25f, 1.25f, 1.5f, 1.5f});
  GradientCase()
      .Avg(OpTest("FractionalAvgPoolGrad"), true)
      .Expect<float>({1, 5, 6, 1},
                     {.0833333358f, .0833333358f, .25f,  .166666672f, .541666687f, .375f,   //
                      .0833333358f, .0833333358f, .25f,  .166666672f, .541666687f, .375f,   //
                      .0833333358f, .0833333358f, .25f,  .166666672f, .541666687f, .375f,   //
                      .75f,         .75f,         1.75f, 1,           2.875f,      1.875f,  //
                      .666666687f,  .666666687f,  1.5f,  .833333313f, 2.33333325f, 1.5f});
}

TEST(FractionalAvgPoolGrad, Refusals) {
  const auto refused = [](const GradientCase& c) {
    c.Avg(OpTest("FractionalAvgPoolGrad")).ExpectError(kInvalid);
  };
  GradientCase c;
  c.shape = Tensor::Vector<int64_t>({1, 5, 6});
  refused(c);
  c.shape = Tensor::Vector<int64_t>({1, -5, 6, 1});
  refused(c);
  c.shape = Tensor::Vector<int64_t>({1, 5, 6, 0});
  refused(c);
  c = GradientCase();
  c.dy = OpTest::Make<float>({2, 3, 1}, {1, 2, 3, 4, 5, 6});
  refused(c);
  c = GradientCase();
  c.rows = Tensor::Vector<int64_t>({0, 3});
  refused(c);
  c.rows = Tensor::Vector<int64_t>({-1, 3, 5});
  refused(c);
  // Windows that begin outside have no elements.
  c = GradientCase();
  c.rows = Tensor::Vector<int64_t>({0, 3, 1});
  const float s = 1.f / 6, t = 1.f / 3;
  c.Avg(OpTest("FractionalAvgPoolGrad")).Expect<float>({1, 5, 6, 1}, {s, s, t, t, .5f, .5f,
                                                                      s, s, t, t, .5f, .5f,
                                                                      s, s, t, t, .5f, .5f,
                                                                      0, 0, 0, 0, 0,   0,
                                                                      0, 0, 0, 0, 0,   0});
}

// The image ends all windows, wherever they are said to end.
TEST(FractionalAvgPoolGrad, WindowsThatEndNowhere) {
  const int64_t most = std::numeric_limits<int64_t>::max();
  OpTest("FractionalAvgPoolGrad")
      .Attr("overlapping", true)
      .Input<int64_t>({4}, {1, 1, 2, 1})
      .Input<float>({1, 1, 1, 1}, {6})
      .Input<int64_t>({2}, {0, most})
      .Input<int64_t>({2}, {0, most})
      .Expect<float>({1, 1, 2, 1}, {3, 3});
}

TEST(FractionalMaxPoolGrad, GoesToTheFirstGreatestElement) {
  const Tensor x = OpTest::Make<float>({1, 2, 4, 1}, {1, 5, 2, 0, 3, 5, 9, 4});
  const Tensor dy = OpTest::Make<float>({1, 1, 2, 1}, {10, 20});
  const Tensor rows = Tensor::Vector<int64_t>({0, 2}), cols = Tensor::Vector<int64_t>({0, 2, 4});
  const auto gradient = [&](OpTest&& test, Tensor y, Tensor own_rows,
                            bool overlapping = false) -> OpTest& {
    return test.Attr("overlapping", overlapping)
        .Input(x)
        .Input(std::move(y))
        .Input(dy)
        .Input(std::move(own_rows))
        .Input(cols);
  };
  const char* op = "FractionalMaxPoolGrad";
  gradient(OpTest(op), OpTest::Make<float>({1, 1, 2, 1}, {5, 9}), rows)
      .Expect<float>({1, 2, 4, 1}, {0, 10, 0, 0, 0, 0, 20, 0});
  gradient(OpTest(op), OpTest::Make<float>({1, 1, 2, 1}, {9, 9}), rows, true)
      .Expect<float>({1, 2, 4, 1}, {0, 0, 0, 0, 0, 0, 30, 0});
  gradient(OpTest(op), OpTest::Make<float>({1, 1, 2, 1}, {5, 8}), rows).ExpectError(kInvalid);
  gradient(OpTest(op), OpTest::Make<float>({1, 2, 1}, {5, 9}), rows).ExpectError(kInvalid);
  gradient(OpTest(op), OpTest::Make<float>({1, 1, 2, 1}, {5, 9}), Tensor::Vector<int64_t>({0}))
      .ExpectError(kInvalid);
  gradient(OpTest(op), OpTest::Make<float>({1, 1, 2, 1}, {5, 9}), Tensor::Vector<int64_t>({40, 50}))
      .ExpectError(kInvalid);
}

}  // namespace
}  // namespace warpbeam
