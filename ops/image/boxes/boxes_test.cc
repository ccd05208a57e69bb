// Boxes: which are kept, how they are drawn, what is cut out at them.
#include <gtest/gtest.h>

#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

// Two that are nearly the same, one with its corners swapped, and one apart.
Tensor Boxes() { return OpTest::Make<float>({3, 4}, {0, 0, 1, 1, 1, 1.1f, 0, 0.1f, 0, 10, 1, 11}); }

TEST(NonMaxSuppressionTest, KeepsTheBest) {
  OpTest("NonMaxSuppression")
      .Input(Boxes())
      .Input<float>({3}, {.9f, .95f, .3f})
      .Scalar<int32_t>(3)
      .Expect<int32_t>({2}, {1, 2});
  OpTest("NonMaxSuppressionV4")
      .Attr("pad_to_max_output_size", true)
      .Input(Boxes())
      .Input<float>({3}, {.9f, .9f, .3f})
      .Scalar<int32_t>(3)
      .Scalar<float>(.5f)
      .Scalar<float>(.5f)
      .Expect<int32_t>({3}, {0, 0, 0})
      .ExpectScalar<int32_t>(1);
  OpTest("NonMaxSuppressionWithOverlaps")
      .Input<float>({2, 2}, {1, .6f, .6f, 1})
      .Input<float>({2}, {.1f, .2f})
      .Scalar<int32_t>(2)
      .Scalar<float>(.5f)
      .Scalar<float>(0)
      .Expect<int32_t>({1}, {1});
}

TEST(NonMaxSuppressionTest, SoftScoresFall) {
  OpTest("NonMaxSuppressionV5")
      .Input<float>({2, 4}, {0, 0, 1, 1, 0, 0, 1, 1})
      .Input<float>({2}, {1, .5f})
      .Scalar<int32_t>(2)
      .Scalar<float>(.5f)
      .Scalar<float>(0)
      .Scalar<float>(.5f)
      .Expect<int32_t>({2}, {0, 1})
      .Expect<float>({2}, {1, .5f * .36787944f})
      .ExpectScalar<int32_t>(2);
}

TEST(NonMaxSuppressionTest, BadInput) {
  const auto run = [](Tensor boxes, Tensor scores, int32_t count, float threshold) {
    return OpRunner("NonMaxSuppressionV2")
        .Input(std::move(boxes))
        .Input(std::move(scores))
        .Input(Tensor::Scalar<int32_t>(count))
        .Input(Tensor::Scalar<float>(threshold))
        .RunOne()
        .status()
        .code();
  };
  const Tensor scores = OpTest::Make<float>({3}, {1, 2, 3});
  EXPECT_EQ(run(Boxes(), scores, -1, .5f), kInvalid);
  EXPECT_EQ(run(Boxes(), scores, 1, 1.5f), kInvalid);
  EXPECT_EQ(run(Boxes(), scores, 1, kNaN), kInvalid);
  EXPECT_EQ(run(Boxes(), OpTest::Make<float>({2}, {1, 2}), 1, .5f), kInvalid);
  EXPECT_EQ(run(scores, scores, 1, .5f), kInvalid);
  EXPECT_EQ(run(Boxes(), OpTest::Make<float>({3}, {kNaN, kNaN, kNaN}), 9, .5f), StatusCode::kOk);
}

TEST(CombinedNonMaxSuppressionTest, BestOfAllClasses) {
  OpTest("CombinedNonMaxSuppression")
      .Input<float>({1, 2, 1, 4}, {0, 0, 1, 1, 0, 0, 1, 2})
      .Input<float>({1, 2, 2}, {.9f, .1f, .2f, .8f})
      .Scalar<int32_t>(1)
      .Scalar<int32_t>(3)
      .Scalar<float>(.5f)
      .Scalar<float>(0)
      .Expect<float>({1, 3, 4}, {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0})
      .Expect<float>({1, 3}, {.9f, .8f, 0})
      .Expect<float>({1, 3}, {0, 1, 0})
      .Expect<int32_t>({1}, {2});
  OpTest("CombinedNonMaxSuppression")
      .Input<float>({1, 1, 2, 4}, {0, 0, 1, 1, 0, 0, 1, 2})
      .Input<float>({1, 1, 1}, {.9f})
      .Scalar<int32_t>(1)
      .Scalar<int32_t>(3)
      .Scalar<float>(.5f)
      .Scalar<float>(0)
      .ExpectError(kInvalid, "classes");
}

TEST(DrawBoundingBoxesTest, Outline) {
  OpTest("DrawBoundingBoxesV2")
      .Input(*Tensor::FromValues<float>(Shape({9}), std::vector<float>(9, 0))
                  .Reshaped(Shape({1, 3, 3, 1})))
      .Input<float>({1, 1, 4}, {0, 0, 1, 1})
      .Input<float>({1, 1}, {.5f})
      .Expect<float>({1, 3, 3, 1}, {.5f, .5f, .5f, .5f, 0, .5f, .5f, .5f, .5f});
  // What lies outside, is turned over or is no number is not drawn.
  OpTest("DrawBoundingBoxes")
      .Input<float>({1, 1, 2, 1}, {7, 8})
      .Input<float>({1, 4, 4}, {2, 2, 3, 3, -3, -3, -2, -2,  //
                                0, kNaN, 1, 1, 1e30f, 1e30f, -1e30f, 0})
      .Expect<float>({1, 1, 2, 1}, {7, 8});
  OpTest("DrawBoundingBoxes")
      .Input<float>({1, 1, 1, 2}, {7, 8})
      .Input<float>({1, 1, 4}, {0, 0, 1, 1})
      .ExpectError(kInvalid, "depth");
}

