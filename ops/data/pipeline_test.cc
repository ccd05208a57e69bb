// Whole pipelines in sessions: datasets that call functions, iterators that steps share.

#include "ops/data/pipeline.h"

#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include "gmock/gmock.h"
#include "graph/build/node_builder.h"
#include "gtest/gtest.h"
#include "ops/data/dataset_kernel.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Code = StatusCode;

std::atomic<bool> release_stuck{false};
std::atomic<int> stuck_calls{0};

template <Status (*F)(KernelContext&)>
class FnKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<FnKernel>();
  }
  Status Compute(KernelContext& ctx) override { return F(ctx); }
};

Status TimesTen(KernelContext& ctx) {
  ctx.set_output(0, Tensor::Scalar<int64_t>(ctx.input(0).scalar<int64_t>() * 10));
  return OkStatus();
}
// Early elements take longest, so that threads finish out of order.
Status Slowly(KernelContext& ctx) {
  const int64_t x = ctx.input(0).scalar<int64_t>();
  std::this_thread::sleep_for(std::chrono::microseconds(x < 20 ? 2000 - 100 * x : 1));
  return TimesTen(ctx);
}
Status FailsAtThree(KernelContext& ctx) {
  if (ctx.input(0).scalar<int64_t>() == 3) return InvalidArgument("three is wrong");
  return TimesTen(ctx);
}
// Waits until it is released or its step is cancelled.
Status Stuck(KernelContext& ctx) {
  ++stuck_calls;
  while (!release_stuck && !ctx.IsCancelled()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return TimesTen(ctx);
}
// How many of its calls run at once, at most.
std::atomic<int> blocking_now{0}, blocking_most{0};
Status Blocks(KernelContext& ctx) {
  const int now = ++blocking_now;
  for (int most = blocking_most; now > most && !blocking_most.compare_exchange_weak(most, now);) {
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  --blocking_now;
  return TimesTen(ctx);
}
Status IsOdd(KernelContext& ctx) {
  ctx.set_output(0, Tensor::Scalar<bool>(ctx.input(0).scalar<int64_t>() % 2 == 1));
  return OkStatus();
}
Status AddBoth(KernelContext& ctx) {
  ctx.set_output(
      0, Tensor::Scalar<int64_t>(ctx.input(0).scalar<int64_t>() + ctx.input(1).scalar<int64_t>()));
  return OkStatus();
}
Status GroupOf(KernelContext& ctx) {
  ctx.set_output(0, Tensor::Scalar<int64_t>(2 - ctx.input(0).scalar<int64_t>() % 3));
  return OkStatus();
}
Status PlusTwo(KernelContext& ctx) {
  ctx.set_output(0, Tensor::Scalar<int64_t>(ctx.input(0).scalar<int64_t>() + 2));
  return OkStatus();
}
Status KeptWindow(KernelContext& ctx) {
  ctx.set_output(0, ctx.input(1));
  return OkStatus();
}
Status WindowUnlessOne(KernelContext& ctx) {
  if (ctx.input(0).scalar<int64_t>() == 1) return InvalidArgument("one is wrong");
  return KeptWindow(ctx);
}

// The calling thread's.
int64_t ThreadNumber() {
  static std::atomic<int64_t> threads{0};
  thread_local const int64_t number = ++threads;
  return number;
}
Status ThreadOf(KernelContext& ctx) {
  ctx.set_output(0, Tensor::Scalar<int64_t>(ThreadNumber()));
  return OkStatus();
}
// An asynchronous kernel that has nothing to wait for.
class AtOnceKernel final : public AsyncKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<AtOnceKernel>();
  }
  void ComputeAsync(KernelContext& ctx, Done done) override { done(ThreadOf(ctx)); }
};
// How many of its inputs are not of the thread that computes it.
Status Strangers(KernelContext& ctx) {
  int64_t strangers = 0;
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    strangers += ctx.input(i).scalar<int64_t>() == ThreadNumber() ? 0 : 1;
  }
  ctx.set_output(0, Tensor::Scalar<int64_t>(strangers));
  return OkStatus();
}

