// Straight loops beside the general scheme, on loops made up at random: a traced step takes the
// general one, and both must give the same values and run the same nodes.
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "graph/build/node_builder.h"
#include "gtest/gtest.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class LoopMaker {
 public:
  explicit LoopMaker(uint64_t seed) : random_(seed) {}

  std::shared_ptr<Graph> graph() const { return graph_; }
  int Pick(int count) { return static_cast<int>(random_() % static_cast<uint64_t>(count)); }
  OutputRef Add(const char* op, const std::vector<OutputRef>& inputs, const char* name = "") {
    NodeBuilder builder = Begin(op, inputs, name);
    return Built(builder);
  }
  OutputRef Constant(int32_t value, OutputRef after = {}) {
    NodeBuilder builder = Begin("Const", {}, "");
    builder.Attr("value", Tensor::Scalar<int32_t>(value)).Attr("dtype", DType::kInt32);
    if (after.node != kNoNode) builder.ControlInput(after.node);
    return Built(builder);
  }
  OutputRef Enter(OutputRef x, bool is_constant, const std::string& frame) {
    NodeBuilder builder = Begin("Enter", {x}, "");
    builder.Attr("frame_name", frame).Attr("is_constant", is_constant);
    builder.Attr("parallel_iterations", int64_t{Pick(2) == 0 ? 1 : 10});
    return Built(builder);
  }
  OutputRef Merge(OutputRef a, OutputRef b) {
    NodeBuilder builder = Begin("Merge", {}, "");
    builder.Input(std::vector<OutputRef>{a, b});
    return Built(builder);
  }
  // Variables that enter with `start` and leave as "exit0", "exit1", …; the first one counts. With
  // `waits` the body has an asynchronous kernel.
  void AddLoop(const std::vector<OutputRef>& start, int iterations, const std::string& frame,
               bool waits = false) {
    std::vector<OutputRef> merges, body;
    for (OutputRef x : start) {
      const OutputRef in = Enter(x, false, frame);
      merges.push_back(Merge(in, in));
    }
    const OutputRef limit = Enter(Constant(iterations), true, frame);
    const OutputRef cond = Add("LoopCond", {Add("Less", {merges[0], limit})});
    for (size_t i = 0; i < merges.size(); ++i) {
      const OutputRef branch = Add("Switch", {merges[i], cond});
      body.push_back(Add("Identity", {{branch.node, 1}}));
      const OutputRef exit = {branch.node, 0};
      // Some Exits are behind something that runs at the end only.
      const OutputRef left = Pick(3) == 0 ? Add("Neg", {exit}) : exit;
      Add("Exit", {left}, absl::StrCat("exit", i).c_str());
    }
    const OutputRef pivot = body[0];
    std::vector<OutputRef> values = body;
    // What does not come from a variable would go round for ever.
    values.push_back(Add("Maximum", {limit, pivot}));
    const int operations = 1 + Pick(12);
    for (int k = 0; k < operations; ++k) values.push_back(AnyOf(values, pivot));
    for (size_t i = 1; i < merges.size(); ++i) {
      // Variables stay, change places, or take any value.
      OutputRef next = values[static_cast<size_t>(Pick(static_cast<int>(values.size())))];
      // And some do not come back.
      if (Pick(8) == 0) next = {Add("Switch", {next, Add("Less", {values[0], next})}).node, 1};
      End(merges[i], next);
    }
    if (waits) {
      NodeBuilder queue(graph_.get(), "FIFOQueueV2");
      queue.Attr("component_types", std::vector<DType>{DType::kInt32}).ControlInput(pivot.node);
      NodeBuilder enqueue(graph_.get(), "QueueEnqueueV2");
      auto enqueued = enqueue.Input(Built(queue)).Input(std::vector<OutputRef>{pivot}).Build();
      ASSERT_TRUE(enqueued.ok()) << enqueued.status();
      values[0] = Constant(1, {(*enqueued)->id(), 0});
    }
    const OutputRef one = waits ? values[0] : Constant(1, pivot);
    End(merges[0], Add("AddV2", {body[0], one}));
  }
  // Adds a vector of ones to itself twenty times; "exit1" is the sum over its elements.
  void AddGrowing(int64_t size) {
    const OutputRef shape = Add("ExpandDims", {Constant(static_cast<int32_t>(size)), Constant(0)});
    const OutputRef ones = Add("Fill", {shape, Constant(1)});
    const OutputRef zeros = Add("ZerosLike", {ones});
    const OutputRef in[] = {Enter(Constant(0), false, "grow"), Enter(zeros, false, "grow")};
    const OutputRef merges[] = {Merge(in[0], in[0]), Merge(in[1], in[1])};
    const OutputRef limit = Enter(Constant(20), true, "grow");
    const OutputRef cond = Add("LoopCond", {Add("Less", {merges[0], limit})});
    const OutputRef count = Add("Switch", {merges[0], cond}),
                    sum = Add("Switch", {merges[1], cond});
    const OutputRef body = Add("Identity", {{count.node, 1}});
    End(merges[0], Add("AddV2", {body, Constant(1, body)}));
    End(merges[1], Add("AddV2", {{sum.node, 1}, Enter(ones, true, "grow")}));
    Add("Exit", {{count.node, 0}}, "exit0");
    Add("Sum", {Add("Exit", {{sum.node, 0}}, "grown"), Constant(0)}, "exit1");
  }

 private:
  NodeBuilder Begin(const char* op, const std::vector<OutputRef>& inputs, const char* name) {
    NodeBuilder builder(graph_.get(), op);
    builder.Name(*name == 0 ? op : name);
    for (OutputRef input : inputs) builder.Input(input);
    return builder;
  }
  OutputRef Built(NodeBuilder& builder) {
    auto made = builder.BuildOutput();
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? *made : OutputRef();
  }
  void End(OutputRef merge, OutputRef next) {
    ASSERT_TRUE(graph_->SetInput(merge.node, 1, Add("NextIteration", {next})).ok());
  }
  OutputRef AnyOf(const std::vector<OutputRef>& values, OutputRef pivot) {
    const auto any = [&] {
      return values[static_cast<size_t>(Pick(static_cast<int>(values.size())))];
    };
    constexpr const char* kBinary[] = {"AddV2", "Sub", "Mul", "Maximum", "BitwiseXor"};
    switch (Pick(6)) {
      case 0:
        return Constant(Pick(100), pivot);
      case 1:
        return Add("Identity", {any()});
      case 2:
      case 3:
        return Add(kBinary[Pick(5)], {any(), any()});
      default:
        break;
    }
    // A branch: one side or the other of a switch, both of which a merge takes.
    const OutputRef predicate = Add("Less", {any(), any()});
    const OutputRef branch = Add("Switch", {any(), predicate});
    const OutputRef beside = Add("Switch", {any(), predicate});
    const OutputRef no = Add("Identity", {{branch.node, 0}});
    const OutputRef yes = Add(kBinary[Pick(5)], {{branch.node, 1}, {beside.node, 1}});
    const OutputRef merged = Merge(no, Pick(2) == 0 ? yes : OutputRef{branch.node, 1});
    return Pick(2) == 0 ? merged : Add("AddV2", {merged, {merged.node, 1}});
  }

  std::mt19937_64 random_;
  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
};

