// Steps with deadlines of a few milliseconds take from queues, staging areas, barriers, iterators
// and accumulators, and have something to do afterwards: those that end by their deadline have
// taken nothing, so that what was put in comes out, once.
#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include "absl/strings/numbers.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "graph/build/node_builder.h"
#include "gtest/gtest.h"
#include "runtime/kernel/cancellation.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

constexpr int kElements = 1000;
constexpr int kTakers = 3;

using Attrs = std::vector<std::pair<std::string, AttrValue>>;

// "behind": a chain of matrix products, after node `after` where one is given.
void AddWork(Graph* graph, int products, NodeId after = -1) {
  Tensor zeros = *Tensor::Allocate(DType::kFloat, Shape({96, 96}));
  std::fill_n(zeros.data<float>(), zeros.num_elements(), 0.f);
  const OutputRef matrix = {(*AddConstant(graph, "matrix", std::move(zeros)))->id(), 0};
  NodeId last = matrix.node;
  for (int i = 0; i < products; ++i) {
    NodeBuilder product(graph, "MatMul");
    product.Name("work").Input(OutputRef{last, 0}).Input(matrix);
    if (i == 0 && after >= 0) product.ControlInput(after);
    last = (*product.Build())->id();
  }
  ASSERT_TRUE(NodeBuilder(graph, "NoOp").Name("behind").ControlInput(last).Build().ok());
}

std::unique_ptr<Session> OpenSession(std::shared_ptr<Graph> graph) {
  SessionOptions options;
  options.passes = "none";
  auto session = Session::Create(options, std::move(graph));
  EXPECT_TRUE(session.ok()) << session.status();
  return session.ok() ? *std::move(session) : nullptr;
}

// The shortest of many runs counts: no later step is much faster, whatever else runs now.
int ProductsLongerThanAMillisecond() {
  constexpr int kTried = 12;
  auto graph = std::make_shared<Graph>();
  AddWork(graph.get(), kTried);
  const std::unique_ptr<Session> session = OpenSession(graph);
  absl::Duration shortest = absl::InfiniteDuration();
  for (int i = 0; i < 100; ++i) {
    const absl::Time begin = absl::Now();
    std::vector<Tensor> none;
    EXPECT_TRUE(session->Run({}, {}, {}, {"behind"}, &none, nullptr).ok());
    shortest = std::min(shortest, absl::Now() - begin);
  }
  return 1 + static_cast<int>(kTried * absl::FDivDuration(absl::Microseconds(1300), shortest));
}

