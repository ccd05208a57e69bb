// Batches of the elements that are kept, rates that follow a wave, and the global step's value.
#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/client_session.h"
#include "frontend/control.h"
#include "frontend/math.h"
#include "frontend/training/coordinator.h"
#include "frontend/training/global_step.h"
#include "frontend/training/input_pipeline.h"
#include "frontend/training/learning_rate.h"
#include "frontend/training/queue_runner.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

using ::testing::ElementsAre;

std::vector<int32_t> FirstBatch(const Scope& root, const std::vector<Output>& batch) {
  EXPECT_TRUE(root.ok()) << root.status();
  if (!root.ok()) return {};
  const Operation init = GlobalVariablesInitializer(root);
  ClientSession session(root);
  EXPECT_TRUE(session.Run({init}).ok());
  Coordinator coordinator;
  EXPECT_TRUE(StartQueueRunners(root, session, coordinator).ok());
  const auto got = session.Run({batch[0]});
  EXPECT_TRUE(got.ok()) << got.status();
  coordinator.RequestStop();
  EXPECT_TRUE(coordinator.Join().ok());
  if (!got.ok()) return {};
  const int32_t* data = (*got)[0].data<int32_t>();
  return std::vector<int32_t>(data, data + (*got)[0].num_elements());
}

TEST(MaybeBatchTest, KeepsElements) {
  const Scope root = Scope::NewRoot();
  const Variable count(root.Named("count"), 0);
  const Output number = BuildOutput(root, "AssignAdd", {count, 1});
  const Output even = Equal(root, Multiply(root, FloorDivide(root, number, 2), 2), number);
  const std::vector<Output> batch = MaybeBatch(root, {Identity(root, number)}, even, 3);
  EXPECT_THAT(FirstBatch(root, batch), ElementsAre(2, 4, 6));
}

TEST(MaybeBatchTest, KeepsRows) {
  const Scope root = Scope::NewRoot();
  const Output rows = Constant(root, {1, 2, 3, 4});
  const std::vector<Output> batch =
      MaybeBatch(root, {rows}, Greater(root, rows, 2), 3, BatchOptions().enqueue_many(true));
  EXPECT_THAT(FirstBatch(root, batch), ElementsAre(3, 4, 3));
}

TEST(MaybeBatchTest, TakesBooleans) {
  const Scope root = Scope::NewRoot();
  MaybeBatch(root, {Constant(root, 1)}, Constant(root, 1), 3);
  EXPECT_THAT(std::string(root.status().message()),
              testing::HasSubstr("keep_input must be a boolean"));
}

TEST(WavesTest, GiveTensorFlowsRates) {
  const Scope root = Scope::NewRoot();
  const Output step = Placeholder(root, DType::kInt32, Shape());
  const Output rate = LinearCosineDecay(root, 0.5, step, 10, 1.5, 0.1, 0.02);
  const Output noisy = NoisyLinearCosineDecay(root, 0.5, step, 10,
                                              NoisyDecayOptions().initial_variance(0).alpha(0.1));
  ASSERT_TRUE(root.ok()) << root.status();
  ClientSession session(root);
  const std::vector<std::vector<float>> want = {{0, 0.56f, 0.5505f},
                                                {3, 0.019788679f, 0.31805706f},
                                                {7, 0.20510566f, 0.04172148f},
                                                {20, 0.01f, 0.0005f}};
  for (const std::vector<float>& at : want) {
    const auto got =
        session.Run({{step, Tensor::Scalar<int32_t>(static_cast<int>(at[0]))}}, {rate, noisy});
    ASSERT_TRUE(got.ok()) << got.status();
    EXPECT_NEAR((*got)[0].scalar<float>(), at[1], 1e-6);
    EXPECT_NEAR((*got)[1].scalar<float>(), at[2], 1e-6);
  }
}

TEST(GlobalStepTest, ValueAndAssertion) {
  const Scope root = Scope::NewRoot();
  const Variable step = CreateGlobalStep(root);
  AssertGlobalStep(root, step);
  const Operation init = GlobalVariablesInitializer(root);
  ASSERT_TRUE(root.ok()) << root.status();
  ClientSession session(root);
  ASSERT_TRUE(session.Run({init}).ok());
  EXPECT_EQ(*GlobalStep(session, step), 0);
  EXPECT_FALSE(GlobalStep(session, Variable()).ok());
  const Scope other = Scope::NewRoot();
  AssertGlobalStep(other, Variable(other, 0.5f));
  EXPECT_FALSE(other.ok());
}

}  // namespace
}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
