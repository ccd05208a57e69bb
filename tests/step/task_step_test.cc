// Plans without loops: which threads their tasks run on, and what asynchronous kernels do to them.
#include "runtime/step/task_step.h"

#include <atomic>
#include <set>
#include <thread>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "runtime/kernel/step_context.h"
#include "tests/step/scripted_steps.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAreArray;

// A kernel that logs its name before and after it computes.
StepTest::Script Logged(Log* log, const std::string& name) {
  return [log, name](KernelContext& ctx) {
    log->Add(name);
    return CountUp(ctx);
  };
}

// Each of the two is at work while the other is.
TEST_F(StepTest, DearBranchesRunSideBySide) {
  Gate a_began, b_began;
  const OutputRef x = Scripted("x", {}, [](KernelContext& ctx) { return Give(ctx, 1); });
  const auto meet = [](Gate* mine, Gate* others) {
    return [=](KernelContext& ctx) {
      mine->Open();
      if (!others->Wait()) return Internal("nobody else is at work");
      return CountUp(ctx);
    };
  };
  Scripted("a", {x}, meet(&a_began, &b_began), {}, kDear);
  Scripted("b", {x}, meet(&b_began, &a_began), {}, kDear);
  Compile({"a:0", "b:0"});
  ASSERT_GT(plan_->plan().program.tasks.size(), 1u);
  ExpectRun({2, 2});
}

// On one thread the same nodes run one after the other, in an order of the graph.
TEST_F(StepTest, OneThreadRunsTasksInOrder) {
  options_.inter_op_threads = options_.intra_op_threads = 1;
  Log log;
  const OutputRef x = Scripted("x", {}, Logged(&log, "x"), {}, kDear);
  const OutputRef a = Scripted("a", {x}, Logged(&log, "a"), {}, kDear);
  const OutputRef b = Scripted("b", {x, a}, Logged(&log, "b"), {}, kDear);
  Scripted("c", {}, Logged(&log, "c"), {b.node}, kDear);
  Compile({"c:0"});
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(Run().ok());
    EXPECT_THAT(log.Take(), ElementsAre("x", "a", "b", "c"));
  }
}

// What is dear is known before the step from shapes; what turns out to be cheap stays where it is.
TEST_F(StepTest, WhatTurnsOutCheapRunsOnTheThreadOfItsProducer) {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  const auto note = [&](KernelContext& ctx) {
    std::lock_guard<std::mutex> lock(mutex);
    threads.insert(std::this_thread::get_id());
    return CountUp(ctx);
  };
  const OutputRef x = Scripted("x", {}, note, {}, kUnsaid);
  std::vector<std::string> fetches;
  for (int i = 0; i < 6; ++i) {
    const std::string name = absl::StrCat("branch", i);
    Scripted(name, {x}, note, {}, kUnsaid);
    fetches.push_back(name + ":0");
  }
  Compile(fetches);
  ASSERT_EQ(plan_->plan().program.tasks.size(), 7u);
  ExpectRun({2, 2, 2, 2, 2, 2});
  EXPECT_EQ(threads.size(), 1u);
}

// A thread keeps a handful of cheap tasks for itself; the rest is scheduled, and none is lost.
TEST_F(StepTest, EveryTaskOfAWideForkRunsOnce) {
  constexpr int kWide = 200;
  std::vector<std::atomic<int>> runs(kWide);
  const OutputRef x = Scripted("x", {}, CountUp);
  std::vector<OutputRef> branches;
  for (int i = 0; i < kWide; ++i) {
    const int64_t elements = i % 3 == 0 ? kDear : i % 3 == 1 ? kUnsaid : kScalar;
    branches.push_back(Scripted(
        absl::StrCat("branch", i), {x},
        [&runs, i](KernelContext& ctx) {
          ++runs[i];
          return CountUp(ctx);
        },
        {}, elements));
  }
  Scripted("sum", branches, CountUp, {}, kDear);
  Compile({"sum:0"});
  for (int round = 1; round <= 20; ++round) {
    ExpectRun({2 * kWide + 1});
    for (int i = 0; i < kWide; ++i) ASSERT_EQ(runs[i], round) << i;
  }
}

