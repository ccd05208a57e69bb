#include "frontend/monitored/sync_replicas_hook.h"

#include <cmath>

#include "frontend/control.h"
#include "frontend/math.h"
#include "frontend/monitored/control_hooks.h"
#include "frontend/monitored/monitored_session.h"
#include "frontend/training/global_step.h"
#include "frontend/variables/variable_scope.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

using ::testing::HasSubstr;

// loss = (w - 4)^2, from w = 0; a worker alone brings two gradients for each step.
struct SyncedModel {
  SyncedModel() : step(GetOrCreateGlobalStep(root)), sync(&optimizer, 2, Alone()) {
    w = GetVariable(root, "w", {}, ConstantInitializer(0));
    const Output distance = Subtract(root, w, 4.0f);
    loss = Multiply(root.Named("loss"), distance, distance);
  }
  static SyncReplicasOptions Alone() { return SyncReplicasOptions().total_num_replicas(1); }

  const Scope root = Scope::NewRoot();
  Variable step, w;
  Output loss;
  GradientDescentOptimizer optimizer{0.1};
  SyncReplicasOptimizer sync;
};

TEST(SyncReplicasHookTest, TheChiefsSessionTrainsAndEnds) {
  SyncedModel model;
  const Operation train = model.sync.Minimize(model.root, model.loss, model.step);
  MonitoredTrainingOptions options;
  options.hooks = {std::make_shared<SyncReplicasHook>(&model.sync, /*is_chief=*/true, 1),
                   StopAtStepHook::AtLastStep(5)};
  const auto session = MonitoredTrainingSession(model.root, options);
  ASSERT_TRUE(session.ok()) << session.status();
  int runs = 0;
  for (; !(*session)->ShouldStop(); ++runs) {
    const auto ran = (*session)->Run({train});
    ASSERT_TRUE(ran.ok()) << ran.status();
  }
  EXPECT_EQ(runs, 10);
  const auto w = (*session)->raw_session()->Run({model.w});
  ASSERT_TRUE(w.ok()) << w.status();
  EXPECT_NEAR((*w)[0].scalar<float>(), 4 * (1 - std::pow(0.8, 5)), 1e-5);
  const Status closed = (*session)->Close();
  EXPECT_TRUE(closed.ok()) << closed;
}

// Another worker's hook starts no thread and leaves tokens for others when it ends.
TEST(SyncReplicasHookTest, AWorkerLeavesTokens) {
  SyncedModel model;
  const Operation train = model.sync.Minimize(model.root, model.loss, model.step);
  const Operation init = GlobalVariablesInitializer(model.root);
  SyncReplicasHook hook(&model.sync, /*is_chief=*/false);
  ASSERT_TRUE(hook.Begin(model.root).ok());
  ClientSession session(model.root);
  Coordinator coordinator;
  const Status early = hook.AfterCreateSession(session, coordinator);
  EXPECT_EQ(early.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(early.message()), HasSubstr("w"));
  ASSERT_TRUE(session.Run({init}).ok());
  const Status ready = hook.AfterCreateSession(session, coordinator);
  ASSERT_TRUE(ready.ok()) << ready;
  EXPECT_TRUE(hook.End(session).ok());
  // There is nobody else who would give the token that a step waits for.
  const auto ran = session.Run({train});
  EXPECT_TRUE(ran.ok()) << ran.status();
}

TEST(SyncReplicasHookTest, NeedsAnOptimizerThatWasUsed) {
  SyncedModel model;
  SyncReplicasHook hook(&model.sync, /*is_chief=*/true);
  EXPECT_EQ(hook.Begin(model.root).code(), StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
