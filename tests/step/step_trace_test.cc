// What a traced step tells of its nodes.
#include "runtime/step/step_trace.h"

#include <algorithm>
#include <thread>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "tests/step/scripted_steps.h"

namespace warpbeam {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class StepTraceTest : public StepTest {
 protected:
  StepStats Trace(TraceLevel level = TraceLevel::kFull, int64_t timeout_ms = 0) {
    StepStats stats;
    StepReport report;
    report.trace = level;
    report.stats = &stats;
    status_ = plan_->runner().Run(plan_->NewContext(), {}, timeout_ms, &fetched_, &report);
    return stats;
  }
  // The only record of the node; copies apart.
  static const NodeStats& Of(const StepStats& stats, const std::string& node) {
    for (const NodeStats& n : stats.nodes) {
      if (n.node == node && !n.is_copy) return n;
    }
    ADD_FAILURE() << "no record of " << node;
    static const auto* const none = new NodeStats;
    return *none;
  }

  Status status_;
};

TEST_F(StepTraceTest, TellsWhatEachNodeReadAndWrote) {
  const auto give_vector = [](int64_t size) {
    return [size](KernelContext& ctx) -> Status {
      WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, Shape({size})));
      std::fill(y->data<float>(), y->data<float>() + size, 1.0f);
      return OkStatus();
    };
  };
  const OutputRef a = Scripted("a", {}, give_vector(10)), b = Scripted("b", {}, give_vector(6));
  const OutputRef c = Scripted("c", {a, b}, give_vector(100));
  Scripted("hands_on", {b, c}, [](KernelContext& ctx) {
    ctx.set_output(0, ctx.input(1));
    return OkStatus();
  });
  Compile({"hands_on:0"});
  for (int round = 0; round < 2; ++round) {
    const StepStats stats = Trace();
    ASSERT_TRUE(status_.ok()) << status_;
    ASSERT_THAT(stats.nodes, SizeIs(4));
    EXPECT_EQ(Of(stats, "a").input_bytes, 0);
    EXPECT_EQ(Of(stats, "c").input_bytes, 64);
    EXPECT_EQ(Of(stats, "c").output_bytes, 400);
    EXPECT_EQ(Of(stats, "c").op, "TestScripted");
    EXPECT_EQ(Of(stats, "c").device, "/job:localhost/replica:0/task:0/device:CPU:0");
    ASSERT_THAT(Of(stats, "c").outputs, SizeIs(1));
    const OutputStats& made = Of(stats, "c").outputs[0];
    EXPECT_EQ(made.dtype, DType::kFloat);
    EXPECT_EQ(made.shape, Shape({100}));
    EXPECT_GE(made.allocated_bytes, made.bytes);
    EXPECT_EQ(made.alias_input, -1);
    ASSERT_THAT(Of(stats, "hands_on").outputs, SizeIs(1));
    EXPECT_EQ(Of(stats, "hands_on").outputs[0].alias_input, 1);
    EXPECT_EQ(Of(stats, "hands_on").outputs[0].address, made.address);
  }
}

TEST_F(StepTraceTest, TellsWhatANodeTookBesidesItsOutputs) {
  const auto give = [](KernelContext& ctx) -> Status {
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, Shape({100})));
    std::fill(y->data<float>(), y->data<float>() + 100, 1.0f);
    return OkStatus();
  };
  const OutputRef a = Scripted("a", {}, give);
  const OutputRef b = Scripted("b", {a}, [&](KernelContext& ctx) -> Status {
    WB_ASSIGN_OR_RETURN(const Tensor sums, ctx.AllocateTemp(DType::kDouble, Shape({4096})));
    return give(ctx);
  });
  Scripted("over", {b}, [](KernelContext& ctx) -> Status {
    for (int i = 0; i < 3; ++i) {  // one after the other
      WB_RETURN_IF_ERROR(ctx.AllocateTemp(DType::kFloat, Shape({512})).status());
    }
    return ctx.ForwardOrAllocate({0}, 0, ctx.input(0).shape()).status();
  });
  Compile({"over:0"});
  const StepStats stats = Trace();
  ASSERT_TRUE(status_.ok()) << status_;
  EXPECT_EQ(Of(stats, "a").workspace_bytes, 0);
  EXPECT_EQ(Of(stats, "b").workspace_bytes, 4096 * 8);
  EXPECT_EQ(Of(stats, "over").workspace_bytes, 512 * 4) << "and its output is its input's memory";
  EXPECT_EQ(Of(Trace(TraceLevel::kSoftware), "b").workspace_bytes, 0);
}

