// Clipped tensors and gradients have the values that TensorFlow's have, also at the edges: zeros,
// infinities, NaN, slices, entries without value.
#include "frontend/clip.h"

#include <cmath>
#include <limits>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/client_session.h"
#include "frontend/math.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

std::vector<float> Values(const Scope& root, const Output& x) {
  ClientSession session(root);
  const auto run = session.Run({x});
  EXPECT_TRUE(run.ok()) << run.status();
  if (!run.ok()) return {};
  const Tensor& value = (*run)[0];
  return std::vector<float>(value.data<float>(), value.data<float>() + value.num_elements());
}

void ExpectNear(const std::vector<float>& got, const std::vector<float>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    if (std::isnan(want[i])) {
      EXPECT_TRUE(std::isnan(got[i])) << i << ": " << got[i];
    } else {
      EXPECT_NEAR(got[i], want[i], 1e-6f * (1 + std::abs(want[i]))) << i;
    }
  }
}

Gradient Slices(const Scope& root) {
  const Output rows = Constant(root, std::vector<float>{3, 0, 0, 4}, DType::kFloat, Shape({2, 2}));
  return IndexedSlices{rows, Constant(root, {1, 1}), Constant(root, {5, 2})};
}

TEST(ClipTest, ByValue) {
  const Scope root = Scope::NewRoot();
  const Output x = Constant(root, {-2.0f, 0.5f, 7.0f});
  ExpectNear(Values(root, ClipByValue(root, x, -1, 1)), {-1, 0.5f, 1});
  const Gradient slices = ClipByValue(root, Slices(root), 1, 3.5);
  ASSERT_TRUE(slices.is_slices());
  ExpectNear(Values(root, slices.slices().values), {3, 1, 1, 3.5f});
  ExpectNear(Values(root, Cast(root, slices.slices().indices, DType::kFloat)), {1, 1});
  EXPECT_TRUE(slices.slices().dense_shape.valid());
  EXPECT_FALSE(ClipByValue(root, Gradient(), 0, 1).has_value());
}

TEST(ClipTest, ByNorm) {
  const Scope root = Scope::NewRoot();
  const Output x = Constant(root, {3.0f, 4.0f});
  ExpectNear(Values(root, ClipByNorm(root, x, 2.5)), {1.5f, 2});
  ExpectNear(Values(root, ClipByNorm(root, x, 6.0)), {3, 4});
  const Output rows = Constant(root, std::vector<float>{3, 4, 0, 1}, DType::kFloat, Shape({2, 2}));
  ExpectNear(Values(root, ClipByNorm(root, rows, 2.5, {1})), {1.5f, 2, 0, 1});
  const Gradient slices = ClipByNorm(root, Slices(root), 2.5);
  ASSERT_TRUE(slices.is_slices());
  ExpectNear(Values(root, slices.slices().values), {1.5f, 0, 0, 2});
}

TEST(ClipTest, ByNormOfZerosHasAGradient) {
  const Scope root = Scope::NewRoot();
  const Output zeros = Constant(root, {0.0f, 0.0f});
  const Output clipped = ClipByNorm(root, zeros, 2.0);
  ExpectNear(Values(root, clipped), {0, 0});
  ExpectNear(Values(root, Gradients(root, {clipped}, {zeros})[0].dense()), {1, 1});
}

TEST(ClipTest, ByAverageNorm) {
  const Scope root = Scope::NewRoot();
  const Output x = Constant(root, {3.0f, 4.0f});
  // 5 / 2 an element.
  ExpectNear(Values(root, ClipByAverageNorm(root, x, 0.5)), {0.6f, 0.8f});
  ExpectNear(Values(root, ClipByAverageNorm(root, x, 3.0)), {3, 4});
}

TEST(ClipTest, ByGlobalNorm) {
  const Scope root = Scope::NewRoot();
  const Output x = Constant(root, {12.0f});
  const auto [clipped, norm] = ClipByGlobalNorm(root, {x, Gradient(), Slices(root)}, 6.5);
  ASSERT_TRUE(root.ok()) << root.status();
  ExpectNear(Values(root, norm), {13});
  ASSERT_EQ(clipped.size(), 3u);
  ExpectNear(Values(root, clipped[0].dense()), {6});
  EXPECT_FALSE(clipped[1].has_value());
  ASSERT_TRUE(clipped[2].is_slices());
  ExpectNear(Values(root, clipped[2].slices().values), {1.5f, 0, 0, 2});
  const auto kept = ClipByGlobalNorm(root, {x}, 20.0);
  ExpectNear(Values(root, kept.first[0].dense()), {12});
  const auto known = ClipByGlobalNorm(root, {x}, 6.0, Constant(root, 24.0f));
  ExpectNear(Values(root, known.first[0].dense()), {3});
  ExpectNear(Values(root, known.second), {24});
}

TEST(ClipTest, AnInfiniteGlobalNormMakesAllNaN) {
  const Scope root = Scope::NewRoot();
  const Output one = Constant(root, {1.0f});
  for (const float bad : {kInf, -kInf, std::nanf("")}) {
    const auto clipped = ClipByGlobalNorm(root, {one, Constant(root, {bad})}, 5.0);
    ExpectNear(Values(root, clipped.first[0].dense()), {std::nanf("")});
    ExpectNear(Values(root, clipped.first[1].dense()), {std::nanf("")});
  }
}

TEST(ClipTest, TheNormOfNothingIsAnError) {
  const Scope root = Scope::NewRoot();
  EXPECT_FALSE(GlobalNorm(root, {Gradient()}).valid());
  EXPECT_EQ(root.status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(ClipByGlobalNorm(root, {Gradient()}, 1.0).first.size(), 1u);
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