TEST_F(StepTest, ControlInputsAreWaitedFor) {
  Log log;
  const OutputRef slow = Awaited("slow", {}, [&](KernelContext& ctx, Kernel::Done done) {
    std::thread([&ctx, &log, done] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      log.Add("slow");
      done(Give(ctx, 1));
    }).detach();
  });
  Scripted("after", {}, Logged(&log, "after"), {slow.node}, kDear);
  Compile({"after:0"});
  for (int i = 0; i < 3; ++i) {
    ExpectRun({1});
    EXPECT_THAT(log.Take(), ElementsAre("slow", "after"));
  }
}

// How an asynchronous kernel may end.
enum class Ends { kAtOnce, kBeforeItReturns, kLater, kMuchLater };

class AsyncEndTest : public StepTest, public ::testing::WithParamInterface<Ends> {
 protected:
  static void End(Ends how, const std::function<void()>& done) {
    switch (how) {
      case Ends::kAtOnce:
        return done();
      case Ends::kBeforeItReturns:
        return std::thread(done).join();
      case Ends::kLater:
        return std::thread(done).detach();
      case Ends::kMuchLater:
        return std::thread([done] {
                 std::this_thread::sleep_for(std::chrono::milliseconds(5));
                 done();
               })
            .detach();
    }
  }
  AsyncScript Gives(float value) {
    return [value](KernelContext& ctx, Kernel::Done done) {
      End(GetParam(), [&ctx, done, value] { done(Give(ctx, SumOfInputs(ctx) + value)); });
    };
  }
};

// A chain of them, alternating with others, and a fork and a join of them.
TEST_P(AsyncEndTest, WhatFollowsRunsOnce) {
  std::atomic<int> joined{0};
  OutputRef x = Awaited("first", {}, Gives(1));
  for (int i = 0; i < 5; ++i) {
    x = Scripted(absl::StrCat("between", i), {x}, CountUp, {}, i % 2 == 0 ? kDear : kUnsaid);
    x = Awaited(absl::StrCat("again", i), {x}, Gives(1));
  }
  std::vector<OutputRef> fork;
  for (int i = 0; i < 8; ++i) fork.push_back(Awaited(absl::StrCat("fork", i), {x}, Gives(0)));
  Scripted("join", fork, [&](KernelContext& ctx) {
    ++joined;
    return CountUp(ctx);
  });
  Compile({"join:0"});
  for (int round = 1; round <= 10; ++round) {
    ExpectRun({8 * 11 + 1});
    EXPECT_EQ(joined, round);
  }
}

TEST_P(AsyncEndTest, AnErrorNamesTheNodeAndSkipsWhatFollows) {
  std::atomic<bool> followed{false};
  const OutputRef x = Awaited("breaks", {}, [](KernelContext&, Kernel::Done done) {
    End(GetParam(), [done] { done(OutOfRange("nothing is left")); });
  });
  Scripted("follows", {x}, [&](KernelContext& ctx) {
    followed = true;
    return CountUp(ctx);
  });
  Compile({"follows:0"});
  for (int i = 0; i < 3; ++i) {
    const Status s = Run();
    EXPECT_EQ(s.code(), StatusCode::kOutOfRange);
    EXPECT_THAT(std::string(s.message()), ::testing::StartsWith("node 'breaks' (TestAwaited) on "));
    EXPECT_FALSE(followed);
    EXPECT_TRUE(plan_->IsIdle());
  }
}