class EndedStepTest : public ::testing::Test {
 protected:
  Node* Make(const char* op, const char* name, std::vector<NodeInput> inputs, const Attrs& attrs,
             NodeId after = -1) {
    NodeBuilder builder(graph_.get(), op);
    builder.Name(name);
    for (NodeInput& input : inputs) builder.Input(std::move(input));
    for (const auto& [key, value] : attrs) builder.Attr(key, value);
    if (after >= 0) builder.ControlInput(after);
    auto made = builder.Build();
    EXPECT_TRUE(made.ok()) << made.status();
    return *made;
  }
  OutputRef Const(const char* name, Tensor value) {
    return {(*AddConstant(graph_.get(), name, std::move(value)))->id(), 0};
  }
  OutputRef Fed(DType dtype, PartialShape shape = Shape()) {
    return {Make("Placeholder", "x", {}, {{"dtype", dtype}, {"shape", std::move(shape)}})->id(), 0};
  }
  OutputRef Queue(const char* op, std::vector<DType> types, Attrs attrs = {}) {
    attrs.emplace_back("component_types", std::move(types));
    attrs.emplace_back("shapes", std::vector<PartialShape>{Shape()});
    attrs.emplace_back("capacity", int64_t{40});
    return {Make(op, "queue", {}, attrs)->id(), 0};
  }
  // "put" of "x", "take": half of the kinds take two rows at once.
  void PutAndTake(OutputRef queue, bool many, bool has_priority = false) {
    const OutputRef x = Fed(DType::kInt64);
    std::vector<OutputRef> row = {x};
    if (has_priority) row = {x, x};
    const std::vector<DType> types(row.size(), DType::kInt64);
    Make("QueueEnqueueV2", "put", {queue, row}, {});
    if (many) {
      Make("QueueDequeueManyV2", "take", {queue, Const("n", Tensor::Scalar<int32_t>(2))},
           {{"component_types", types}});
    } else {
      Make("QueueDequeueV2", "take", {queue}, {{"component_types", types}});
    }
  }
  // What a step does behind its taking takes more than the shortest of the deadlines
  // even where the machine is at its fastest.
  void Open() {
    static const int kProducts = ProductsLongerThanAMillisecond();
    AddWork(graph_.get(), kProducts, graph_->Find("take")->id());
    session_ = OpenSession(graph_);
    ASSERT_NE(session_, nullptr);
  }
  enum class Taken { kRow, kLate, kNone };
  // One step; kNone at the end of what there is.
  Taken Take(int64_t timeout_ms, const std::string& fetch) {
    RunOptions options;
    options.timeout_ms = timeout_ms;
    std::vector<Tensor> out;
    const Status s = session_->Run(options, {}, {fetch}, {"behind"}, &out, nullptr);
    if (IsDeadlineExceeded(s)) {
      ++late_;
      return Taken::kLate;
    }
    if (IsOutOfRange(s)) return Taken::kNone;
    EXPECT_TRUE(s.ok()) << s;
    if (!s.ok()) return Taken::kNone;
    std::lock_guard<std::mutex> lock(mutex_);
    last_taken_ = absl::Now();
    for (int64_t i = 0; i < out[0].num_elements(); ++i) {
      if (out[0].dtype() == DType::kString) {
        int64_t number = -1;
        EXPECT_TRUE(absl::SimpleAtoi(out[0].data<std::string>()[i], &number));
        taken_.push_back(number);
      } else if (out[0].dtype() == DType::kFloat) {
        sum_ += out[0].data<float>()[i];
      } else {
        taken_.push_back(out[0].data<int64_t>()[i]);
      }
    }
    return Taken::kRow;
  }
  size_t num_taken() const { return taken_.size() + static_cast<size_t>(sum_); }
  // More than `left` elements are still to come, and they do come.
  bool GoesOn(size_t left) {
    std::lock_guard<std::mutex> lock(mutex_);
    return num_taken() + left < kElements && absl::Now() - last_taken_ < absl::Seconds(10);
  }
  // `put` puts element i. A taker waits longer after a late step and less after one in time, so
  // that about half of its steps are late on any machine. The last ones are taken without hurry.
  void Hammer(const std::string& fetch, const std::function<Status(int64_t)>& put) {
    std::atomic<bool> all_put{put == nullptr};
    std::vector<std::thread> threads;
    for (int t = 0; t < kTakers; ++t) {
      threads.emplace_back([&] {
        int64_t timeout_ms = 1;
        while (!all_put || GoesOn(50)) {
          const Taken taken = Take(timeout_ms, fetch);
          if (taken == Taken::kNone) return;
          timeout_ms = std::max<int64_t>(1, timeout_ms + (taken == Taken::kLate ? 1 : -1));
        }
      });
    }
    for (int64_t i = 0; put != nullptr && i < kElements; ++i) {
      const Status s = put(i);
      EXPECT_TRUE(s.ok()) << s;
    }
    all_put = true;
    for (std::thread& thread : threads) thread.join();
    while (GoesOn(0) && Take(500, fetch) != Taken::kNone) {
    }
    EXPECT_EQ(num_taken(), size_t{kElements});
    EXPECT_GT(late_, 0);
    const std::set<int64_t> different(taken_.begin(), taken_.end());
    EXPECT_EQ(different.size(), taken_.size());
    RecordProperty("late", late_);
  }
  Status Put(NamedTensors feeds) {
    std::vector<Tensor> none;
    return session_->Run({}, feeds, {}, {"put"}, &none, nullptr);
  }
  void HammerQueue() {
    Open();
    Hammer("take:0", [this](int64_t i) { return Put({{"x", Tensor::Scalar<int64_t>(i)}}); });
  }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  std::unique_ptr<Session> session_;
  std::atomic<int> late_{0};
  std::mutex mutex_;
  std::vector<int64_t> taken_;
  absl::Time last_taken_ = absl::Now();
  double sum_ = 0;
};

