// The functions of tf.image give TensorFlow's numbers, drawn ones too.
#include "frontend/image.h"

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/client_session.h"
#include "frontend/finalize.h"
#include "frontend/gradients.h"
#include "frontend/math.h"
#include "gmock/gmock.h"
#include "graph/graph.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <typename T>
std::vector<T> ValuesOf(const Tensor& tensor) {
  return {tensor.data<T>(), tensor.data<T>() + tensor.num_elements()};
}

// Two images of 2 x 2 pixels, of floats and of bytes.
class ImageTest : public testing::Test {
 protected:
  ImageTest() {
    std::vector<float> floats;
    std::vector<uint8_t> bytes;
    for (int i = 0; i < 12; ++i) {
      floats.push_back(static_cast<float>(i * 37 % 101) / 100);
      bytes.push_back(static_cast<uint8_t>(i * 67 % 256));
    }
    root.SetRandomSeed(7);
    floats_ = Constant(root, *Tensor::Vector<float>(floats).Reshaped({2, 2, 3}));
    bytes_ = Constant(root, *Tensor::Vector<uint8_t>(bytes).Reshaped({2, 2, 3}));
    first_byte_ =
        BuildOutput(root, "Slice", {bytes_, std::vector<int>{0, 0, 0}, std::vector<int>{2, 2, 1}});
    first_float_ =
        BuildOutput(root, "Slice", {floats_, std::vector<int>{0, 0, 0}, std::vector<int>{2, 2, 1}});
  }

  Tensor Run(const Output& output) {
    ClientSession session(root);
    const auto got = session.Run({output});
    EXPECT_TRUE(got.ok()) << got.status();
    return got.ok() ? (*got)[0] : Tensor::Scalar<float>(0);
  }

  // What four steps give.
  std::vector<Tensor> FourSteps(const Output& output) {
    ClientSession session(root);
    std::vector<Tensor> results;
    for (int i = 0; i < 4; ++i) {
      const auto got = session.Run({output});
      EXPECT_TRUE(got.ok()) << got.status();
      results.push_back(got.ok() ? (*got)[0] : Tensor());
    }
    return results;
  }

  // The element `index` in each of four steps.
  void ExpectDrawn(const Output& output, int index, const std::vector<float>& want) {
    const std::vector<Tensor> steps = FourSteps(output);
    for (size_t i = 0; i < want.size(); ++i) {
      EXPECT_NEAR(steps[i].data<float>()[index], want[i], 1e-5) << i;
    }
  }

  void ExpectFloats(const Output& output, const std::vector<float>& want) {
    const std::vector<float> got = ValuesOf<float>(Run(output));
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], 3e-6) << i;
  }

  const Scope root = Scope::NewRoot();
  Output floats_, bytes_, first_byte_, first_float_;
};

TEST_F(ImageTest, Colours) {
  EXPECT_THAT(ValuesOf<uint8_t>(Run(image::AdjustBrightness(root, bytes_, 0.2))),
              ElementsAre(51, 118, 185, 252, 63, 130, 197, 255, 75, 142, 209, 255));
  ExpectFloats(image::AdjustContrast(root, floats_, 1.5),
               {-0.075f, 0.29500002f, 0.79124999f, 0.075f, 0.44499999f, 0.94124997f, 0.22499999f,
                0.59500003f, 1.0912499f, 0.375f, 0.745f, -0.27375001f});
  ExpectFloats(image::AdjustHue(root, floats_, 0.1),
               {0.073999934f, 0, 0.74f, 0.17399994f, 0.1f, 0.83999997f, 0.27399993f, 0.2f, 0.94f,
                0.03f, 0.67f, 0.14399995f});
  EXPECT_THAT(ValuesOf<uint8_t>(Run(image::AdjustSaturation(root, bytes_, 0.5))),
              ElementsAre(67, 100, 134, 201, 106, 140, 179, 213, 118, 158, 191, 225));
  EXPECT_THAT(ValuesOf<uint8_t>(Run(image::ConvertImageDtype(root, floats_, DType::kUInt8))),
              ElementsAre(0, 94, 189, 25, 120, 214, 51, 145, 240, 76, 171, 7));
}

