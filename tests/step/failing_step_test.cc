// Steps that fail: which error is told, what still runs, and that nothing of it is left for the
// next step.
#include <atomic>
#include <random>
#include <thread>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "runtime/kernel/step_context.h"
#include "runtime/memory/pool_allocator.h"
#include "runtime/step/failed_node.h"
#include "tests/step/scripted_steps.h"

namespace warpbeam {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

using FailingStepTest = StepTest;

TEST_F(FailingStepTest, TheFirstErrorIsTold) {
  Gate first_failed, second_began;
  Scripted(
      "first", {},
      [&](KernelContext&) {
        second_began.Wait();
        return OutOfRange("the first");
      },
      {}, kDear);
  Scripted(
      "second", {},
      [&](KernelContext& ctx) {
        second_began.Open();
        // Its step is cancelled while it computes.
        while (!ctx.IsCancelled()) std::this_thread::yield();
        first_failed.Open();
        return DataLoss("a consequence");
      },
      {}, kDear);
  Compile({"first:0", "second:0"});
  const Status s = Run();
  EXPECT_TRUE(first_failed.Wait(0)) << "the step ended before its last kernel did";
  EXPECT_EQ(s.code(), StatusCode::kOutOfRange);
  EXPECT_THAT(std::string(s.message()),
              AllOf(StartsWith("node 'first' (TestScripted) on /job:localhost/replica:0/task:0/"
                               "device:CPU:0: "),
                    HasSubstr("the first")));
  EXPECT_EQ(FailedNode(s), "first");
}

TEST_F(FailingStepTest, WhatHasNotBegunIsSkipped) {
  options_.inter_op_threads = options_.intra_op_threads = 1;
  std::atomic<int> later{0};
  const OutputRef bad = Scripted(
      "bad", {}, [](KernelContext&) { return InvalidArgument("bad"); }, {}, kDear);
  OutputRef x = bad;
  for (int i = 0; i < 20; ++i) {
    // One thread: none of them has begun when the first node fails, whether it follows or not.
    x = Scripted(
        absl::StrCat("after", i), {i % 2 == 0 ? x : bad},
        [&](KernelContext& ctx) {
          ++later;
          return CountUp(ctx);
        },
        {},
        i % 3 == 0   ? kDear
        : i % 3 == 1 ? kUnsaid
                     : kScalar);
  }
  Compile({"after19:0"});
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Run().code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(later, 0);
  }
}

// Kernels that wait for something outside of the step hear that it has failed.
TEST_F(FailingStepTest, AnErrorWakesWhoWaits) {
  std::atomic<int> woken{0};
  Gate waits;
  Awaited("waits", {}, [&](KernelContext& ctx, const Kernel::Done& done) {
    const auto token = ctx.step()->OnCancel([&woken, &ctx, done] {
      ++woken;
      done(ctx.step()->cancel_reason());
    });
    ASSERT_NE(token, StepContext::kAlreadyCancelled);
    waits.Open();
  });
  Scripted(
      "fails", {},
      [&](KernelContext&) {
        waits.Wait();
        return OutOfRange("no more");
      },
      {}, kDear);
  Compile({"waits:0", "fails:0"});
  for (int i = 1; i <= 3; ++i) {
    const Status s = Run();
    EXPECT_EQ(FailedNode(s), "fails") << s;
    EXPECT_EQ(woken, i);
    EXPECT_TRUE(plan_->IsIdle());
  }
}

// What an asynchronous kernel gives after the step has failed is cleared like all else.
TEST_F(FailingStepTest, TheStepWaitsForKernelsThatAreOut) {
  Gate is_out, may_end;
  std::atomic<bool> ended{false};
  Awaited("out", {}, [&](KernelContext& ctx, const Kernel::Done& done) {
    is_out.Open();
    std::thread([&, done] {
      may_end.Wait();
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      ended = true;
      done(Give(ctx, 1));
    }).detach();
  });
  Scripted(
      "fails", {},
      [&](KernelContext&) {
        EXPECT_TRUE(is_out.Wait());  // what has not begun is skipped
        may_end.Open();
        return OutOfRange("no more");
      },
      {}, kDear);
  Compile({"out:0", "fails:0"});
  EXPECT_EQ(Run().code(), StatusCode::kOutOfRange);
  EXPECT_TRUE(ended);
}