WB_OP("TestThreadOf").Input("x: int64").Output("y: int64").Shape(shapes::Scalar);
WB_OP("TestAtOnce").Input("x: int64").Output("y: int64").Shape(shapes::Scalar);
WB_OP("TestStrangers")
    .Input("x: N * int64")
    .Attr("N: int >= 1")
    .Output("y: int64")
    .Shape(shapes::Scalar);
WB_KERNEL("TestThreadOf", FnKernel<ThreadOf>).Cpu();
WB_KERNEL("TestAtOnce", AtOnceKernel).Cpu();
WB_KERNEL("TestStrangers", FnKernel<Strangers>).Cpu();
WB_OP("TestTimesTen").Input("x: int64").Output("y: int64").Shape(shapes::Scalar);
WB_OP("TestSlowly").Input("x: int64").Output("y: int64").Shape(shapes::Scalar);
WB_OP("TestFailsAtThree").Input("x: int64").Output("y: int64").Shape(shapes::Scalar);
WB_OP("TestStuck").Input("x: int64").Output("y: int64").Shape(shapes::Scalar);
WB_OP("TestBlocks").Input("x: int64").Output("y: int64").Shape(shapes::Scalar);
WB_OP("TestIsOdd").Input("x: int64").Output("y: bool").Shape(shapes::Scalar);
WB_OP("TestAddBoth").Input("x: int64").Input("y: int64").Output("z: int64").Shape(shapes::Scalar);
WB_OP("TestGroupOf").Input("x: int64").Output("y: int64").Shape(shapes::Scalar);
WB_OP("TestPlusTwo").Input("x: int64").Output("y: int64").Shape(shapes::Scalar);
WB_OP("TestKeptWindow")
    .Input("x: int64")
    .Input("d: variant")
    .Output("y: variant")
    .Shape(shapes::Scalar);
WB_OP("TestWindowUnlessOne")
    .Input("x: int64")
    .Input("d: variant")
    .Output("y: variant")
    .Shape(shapes::Scalar);
WB_KERNEL("TestGroupOf", FnKernel<GroupOf>).Cpu();
WB_KERNEL("TestPlusTwo", FnKernel<PlusTwo>).Cpu();
WB_KERNEL("TestKeptWindow", FnKernel<KeptWindow>).Cpu();
WB_KERNEL("TestWindowUnlessOne", FnKernel<WindowUnlessOne>).Cpu();
WB_KERNEL("TestTimesTen", FnKernel<TimesTen>).Cpu().Cheap();
WB_KERNEL("TestSlowly", FnKernel<Slowly>).Cpu();
WB_KERNEL("TestFailsAtThree", FnKernel<FailsAtThree>).Cpu();
WB_KERNEL("TestStuck", FnKernel<Stuck>).Cpu();
WB_KERNEL("TestBlocks", FnKernel<Blocks>).Cpu();
WB_KERNEL("TestIsOdd", FnKernel<IsOdd>).Cpu();
WB_KERNEL("TestAddBoth", FnKernel<AddBoth>).Cpu();

class PipelineTest : public ::testing::Test {
 protected:
  PipelineTest() : graph_(std::make_shared<Graph>()) {
    for (const char* op :
         {"TestTimesTen", "TestSlowly", "TestFailsAtThree", "TestStuck", "TestBlocks"}) {
      AddFunction(op, "int64", {"x: int64"}, {"x"}, "y");
    }
    AddFunction("TestIsOdd", "bool", {"x: int64"}, {"x"}, "y");
    for (const char* op : {"TestGroupOf", "TestPlusTwo"}) {
      AddFunction(op, "int64", {"x: int64"}, {"x"}, "y");
    }
    for (const char* op : {"TestKeptWindow", "TestWindowUnlessOne"}) {
      AddFunction(op, "variant", {"x: int64", "d: variant"}, {"x", "d"}, "y");
    }
    AddFunction("TestAddBoth", "int64", {"x: int64", "y: int64"}, {"x", "y"}, "z");
  }
  ~PipelineTest() override { release_stuck = false; }

  // A function "f_OP" of one node that calls the op.
  void AddFunction(const std::string& op, const std::string& result,
                   const std::vector<std::string>& args, std::vector<std::string> inputs,
                   const std::string& output) {
    auto f = std::make_shared<Function>();
    OpSchemaBuilder signature("f_" + op);
    for (const std::string& arg : args) signature.Input(arg);
    auto built = signature.Output("result: " + result).Build();
    ASSERT_TRUE(built.ok()) << built.status();
    f->signature = *std::move(built);
    NodeSpec node;
    node.name = "the_node";
    node.op = op;
    node.inputs = std::move(inputs);
    f->nodes = {node};
    f->returns = {{"result", "the_node:" + output + ":0"}};
    ASSERT_TRUE(graph_->functions().Add(std::move(f)).ok());
  }