TEST_F(EndedStepTest, FifoQueue) {
  PutAndTake(Queue("FIFOQueueV2", {DType::kInt64}), /*many=*/false);
  HammerQueue();
}

TEST_F(EndedStepTest, PaddingQueue) {
  PutAndTake(Queue("PaddingFIFOQueueV2", {DType::kInt64}), /*many=*/true);
  HammerQueue();
}

TEST_F(EndedStepTest, RandomShuffleQueue) {
  PutAndTake(Queue("RandomShuffleQueueV2", {DType::kInt64}), /*many=*/true);
  HammerQueue();
}

TEST_F(EndedStepTest, PriorityQueue) {
  PutAndTake(Queue("PriorityQueueV2", {DType::kInt64}), /*many=*/false, /*has_priority=*/true);
  HammerQueue();
}

TEST_F(EndedStepTest, StagingArea) {
  const Attrs area = {{"shared_name", std::string("area")}, {"capacity", int64_t{40}}};
  Attrs take = area;
  take.emplace_back("dtypes", std::vector<DType>{DType::kInt64});
  Make("Stage", "put", {std::vector<OutputRef>{Fed(DType::kInt64)}}, area);
  Make("Unstage", "take", {}, take);
  HammerQueue();
}

TEST_F(EndedStepTest, StagingMap) {
  const std::vector<DType> types = {DType::kInt64};
  const Attrs area = {
      {"shared_name", std::string("map")}, {"capacity", int64_t{40}}, {"dtypes", types}};
  const OutputRef indices = Const("indices", Tensor::Vector<int32_t>({0}));
  const OutputRef x = Fed(DType::kInt64);
  Make("MapStage", "put", {x, indices, std::vector<OutputRef>{x}}, area);
  Make("MapUnstageNoKey", "take", {indices}, area);
  HammerQueue();
}

TEST_F(EndedStepTest, Barrier) {
  const std::vector<DType> types = {DType::kInt64};
  const OutputRef barrier = {
      Make("Barrier", "barrier", {},
           {{"component_types", types}, {"shapes", std::vector<PartialShape>{Shape()}}})
          ->id(),
      0};
  const OutputRef x = Fed(DType::kString, PartialShape({1}));
  Make("BarrierInsertMany", "put", {barrier, x, Const("value", Tensor::Vector<int64_t>({1}))},
       {{"component_index", int64_t{0}}});
  Make("BarrierTakeMany", "take", {barrier, Const("n", Tensor::Scalar<int32_t>(1))},
       {{"component_types", types}});
  Open();
  Hammer("take:1", [this](int64_t i) {
    return Put({{"x", Tensor::Vector<std::string>({absl::StrCat(i)})}});
  });
}

TEST_F(EndedStepTest, Iterator) {
  const Attrs element = {{"output_types", std::vector<DType>{DType::kInt64}},
                         {"output_shapes", std::vector<PartialShape>{Shape()}}};
  Attrs named = element;
  named.emplace_back("shared_name", std::string("iterator"));
  named.emplace_back("container", std::string());
  const OutputRef range = {Make("RangeDataset", "range",
                                {Const("zero", Tensor::Scalar<int64_t>(0)),
                                 Const("end", Tensor::Scalar<int64_t>(kElements)),
                                 Const("one", Tensor::Scalar<int64_t>(1))},
                                element)
                               ->id(),
                           0};
  const OutputRef iterator = {Make("IteratorV2", "iterator", {}, named)->id(), 0};
  Make("MakeIterator", "init", {range, iterator}, {});
  Make("IteratorGetNext", "take", {iterator}, element);
  Open();
  std::vector<Tensor> none;
  ASSERT_TRUE(session_->Run({}, {}, {}, {"init"}, &none, nullptr).ok());
  Hammer("take:0", nullptr);
}