TEST(ExtractGlimpseTest, WindowAndItsNoise) {
  const Tensor image = OpTest::Make<float>({1, 3, 3, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  const auto cut = [&](const char* op, float y, float x, bool centered) {
    return std::move(OpRunner(op)
                         .Attr("uniform_noise", false)
                         .Attr("noise", "zero")
                         .Attr("centered", centered)
                         .Attr("normalized", false)
                         .Input(image)
                         .Input(OpTest::Make<int32_t>({2}, {1, 2}))
                         .Input(OpTest::Make<float>({1, 2}, {y, x})))
        .RunOne();
  };
  const auto expect = [](const StatusOr<Tensor>& got, float left, float right) {
    ASSERT_TRUE(got.ok()) << got.status();
    EXPECT_EQ(got->data<float>()[0], left);
    EXPECT_EQ(got->data<float>()[1], right);
  };
  expect(cut("ExtractGlimpse", 1.5f, 1, false), 4, 5);
  expect(cut("ExtractGlimpseV2", 2, 1, false), 8, 9);
  expect(cut("ExtractGlimpseV2", 2, 2, false), 9, 0);
  expect(cut("ExtractGlimpseV2", kNaN, 1e30f, false), 0, 0);
  const StatusOr<Tensor> noise = OpRunner("ExtractGlimpse")
                                     .Input(image)
                                     .Input(OpTest::Make<int32_t>({2}, {9, 9}))
                                     .Input(OpTest::Make<float>({1, 2}, {5, 5}))
                                     .RunOne();
  ASSERT_TRUE(noise.ok()) << noise.status();
  for (const float x : noise->flat<float>()) {
    EXPECT_GE(x, 1);
    EXPECT_LE(x, 9);
  }
}

TEST(SampleDistortedBoundingBoxTest, LiesInTheImageAndShowsTheObject) {
  for (int64_t seed = 1; seed < 20; ++seed) {
    const StatusOr<std::vector<Tensor>> got =
        OpRunner("SampleDistortedBoundingBoxV2")
            .Attr("seed", seed)
            .Input(OpTest::Make<int32_t>({3}, {40, 50, 3}))
            .Input(OpTest::Make<float>({1, 1, 4}, {.25f, .25f, .75f, .75f}))
            .Input(Tensor::Scalar<float>(.5f))
            .Run();
    ASSERT_TRUE(got.ok()) << got.status();
    const int32_t *begin = (*got)[0].data<int32_t>(), *size = (*got)[1].data<int32_t>();
    EXPECT_GE(begin[0], 0);
    EXPECT_GE(begin[1], 0);
    EXPECT_LE(begin[0] + size[0], 40);
    EXPECT_LE(begin[1] + size[1], 50);
    EXPECT_EQ(size[2], -1);
    EXPECT_FLOAT_EQ((*got)[2].data<float>()[0], static_cast<float>(begin[0]) / 40);
  }
  OpTest("SampleDistortedBoundingBox")
      .Attr("seed", int64_t{1})
      .Input<int32_t>({3}, {40, 50, 3})
      .Input<float>({1, 1, 4}, {.25f, .25f, 1.5f, .75f})
      .ExpectError(kInvalid, "[0.0, 1.0]");
  OpTest("SampleDistortedBoundingBox")
      .Attr("seed", int64_t{1})
      .Input<int32_t>({3}, {40, 50, 3})
      .Input<float>({1, 0, 4}, {})
      .ExpectError(kInvalid, "use_image_if_no_bounding_boxes");
}

// The parts that TensorFlow takes.
TEST(SampleDistortedBoundingBoxTest, Stateless) {
  const Tensor boxes = OpTest::Make<float>({1, 2, 4}, {.1f, .2f, .8f, .9f, .3f, .3f, .5f, .6f});
  const auto sample = [&](OpTest&& test, int64_t seed) -> OpTest& {
    return test.Attr("aspect_ratio_range", std::vector<float>{.5f, 2})
        .Attr("area_range", std::vector<float>{.1f, .9f})
        .Attr("max_attempts", 50)
        .Input<int32_t>({3}, {100, 200, 3})
        .Input(boxes)
        .Scalar<float>(.3f)
        .Input<int64_t>({2}, {seed, 9});
  };
  const char* op = "StatelessSampleDistortedBoundingBox";
  sample(OpTest(op), 0)
      .Expect<int32_t>({3}, {2, 53, 0})
      .Expect<int32_t>({3}, {69, 89, -1})
      .Expect<float>({1, 1, 4}, {.02f, .265f, .71f, .71f});
  sample(OpTest(op), 1)
      .Expect<int32_t>({3}, {12, 55, 0})
      .Expect<int32_t>({3}, {87, 129, -1})
      .Expect<float>({1, 1, 4}, {.12f, .275f, .99f, .92f});
  OpTest(op)
      .Input<int32_t>({3}, {100, 200, 3})
      .Input(boxes)
      .Scalar<float>(-.3f)
      .Input<int64_t>({2}, {0, 9})
      .ExpectError(kInvalid, "non-negative");
  OpTest(op)
      .Input<int32_t>({3}, {100, 200, 3})
      .Input(boxes)
      .Scalar<float>(.3f)
      .Input<int64_t>({3}, {0, 9, 1})
      .ExpectError(kInvalid);
}

}  // namespace
}  // namespace warpbeam