  Node* Built(StatusOr<Node*> node) {
    EXPECT_TRUE(node.ok()) << node.status();
    return node.ok() ? *node : nullptr;
  }
  Node* Const(Tensor value) { return Built(AddConstant(graph_.get(), "c", std::move(value))); }
  Node* Int(int64_t v) { return Const(Tensor::Scalar<int64_t>(v)); }

  static NodeBuilder& Typed(NodeBuilder& b) {
    return b.Attr("output_types", std::vector<DType>{DType::kInt64})
        .Attr("output_shapes", std::vector<PartialShape>{PartialShape(Shape())});
  }
  Node* Range(int64_t n) {
    NodeBuilder b(graph_.get(), "RangeDataset");
    return Built(Typed(b.Input(Int(0)).Input(Int(n)).Input(Int(1))).Build());
  }
  Node* Counted(const char* op, Node* input, int64_t n) {
    NodeBuilder b(graph_.get(), op);
    return Built(Typed(b.Input(input).Input(Int(n))).Build());
  }
  Node* Mapped(const char* op, Node* input, const std::string& function, int64_t calls = 0,
               const char* attr = "f") {
    NodeBuilder b(graph_.get(), op);
    b.Input(input).Input(std::vector<OutputRef>{});
    if (calls != 0) b.Input(Int(calls));
    b.Attr(attr, FunctionRef{"f_" + function, {}});
    b.Attr("Targuments", AttrValue::EmptyList());
    return Built(Typed(b).Build());
  }

  Node* Grouped(Node* input, const std::string& reduce, const std::string& window_size) {
    NodeBuilder b(graph_.get(), "GroupByWindowDataset");
    b.Input(input);
    const std::pair<const char*, std::string> functions[] = {
        {"key_func", "TestGroupOf"}, {"reduce_func", reduce}, {"window_size_func", window_size}};
    for (const auto& [name, function] : functions) {
      b.Input(std::vector<OutputRef>{});
      b.Attr(name, FunctionRef{"f_" + function, {}});
      b.Attr(std::string("T") + name + "_other_arguments", AttrValue::EmptyList());
    }
    return Built(Typed(b).Build());
  }

  // Makes nodes "init" and "next" for the dataset, and the session.
  void Iterate(Node* dataset) {
    NodeBuilder it(graph_.get(), "IteratorV2");
    Node* iterator = Built(Typed(it.Attr("shared_name", "it").Attr("container", "")).Build());
    Built(NodeBuilder(graph_.get(), "MakeIterator")
              .Name("init")
              .Input(dataset)
              .Input(iterator)
              .Build());
    NodeBuilder next(graph_.get(), "IteratorGetNext");
    Built(Typed(next.Name("next").Input(iterator)).Build());
    SessionOptions options;
    options.intra_op_threads = 2;
    auto session = Session::Create(options, graph_);
    ASSERT_TRUE(session.ok()) << session.status();
    session_ = *std::move(session);
  }
  Status Init() { return session_->Run({}, {}, {}, {"init"}, nullptr); }
  StatusOr<int64_t> Next(int64_t timeout_ms = 0) {
    RunOptions options;
    options.timeout_ms = timeout_ms;
    std::vector<Tensor> fetched;
    WB_RETURN_IF_ERROR(session_->Run(options, {}, {"next"}, {}, &fetched));
    return fetched[0].scalar<int64_t>();
  }
  // Elements until an error, which goes to `status_`.
  std::vector<int64_t> ReadAll() {
    std::vector<int64_t> values;
    for (;;) {
      StatusOr<int64_t> v = Next();
      status_ = v.status();
      if (!v.ok()) return values;
      values.push_back(*v);
    }
  }

  std::shared_ptr<Graph> graph_;
  std::unique_ptr<Session> session_;
  Status status_;
};

