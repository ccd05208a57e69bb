// What tf.train's schedules of TensorFlow 2.21 give at a few steps.
#include "frontend/training/learning_rate.h"

#include <cmath>

#include "frontend/array.h"
#include "frontend/client_session.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

struct Schedule {
  Scope root = Scope::NewRoot();
  Output step = Placeholder(root, DType::kInt64, Shape());

  void Expect(const Output& rate, const std::vector<std::pair<int64_t, float>>& want) {
    ASSERT_TRUE(root.ok()) << root.status();
    ClientSession session(root);
    for (const auto& [at, value] : want) {
      const auto got = session.Run({{step, Tensor::Scalar<int64_t>(at)}}, {rate});
      ASSERT_TRUE(got.ok()) << got.status();
      EXPECT_NEAR((*got)[0].scalar<float>(), value, 1e-6 * (1 + std::abs(value))) << at;
    }
  }
};

TEST(LearningRateTest, Schedules) {
  Schedule s;
  s.Expect(NaturalExpDecay(s.root, 0.1, s.step, 100, 0.5, true), {{0, 0.1f},
                                                                  {10, 0.1f},
                                                                  {11, 0.1f},
                                                                  {50, 0.1f},
                                                                  {99, 0.1f},
                                                                  {150, 0.060653068f},
                                                                  {250, 0.036787946f},
                                                                  {420, 0.01353353f}});
  s.Expect(InverseTimeDecay(s.root, 0.1, s.step, 100, 0.5), {{0, 0.1f},
                                                             {10, 0.095238104f},
                                                             {11, 0.094786733f},
                                                             {50, 0.079999998f},
                                                             {99, 0.066889636f},
                                                             {150, 0.057142857f},
                                                             {250, 0.044444446f},
                                                             {420, 0.032258067f}});
  s.Expect(
      PiecewiseConstant(s.root, s.step, {10, 20}, {1.0, 0.5, 0.1}),
      {{0, 1}, {10, 1}, {11, 0.5f}, {50, 0.1f}, {99, 0.1f}, {150, 0.1f}, {250, 0.1f}, {420, 0.1f}});
  s.Expect(PolynomialDecay(s.root, 0.1, s.step, 100, 0.001, 2), {{0, 0.1f},
                                                                 {10, 0.081189997f},
                                                                 {11, 0.079417899f},
                                                                 {50, 0.02575f},
                                                                 {99, 0.0010099001f},
                                                                 {150, 0.001f},
                                                                 {250, 0.001f},
                                                                 {420, 0.001f}});
  s.Expect(PolynomialDecay(s.root, 0.1, s.step, 100, 0.001, 1, true), {{0, 0.1f},
                                                                       {10, 0.090099998f},
                                                                       {11, 0.089110002f},
                                                                       {50, 0.050499998f},
                                                                       {99, 0.0019899991f},
                                                                       {150, 0.02575f},
                                                                       {250, 0.017500002f},
                                                                       {420, 0.016840003f}});
  s.Expect(CosineDecay(s.root, 0.1, s.step, 100, 0.1), {{0, 0.1f},
                                                        {10, 0.097797543f},
                                                        {11, 0.097339638f},
                                                        {50, 0.054999996f},
                                                        {99, 0.010022206f},
                                                        {150, 0.010000001f},
                                                        {250, 0.010000001f},
                                                        {420, 0.010000001f}});
  s.Expect(CosineDecayRestarts(s.root, 0.1, s.step, 100, 2, 0.5, 0.01), {{0, 0.1f},
                                                                         {10, 0.097577296f},
                                                                         {11, 0.0970736f},
                                                                         {50, 0.050500002f},
                                                                         {99, 0.0010244267f},
                                                                         {150, 0.043250896f},
                                                                         {250, 0.0082491068f},
                                                                         {420, 0.020648845f}});
  s.Expect(CosineDecayRestarts(s.root, 0.1, s.step, 100, 1), {{0, 0.1f},
                                                              {10, 0.097552828f},
                                                              {11, 0.097044043f},
                                                              {50, 0.049999997f},
                                                              {99, 2.4673343e-05f},
                                                              {150, 0.049999997f},
                                                              {250, 0.049999997f},
                                                              {420, 0.090450875f}});
}

TEST(LearningRateTest, WarmsUp) {
  Schedule s;
  const Output rate = PiecewiseConstant(s.root, s.step, {100}, {0.4, 0.2});
  s.Expect(LinearWarmup(s.root, rate, s.step, 10), {{0, 0}, {5, 0.2f}, {10, 0.4f}, {200, 0.2f}});
}

TEST(LearningRateTest, BadArgumentsAreNamed) {
  Schedule s;
  EXPECT_FALSE(PiecewiseConstant(s.root, s.step, {1, 2}, {1, 2}).valid());
  EXPECT_THAT(std::string(s.root.status().message()), ::testing::HasSubstr("2 boundaries"));
  Schedule t;
  EXPECT_FALSE(CosineDecayRestarts(t.root, 0.1, t.step, 0).valid());
  EXPECT_THAT(std::string(t.root.status().message()), ::testing::HasSubstr("first_decay_steps"));
}

}  // namespace
}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