TEST_F(ImageTest, Standardization) {
  ExpectFloats(image::PerImageStandardization(root, floats_),
               {-1.4203413f, -0.21454483f, 0.99125153f, -1.0944504f, 0.11134605f, 1.3171424f,
                -0.7685594f, 0.43723693f, 1.6430333f, -0.44266844f, 0.76312792f, -1.3225739f});
  ExpectFloats(image::PerImageStandardization(root, Ones(root, {2, 2, 1})), {0, 0, 0, 0});
}

TEST_F(ImageTest, Sizes) {
  ExpectFloats(image::ResizeImages(root, first_float_, 3, 3),
               {0, 0.06666667f, 0.1f, 0.13333334f, 0.20000002f, 0.23333335f, 0.2f, 0.26666668f,
                0.30000001f});
  ExpectFloats(image::ResizeImages(root, first_float_, 3, 3, image::ResizeMethod::kBicubic),
               {0, 0.068553783f, 0.1111111f, 0.13710757f, 0.20566137f, 0.24821869f, 0.22222221f,
                0.29077604f, 0.33333337f});
  EXPECT_THAT(ValuesOf<uint8_t>(Run(image::ResizeImages(root, first_byte_, 3, 3,
                                                        image::ResizeMethod::kNearestNeighbor))),
              ElementsAre(0, 0, 201, 0, 0, 201, 146, 146, 91));
  ExpectFloats(image::ResizeImages(root, first_float_, 1, 3, image::ResizeMethod::kArea),
               {0.1f, 0.15f, 0.2f});
  const Output padded = image::ResizeImageWithCropOrPad(root, first_byte_, 1, 4);
  EXPECT_EQ(padded.shape(), PartialShape({1, 4, 1}));
  EXPECT_THAT(ValuesOf<uint8_t>(Run(padded)), ElementsAre(0, 0, 201, 0));
}

TEST_F(ImageTest, FlipsAndCropsAreThoseThatTensorFlowDraws) {
  std::vector<int> flips;
  const std::vector<uint8_t> plain = ValuesOf<uint8_t>(Run(bytes_));
  for (const Tensor& t : FourSteps(image::RandomFlipLeftRight(root, bytes_, 1))) {
    flips.push_back(ValuesOf<uint8_t>(t) != plain);
  }
  EXPECT_THAT(flips, ElementsAre(1, 0, 0, 1));
  flips.clear();
  const Output batch = image::RandomFlipUpDown(root, Stack(root, {bytes_, bytes_}), 2);
  for (const Tensor& t : FourSteps(batch)) {
    for (const uint8_t* image : {t.data<uint8_t>(), t.data<uint8_t>() + 12}) {
      flips.push_back(!std::equal(plain.begin(), plain.end(), image));
    }
  }
  EXPECT_THAT(flips, ElementsAre(0, 1, 1, 1, 1, 1, 1, 0));
  std::vector<int> numbers(100), crops;
  for (int i = 0; i < 100; ++i) numbers[i] = i;
  const Output crop = RandomCrop(root, Constant(root, numbers), {5}, 3);
  for (const Tensor& t : FourSteps(crop)) crops.push_back(t.data<int32_t>()[0]);
  EXPECT_THAT(crops, ElementsAre(26, 89, 68, 34));
}

TEST_F(ImageTest, DistortionsAreThoseThatTensorFlowDraws) {
  ExpectDrawn(image::RandomBrightness(root, Zeros(root, {1, 1, 1}), 10, 4), 0,
              {-6.093843f, -0.27143002f, 4.7758274f, 4.1056232f});
  ExpectDrawn(image::RandomContrast(root, floats_, 0.5, 2, 5), 0,
              {-0.12005952f, 0.05495695f, -0.14682108f, -0.10494271f});
  ExpectDrawn(image::RandomHue(root, floats_, 0.3, 8), 1,
              {0.74f, 0.6538282f, 0.66222042f, 0.29666433f});
  ExpectDrawn(image::RandomSaturation(root, floats_, 0.5, 2, 9), 1,
              {0.37f, 0.52758336f, 0.37f, 0.5117414f});
}