TEST_F(PipelineTest, AnIteratorBeforeAndAfterItsInitializer) {
  Iterate(Range(3));
  EXPECT_EQ(Next().status().code(), Code::kFailedPrecondition);
  for (int pass = 0; pass < 2; ++pass) {
    ASSERT_TRUE(Init().ok());
    EXPECT_THAT(ReadAll(), ElementsAre(0, 1, 2));
    EXPECT_EQ(status_.code(), Code::kOutOfRange);
    EXPECT_THAT(std::string(status_.message()), HasSubstr("End of sequence"));
    EXPECT_EQ(Next().status().code(), Code::kOutOfRange);
  }
}

TEST_F(PipelineTest, MapFilterAndPrefetch) {
  Node* odd = Mapped("FilterDataset", Range(6), "TestIsOdd", 0, "predicate");
  Iterate(Counted("PrefetchDataset", Mapped("MapDataset", odd, "TestTimesTen"), 2));
  ASSERT_TRUE(Init().ok());
  EXPECT_THAT(ReadAll(), ElementsAre(10, 30, 50));
}

// A pipeline has threads enough: its calls leave those of the session alone, although the function
// forks and has kernels that might wait.
TEST_F(PipelineTest, ACallRunsInThePipelinesThread) {
  auto f = std::make_shared<Function>();
  auto signature = OpSchemaBuilder("f_Forks").Input("x: int64").Output("result: int64").Build();
  ASSERT_TRUE(signature.ok());
  f->signature = *std::move(signature);
  NodeSpec meeting;
  for (int i = 0; i < 4; ++i) {
    const std::string name = "node" + std::to_string(i);
    f->nodes.push_back({name + "a", "TestAtOnce", {"x"}, "", {}, {}, ""});
    f->nodes.push_back({name + "b", "TestThreadOf", {name + "a:y:0"}, "", {}, {}, ""});
    for (const char* end : {"a:y:0", "b:y:0"}) meeting.inputs.push_back(name + end);
  }
  meeting.name = "meeting";
  meeting.op = "TestStrangers";
  meeting.attrs.Set("N", int64_t{8});
  f->nodes.push_back(meeting);
  f->returns = {{"result", "meeting:y:0"}};
  ASSERT_TRUE(graph_->functions().Add(std::move(f)).ok());
  Iterate(Mapped("ParallelMapDatasetV2", Range(200), "Forks", 2));
  ASSERT_TRUE(Init().ok());
  const std::vector<int64_t> values = ReadAll();
  EXPECT_EQ(status_.code(), Code::kOutOfRange) << status_;
  EXPECT_EQ(values, std::vector<int64_t>(200, 0));
}

TEST_F(PipelineTest, AParallelMapKeepsTheOrder) {
  Iterate(Mapped("ParallelMapDatasetV2", Range(500), "TestSlowly", 4));
  ASSERT_TRUE(Init().ok());
  const std::vector<int64_t> values = ReadAll();
  ASSERT_EQ(values.size(), 500u);
  for (size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], static_cast<int64_t>(i) * 10);
  EXPECT_EQ(status_.code(), Code::kOutOfRange);
}

TEST_F(PipelineTest, ATunedMapMakesMoreCallsOfAFunctionThatIsWaitedFor) {
  blocking_most = 0;
  Iterate(Mapped("ParallelMapDatasetV2", Range(60), "TestBlocks", -1));
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  // Who measures on a busy machine may find that waiting does not help, now and then.
  for (int tries = 0; tries < 20 && blocking_most < cores; ++tries) {
    ASSERT_TRUE(Init().ok());
    const std::vector<int64_t> values = ReadAll();
    ASSERT_EQ(values.size(), 60u);
    for (size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], static_cast<int64_t>(i) * 10);
  }
  EXPECT_EQ(blocking_most, cores);
}

TEST_F(PipelineTest, ATunedMapOfManyElementsKeepsTheOrder) {
  // Long enough for threads to rest and to be woken again.
  Iterate(Mapped("ParallelMapDatasetV2", Range(5000), "TestTimesTen", -1));
  for (int pass = 0; pass < 2; ++pass) {
    ASSERT_TRUE(Init().ok());
    const std::vector<int64_t> values = ReadAll();
    ASSERT_EQ(values.size(), 5000u);
    for (size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], static_cast<int64_t>(i) * 10);
  }
}

