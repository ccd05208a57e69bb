// The ways to run a plan: in the caller, on workers with a deadline, as a part of another step, and
// started for later.
#include "runtime/step/plan_runner.h"

#include <atomic>
#include <thread>

#include "gmock/gmock.h"
#include "runtime/kernel/takings.h"
#include "tests/step/scripted_steps.h"

namespace warpbeam {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class PlanRunnerTest : public StepTest {
 protected:
  Status RunFed(const std::vector<Tensor>& feeds, StepReport* report = nullptr,
                int64_t timeout_ms = 0) {
    return plan_->runner().Run(plan_->NewContext(), feeds, timeout_ms, &fetched_, report);
  }
  // What RunAsync calls `done` with.
  struct Outcome {
    Gate is_there;
    Status status;
    std::vector<Tensor> results;
    int calls = 0;
  };
  PlanRunner::Done Into(Outcome* outcome) {
    return [outcome](Status s, std::vector<Tensor> results) {
      outcome->status = std::move(s);
      outcome->results = std::move(results);
      ++outcome->calls;
      outcome->is_there.Open();
    };
  }
};

TEST_F(PlanRunnerTest, FeedsAreCheckedBeforeAnythingRuns) {
  std::atomic<int> ran{0};
  const OutputRef x = Node("Identity", "x", {Constant("zero", Tensor::Scalar(0.0f))});
  Scripted("y", {x}, [&](KernelContext& ctx) {
    ++ran;
    return CountUp(ctx);
  });
  Compile({"y:0"}, {}, {"x:0"});
  struct Case {
    std::vector<Tensor> feeds;
    const char* message;
  };
  const Case cases[] = {
      {{}, "expected 1 feeds, got 0"},
      {{Tensor::Scalar(1.0f), Tensor::Scalar(2.0f)}, "expected 1 feeds, got 2"},
      {{Tensor::Scalar<int32_t>(1)}, "must be float, not int32"},
      {{Tensor()}, "has no value"},
  };
  for (const Case& c : cases) {
    const Status s = RunFed(c.feeds);
    EXPECT_EQ(s.code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(s.message()), HasSubstr(c.message));
    Outcome outcome;
    const auto context = plan_->NewContext();
    plan_->runner().RunAsync(context.get(), c.feeds, Into(&outcome));
    ASSERT_TRUE(outcome.is_there.Wait(0));
    EXPECT_EQ(outcome.status, s);
  }
  EXPECT_EQ(ran, 0);
  EXPECT_TRUE(plan_->runner().Drain(0));
  // Any shape may be fed.
  ASSERT_TRUE(RunFed({Tensor::Vector<float>({4, 5})}).ok());
  EXPECT_EQ(*fetched_[0].data<float>(), 5);
}

// The tensor that is fed stays its owner's: no kernel writes into it, and the step lets go of it.
TEST_F(PlanRunnerTest, FeedsStayTheCallers) {
  const OutputRef x = Node("Identity", "x", {Constant("zero", Tensor::Scalar(0.0f))});
  std::atomic<bool> can_forward{true};
  Scripted("y", {x}, [&](KernelContext& ctx) {
    can_forward = ctx.CanForward(0);
    return CountUp(ctx);
  });
  Compile({"x:0", "y:0"}, {}, {"x:0"});
  const Tensor fed = Tensor::Vector<float>({7, 8});
  ASSERT_TRUE(RunFed({fed}).ok());
  EXPECT_FALSE(can_forward);
  EXPECT_EQ(fetched_[0].raw_data(), fed.raw_data());
  EXPECT_EQ(fed.data<float>()[0], 7);
  fetched_.clear();
  EXPECT_TRUE(fed.IsUnique()) << "an idle step holds it";
}

TEST_F(PlanRunnerTest, AFetchMayBeAskedForTwice) {
  const OutputRef x = Scripted("x", {}, CountUp);
  Scripted("y", {x}, CountUp);
  Compile({"y:0", "x:0", "y:0", "y:0"});
  for (int i = 0; i < 2; ++i) ExpectRun({2, 1, 2, 2});
}

// A step of nothing but constants and feeds has no item at all.
TEST_F(PlanRunnerTest, APlanWithoutItems) {
  Constant("c", Tensor::Scalar(3.0f));
  const OutputRef x = Constant("x", Tensor::Scalar(0.0f));
  (void)x;
  Compile({"c:0", "x:0"}, {}, {"x:0"});
  ASSERT_THAT(plan_->plan().program.items, IsEmpty());
  for (const int64_t timeout_ms : {0, 60'000}) {
    ASSERT_TRUE(RunFed({Tensor::Scalar(5.0f)}, nullptr, timeout_ms).ok());
    EXPECT_EQ(fetched_[0].scalar<float>(), 3);
    EXPECT_EQ(fetched_[1].scalar<float>(), 5);
  }
  Outcome outcome;
  const auto context = plan_->NewContext();
  plan_->runner().RunAsync(context.get(), {Tensor::Scalar(6.0f)}, Into(&outcome));
  ASSERT_TRUE(outcome.is_there.Wait());
  EXPECT_EQ(outcome.results[1].scalar<float>(), 6);
}

// A large feed changes nothing but the threads: below `serial_below` a step runs in the caller.
TEST_F(PlanRunnerTest, SmallFeedsRunInTheCaller) {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  const OutputRef x = Node("Identity", "x", {Constant("zero", Tensor::Scalar(0.0f))});
  std::vector<OutputRef> branches;
  for (int i = 0; i < 12; ++i) {
    branches.push_back(Scripted(
        absl::StrCat("b", i), {x},
        [&](KernelContext& ctx) {
          std::lock_guard<std::mutex> lock(mutex);
          threads.insert(std::this_thread::get_id());
          return CountUp(ctx);
        },
        {}, kUnsaid));
  }
  Scripted("end", branches, CountUp, {}, kUnsaid);
  Compile({"end:0"}, {}, {"x:0"});
  const int64_t below = plan_->plan().program.serial_below;
  ASSERT_GT(below, 100);
  for (const int64_t size : {int64_t{1}, below - 1, below, 100 * below}) {
    threads.clear();
    ASSERT_TRUE(RunFed({Tensor::FromValues<float>(
                           Shape({size}), std::vector<float>(static_cast<size_t>(size), 1.0f))})
                    .ok());
    EXPECT_EQ(*fetched_[0].data<float>(), 25);
    if (size < below) {
      EXPECT_THAT(threads, ElementsAre(std::this_thread::get_id())) << size;
    }
  }
}

TEST_F(PlanRunnerTest, RunAsyncCallsBackOnce) {
  struct Case {
    const char* name;
    int64_t elements;
    bool waits, fails;
  };
  for (const Case& c :
       {Case{"serial", 1, false, false}, Case{"tasks", kDear, false, false},
        Case{"waits", kDear, true, false}, Case{"serial_fails", 1, false, true},
        Case{"tasks_fail", kDear, false, true}, Case{"waits_fails", kDear, true, true}}) {
    SCOPED_TRACE(c.name);
    graph_ = std::make_shared<Graph>();
    OutputRef x = Scripted("x", {}, CountUp, {}, c.elements);
    if (c.waits) {
      x = Awaited("w", {x}, [](KernelContext& ctx, const Kernel::Done& done) {
        std::thread([&ctx, done] { done(CountUp(ctx)); }).detach();
      });
    }
    Scripted(
        "y", {x},
        [fails = c.fails](KernelContext& ctx) { return fails ? DataLoss("no") : CountUp(ctx); }, {},
        c.elements);
    Compile({"y:0"});
    for (int i = 0; i < 5; ++i) {
      Outcome outcome;
      auto context = plan_->NewContext();
      plan_->runner().RunAsync(context.get(), {}, Into(&outcome));
      ASSERT_TRUE(outcome.is_there.Wait());
      ASSERT_TRUE(plan_->runner().Drain(10'000));
      EXPECT_EQ(outcome.calls, 1);
      if (c.fails) {
        EXPECT_EQ(outcome.status.code(), StatusCode::kDataLoss);
        EXPECT_THAT(outcome.results, IsEmpty());
        EXPECT_TRUE(context->IsCancelled()) << "the caller's step goes on";
      } else {
        ASSERT_TRUE(outcome.status.ok()) << outcome.status;
        EXPECT_EQ(outcome.results[0].scalar<float>(), c.waits ? 3 : 2);
      }
    }
    plan_.reset();
  }
}

// `done` may run the plan again: the block is free by then.
TEST_F(PlanRunnerTest, DoneMayCallThePlanAgain) {
  const OutputRef x = Node("Identity", "x", {Constant("zero", Tensor::Scalar(0.0f))});
  Scripted("y", {x}, CountUp);
  Compile({"y:0"}, {}, {"x:0"});
  const auto context = plan_->NewContext();
  Gate ended;
  float last = 0;
  std::function<void(float, int)> again = [&](float value, int left) {
    plan_->runner().RunAsync(context.get(), {Tensor::Scalar(value)},
                             [&, left](Status s, std::vector<Tensor> results) {
                               EXPECT_TRUE(s.ok()) << s;
                               last = results[0].scalar<float>();
                               if (left > 0) return again(last, left - 1);
                               ended.Open();
                             });
  };
  again(0, 49);
  ASSERT_TRUE(ended.Wait());
  EXPECT_EQ(last, 50);
}

// Many steps of a caller's, which ends: what they have been given stays theirs.
TEST_F(PlanRunnerTest, StartReturnsBeforeTheStepEnds) {
  Gate may_end, ended;
  Status status = Internal("not called");
  Awaited("x", {}, [&](KernelContext& ctx, const Kernel::Done& done) {
    std::thread([&, done] {
      may_end.Wait();
      done(Give(ctx, 1));
    }).detach();
  });
  Compile({}, {"x"});
  plan_->runner().Start(plan_->NewContext(), [&](Status s) {
    status = std::move(s);
    ended.Open();
  });
  EXPECT_FALSE(plan_->runner().Drain(20));
  EXPECT_THAT(plan_->runner().Running(), ElementsAre(HasSubstr("node 'x' (TestAwaited)")));
  may_end.Open();
  ASSERT_TRUE(ended.Wait());
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_TRUE(plan_->runner().Drain(10'000));
  EXPECT_THAT(plan_->runner().Running(), IsEmpty());
}

TEST_F(PlanRunnerTest, RunningTellsOneStepFromAnother) {
  Gate may_end;
  std::atomic<int> out{0};
  Awaited("x", {}, [&](KernelContext& ctx, const Kernel::Done& done) {
    ++out;
    std::thread([&, done] {
      may_end.Wait();
      done(Give(ctx, 1));
    }).detach();
  });
  Compile({}, {"x"});
  const auto first = plan_->NewContext(), second = plan_->NewContext(),
             stranger = plan_->NewContext();
  std::atomic<int> ended{0};
  for (const auto& context : {first, second}) {
    plan_->runner().Start(context, [&](const Status&) { ++ended; });
  }
  while (out < 2) std::this_thread::yield();
  EXPECT_EQ(plan_->runner().Running().size(), 2u);
  EXPECT_EQ(plan_->runner().Running(first.get()).size(), 1u);
  EXPECT_THAT(plan_->runner().Running(stranger.get()), IsEmpty());
  may_end.Open();
  ASSERT_TRUE(plan_->runner().Drain(10'000));
}

// A kernel that does not hear of the deadline: the caller goes, the step is left behind, and what
// it holds goes when it ends.
TEST_F(PlanRunnerTest, AStepThatDoesNotEndIsLeftBehind) {
  Gate is_deaf, may_end;
  Tensor held;
  std::atomic<int> followed{0};
  const OutputRef x = Scripted("x", {}, [&](KernelContext& ctx) {
    WB_RETURN_IF_ERROR(Give(ctx, 1));
    held = ctx.output(0);
    return OkStatus();
  });
  const OutputRef deaf = Scripted("deaf", {x}, [&](KernelContext& ctx) {
    is_deaf.Open();
    may_end.Wait();
    return CountUp(ctx);
  });
  Scripted("after", {deaf, x}, [&](KernelContext& ctx) {
    ++followed;
    return CountUp(ctx);
  });
  Compile({"after:0"});
  const auto begin = std::chrono::steady_clock::now();
  const Status s = Run(/*timeout_ms=*/50);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
  EXPECT_EQ(s.code(), StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(s.message()),
              AllOf(HasSubstr("within 50 ms; running: node 'deaf'"), HasSubstr("left behind")));
  is_deaf.Wait();  // orders what 'x' has held before the look at it
  EXPECT_FALSE(held.IsUnique());
  EXPECT_FALSE(plan_->runner().Drain(20));
  // Another step has threads to run on.
  Gate second_may_end;
  may_end.Open();
  ASSERT_TRUE(plan_->IsIdle());
  EXPECT_EQ(followed, 0);
  EXPECT_TRUE(held.IsUnique()) << "the step that was left behind still holds it";
  ExpectRun({4});
}

// The deadline may be given, where others have used up some of the time.
TEST_F(PlanRunnerTest, ADeadlineMayHavePassed) {
  Awaited("x", {}, [](KernelContext& ctx, const Kernel::Done& done) {
    const auto token = ctx.step()->OnCancel([&ctx, done] { done(ctx.step()->cancel_reason()); });
    if (token == StepContext::kAlreadyCancelled) done(ctx.step()->cancel_reason());
  });
  Compile({"x:0"});
  StepReport report;
  report.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
  const auto begin = std::chrono::steady_clock::now();
  const Status s = RunFed({}, &report, /*timeout_ms=*/3'600'000);
  EXPECT_EQ(s.code(), StatusCode::kDeadlineExceeded);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

// What a step with a deadline takes goes back when it was ended, the last first; kept until its
// caller has heard of it, where it succeeded.
TEST_F(PlanRunnerTest, TakingsGoBackWhenTheStepWasEnded) {
  struct Case {
    const char* name;
    int64_t timeout_ms;
    Status ends_with;
    std::vector<std::string> given_back;
  };
  const std::vector<std::string> both = {"second", "first"};
  for (const Case& c :
       {Case{"ok", 60'000, OkStatus(), {}}, Case{"error", 60'000, InvalidArgument("wrong"), {}},
        Case{"cancelled", 60'000, Cancelled("told to"), both},
        Case{"late", 60'000, DeadlineExceeded("a queue was late"), both},
        Case{"no_deadline", 0, Cancelled("told to"), {}}}) {
    SCOPED_TRACE(c.name);
    graph_ = std::make_shared<Graph>();
    Log log;
    bool has_takings = false;
    const OutputRef x = Scripted("x", {}, [&](KernelContext& ctx) {
      const auto takings = Takings::Of(ctx.step());
      has_takings = takings != nullptr;
      for (const char* what : {"first", "second"}) {
        if (has_takings) takings->Add([&log, what] { log.Add(what); });
      }
      return Give(ctx, 1);
    });
    Scripted("y", {x},
             [&](KernelContext& ctx) { return c.ends_with.ok() ? Give(ctx, 1) : c.ends_with; });
    Compile({"y:0"});
    StepReport report;
    const Status s = RunFed({}, &report, c.timeout_ms);
    EXPECT_EQ(s.code(), c.ends_with.code());
    EXPECT_EQ(has_takings, c.timeout_ms > 0);
    EXPECT_EQ(log.Take(), c.given_back);
    if (c.timeout_ms > 0) {
      ASSERT_NE(report.takings, nullptr);
      report.takings->GiveBack();
      EXPECT_EQ(log.Take(), c.given_back.empty() ? both : std::vector<std::string>());
    }
    plan_.reset();
  }
}

TEST_F(PlanRunnerTest, AReportCountsItems) {
  const OutputRef branch =
      Node("Switch", "branch",
           {Scripted("x", {}, CountUp),
            Node("Identity", "no", {Constant("false", Tensor::Scalar(false))})});
  const OutputRef dead = Scripted("dead", {{branch.node, 1}}, CountUp);
  const OutputRef alive = Scripted("alive", {branch}, CountUp, {}, kDear);
  Merge("end", {alive, dead});
  Compile({"end:0"});
  for (const int64_t timeout_ms : {0, 60'000}) {
    StepReport report;
    ASSERT_TRUE(RunFed({}, &report, timeout_ms).ok());
    // All but the dead one.
    EXPECT_EQ(report.items_run, plan_->plan().facts.num_nodes - 1);
    EXPECT_EQ(report.bytes_copied, 0);
  }
}

}  // namespace
}  // namespace warpbeam
