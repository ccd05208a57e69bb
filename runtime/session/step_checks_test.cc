// What the checks of a step say while its session's graph grows.
#include "runtime/session/step_checks.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/session/ops_in_use.h"
#include "runtime/session/step_compiler.h"
#include "runtime/session/testing/session_fixture.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST_F(SessionTest, ASnapshotIsCheckedAfterItsGraphGainedQueues) {
  Const("c", 1.0f);
  const OutputRef waited = Add("QueueDequeueV2", "waited_for", {Add("FIFOQueueV2", "queue", {})});
  StepChecks checks;
  checks.Add(*graph_, 0, OpsInUse(*graph_, 0));
  const std::shared_ptr<const Graph> snapshot = Graph::Overlay(graph_);
  const int before = graph_->num_nodes();
  for (const char* name : {"one", "two", "three"}) {
    Add("QueueDequeueV2", name, {Add("FIFOQueueV2", std::string(name) + "_queue", {})});
  }
  checks.Add(*graph_, before, OpsInUse(*graph_, before));
  EXPECT_THAT(checks.DequeuesInDoubt(*snapshot, {}, {waited}, {}), ElementsAre(waited.node));
  const NodeId last = graph_->num_nodes() - 1;
  EXPECT_THAT(checks.DequeuesInDoubt(*graph_, {}, {waited}, {last}),
              ElementsAre(waited.node, last));
}

TEST_F(SessionTest, AStepIsCompiledAsItWasResolvedAfterItsGraphGainedQueues) {
  Const("c", 1.0f);
  auto compiler =
      StepCompiler::Create(options_, graph_, [&](const Graph& graph, LocalTask::Dump dump) {
        return NewLocalTarget(options_, graph, std::move(dump));
      });
  ASSERT_TRUE(compiler.ok()) << compiler.status();
  const auto bounds = (*compiler)->Resolve({}, {"c"}, {});
  ASSERT_TRUE(bounds.ok()) << bounds.status();
  const Status extended = (*compiler)->Extend([&](Graph&) {
    Add("QueueDequeueV2", "dequeue", {Add("FIFOQueueV2", "queue", {})});
    return OkStatus();
  });
  ASSERT_TRUE(extended.ok()) << extended;
  const auto runner = (*compiler)->Compile(*bounds, {});
  ASSERT_TRUE(runner.ok()) << runner.status();
  EXPECT_THAT((*runner)->dequeues_in_doubt(), IsEmpty());
}

}  // namespace
}  // namespace warpbeam