TEST_F(PipelineTest, ASloppyParallelMapLosesNothing) {
  Node* map = Mapped("ParallelMapDatasetV2", Range(300), "TestSlowly", 4);
  ASSERT_TRUE(graph_->SetAttr(map->id(), "deterministic", "false").ok());
  Iterate(map);
  ASSERT_TRUE(Init().ok());
  const std::vector<int64_t> values = ReadAll();
  EXPECT_EQ(values.size(), 300u);
  EXPECT_EQ(std::set<int64_t>(values.begin(), values.end()).size(), 300u);
}

TEST_F(PipelineTest, AnErrorNamesTheNodeInTheFunctionAndCostsOneElement) {
  for (const char* op : {"MapDataset", "ParallelMapDatasetV2"}) {
    SCOPED_TRACE(op);
    graph_ = std::make_shared<Graph>();
    AddFunction("TestFailsAtThree", "int64", {"x: int64"}, {"x"}, "y");
    Iterate(Mapped(op, Range(6), "TestFailsAtThree", std::string(op) == "MapDataset" ? 0 : 2));
    ASSERT_TRUE(Init().ok());
    EXPECT_THAT(ReadAll(), ElementsAre(0, 10, 20));
    EXPECT_EQ(status_.code(), Code::kInvalidArgument);
    EXPECT_THAT(std::string(status_.message()),
                AllOf(HasSubstr("the_node"), HasSubstr("three is wrong")));
    EXPECT_THAT(ReadAll(), ElementsAre(40, 50));
    EXPECT_EQ(status_.code(), Code::kOutOfRange);
  }
}

TEST_F(PipelineTest, AFunctionThatIsNotThereIsAnErrorOfTheInitializer) {
  Node* map = Mapped("MapDataset", Range(6), "TestTimesTen");
  ASSERT_TRUE(graph_->SetAttr(map->id(), "f", FunctionRef{"no_such_function", {}}).ok());
  Iterate(map);
  EXPECT_THAT(std::string(Init().message()), HasSubstr("no_such_function"));
}

TEST_F(PipelineTest, ADeadlinePassesWhileAnElementIsBeingMade) {
  Iterate(Counted("PrefetchDataset", Mapped("ParallelMapDatasetV2", Range(6), "TestStuck", 2), 2));
  ASSERT_TRUE(Init().ok());
  EXPECT_EQ(Next(50).status().code(), Code::kDeadlineExceeded);
  release_stuck = true;
  EXPECT_THAT(ReadAll(), ElementsAre(0, 10, 20, 30, 40, 50));
}

TEST_F(PipelineTest, ClosingEndsWhatIsBeingMade) {
  for (const char* op : {"MapDataset", "ParallelMapDatasetV2"}) {
    graph_ = std::make_shared<Graph>();
    AddFunction("TestStuck", "int64", {"x: int64"}, {"x"}, "y");
    Iterate(Mapped(op, Range(6), "TestStuck", std::string(op) == "MapDataset" ? 0 : 2));
    ASSERT_TRUE(Init().ok());
    stuck_calls = 0;
    std::thread reader([this] { EXPECT_EQ(Next().status().code(), Code::kCancelled); });
    while (stuck_calls == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const auto start = std::chrono::steady_clock::now();
    EXPECT_TRUE(session_->Close().ok());
    reader.join();
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(4));
    session_.reset();
  }
}

TEST_F(PipelineTest, InitializingAgainEndsTheOldPipeline) {
  Iterate(Counted(
      "PrefetchDataset",
      Mapped("ParallelMapDatasetV2", Counted("RepeatDataset", Range(3), -1), "TestTimesTen", 2),
      4));
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(Init().ok());
    for (int64_t want : {0, 10, 20, 0}) {
      auto got = Next();
      ASSERT_TRUE(got.ok()) << got.status();
      EXPECT_EQ(*got, want);
    }
  }
}

