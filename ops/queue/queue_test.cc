// Queues by themselves: order, waiting, closing, cancellation, many threads.
#include "ops/queue/queue.h"

#include <atomic>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ops/launch/op_record.h"
#include "ops/queue/named_resource.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Code = StatusCode;

// What a Put, Take or Close came to.
struct Outcome {
  bool is_done = false;
  Status status;
  std::vector<int32_t> values;  // of the first component
};

class QueueTest : public ::testing::Test {
 protected:
  std::shared_ptr<Queue> Make(OpRunner& runner) {
    auto handle = runner.Attr("component_types", std::vector<DType>{DType::kInt32})
                      .Attr("shapes", std::vector<PartialShape>{PartialShape(Shape())})
                      .Attr("shared_name", "queue")
                      .Resources(&store_)
                      .RunOne();
    EXPECT_TRUE(handle.ok()) << handle.status();
    if (!handle.ok()) return nullptr;
    return *store_.Lookup<Queue>(*handle->data<ResourceHandle>());
  }
  std::shared_ptr<Queue> MakeFifo(int64_t capacity) {
    OpRunner runner("FIFOQueueV2");
    runner.Attr("capacity", capacity);
    return Make(runner);
  }
  static Queue::Row RowOf(int32_t value) { return {Tensor::Scalar<int32_t>(value)}; }
  static Queue::Rows RowsOf(std::initializer_list<int32_t> values) {
    Queue::Rows rows;
    for (int32_t v : values) rows.push_back(RowOf(v));
    return rows;
  }
  static Queue::Finished Into(const std::shared_ptr<Outcome>& outcome) {
    return [outcome](Status status, Queue::Rows rows) {
      EXPECT_FALSE(outcome->is_done);
      outcome->is_done = true;
      outcome->status = std::move(status);
      for (const Queue::Row& row : rows) outcome->values.push_back(row[0].scalar<int32_t>());
    };
  }
  std::shared_ptr<Outcome> Put(Queue& queue, std::initializer_list<int32_t> values,
                               StepContext* step = nullptr) {
    auto outcome = std::make_shared<Outcome>();
    queue.Put(step, RowsOf(values), Into(outcome));
    return outcome;
  }
  std::shared_ptr<Outcome> Take(Queue& queue, int64_t n, bool up_to = false,
                                StepContext* step = nullptr) {
    auto outcome = std::make_shared<Outcome>();
    queue.Take(step, n, up_to, Into(outcome));
    return outcome;
  }
  std::shared_ptr<Outcome> Close(Queue& queue, bool cancel) {
    auto outcome = std::make_shared<Outcome>();
    queue.Close(nullptr, cancel, [outcome](Status s) {
      outcome->is_done = true;
      outcome->status = std::move(s);
    });
    return outcome;
  }

  ResourceStore store_;
};

TEST_F(QueueTest, GivesOutInOrderAndRefusesWhenFullOrEmpty) {
  auto q = MakeFifo(2);
  Queue::Row row = RowOf(1);
  EXPECT_TRUE(q->TryPut(&row));
  row = RowOf(2);
  EXPECT_TRUE(q->TryPut(&row));
  row = RowOf(3);
  EXPECT_FALSE(q->TryPut(&row));
  EXPECT_EQ(row[0].scalar<int32_t>(), 3);
  EXPECT_EQ(q->size(), 2);
  EXPECT_TRUE(q->TryTake(&row));
  EXPECT_EQ(row[0].scalar<int32_t>(), 1);
  EXPECT_TRUE(q->TryTake(&row));
  EXPECT_EQ(row[0].scalar<int32_t>(), 2);
  EXPECT_FALSE(q->TryTake(&row));
}

TEST_F(QueueTest, WaitersAreServedInTheOrderTheyCame) {
  auto q = MakeFifo(1);
  auto many = Take(*q, 3);
  auto one = Take(*q, 1);
  Put(*q, {1, 2});
  EXPECT_FALSE(many->is_done);
  Queue::Row row;
  EXPECT_FALSE(q->TryTake(&row));
  auto put = Put(*q, {3, 4, 5, 6});
  EXPECT_THAT(many->values, ElementsAre(1, 2, 3));
  EXPECT_THAT(one->values, ElementsAre(4));
  EXPECT_FALSE(put->is_done);
  auto late = Put(*q, {7});
  EXPECT_THAT(Take(*q, 2)->values, ElementsAre(5, 6));
  EXPECT_TRUE(put->is_done);
  EXPECT_TRUE(late->is_done);
  EXPECT_THAT(Take(*q, 1)->values, ElementsAre(7));
}

TEST_F(QueueTest, MoreRowsThanTheCapacityPassThrough) {
  auto q = MakeFifo(2);
  auto put = Put(*q, {1, 2, 3, 4, 5});
  EXPECT_FALSE(put->is_done);
  EXPECT_THAT(Take(*q, 5)->values, ElementsAre(1, 2, 3, 4, 5));
  EXPECT_TRUE(put->is_done && put->status.ok());
}