TEST_F(EndedStepTest, Accumulator) {
  const OutputRef accumulator = {Make("ConditionalAccumulator", "sum", {},
                                      {{"dtype", DType::kFloat},
                                       {"shape", PartialShape(Shape())},
                                       {"reduction_type", std::string("SUM")}})
                                     ->id(),
                                 0};
  Make("AccumulatorApplyGradient", "put",
       {accumulator, Const("step", Tensor::Scalar<int64_t>(1'000'000)), Fed(DType::kFloat)}, {});
  Make("AccumulatorTakeGradient", "take",
       {accumulator, Const("required", Tensor::Scalar<int32_t>(1))}, {{"dtype", DType::kFloat}});
  Open();
  Hammer("take:0", [this](int64_t) { return Put({{"x", Tensor::Scalar<float>(1)}}); });
}

// Whoever asked for a step hears of its end, or it has taken nothing.
TEST_F(EndedStepTest, WhatNobodyHasHeardOfGoesBackToo) {
  PutAndTake(Queue("FIFOQueueV2", {DType::kInt64}), /*many=*/false);
  Make("QueueSizeV2", "size", {OutputRef{graph_->Find("queue")->id(), 0}}, {});
  Open();
  ASSERT_TRUE(Put({{"x", Tensor::Scalar<int64_t>(5)}}).ok());
  const auto size = [&] {
    std::vector<Tensor> out;
    EXPECT_TRUE(session_->Run({}, {}, {"size"}, {}, &out, nullptr).ok());
    return out.empty() ? -1 : out[0].scalar<int32_t>();
  };
  std::vector<Tensor> out;
  RunOptions options;
  options.timeout_ms = 60000;
  {
    Cancellation gone;
    options.cancellation = &gone;
    ASSERT_TRUE(session_->Run(options, {}, {"take"}, {}, &out, nullptr).ok());
    EXPECT_EQ(size(), 0);
    gone.Cancel(Cancelled("the client has gone"));
    EXPECT_EQ(size(), 1);
  }
  Cancellation heard;
  options.cancellation = &heard;
  ASSERT_TRUE(session_->Run(options, {}, {"take"}, {}, &out, nullptr).ok());
  EXPECT_EQ(out[0].scalar<int64_t>(), 5);
  EXPECT_EQ(size(), 0);
}

// What a step has moved on is in one place, whenever its deadline comes.
TEST_F(EndedStepTest, WhatWasHandedOnIsNotThereTwice) {
  const OutputRef from = Queue("FIFOQueueV2", {DType::kInt64});
  const OutputRef to = Queue("FIFOQueueV2", {DType::kInt64}, {{"shared_name", std::string("to")}});
  const OutputRef x = Fed(DType::kInt64);
  Make("QueueEnqueueV2", "put", {from, std::vector<OutputRef>{x}}, {});
  const Attrs row = {{"component_types", std::vector<DType>{DType::kInt64}}};
  const Node* moved = Make("QueueDequeueV2", "from", {from}, row);
  Make("QueueEnqueueV2", "take", {to, std::vector<OutputRef>{{moved->id(), 0}}}, {});
  Make("QueueDequeueV2", "at_last", {to}, row);
  Open();
  const auto run = [&](const char* target, int64_t timeout_ms) {
    RunOptions options;
    options.timeout_ms = timeout_ms;
    std::vector<Tensor> none;
    return session_->Run(options, {}, {}, {target}, &none, nullptr);
  };
  constexpr int kMoved = 40;
  for (int64_t i = 0; i < kMoved; ++i) {
    ASSERT_TRUE(Put({{"x", Tensor::Scalar<int64_t>(i)}}).ok());
  }
  for (int i = 0; i < 400; ++i) run("behind", 1 + i % 2).IgnoreError();
  while (run("take", 200).ok()) {
  }
  std::set<int64_t> different;
  std::vector<Tensor> out;
  RunOptions options;
  options.timeout_ms = 200;
  while (session_->Run(options, {}, {"at_last"}, {}, &out, nullptr).ok()) {
    EXPECT_TRUE(different.insert(out[0].scalar<int64_t>()).second) << out[0].scalar<int64_t>();
  }
  EXPECT_EQ(different.size(), size_t{kMoved});
}

}  // namespace
}  // namespace warpbeam