TEST_F(PipelineTest, ManyStepsShareAnIterator) {
  Iterate(Mapped("MapDataset", Range(400), "TestTimesTen"));
  ASSERT_TRUE(Init().ok());
  std::mutex mutex;
  std::set<int64_t> all;
  std::vector<std::thread> readers;
  for (int t = 0; t < 4; ++t) {
    readers.emplace_back([&] {
      for (;;) {
        auto v = Next();
        if (!v.ok()) {
          EXPECT_EQ(v.status().code(), Code::kOutOfRange);
          return;
        }
        std::lock_guard<std::mutex> lock(mutex);
        EXPECT_TRUE(all.insert(*v).second);
      }
    });
  }
  for (std::thread& t : readers) t.join();
  EXPECT_EQ(all.size(), 400u);
}

TEST_F(PipelineTest, ReduceFoldsAllElements) {
  NodeBuilder b(graph_.get(), "ReduceDataset");
  b.Name("sum").Input(Range(101)).Input(std::vector<OutputRef>{{Int(5)->id(), 0}});
  b.Input(std::vector<OutputRef>{});
  b.Attr("f", FunctionRef{"f_TestAddBoth", {}}).Attr("Targuments", AttrValue::EmptyList());
  Built(Typed(b).Build());
  auto session = Session::Create({}, graph_);
  ASSERT_TRUE(session.ok()) << session.status();
  for (int i = 0; i < 3; ++i) {
    std::vector<Tensor> fetched;
    ASSERT_TRUE((*session)->Run({}, {}, {"sum"}, {}, &fetched).ok());
    EXPECT_EQ(fetched[0].scalar<int64_t>(), 5055);
  }
}

// TensorFlow's order.
TEST_F(PipelineTest, GroupsComeWhenTheyAreFullAndAtTheEndByKey) {
  Iterate(Grouped(Range(11), "TestKeptWindow", "TestPlusTwo"));
  ASSERT_TRUE(Init().ok());
  EXPECT_THAT(ReadAll(), ElementsAre(2, 5, 1, 4, 7, 0, 3, 6, 9, 8, 10));
  EXPECT_EQ(status_.code(), Code::kOutOfRange);
}

TEST_F(PipelineTest, AWindowOfNoElementsIsAnErrorOfTheElement) {
  Iterate(Grouped(Range(3), "TestKeptWindow", "TestTimesTen"));
  ASSERT_TRUE(Init().ok());
  EXPECT_EQ(Next().status().code(), Code::kInvalidArgument);
  EXPECT_THAT(ReadAll(), ElementsAre(1, 0));
  EXPECT_EQ(status_.code(), Code::kOutOfRange);
}

TEST_F(PipelineTest, AParallelFilterKeepsTheOrder) {
  Iterate(Mapped("ParallelFilterDataset", Range(301), "TestIsOdd", 4, "predicate"));
  ASSERT_TRUE(Init().ok());
  const std::vector<int64_t> values = ReadAll();
  ASSERT_EQ(values.size(), 150u);
  for (size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], static_cast<int64_t>(2 * i + 1));
  EXPECT_EQ(status_.code(), Code::kOutOfRange);
}

// An element that fails costs its batch, as in TensorFlow.
TEST_F(PipelineTest, MapAndBatch) {
  for (const bool drop : {false, true}) {
    graph_ = std::make_shared<Graph>();
    AddFunction("TestFailsAtThree", "int64", {"x: int64"}, {"x"}, "y");
    NodeBuilder b(graph_.get(), "MapAndBatchDataset");
    b.Input(Range(7)).Input(std::vector<OutputRef>{}).Input(Int(2)).Input(Int(3));
    b.Input(Const(Tensor::Scalar<bool>(drop)));
    b.Attr("f", FunctionRef{"f_TestFailsAtThree", {}}).Attr("Targuments", AttrValue::EmptyList());
    b.Attr("output_types", std::vector<DType>{DType::kInt64});
    b.Attr("output_shapes", std::vector<PartialShape>{PartialShape({-1})});
    NodeBuilder rows(graph_.get(), "UnbatchDataset");
    Iterate(Built(Typed(rows.Input(Built(b.Build()))).Build()));
    ASSERT_TRUE(Init().ok());
    EXPECT_THAT(ReadAll(), ElementsAre(0, 10));
    EXPECT_EQ(status_.code(), Code::kInvalidArgument);
    if (drop) {
      EXPECT_THAT(ReadAll(), ElementsAre(40, 50));
    } else {
      EXPECT_THAT(ReadAll(), ElementsAre(40, 50, 60));
    }
    EXPECT_EQ(status_.code(), Code::kOutOfRange);
  }
}