TEST_F(QueueTest, ClosingGivesBackWhatIsNotEnough) {
  auto q = MakeFifo(10);
  auto take = Take(*q, 5);
  Put(*q, {1, 2, 3});
  EXPECT_EQ(q->size(), 0);
  EXPECT_TRUE(Close(*q, false)->status.ok());
  ASSERT_TRUE(take->is_done);
  EXPECT_EQ(take->status.code(), Code::kOutOfRange);
  EXPECT_THAT(std::string(take->status.message()),
              HasSubstr("is closed and has insufficient elements (requested 5, current size 3)"));
  EXPECT_EQ(Put(*q, {9})->status.code(), Code::kCancelled);
  EXPECT_THAT(Take(*q, 2)->values, ElementsAre(1, 2));
  EXPECT_THAT(Take(*q, 4, /*up_to=*/true)->values, ElementsAre(3));
  EXPECT_EQ(Take(*q, 4, /*up_to=*/true)->status.code(), Code::kOutOfRange);
}

TEST_F(QueueTest, UpToTakesWhatIsLeftWhenTheQueueCloses) {
  auto q = MakeFifo(10);
  auto take = Take(*q, 5, /*up_to=*/true);
  Put(*q, {1, 2, 3});
  EXPECT_FALSE(take->is_done);
  Close(*q, false);
  EXPECT_TRUE(take->status.ok());
  EXPECT_THAT(take->values, ElementsAre(1, 2, 3));
}

TEST_F(QueueTest, CloseWaitsForPuttersOrCancelsThem) {
  auto q = MakeFifo(1);
  Put(*q, {1});
  auto waiting = Put(*q, {2});
  auto close = Close(*q, false);
  auto late = Put(*q, {3});
  EXPECT_FALSE(close->is_done || waiting->is_done || late->is_done || q->is_closed());
  EXPECT_THAT(Take(*q, 1)->values, ElementsAre(1));
  EXPECT_TRUE(waiting->is_done && close->is_done && late->is_done && q->is_closed());
  EXPECT_EQ(late->status.code(), Code::kCancelled);
  EXPECT_EQ(Close(*q, false)->status.code(), Code::kCancelled);
  EXPECT_TRUE(Close(*q, true)->status.ok());

  store_.Clear();
  q = MakeFifo(1);
  Put(*q, {1});
  waiting = Put(*q, {2});
  EXPECT_TRUE(Close(*q, true)->is_done);
  EXPECT_EQ(waiting->status.code(), Code::kCancelled);
  EXPECT_EQ(q->size(), 1);
}

TEST_F(QueueTest, ACancelledStepLeavesTheLine) {
  auto q = MakeFifo(2);
  {
    StepContext step(1, &store_, nullptr);
    auto take = Take(*q, 5, false, &step);
    auto next = Take(*q, 1);
    Put(*q, {1, 2, 3});
    step.Cancel(Cancelled("enough"));
    EXPECT_EQ(take->status.code(), Code::kCancelled);
    EXPECT_THAT(next->values, ElementsAre(1));
    EXPECT_EQ(q->size(), 2);
    EXPECT_EQ(Take(*q, 5, false, &step)->status.code(), Code::kCancelled);
  }
  {
    StepContext step(2, &store_, nullptr);
    auto put = Put(*q, {4}, &step);
    auto next = Put(*q, {5});
    EXPECT_FALSE(put->is_done);
    step.Cancel(Cancelled("enough"));
    EXPECT_EQ(put->status.code(), Code::kCancelled);
    EXPECT_THAT(Take(*q, 3)->values, ElementsAre(2, 3, 5));
    EXPECT_TRUE(next->is_done);
  }
  StepContext step(3, &store_, nullptr);
  auto take = Take(*q, 1, false, &step);
  Put(*q, {6});
  EXPECT_THAT(take->values, ElementsAre(6));
  step.Cancel(Cancelled("too late"));
}