TEST_F(FailingStepTest, ACancelledStepTellsWhy) {
  const OutputRef x = Scripted("x", {}, [](KernelContext& ctx) {
    ctx.step()->Cancel(Aborted("somebody has said so"));
    return Give(ctx, 1);
  });
  std::atomic<bool> followed{false};
  Scripted("y", {x}, [&](KernelContext& ctx) {
    followed = true;
    return CountUp(ctx);
  });
  Compile({"y:0"});
  const Status s = Run();
  EXPECT_EQ(s.code(), StatusCode::kAborted);
  EXPECT_EQ(s.message(), "somebody has said so");
  EXPECT_FALSE(followed);
}

TEST_F(FailingStepTest, AStepCancelledBeforeItBeginsRunsNothing) {
  for (const bool serial : {true, false}) {
    SCOPED_TRACE(serial);
    graph_ = std::make_shared<Graph>();
    std::atomic<int> ran{0};
    const auto count = [&](KernelContext& ctx) {
      ++ran;
      return CountUp(ctx);
    };
    const OutputRef x = Scripted("x", {}, count, {}, serial ? 1 : kDear);
    Scripted("y", {x}, count, {}, serial ? 1 : kDear);
    Compile({"y:0"});
    for (const int64_t timeout_ms : {0, 60'000}) {
      const auto context = plan_->NewContext();
      context->Cancel(Cancelled("before it began"));
      std::vector<Tensor> fetched;
      const Status s = plan_->runner().Run(context, {}, timeout_ms, &fetched, nullptr);
      EXPECT_EQ(s, Cancelled("before it began"));
    }
    EXPECT_EQ(ran, 0);
    ExpectRun({2});
    plan_.reset();
  }
}

// A message that already names the node is not told twice; the code and the text stay.
TEST_F(FailingStepTest, LongMessagesAreCut) {
  const std::string text(100'000, 'x');
  Scripted("long", {}, [&](KernelContext&) { return InvalidArgument(text); });
  Compile({"long:0"});
  const Status s = Run();
  EXPECT_EQ(s.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(FailedNode(s), "long");
  EXPECT_LT(s.message().size(), 10'000u);
  EXPECT_THAT(std::string(s.message()), HasSubstr("xxx"));
}

TEST_F(FailingStepTest, PayloadsOfAnErrorStay) {
  Scripted("x", {}, [](KernelContext&) {
    Status s = InvalidArgument("with a payload");
    s.SetPayload("type.test", "kept");
    return s;
  });
  Compile({"x:0"});
  const Status s = Run();
  ASSERT_NE(s.FindPayload("type.test"), nullptr) << s;
  EXPECT_EQ(*s.FindPayload("type.test"), "kept");
}

// Wherever a step fails, with whatever is out by then: no tensor of it stays alive, and the next
// one is right.
class EverywhereTest : public StepTest, public ::testing::WithParamInterface<bool> {
 protected:
  static Status GiveMany(KernelContext& ctx, float value) {
    // Large enough to be missed.
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, Shape({1 << 16})));
    std::fill(y->data<float>(), y->data<float>() + y->num_elements(), value);
    return OkStatus();
  }
  // Adds 700 until 2000 are there, to "loop_end".
  void AddLoop(OutputRef start, const std::function<bool()>& fails) {
    LoopSpec loop;
    loop.start = start;
    const OutputRef limit = Enter(Constant("limit", Tensor::Scalar(2000.0f)), "loop", true);
    loop.goes_on = [&](OutputRef x) {
      const OutputRef first =
          Scripted("first", {x}, [](KernelContext& ctx) { return Give(ctx, SumOfInputs(ctx)); });
      return Node("Less", "less", {first, limit});
    };
    loop.body = [&](OutputRef x) {
      return Scripted("body", {x}, [fails](KernelContext& ctx) {
        return fails() ? DataLoss("the body has failed") : GiveMany(ctx, SumOfInputs(ctx) + 700);
      });
    };
    Node("Identity", "loop_end", {Loop(loop)});
  }
};

TEST_P(EverywhereTest, AFailedStepLeavesNothing) {
  const bool has_loop = GetParam();
  constexpr int kNodes = 30;
  std::mt19937_64 random(5);
  std::atomic<int> fails_at{-1};
  std::vector<OutputRef> nodes;
  std::vector<float> values;
  for (int i = 0; i < kNodes; ++i) {
    std::vector<OutputRef> inputs;
    float value = 1;
    for (int k = 0; k < 2 && i > 0; ++k) {
      const auto other = static_cast<size_t>(random() % static_cast<uint64_t>(i));
      inputs.push_back(nodes[other]);
      value += values[other];
    }
    values.push_back(std::min(value, 1000.0f));
    const auto compute = [&, i](KernelContext& ctx) -> Status {
      if (fails_at == i) return DataLoss("node ", i, " has failed");
      return GiveMany(ctx, std::min(SumOfInputs(ctx) + 1, 1000.0f));
    };
    const std::string name = absl::StrCat("n", i);
    if (i % 4 == 3) {
      nodes.push_back(Awaited(name, inputs, [compute](KernelContext& ctx, Kernel::Done done) {
        std::thread([&ctx, compute, done] { done(compute(ctx)); }).detach();
      }));
    } else {
      nodes.push_back(Scripted(name, inputs, compute, {},
                               i % 3 == 0   ? kDear
                               : i % 3 == 1 ? kUnsaid
                                            : kScalar));
    }
  }
  if (has_loop) AddLoop(nodes[kNodes / 2], [&] { return fails_at == kNodes; });
  std::vector<std::string> fetches = {absl::StrCat("n", kNodes - 1, ":0")};
  std::vector<std::string> targets;
  for (int i = 0; i < kNodes; ++i) targets.push_back(absl::StrCat("n", i));
  if (has_loop) targets.push_back("loop_end");
  Compile(fetches, targets);
  ASSERT_EQ(plan_->plan().program.frames != nullptr, has_loop);
  const auto in_use = [] { return PoolAllocator::Process().stats().bytes_in_use; };
  ExpectRun({values.back()});
  ASSERT_TRUE(plan_->IsIdle());
  fetched_.clear();
  const int64_t before = in_use();
  for (const int64_t timeout_ms : {0, 60'000}) {
    for (int i = 0; i < kNodes + (has_loop ? 1 : 0); ++i) {
      fails_at = i;
      const Status s = Run(timeout_ms);
      ASSERT_EQ(s.code(), StatusCode::kDataLoss) << i;
      EXPECT_EQ(FailedNode(s), i == kNodes ? "body" : absl::StrCat("n", i));
      ASSERT_TRUE(plan_->IsIdle());
      EXPECT_LE(in_use(), before + 4096) << i;
      fails_at = -1;
      ExpectRun({values.back()}, timeout_ms);
      fetched_.clear();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, EverywhereTest, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "frames" : "tasks"; });

// What a step held when memory ran out stands in its message, the largest first.
TEST_F(FailingStepTest, OutOfMemoryNamesWhoHoldsIt) {
  const auto of = [](int64_t elements) {
    return [elements](KernelContext& ctx) -> Status {
      WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, Shape({elements})));
      *y->data<float>() = 1;
      return OkStatus();
    };
  };
  const OutputRef small = Scripted("small", {}, of(1000));
  const OutputRef large = Scripted("large", {small}, of(2'000'000));
  Scripted("too_much", {small, large},
           [](KernelContext& ctx) { return ctx.Allocate(0, Shape({int64_t{1} << 45})).status(); });
  Compile({"too_much:0"});
  const Status s = Run();
  EXPECT_EQ(s.code(), StatusCode::kResourceExhausted) << s;
  const std::string message(s.message());
  EXPECT_THAT(message, AllOf(StartsWith("node 'too_much'"), HasSubstr("2 tensors of the step"),
                             HasSubstr("'large' (TestScripted) float[2000000]"),
                             HasSubstr("'small' (TestScripted) float[1000]")));
  EXPECT_LT(message.find("'large'"), message.find("'small'"));
}

}  // namespace
}  // namespace warpbeam