struct Result {
  std::vector<int32_t> values;
  int64_t nodes = 0;
};

StatusOr<Result> RunOnce(Session* session, int num_exits, TraceLevel trace) {
  std::vector<std::string> fetches;
  for (int i = 0; i < num_exits; ++i) fetches.push_back(absl::StrCat("exit", i));
  RunOptions options;
  options.trace = trace;
  options.timeout_ms = 20'000;
  std::vector<Tensor> fetched;
  RunMetadata metadata;
  WB_RETURN_IF_ERROR(session->Run(options, {}, fetches, {}, &fetched, &metadata));
  Result result;
  for (const Tensor& value : fetched) result.values.push_back(value.scalar<int32_t>());
  result.nodes = metadata.nodes_executed;
  return result;
}

TEST(StraightLoop, RunsAsTheGeneralSchemeDoes) {
  int ended = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    LoopMaker maker(seed);
    const int variables = 1 + maker.Pick(5);
    std::vector<OutputRef> start;
    for (int i = 0; i < variables; ++i)
      start.push_back(maker.Constant(i == 0 ? 0 : maker.Pick(50)));
    maker.AddLoop(start, maker.Pick(200), "loop");
    SessionOptions options;
    options.passes = "none";
    auto session = Session::Create(options, maker.graph());
    ASSERT_TRUE(session.ok()) << session.status();
    const auto general = RunOnce(session->get(), variables, TraceLevel::kFull);
    for (int again = 0; again < 2; ++again) {
      const auto straight = RunOnce(session->get(), variables, TraceLevel::kNone);
      ASSERT_EQ(straight.status(), general.status()) << seed;
      if (!general.ok()) continue;
      EXPECT_EQ(straight->values, general->values) << seed;
      EXPECT_EQ(straight->nodes, general->nodes) << seed;
    }
    ended += general.ok() ? 1 : 0;
  }
  EXPECT_GT(ended, 200);
}

// The plan of `graph` as it is dumped.
std::string PlanOf(std::shared_ptr<Graph> graph) {
  SessionOptions options;
  options.passes = "none";
  options.dump_directory = absl::StrCat(::testing::TempDir(), "/straight_loop_plan");
  std::filesystem::remove_all(options.dump_directory);
  std::filesystem::create_directories(options.dump_directory);
  auto session = Session::Create(options, std::move(graph));
  EXPECT_TRUE(session.ok()) << session.status();
  const auto ran = RunOnce(session->get(), 1, TraceLevel::kNone);
  EXPECT_TRUE(ran.ok()) << ran.status();
  std::ostringstream text;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(options.dump_directory)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path());
    text << file.rdbuf();
  }
  return text.str();
}

TEST(StraightLoop, ThePlanTellsWhichLoopsAreStraight) {
  LoopMaker cheap(1);
  cheap.AddLoop({cheap.Constant(0), cheap.Constant(1)}, 3, "loop");
  EXPECT_THAT(PlanOf(cheap.graph()), HasSubstr("straight: "));
  LoopMaker waits(1);
  waits.AddLoop({waits.Constant(0)}, 3, "loop", /*waits=*/true);
  EXPECT_THAT(PlanOf(waits.graph()), AllOf(HasSubstr("loop 'loop'"), Not(HasSubstr("straight"))));
}

// Values that are worth several threads: the loop goes on in the general scheme.
TEST(StraightLoop, LargeValuesAreHandedOn) {
  for (int64_t size : {10, 100'000}) {
    LoopMaker maker(1);
    maker.AddGrowing(size);
    SessionOptions options;
    options.passes = "none";
    options.intra_op_threads = options.inter_op_threads = 4;
    auto session = Session::Create(options, maker.graph());
    ASSERT_TRUE(session.ok()) << session.status();
    for (TraceLevel trace : {TraceLevel::kNone, TraceLevel::kFull}) {
      const auto result = RunOnce(session->get(), 2, trace);
      ASSERT_TRUE(result.ok()) << result.status();
      EXPECT_EQ(result->values[0], 20);
      EXPECT_EQ(result->values[1], 20 * size);
    }
  }
}

}  // namespace
}  // namespace warpbeam