// A node is ready when the last that it waits for has ended, by data or by control.
TEST_F(StepTraceTest, TellsWhatANodeWaitedFor) {
  const auto slow = [](KernelContext& ctx) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return CountUp(ctx);
  };
  const OutputRef a = Scripted("a", {}, slow, {}, kDear);
  const OutputRef b = Scripted("b", {}, slow, {a.node}, kDear);
  Scripted("c", {a, b}, slow, {}, kDear);
  Compile({"c:0"});
  const StepStats stats = Trace(TraceLevel::kSoftware);
  ASSERT_TRUE(status_.ok()) << status_;
  const auto index = [&](const std::string& node) {
    return static_cast<int32_t>(&Of(stats, node) - stats.nodes.data());
  };
  EXPECT_THAT(Of(stats, "a").predecessors, IsEmpty());
  EXPECT_THAT(Of(stats, "b").predecessors, ElementsAre(index("a")));
  EXPECT_THAT(Of(stats, "c").predecessors, ElementsAre(index("a"), index("b")));
  EXPECT_EQ(Of(stats, "b").scheduled_ns, Of(stats, "a").end_ns);
  EXPECT_EQ(Of(stats, "c").scheduled_ns, Of(stats, "b").end_ns);
  for (const NodeStats& n : stats.nodes) {
    EXPECT_LE(n.scheduled_ns, n.start_ns);
    EXPECT_GE(n.end_ns - n.start_ns, 1'500'000) << n.node;
    EXPECT_GE(n.start_ns, stats.start_ns);
    EXPECT_LE(n.end_ns, stats.end_ns);
    EXPECT_EQ(stats.thread_names.count(n.thread), 1u);
  }
  EXPECT_THAT(CriticalPath(stats), ElementsAre(index("a"), index("b"), index("c")));
}

// Sleeping costs no CPU time; computing does.
TEST_F(StepTraceTest, TellsCpuTimeOfAFullTraceOnly) {
  Scripted("sleeps", {}, [](KernelContext& ctx) {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    return CountUp(ctx);
  });
  Compile({"sleeps:0"});
  const StepStats full = Trace(TraceLevel::kFull);
  EXPECT_GE(Of(full, "sleeps").end_ns - Of(full, "sleeps").start_ns, 30'000'000);
  EXPECT_LT(Of(full, "sleeps").cpu_ns, 15'000'000);
  EXPECT_EQ(Of(Trace(TraceLevel::kSoftware), "sleeps").cpu_ns, 0);
}

TEST_F(StepTraceTest, AsynchronousKernelsLastUntilTheyAreDone) {
  Awaited("waits", {}, [](KernelContext& ctx, const Kernel::Done& done) {
    std::thread([&ctx, done] {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      done(Give(ctx, 1));
    }).detach();
  });
  Compile({"waits:0"});
  const StepStats stats = Trace();
  ASSERT_THAT(stats.nodes, SizeIs(1));
  EXPECT_GE(stats.nodes[0].end_ns - stats.nodes[0].start_ns, 9'000'000);
  EXPECT_EQ(stats.nodes[0].output_bytes, 4);
}

TEST_F(StepTraceTest, DeadNodesHaveNoRecord) {
  const OutputRef no = Node("Identity", "no", {Constant("false", Tensor::Scalar(false))});
  const OutputRef branch = Node("Switch", "branch", {Scripted("x", {}, CountUp), no});
  const OutputRef dead = Scripted("dead", {{branch.node, 1}}, CountUp);
  Merge("end", {Scripted("alive", {branch}, CountUp), dead});
  Compile({"end:0"});
  const StepStats stats = Trace();
  std::vector<std::string> names;
  for (const NodeStats& n : stats.nodes) names.emplace_back(n.node);
  EXPECT_THAT(names, Contains("alive"));
  EXPECT_THAT(names, ::testing::Not(Contains("dead")));
  // The output that was not taken is none.
  ASSERT_THAT(Of(stats, "branch").outputs, SizeIs(1));
  EXPECT_EQ(Of(stats, "branch").outputs[0].slot, 0);
}