// The numbers are TensorFlow's for the same seeds.
TEST_F(QueueTest, SeedsFixTheShuffledOrder) {
  OpRunner runner("RandomShuffleQueueV2");
  runner.Attr("seed", int64_t{3}).Attr("seed2", int64_t{7});
  auto q = Make(runner);
  Put(*q, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  EXPECT_THAT(Take(*q, 6)->values, ElementsAre(6, 1, 5, 3, 4, 0));
  EXPECT_THAT(Take(*q, 4)->values, ElementsAre(9, 2, 8, 7));
  store_.Clear();
  OpRunner leaves_some("RandomShuffleQueueV2");
  leaves_some.Attr("seed2", int64_t{5}).Attr("min_after_dequeue", int64_t{4});
  leaves_some.Attr("capacity", int64_t{100});
  q = Make(leaves_some);
  Put(*q, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  auto take = Take(*q, 8);
  EXPECT_FALSE(take->is_done);
  EXPECT_EQ(q->size(), 4);
  Put(*q, {10, 11});
  EXPECT_TRUE(take->is_done);
  auto rest = Take(*q, 4);
  EXPECT_FALSE(rest->is_done);
  Close(*q, false);
  EXPECT_TRUE(rest->is_done && rest->status.ok());
}

TEST_F(QueueTest, ThreadsLoseAndRepeatNothing) {
  auto q = MakeFifo(7);
  constexpr int kThreads = 4, kEach = 2000;
  std::atomic<int64_t> sum{0}, taken{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kEach; ++i) {
        std::atomic<bool> done{false};
        q->Put(nullptr, {RowOf(t * kEach + i)}, [&](Status s, Queue::Rows) {
          EXPECT_TRUE(s.ok());
          done.store(true, std::memory_order_release);
        });
        while (!done.load(std::memory_order_acquire)) std::this_thread::yield();
      }
    });
    threads.emplace_back([&, t] {
      for (int i = 0; i < kEach;) {
        const int n = std::min(1 + (i + t) % 9, kEach - i);
        std::atomic<bool> done{false};
        q->Take(nullptr, n, false, [&](Status s, Queue::Rows rows) {
          EXPECT_TRUE(s.ok());
          for (const Queue::Row& row : rows) sum += row[0].scalar<int32_t>();
          taken += static_cast<int64_t>(rows.size());
          done.store(true, std::memory_order_release);
        });
        while (!done.load(std::memory_order_acquire)) std::this_thread::yield();
        i += n;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  constexpr int64_t kAll = int64_t{kThreads} * kEach;
  EXPECT_EQ(taken, kAll);
  EXPECT_EQ(sum, kAll * (kAll - 1) / 2);
  EXPECT_EQ(q->size(), 0);
}

TEST_F(QueueTest, StepsCancelledByManyThreadsAllEnd) {
  auto q = MakeFifo(1);
  std::vector<std::thread> threads;
  std::atomic<int> ended{0};
  constexpr int kThreads = 4, kRounds = 300;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kRounds; ++i) {
        StepContext step(i, &store_, nullptr);
        std::atomic<int> left{3};
        const auto finished = [&](Status, Queue::Rows) {
          ++ended;
          left.fetch_sub(1, std::memory_order_release);
        };
        q->Take(&step, 2, false, finished);
        q->Put(&step, RowsOf({1, 2, 3}), finished);
        q->Take(&step, 1 + t % 2, false, finished);
        step.Cancel(Cancelled("enough"));
        while (left.load(std::memory_order_acquire) > 0) std::this_thread::yield();
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(ended, 3 * kThreads * kRounds);
}

TEST_F(QueueTest, AttributesAreChecked) {
  const auto code = [&](OpRunner& runner) {
    return runner.Attr("component_types", std::vector<DType>{DType::kInt32})
        .Resources(&store_)
        .RunOne()
        .status()
        .code();
  };
  const std::vector<PartialShape> open = {PartialShape({-1})}, unknown = {PartialShape()};
  const std::vector<PartialShape> two = {PartialShape(Shape()), PartialShape(Shape())};
  EXPECT_EQ(code(OpRunner("FIFOQueueV2").Attr("shapes", open)), Code::kInvalidArgument);
  EXPECT_EQ(code(OpRunner("FIFOQueueV2").Attr("shapes", two)), Code::kInvalidArgument);
  EXPECT_EQ(code(OpRunner("PaddingFIFOQueueV2").Attr("shapes", open)), Code::kOk);
  EXPECT_EQ(code(OpRunner("PaddingFIFOQueueV2").Attr("capacity", int64_t{5})),
            Code::kInvalidArgument);
  EXPECT_EQ(code(OpRunner("PaddingFIFOQueueV2").Attr("shapes", unknown)), Code::kInvalidArgument);
  EXPECT_EQ(code(OpRunner("PriorityQueueV2").Attr("shapes", std::vector<PartialShape>())),
            Code::kInvalidArgument);
  EXPECT_EQ(code(OpRunner("RandomShuffleQueueV2").Attr("min_after_dequeue", int64_t{-1})),
            Code::kInvalidArgument);
  EXPECT_EQ(code(OpRunner("RandomShuffleQueueV2")
                     .Attr("min_after_dequeue", int64_t{3})
                     .Attr("capacity", int64_t{3})),
            Code::kInvalidArgument);
  EXPECT_EQ(code(OpRunner("FIFOQueueV2").Attr("shared_name", "x")), Code::kOk);
  EXPECT_EQ(code(OpRunner("FIFOQueueV2").Attr("shared_name", "x")), Code::kOk);
  EXPECT_EQ(code(OpRunner("FIFOQueueV2").Attr("shared_name", "x").Attr("capacity", int64_t{3})),
            Code::kInvalidArgument);
  EXPECT_EQ(code(OpRunner("RandomShuffleQueueV2").Attr("shared_name", "x")),
            Code::kInvalidArgument);
  EXPECT_EQ(code(OpRunner("FIFOQueueV2").Attr("shared_name", "x").Attr("container", "other")),
            Code::kOk);
}

}  // namespace
}  // namespace warpbeam
