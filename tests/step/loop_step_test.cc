// Loops of Enter, Exit and NextIteration: how many iterations run at a time, what goes into and
// comes out of them, and loops that do not end as they should.
#include <atomic>
#include <chrono>
#include <mutex>
#include <random>
#include <thread>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "runtime/kernel/step_context.h"
#include "tests/step/scripted_steps.h"

namespace warpbeam {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class LoopStepTest : public StepTest {
 protected:
  // A constant that is the same in each iteration.
  OutputRef Same(const std::string& name, float value, const std::string& frame = "loop") {
    return Enter(Constant(name, Tensor::Scalar(value)), frame, /*is_constant=*/true);
  }
  // A loop from 0 to `limit` in steps of one; `beside` is given the variable of each iteration.
  OutputRef Count(float limit, int64_t parallel_iterations,
                  const std::function<void(OutputRef)>& beside = nullptr) {
    LoopSpec loop;
    loop.start = Constant("start", Tensor::Scalar(0.0f));
    loop.parallel_iterations = parallel_iterations;
    loop.goes_on = [=](OutputRef x) { return Node("Less", "less", {x, Same("limit", limit)}); };
    loop.body = [=](OutputRef x) {
      if (beside) beside(x);
      return Node("AddV2", "next", {x, Same("one", 1)});
    };
    return Loop(loop);
  }
};

// The counter goes on by itself; a slow kernel of each iteration keeps the iteration alive.
class ParallelIterationsTest : public LoopStepTest, public ::testing::WithParamInterface<int> {};

TEST_P(ParallelIterationsTest, AsManyRunAtATimeAsMay) {
  constexpr int kIterations = 25;
  std::mutex mutex;
  std::vector<std::function<void()>> out;
  int most = 0, ended = 0;
  const OutputRef exit = Count(kIterations, GetParam(), [&](OutputRef x) {
    Awaited("slow", {x}, [&](KernelContext& ctx, const Kernel::Done& done) {
      std::lock_guard<std::mutex> lock(mutex);
      out.push_back([&ctx, done] { done(Give(ctx, 1)); });
      most = std::max(most, static_cast<int>(out.size()));
    });
  });
  Node("Identity", "end", {exit});
  const int allowed = std::min(GetParam(), kIterations);
  // Ends one of them, the oldest, once as many run as may (or do not come for long), and no more
  // have come for a while.
  std::thread ends([&] {
    const auto late = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    const auto all_run = [&] {
      std::lock_guard<std::mutex> lock(mutex);
      return most >= allowed;
    };
    while (!all_run() && std::chrono::steady_clock::now() < late) std::this_thread::yield();
    while (ended < kIterations) {
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
      std::function<void()> end;
      {
        std::lock_guard<std::mutex> lock(mutex);
        if (out.empty()) continue;
        end = std::move(out.front());
        out.erase(out.begin());
        ++ended;
      }
      end();
    }
  });
  Compile({"end:0"}, {"slow"});
  ExpectRun({kIterations});
  ends.join();
  EXPECT_EQ(most, allowed);
}

INSTANTIATE_TEST_SUITE_P(Loops, ParallelIterationsTest, ::testing::Values(1, 2, 3, 10, 20, 100));

// Iterations that end out of their order: the oldest one holds its place.
TEST_F(LoopStepTest, ALaterIterationMayEndFirst) {
  constexpr int kParallel = 4, kIterations = 12;
  std::mutex mutex;
  std::function<void()> first;
  std::vector<float> ended;
  const OutputRef exit = Count(kIterations, kParallel, [&](OutputRef x) {
    Awaited("slow", {x}, [&](KernelContext& ctx, const Kernel::Done& done) {
      const float number = SumOfInputs(ctx);
      std::function<void()> all;
      {
        std::lock_guard<std::mutex> lock(mutex);
        if (number == 0) {
          first = [&ctx, done] { done(Give(ctx, 0)); };
          return;
        }
        ended.push_back(number);
        // As many as may be are alive; the first one has to end for others to begin.
        if (number == kParallel - 1) all = std::move(first);
      }
      done(Give(ctx, number));
      if (all) all();
    });
  });
  Node("Identity", "end", {exit});
  Compile({"end:0"}, {"slow"});
  for (int round = 0; round < 5; ++round) {
    ended.clear();
    ExpectRun({kIterations});
    ASSERT_EQ(ended.size(), kIterations - 1u);
    std::sort(ended.begin(), ended.end());
    for (int i = 1; i < kIterations; ++i) EXPECT_EQ(ended[i - 1], static_cast<float>(i));
  }
}

// A constant of the loop that comes when iterations are under way goes into them and into those to
// come.
TEST_F(LoopStepTest, AConstantMayComeLate) {
  constexpr int kIterations = 7;
  Gate counts;
  std::atomic<int> counted{0};
  std::mutex mutex;
  std::vector<float> seen;
  const OutputRef late = Awaited("late", {}, [&](KernelContext& ctx, const Kernel::Done& done) {
    std::thread([&, done] {
      EXPECT_TRUE(counts.Wait());
      done(Give(ctx, 100));
    }).detach();
  });
  const OutputRef late_in = Enter(late, "loop", /*is_constant=*/true, 4);
  const OutputRef exit = Count(kIterations, 4, [&](OutputRef x) {
    // A loop in which nothing waits would wait for all that enters it.
    Awaited("early", {x}, [&](KernelContext& ctx, const Kernel::Done& done) {
      if (++counted == 3) counts.Open();
      done(CountUp(ctx));
    });
    Scripted("reads", {x, late_in}, [&](KernelContext& ctx) {
      std::lock_guard<std::mutex> lock(mutex);
      seen.push_back(SumOfInputs(ctx));
      return CountUp(ctx);
    });
  });
  Node("Identity", "end", {exit});
  Compile({"end:0"}, {"early", "reads"});
  ExpectRun({kIterations});
  std::sort(seen.begin(), seen.end());
  EXPECT_THAT(seen, ElementsAre(100, 101, 102, 103, 104, 105, 106));
}

TEST_F(LoopStepTest, ALoopThatNeverGoesRoundGivesItsStart) {
  std::atomic<int> bodies{0};
  const OutputRef exit = Count(0, 10, [&](OutputRef x) {
    Scripted("body", {x}, [&](KernelContext& ctx) {
      ++bodies;
      return CountUp(ctx);
    });
  });
  Node("Identity", "end", {exit});
  Compile({"end:0"}, {"body"});
  for (int i = 0; i < 3; ++i) ExpectRun({0});
  EXPECT_EQ(bodies, 0);
}

// Entered dead, a loop comes out dead, whatever else enters it.
TEST_F(LoopStepTest, ALoopOnABranchNotTakenIsDead) {
  std::atomic<int> conditions{0}, bodies{0};
  const OutputRef predicate = Node("Identity", "pred", {Constant("p", Tensor::Scalar(false))});
  const OutputRef branch =
      Node("Switch", "branch", {Constant("x", Tensor::Scalar(1.0f)), predicate});
  LoopSpec loop;
  loop.start = {branch.node, 1};
  const OutputRef limit = Same("limit", 10);
  loop.goes_on = [&](OutputRef x) {
    const OutputRef counted = Scripted("counted", {x}, [&](KernelContext& ctx) {
      ++conditions;
      return Give(ctx, SumOfInputs(ctx));
    });
    return Node("Less", "less", {counted, limit});
  };
  loop.body = [&](OutputRef x) {
    return Scripted("body", {x}, [&](KernelContext& ctx) {
      ++bodies;
      return CountUp(ctx);
    });
  };
  const OutputRef exit = Loop(loop);
  const OutputRef other = Scripted("other", {branch}, CountUp);
  Merge("end", {exit, other});
  Compile({"end:0", "end:1"}, {}, {"pred:0"});
  for (const bool taken : {false, true, false, true}) {
    conditions = bodies = 0;
    std::vector<Tensor> fetched;
    ASSERT_TRUE(plan_->runner()
                    .Run(plan_->NewContext(), {Tensor::Scalar(taken)}, 0, &fetched, nullptr)
                    .ok());
    EXPECT_EQ(fetched[0].scalar<float>(), taken ? 10 : 2);
    EXPECT_EQ(fetched[1].scalar<int32_t>(), taken ? 0 : 1);
    EXPECT_EQ(conditions, taken ? 10 : 0);
    EXPECT_EQ(bodies, taken ? 9 : 0);
  }
}

// What waits for a loop's Exit by a control edge waits for the whole loop.
TEST_F(LoopStepTest, ControlEdgesLeaveLoopsToo) {
  Log log;
  const OutputRef exit = Count(3, 2, [&](OutputRef x) {
    Scripted("body", {x}, [&](KernelContext& ctx) {
      log.Add("body");
      return CountUp(ctx);
    });
  });
  Scripted("after", {},
           [&](KernelContext& ctx) {
             log.Add("after");
             return Give(ctx, 1);
           },
           {exit.node});
  Compile({"after:0"}, {"body"});
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(Run().ok());
    std::vector<std::string> lines = log.Take();
    EXPECT_EQ(std::count(lines.begin(), lines.end(), "body"), 3);
    EXPECT_EQ(std::count(lines.begin(), lines.end(), "after"), 1);
  }
}