TEST_P(AsyncEndTest, AnOutputWithoutAValueIsAnError) {
  Awaited("empty", {},
          [](KernelContext&, Kernel::Done done) { End(GetParam(), [done] { done(OkStatus()); }); });
  Compile({"empty:0"});
  const Status s = Run();
  EXPECT_EQ(s.code(), StatusCode::kInternal);
  EXPECT_THAT(std::string(s.message()),
              ::testing::AllOf(::testing::HasSubstr("node 'empty'"),
                               ::testing::HasSubstr("output 0 without a value")));
}

// The deadline is far: tracked steps take other ways.
TEST_P(AsyncEndTest, ATrackedStepComesToTheSame) {
  OutputRef x = Constant("one", Tensor::Scalar(1.0f));
  for (int i = 0; i < 4; ++i) x = Awaited(absl::StrCat("a", i), {x}, Gives(2));
  Scripted("end", {x}, CountUp);
  Compile({"end:0"});
  for (int i = 0; i < 3; ++i) ExpectRun({10}, /*timeout_ms=*/60'000);
  EXPECT_THAT(plan_->runner().Running(), IsEmpty());
}

std::string NameOf(Ends ends) {
  const char* const names[] = {"at_once", "before_it_returns", "later", "much_later"};
  return names[static_cast<int>(ends)];
}

INSTANTIATE_TEST_SUITE_P(Ends, AsyncEndTest,
                         ::testing::Values(Ends::kAtOnce, Ends::kBeforeItReturns, Ends::kLater,
                                           Ends::kMuchLater),
                         [](const auto& info) { return NameOf(info.param); });

// A kernel that waits holds no thread: more of them than there are threads are out at a time.
TEST_F(StepTest, ManyAsynchronousKernelsAreOutAtOnce) {
  constexpr int kMany = 64;
  std::mutex mutex;
  std::vector<std::function<void()>> waiting;
  std::vector<OutputRef> values;
  for (int i = 0; i < kMany; ++i) {
    values.push_back(
        Awaited(absl::StrCat("wait", i), {}, [&](KernelContext& ctx, const Kernel::Done& done) {
          std::vector<std::function<void()>> all;
          {
            std::lock_guard<std::mutex> lock(mutex);
            waiting.push_back([&ctx, done] { done(Give(ctx, 1)); });
            if (waiting.size() < kMany) return;
            all.swap(waiting);
          }
          for (const auto& end : all) end();
        }));
  }
  Scripted("sum", values, CountUp);
  Compile({"sum:0"});
  for (int round = 0; round < 5; ++round) ExpectRun({kMany + 1});
}

// A buffer that nobody reads any more becomes the output's; one with other readers does not.
TEST_F(StepTest, OnlyTheLastReaderMayWriteIntoItsInput) {
  struct Seen {
    bool can_forward;
    bool is_unique;
  };
  std::mutex mutex;
  std::map<std::string, Seen> seen;
  const auto look = [&](const std::string& name) {
    return [&seen, &mutex, name](KernelContext& ctx) {
      {
        std::lock_guard<std::mutex> lock(mutex);
        seen[name] = {ctx.CanForward(0), ctx.input(0).IsUnique()};
      }
      return CountUp(ctx);
    };
  };
  options_.inter_op_threads = options_.intra_op_threads = 1;
  const OutputRef fetched = Scripted("fetched", {}, CountUp);
  const OutputRef single = Scripted("single", {fetched}, look("of_fetched"));
  const OutputRef shared = Scripted("shared", {single}, look("of_single"));
  const OutputRef first = Scripted("first", {shared}, look("first_of_shared"));
  const OutputRef last = Scripted("last", {shared}, look("last_of_shared"), {first.node});
  Scripted("end", {first, last}, look("of_first"));
  Compile({"fetched:0", "end:0"});
  for (int round = 0; round < 2; ++round) {
    ExpectRun({1, 9});
    EXPECT_FALSE(seen["of_fetched"].can_forward);
    EXPECT_TRUE(seen["of_single"].can_forward);
    EXPECT_FALSE(seen["first_of_shared"].can_forward);
    EXPECT_TRUE(seen["last_of_shared"].can_forward);
    EXPECT_TRUE(seen["of_first"].can_forward);
    fetched_.clear();
  }
}

// Read by two threads, a buffer is nobody's to write into, and it goes with its last reader.
TEST_F(StepTest, AValueGoesWithItsLastReader) {
  Tensor held;
  std::atomic<int> forwardable{0};
  Gate released;
  std::atomic<bool> was_unique{false};
  const OutputRef x = Scripted("x", {}, [&](KernelContext& ctx) {
    WB_RETURN_IF_ERROR(Give(ctx, 1));
    held = ctx.output(0);
    return OkStatus();
  });
  const auto read = [&](KernelContext& ctx) {
    forwardable += ctx.CanForward(0) ? 1 : 0;
    return CountUp(ctx);
  };
  std::vector<OutputRef> readers;
  for (int i = 0; i < 6; ++i) {
    readers.push_back(Scripted(absl::StrCat("reader", i), {x}, read, {}, kDear));
  }
  Scripted(
      "end", readers,
      [&](KernelContext& ctx) {
        was_unique = held.IsUnique();
        return CountUp(ctx);
      },
      {}, kDear);
  Compile({"end:0"});
  for (int round = 0; round < 10; ++round) {
    ExpectRun({13});
    EXPECT_EQ(forwardable, 0);
    EXPECT_TRUE(was_unique) << "the step still holds it although all readers have ended";
  }
}

// Steps of one plan do not see each other's values.
TEST_F(StepTest, ManyStepsOfOnePlanRunAtATime) {
  std::vector<std::string> feeds;
  OutputRef x = Node("Identity", "x", {Constant("zero", Tensor::Scalar(0.0f))});
  OutputRef y = x;
  for (int i = 0; i < 10; ++i) {
    const OutputRef side = Scripted(absl::StrCat("side", i), {y}, CountUp, {}, kDear);
    const OutputRef waits = Awaited(
        absl::StrCat("waits", i), {y},
        [](KernelContext& ctx, const Kernel::Done& done) { done(Give(ctx, SumOfInputs(ctx))); });
    y = Scripted(absl::StrCat("y", i), {side, waits}, CountUp);
  }
  Compile({"y9:0"}, {}, {"x:0"});
  const auto expected = [](float x) {
    for (int i = 0; i < 10; ++i) x = 2 * x + 2;
    return x;
  };
  std::vector<std::thread> callers;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 6; ++t) {
    callers.emplace_back([&, t] {
      for (int i = 0; i < 30; ++i) {
        const auto fed = static_cast<float>(t * 100 + i);
        std::vector<Tensor> fetched;
        const Status s = plan_->runner().Run(plan_->NewContext(), {Tensor::Scalar(fed)},
                                             i % 3 == 0 ? 60'000 : 0, &fetched, nullptr);
        if (!s.ok() || *fetched[0].data<float>() != expected(fed)) ++wrong;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

// Every node runs once, after all that it waits for: graphs made up at random, with asynchronous
// nodes among them, on any number of threads and in perturbed orders.
class RandomOrderTest : public StepTest, public ::testing::WithParamInterface<int> {};

TEST_P(RandomOrderTest, EveryNodeRunsOnceBehindItsInputs) {
  constexpr int kNodes = 80;
  constexpr int64_t kElements[] = {kUnsaid, kScalar, kDear};
  for (uint64_t seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE(seed);
    graph_ = std::make_shared<Graph>();
    std::mt19937_64 random(seed * 31 + static_cast<uint64_t>(GetParam()));
    const auto pick = [&](int count) {
      return static_cast<int>(random() % static_cast<uint64_t>(count));
    };
    std::vector<std::atomic<int>> runs(kNodes);
    std::vector<std::vector<int>> before(kNodes);
    std::atomic<int> early{0};
    std::vector<OutputRef> nodes;
    std::vector<float> values;
    std::atomic<int> round{0};
    for (int i = 0; i < kNodes; ++i) {
      std::vector<OutputRef> inputs;
      std::vector<NodeId> controls;
      float value = 1;
      for (int k = pick(4); k > 0 && i > 0; --k) {
        const int other = std::max(0, i - 1 - pick(20));
        before[i].push_back(other);
        if (pick(4) == 0) {
          controls.push_back(nodes[other].node);
        } else {
          inputs.push_back(nodes[other]);
          value += values[other];
        }
      }
      values.push_back(std::min(value, 1000.0f));
      const auto compute = [&, i](KernelContext& ctx) {
        for (const int other : before[i]) early += runs[other] == round ? 0 : 1;
        ++runs[i];
        return Give(ctx, std::min(SumOfInputs(ctx) + 1, 1000.0f));
      };
      const std::string name = absl::StrCat("n", i);
      if (pick(5) == 0) {
        const bool on_a_thread = pick(2) == 0;
        nodes.push_back(Awaited(
            name, inputs,
            [compute, on_a_thread](KernelContext& ctx, const Kernel::Done& done) {
              if (!on_a_thread) return done(compute(ctx));
              std::thread([&ctx, compute, done] { done(compute(ctx)); }).detach();
            },
            controls));
      } else {
        nodes.push_back(Scripted(name, inputs, compute, controls, kElements[pick(3)]));
      }
    }
    std::vector<std::string> fetches;
    for (int i = 0; i < kNodes; ++i) fetches.push_back(absl::StrCat("n", i, ":0"));
    options_.inter_op_threads = options_.intra_op_threads = GetParam();
    for (const uint64_t stress : {0, 7}) {
      options_.stress_seed = stress;
      round = 0;
      for (auto& count : runs) count = 0;
      Compile(fetches);
      for (round = 1; round <= 3; ++round) ExpectRun(values, round == 2 ? 60'000 : 0);
      EXPECT_EQ(early, 0);
      for (int i = 0; i < kNodes; ++i) EXPECT_EQ(runs[i], 3) << i;
    }
    plan_.reset();
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, RandomOrderTest, ::testing::Values(1, 2, 4));

// Kernels of a simulated GPU run in its stream's order; those of the host go on beside it.
TEST_F(StepTest, TwoDevicesHandTheirValuesToAndFro) {
  for (const bool enqueue : {false, true}) {
    SCOPED_TRACE(enqueue);
    graph_ = std::make_shared<Graph>();
    options_.simulated_gpus = 1;
    options_.simulated_gpus_enqueue = enqueue;
    OutputRef x = Constant("start", Tensor::Scalar(1.0f));
    for (int i = 0; i < 6; ++i) {
      x = Node("Neg", absl::StrCat("neg", i), {x}, {}, i % 2 == 0 ? "/gpu:0" : "/cpu:0");
      if (i % 3 == 0) continue;
      x = Node("Square", absl::StrCat("square", i), {x}, {}, "/gpu:0");
    }
    Node("Neg", "end", {x}, {}, "/cpu:0");
    Compile({"end:0"});
    StepReport report;
    std::vector<Tensor> fetched;
    for (int round = 0; round < 3; ++round) {
      const Status s =
          plan_->runner().Run(plan_->NewContext(), {}, round == 1 ? 60'000 : 0, &fetched, &report);
      ASSERT_TRUE(s.ok()) << s;
      EXPECT_EQ(fetched[0].scalar<float>(), -1);
      const PlanFacts& facts = plan_->plan().facts;
      EXPECT_EQ(report.bytes_copied, 4 * (facts.host_to_device_copies +
                                          facts.device_to_host_copies + facts.peer_copies));
      EXPECT_EQ(report.items_run, facts.num_nodes);
    }
  }
}

}  // namespace
}  // namespace warpbeam