TEST_F(PipelineTest, GroupsAreReducedAndComeByKey) {
  const auto reduced = [this](int64_t n, const std::string& key, const std::string& init,
                              const std::string& finalize) {
    NodeBuilder b(graph_.get(), "GroupByReducerDataset");
    b.Input(Range(n));
    const std::pair<const char*, std::string> functions[] = {{"key_func", key},
                                                             {"init_func", init},
                                                             {"reduce_func", "TestAddBoth"},
                                                             {"finalize_func", finalize}};
    for (const auto& [name, function] : functions) {
      b.Input(std::vector<OutputRef>{});
      b.Attr(name, FunctionRef{"f_" + function, {}});
      b.Attr(std::string("T") + name + "_other_arguments", AttrValue::EmptyList());
    }
    return Built(Typed(b).Build());
  };
  Iterate(reduced(7, "TestGroupOf", "TestTimesTen", "TestPlusTwo"));
  ASSERT_TRUE(Init().ok());
  EXPECT_THAT(ReadAll(), ElementsAre(9, 17, 31));
  EXPECT_EQ(status_.code(), Code::kOutOfRange);
  graph_ = std::make_shared<Graph>();
  for (const char* op : {"TestFailsAtThree", "TestTimesTen", "TestPlusTwo"}) {
    AddFunction(op, "int64", {"x: int64"}, {"x"}, "y");
  }
  AddFunction("TestAddBoth", "int64", {"x: int64", "y: int64"}, {"x", "y"}, "z");
  // An element whose functions fail is in no group.
  Iterate(reduced(5, "TestFailsAtThree", "TestPlusTwo", "TestTimesTen"));
  ASSERT_TRUE(Init().ok());
  EXPECT_EQ(Next().status().code(), Code::kInvalidArgument);
  EXPECT_THAT(ReadAll(), ElementsAre(20, 130, 240, 460));
}

TEST_F(PipelineTest, TheFirstBranchIsTaken) {
  AddFunction("WrapDatasetVariant", "variant", {"d: variant"}, {"d"}, "output_handle");
  NodeBuilder b(graph_.get(), "ChooseFastestBranchDataset");
  b.Input(Range(3)).Input(Int(1)).Input(Int(1)).Input(std::vector<OutputRef>{});
  const FunctionRef branch{"f_WrapDatasetVariant", {}};
  b.Attr("branches", std::vector<FunctionRef>{branch, branch});
  b.Attr("other_arguments_lengths", std::vector<int64_t>{0, 0});
  b.Attr("num_elements_per_branch", int64_t{1}).Attr("Targuments", AttrValue::EmptyList());
  Iterate(Built(Typed(b).Build()));
  ASSERT_TRUE(Init().ok());
  EXPECT_THAT(ReadAll(), ElementsAre(0, 1, 2));
}

TEST_F(PipelineTest, TheDeviceOfAnIterator) {
  Iterate(Range(1));
  auto session = Session::Create({}, graph_);
  ASSERT_TRUE(session.ok()) << session.status();
  ASSERT_TRUE((*session)
                  ->Extend([](Graph& graph) {
                    return NodeBuilder(&graph, "IteratorGetDevice")
                        .Name("where")
                        .Input(graph.Find("IteratorV2"))
                        .Build()
                        .status();
                  })
                  .ok());
  std::vector<Tensor> fetched;
  ASSERT_TRUE((*session)->Run({}, {}, {"where"}, {}, &fetched).ok());
  EXPECT_EQ(fetched[0].scalar<std::string>(), "/job:localhost/replica:0/task:0/device:CPU:0");
}

// What the function of a group gives is INTERNAL in TensorFlow, at the end of the input again.
TEST_F(PipelineTest, AGroupWhoseFunctionFailsStays) {
  Iterate(Grouped(Range(6), "TestWindowUnlessOne", "TestPlusTwo"));
  ASSERT_TRUE(Init().ok());
  EXPECT_THAT(ReadAll(), ElementsAre(2, 5));
  EXPECT_EQ(status_.code(), Code::kInternal);
  EXPECT_THAT(std::string(status_.message()), HasSubstr("one is wrong"));
  EXPECT_EQ(Next().status().code(), Code::kInternal);
}

}  // namespace
}  // namespace warpbeam