// A node inside that waits for one outside, by an Enter, and one that hangs on the pivot.
TEST_F(LoopStepTest, ConstantsInsideWaitForTheirIteration) {
  LoopSpec loop;
  loop.start = Constant("start", Tensor::Scalar(0.0f));
  loop.goes_on = [&](OutputRef x) { return Node("Less", "less", {x, Same("limit", 20)}); };
  loop.body = [&](OutputRef x) {
    const OutputRef pivot = Node("Identity", "pivot", {x});
    NodeBuilder two(graph(), "Const");
    auto inside = two.Attr("dtype", DType::kFloat)
                      .Attr("value", Tensor::Scalar(2.0f))
                      .ControlInput(pivot.node)
                      .BuildOutput();
    EXPECT_TRUE(inside.ok()) << inside.status();
    return Scripted("body", {pivot, *inside}, CountUp);
  };
  Node("Identity", "end", {Loop(loop)});
  Compile({"end:0"});
  for (int i = 0; i < 3; ++i) ExpectRun({21});
}

// i = 0; while i < 4: j = 0; while j < i: j = j + 1; i = i + 1 + 0 * j; with a sum of all j.
TEST_F(LoopStepTest, LoopsInsideLoopsStartAnew) {
  for (const int64_t parallel : {1, 2, 10}) {
    for (const bool waits : {false, true}) {
      SCOPED_TRACE(absl::StrCat(parallel, waits ? " waits" : ""));
      graph_ = std::make_shared<Graph>();
      std::mutex mutex;
      std::map<float, int> inner_runs;  // by i
      LoopSpec outer;
      outer.frame = "outer";
      outer.parallel_iterations = parallel;
      outer.start = Constant("start", Tensor::Scalar(0.0f));
      const OutputRef limit = Same("limit", 5, "outer");
      outer.goes_on = [&](OutputRef i) { return Node("Less", "outer_less", {i, limit}); };
      outer.body = [&](OutputRef i) {
        LoopSpec inner;
        inner.frame = "inner";
        inner.parallel_iterations = parallel;
        inner.start = Node("ZerosLike", "zero", {i});
        const OutputRef i_inside = Enter(i, "inner", /*is_constant=*/true, parallel);
        inner.goes_on = [&](OutputRef j) { return Node("Less", "inner_less", {j, i_inside}); };
        inner.body = [&](OutputRef j) {
          const auto count = [&](KernelContext& ctx) {
            std::lock_guard<std::mutex> lock(mutex);
            ++inner_runs[*ctx.input(1).data<float>()];
            return Give(ctx, *ctx.input(0).data<float>() + 1);
          };
          if (!waits) return Scripted("step", {j, i_inside}, count);
          return Awaited("step", {j, i_inside},
                         [count](KernelContext& ctx, const Kernel::Done& done) {
                           std::thread([&ctx, count, done] { done(count(ctx)); }).detach();
                         });
        };
        const OutputRef j = Loop(inner);
        // j ends as i.
        return Scripted("next", {i, j}, [](KernelContext& ctx) {
          const float i = *ctx.input(0).data<float>(), j = *ctx.input(1).data<float>();
          return i == j ? Give(ctx, i + 1) : Internal("the inner loop left ", j, " for ", i);
        });
      };
      Node("Identity", "end", {Loop(outer)});
      Compile({"end:0"});
      for (int round = 1; round <= 3; ++round) {
        ExpectRun({5}, round == 2 ? 60'000 : 0);
        for (int i = 1; i < 5; ++i) EXPECT_EQ(inner_runs[static_cast<float>(i)], round * i) << i;
        EXPECT_EQ(inner_runs.size(), 4u);
      }
      plan_.reset();
    }
  }
}

// Fails in one iteration while others are out: the message says which, and the step after it has
// all places and values of its own.
TEST_F(LoopStepTest, AnIterationThatFailsEndsTheStep) {
  constexpr int kIterations = 12;
  for (const int64_t parallel : {1, 5}) {
    SCOPED_TRACE(parallel);
    graph_ = std::make_shared<Graph>();
    std::atomic<int> fails_at{-1};
    const OutputRef exit = Count(kIterations, parallel, [&](OutputRef x) {
      const OutputRef slow = Awaited("slow", {x}, [](KernelContext& ctx, Kernel::Done done) {
        std::thread([&ctx, done] { done(Give(ctx, SumOfInputs(ctx))); }).detach();
      });
      Scripted("fails", {slow}, [&](KernelContext& ctx) {
        const float number = SumOfInputs(ctx);
        if (number == static_cast<float>(fails_at)) return DataLoss("at ", number);
        return CountUp(ctx);
      });
    });
    Node("Identity", "end", {exit});
    Compile({"end:0"}, {"fails"});
    for (int i = 0; i < kIterations; ++i) {
      fails_at = i;
      const Status s = Run();
      EXPECT_EQ(s.code(), StatusCode::kDataLoss);
      EXPECT_THAT(std::string(s.message()),
                  AllOf(HasSubstr("node 'fails'"), HasSubstr(absl::StrCat("at ", i))));
      fails_at = -1;
      ExpectRun({kIterations});
    }
    plan_.reset();
  }
}

// A deadline tells in which iteration of which loop the step is.
TEST_F(LoopStepTest, ADeadlineNamesTheIteration) {
  const OutputRef exit = Count(5, 1, [&](OutputRef x) {
    Awaited("stalls", {x}, [](KernelContext& ctx, const Kernel::Done& done) {
      if (SumOfInputs(ctx) != 3) return done(Give(ctx, 1));
      ctx.step()->OnCancel([&ctx, done] { done(ctx.step()->cancel_reason()); });
    });
  });
  Node("Identity", "end", {exit});
  Compile({"end:0"}, {"stalls"});
  const Status s = Run(/*timeout_ms=*/150);
  EXPECT_EQ(s.code(), StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(s.message()), AllOf(HasSubstr("node 'stalls' (TestAwaited)"),
                                              HasSubstr("in iteration 3 of the loop 'loop'")));
  EXPECT_TRUE(plan_->IsIdle());
}

// A kernel that computes is named as well as one that waits.
TEST_F(LoopStepTest, ADeadlineNamesTheIterationOfAKernel) {
  const OutputRef exit = Count(5, 1, [&](OutputRef x) {
    Scripted("stalls", {x}, [](KernelContext& ctx) {
      const bool stalls = SumOfInputs(ctx) == 2;
      while (stalls && !ctx.IsCancelled()) std::this_thread::yield();
      return Give(ctx, 1);
    });
  });
  Node("Identity", "end", {exit});
  Compile({"end:0"}, {"stalls"});
  const Status s = Run(/*timeout_ms=*/150);
  EXPECT_EQ(s.code(), StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(s.message()), AllOf(HasSubstr("node 'stalls' (TestScripted)"),
                                              HasSubstr("in iteration 2 of the loop 'loop'")));
  EXPECT_TRUE(plan_->IsIdle());
}

// A loop on two devices, of which one may enqueue its kernels.
TEST_F(LoopStepTest, ALoopMayGoOverDevices) {
  for (const bool enqueue : {false, true}) {
    for (const int64_t parallel : {1, 4}) {
      SCOPED_TRACE(absl::StrCat(enqueue, " ", parallel));
      graph_ = std::make_shared<Graph>();
      options_.simulated_gpus = 1;
      options_.simulated_gpus_enqueue = enqueue;
      LoopSpec loop;
      loop.parallel_iterations = parallel;
      loop.start = Constant("start", Tensor::Scalar(0.0f));
      loop.goes_on = [&](OutputRef x) { return Node("Less", "less", {x, Same("limit", 30)}); };
      loop.body = [&](OutputRef x) {
        const OutputRef negative = Node("Neg", "neg", {x}, {}, "/gpu:0");
        const OutputRef positive = Node("Neg", "pos", {negative}, {}, "/gpu:0");
        return Node("AddV2", "next", {positive, Same("one", 1)}, {}, "/cpu:0");
      };
      Node("Identity", "end", {Loop(loop)}, {}, "/cpu:0");
      Compile({"end:0"});
      for (int round = 0; round < 3; ++round) ExpectRun({30}, round == 1 ? 60'000 : 0);
      plan_.reset();
    }
  }
}

// Two variables, of which the second stops going round before the first: its Exit was alive in an
// earlier iteration than the last, and the merge behind it takes that value.
TEST_F(LoopStepTest, OneVariableMayLeaveBeforeTheOther) {
  const OutputRef limit = Same("limit", 6), early = Same("early_limit", 3), one = Same("one", 1);
  const OutputRef start = Constant("start", Tensor::Scalar(0.0f));
  const OutputRef in = Enter(start, "loop", false);
  const OutputRef merge = Merge("merge", {in, in});
  const OutputRef other_in = Enter(start, "loop", false);
  const OutputRef other = Merge("other", {other_in, other_in});
  const OutputRef goes_on = Node("LoopCond", "cond", {Node("Less", "less", {merge, limit})});
  const OutputRef branch = Node("Switch", "branch", {merge, goes_on});
  const OutputRef other_goes_on = Node("Less", "other_less", {other, early});
  const OutputRef other_branch = Node("Switch", "other_branch", {other, other_goes_on});
  const OutputRef next =
      Node("NextIteration", "next", {Node("AddV2", "add", {{branch.node, 1}, one})});
  const OutputRef other_next = Node("NextIteration", "other_next",
                                    {Node("AddV2", "other_add", {{other_branch.node, 1}, one})});
  ASSERT_TRUE(graph_->SetInput(merge.node, 1, next).ok());
  ASSERT_TRUE(graph_->SetInput(other.node, 1, other_next).ok());
  Node("Exit", "exit", {branch});
  Node("Exit", "other_exit", {other_branch});
  Compile({"exit:0", "other_exit:0"});
  for (int i = 0; i < 3; ++i) ExpectRun({6, 3}, i == 1 ? 60'000 : 0);
}

// Many loops beside each other and many iterations, on several threads, in any order: each counts
// to its own end.
TEST_F(LoopStepTest, ManyLoopsBesideEachOther) {
  for (const uint64_t stress : {0, 3}) {
    SCOPED_TRACE(stress);
    graph_ = std::make_shared<Graph>();
    options_.stress_seed = stress;
    std::vector<std::string> fetches;
    std::vector<float> expected;
    for (int k = 0; k < 8; ++k) {
      const std::string frame = absl::StrCat("loop", k);
      const auto limit = static_cast<float>(stress == 0 ? 50 * k : 3 * k);
      LoopSpec loop;
      loop.frame = frame;
      loop.parallel_iterations = 1 + k;
      loop.start = Scripted(frame + "_start", {}, [](KernelContext& ctx) { return Give(ctx, 0); });
      loop.goes_on = [&](OutputRef x) {
        return Node("Less", frame + "_less", {x, Same(frame + "_limit", limit, frame)});
      };
      loop.body = [&](OutputRef x) {
        const OutputRef side = Scripted(frame + "_side", {x}, CountUp, {}, kDear);
        const OutputRef waits =
            Awaited(frame + "_waits", {x}, [](KernelContext& ctx, const Kernel::Done& done) {
              done(Give(ctx, SumOfInputs(ctx)));
            });
        return Scripted(frame + "_body", {side, waits}, [](KernelContext& ctx) {
          return Give(ctx, (SumOfInputs(ctx) - 1) / 2 + 1);
        });
      };
      Loop(loop);
      fetches.push_back(frame + "/exit:0");
      expected.push_back(limit);
    }
    Compile(fetches);
    for (int round = 0; round < 3; ++round) ExpectRun(expected, round == 1 ? 60'000 : 0);
    plan_.reset();
  }
}

}  // namespace
}  // namespace warpbeam