TEST_F(ImageTest, SizesThatAreNotKnownAreCheckedInEachStep) {
  const Output any = Placeholder(root, DType::kFloat, {-1, -1, 3});
  const Output flipped = image::FlipLeftRight(root, any);
  const Output crop = RandomCrop(root, any, {2, 2, 3});
  ClientSession session(root);
  const auto run = [&](const Output& output, const Shape& shape) {
    return session.Run({{any, *Tensor::Allocate(DType::kFloat, shape)}}, {output}).status();
  };
  EXPECT_TRUE(run(flipped, {1, 2, 3}).ok());
  EXPECT_THAT(run(flipped, {0, 2, 3}).ToString(), HasSubstr("must be more than 0"));
  EXPECT_TRUE(run(crop, {2, 3, 3}).ok());
  EXPECT_THAT(run(crop, {1, 3, 3}).ToString(), HasSubstr("the crop is larger"));
}

void ExpectRefused(const std::function<void(const Scope&, const Output&)>& build,
                   const std::string& part) {
  const Scope root = Scope::NewRoot();
  build(root, Placeholder(root, DType::kFloat, {8, 8, 3}));
  EXPECT_THAT(std::string(root.status().message()), HasSubstr(part));
}

TEST(ImageErrors, SayWhatIsWrong) {
  ExpectRefused(
      [](const Scope& s, const Output&) { image::FlipUpDown(s, Placeholder(s, DType::kFloat)); },
      "must be [height, width, channels]");
  ExpectRefused([](const Scope& s, const Output& x) { image::RandomHue(s, x, 0.7); },
                "max_delta must be in [0, 0.5], got 0.7");
  ExpectRefused([](const Scope& s, const Output& x) { image::RandomContrast(s, x, 2, 1); },
                "0 <= lower < upper");
  ExpectRefused([](const Scope& s, const Output& x) { image::CropToBoundingBox(s, x, 4, 4, 5, 2); },
                "is not inside the images");
  ExpectRefused([](const Scope& s, const Output& x) { image::PadToBoundingBox(s, x, 1, 1, 8, 9); },
                "do not fit into 8 times 9");
  ExpectRefused(
      [](const Scope& s, const Output&) {
        image::ResizeImageWithCropOrPad(s, Placeholder(s, DType::kFloat, {-1, -1, 3}), 4, 4);
      },
      "height and width of");
}

TEST(FinalizeTest, WhatIsBuiltTooLateIsNamed) {
  const Scope root = Scope::NewRoot();
  const Output x = Constant(root, 1.0f);
  EXPECT_FALSE(IsFinalized(root));
  Finalize(root);
  EXPECT_TRUE(IsFinalized(root));
  ClientSession session(root);
  EXPECT_TRUE(session.Run({x}).ok());
  const Output late = Add(root.NameScope("loop").Named("sum"), x, x);
  EXPECT_FALSE(late.valid());
  const Status status = session.Run({x}).status();
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("'loop/sum' (AddV2)"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("image_test.cc"));
}

TEST(FinalizeTest, GradientsComeTooLateAsWell) {
  const Scope root = Scope::NewRoot();
  const Output x = Constant(root, 1.0f);
  const Output y = Square(root, x);
  Finalize(root);
  const int nodes = root.graph()->num_nodes();
  EXPECT_FALSE(Gradients(root, {y}, {x})[0].has_value());
  EXPECT_THAT(std::string(root.status().message()), HasSubstr("the graph is finalized"));
  EXPECT_EQ(root.graph()->num_nodes(), nodes);
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