TEST_F(StepTraceTest, IterationsAreNumbered) {
  LoopSpec loop;
  loop.start = Constant("start", Tensor::Scalar(0.0f));
  const OutputRef limit = Enter(Constant("limit", Tensor::Scalar(4.0f)), "loop", true);
  loop.goes_on = [&](OutputRef x) { return Node("Less", "less", {x, limit}); };
  loop.body = [&](OutputRef x) { return Scripted("body", {x}, CountUp); };
  Node("Identity", "end", {Loop(loop)});
  Compile({"end:0"});
  for (int round = 0; round < 2; ++round) {
    const StepStats stats = Trace();
    ASSERT_TRUE(status_.ok()) << status_;
    std::vector<int64_t> bodies, conditions;
    for (const NodeStats& n : stats.nodes) {
      if (n.node == "body") bodies.push_back(n.iteration);
      if (n.node == "less") conditions.push_back(n.iteration);
    }
    EXPECT_THAT(bodies, ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(conditions, ElementsAre(0, 1, 2, 3, 4));
    EXPECT_EQ(fetched_[0].scalar<float>(), 4);
  }
}

// Also of a step that fails: what has run until then, the node that failed with it.
TEST_F(StepTraceTest, AFailedStepTellsWhatHasRun) {
  const OutputRef x = Scripted("x", {}, CountUp);
  const OutputRef bad = Scripted("bad", {x}, [](KernelContext&) { return DataLoss("bad"); });
  Scripted("after", {bad}, CountUp);
  Compile({"after:0"});
  const StepStats stats = Trace();
  EXPECT_EQ(status_.code(), StatusCode::kDataLoss);
  ASSERT_THAT(stats.nodes, SizeIs(2));
  EXPECT_EQ(stats.nodes[0].node, "x");
  EXPECT_EQ(stats.nodes[1].node, "bad");
  EXPECT_THAT(stats.nodes[1].outputs, IsEmpty());
}

TEST_F(StepTraceTest, AStepOfConstantsNamesThem) {
  Constant("c", Tensor::Scalar(1.0f));
  Constant("d", Tensor::Scalar(2.0f));
  Compile({"c:0", "d:0"});
  const StepStats stats = Trace();
  std::vector<std::string> names;
  for (const NodeStats& n : stats.nodes) {
    names.emplace_back(n.node);
    EXPECT_EQ(n.start_ns, n.end_ns);
    EXPECT_EQ(n.op, "Const");
  }
  EXPECT_THAT(names, ::testing::UnorderedElementsAre("c", "d"));
}

TEST_F(StepTraceTest, CopiesNameBothEnds) {
  options_.simulated_gpus = 1;
  const OutputRef x =
      Node("Neg", "x", {Constant("one", Tensor::Vector<float>({1, 2}))}, {}, "/cpu:0");
  const OutputRef y = Node("Neg", "y", {x}, {}, "/gpu:0");
  Node("Neg", "z", {y}, {}, "/cpu:0");
  Compile({"z:0"});
  const StepStats stats = Trace();
  ASSERT_TRUE(status_.ok()) << status_;
  const std::string gpu = "/job:localhost/replica:0/task:0/device:GPU:0";
  std::vector<std::string> copies;
  for (const NodeStats& n : stats.nodes) {
    if (!n.is_copy) continue;
    EXPECT_EQ(n.op, "_Copy");
    EXPECT_EQ(n.output_bytes, 8);
    copies.push_back(absl::StrCat(n.node, ": ", n.copy_from, " > ", n.copy_to));
  }
  EXPECT_THAT(copies, ElementsAre(absl::StrCat("x:  > ", gpu), absl::StrCat("y: ", gpu, " > ")));
}

// What a step has told stays, whatever becomes of its plan.
TEST_F(StepTraceTest, StatsOutliveThePlan) {
  Scripted("only_node", {}, CountUp);
  Compile({"only_node:0"});
  const StepStats stats = Trace();
  plan_.reset();
  ASSERT_THAT(stats.nodes, SizeIs(1));
  EXPECT_EQ(stats.nodes[0].node, "only_node");
}

}  // namespace
}  // namespace warpbeam
