// Tasks of a device that enqueues are recorded and played again: the values are those of a CPU,
// whatever changes from step to step.
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/build/node_builder.h"
#include "gtest/gtest.h"
#include "runtime/session/session.h"
#include "runtime/step/replayed_tasks.h"

namespace warpbeam {
namespace {

class ReplayTest : public ::testing::Test {
 protected:
  void SetUp() override {
    options_.simulated_gpus = 1;
    options_.simulated_gpus_enqueue = true;
    options_.simulated_gpu_kernels = true;
    options_.passes = "none";
  }
  OutputRef Node(const std::string& op, const std::string& name, std::vector<OutputRef> inputs,
                 std::vector<NodeId> controls = {}, const std::string& device = "/gpu:0") {
    NodeBuilder builder(graph_.get(), op);
    builder.Name(name).Device(device);
    for (const OutputRef input : inputs) builder.Input(input);
    for (const NodeId control : controls) builder.ControlInput(control);
    auto made = builder.BuildOutput();
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? *made : OutputRef();
  }
  OutputRef Constant(const std::string& name, Tensor value) {
    auto made = NodeBuilder(graph_.get(), "Const")
                    .Name(name)
                    .Device("/gpu:0")
                    .Attr("dtype", value.dtype())
                    .Attr("value", value)
                    .BuildOutput();
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? *made : OutputRef();
  }
  OutputRef Placeholder(const std::string& name) {
    auto made = NodeBuilder(graph_.get(), "Placeholder")
                    .Name(name)
                    .Attr("dtype", DType::kFloat)
                    .BuildOutput();
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? *made : OutputRef();
  }
  void Open() {
    auto session = Session::Create(options_, graph_);
    ASSERT_TRUE(session.ok()) << session.status();
    session_ = *std::move(session);
  }
  Status RunStep(const NamedTensors& feeds, const std::vector<std::string>& fetches) {
    return session_->Run(RunOptions(), feeds, fetches, {}, &out_, &metadata_);
  }
  std::vector<float> Fetched() const {
    const float* const values = out_[0].data<float>();
    return std::vector<float>(values, values + out_[0].num_elements());
  }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  SessionOptions options_;
  std::unique_ptr<Session> session_;
  std::vector<Tensor> out_;
  RunMetadata metadata_;
};

// Views of rows of what is fed leave the task, without a copy.
TEST_F(ReplayTest, PartsOfWhatIsFedAreHandedOn) {
  const OutputRef x = Placeholder("x");
  const OutputRef axis = Constant("axis", Tensor::Scalar<int32_t>(0));
  NodeBuilder builder(graph_.get(), "Split");
  builder.Name("halves").Device("/gpu:0").Input(axis).Input(x).Attr("num_split", int64_t{2});
  const auto halves = builder.Build();
  ASSERT_TRUE(halves.ok()) << halves.status();
  Node("Neg", "neg", {OutputRef{(*halves)->id(), 0}});
  Open();
  const int64_t before = Replay::played();
  for (int i = 0; i < 5; ++i) {
    const Tensor fed = Tensor::Vector<float>({1, 2, 3, static_cast<float>(i)});
    const Status ran = RunStep({{"x:0", fed}}, {"halves:1", "neg:0"});
    ASSERT_TRUE(ran.ok()) << ran;
    EXPECT_EQ(Fetched(), (std::vector<float>{3, static_cast<float>(i)}));
  }
  EXPECT_GT(Replay::played(), before);
}

// What is fed is there anew in each step; a sum of two readers keeps the task in one piece.
TEST_F(ReplayTest, AFedStepIsPlayedFromTheThirdTimeOn) {
  const OutputRef x = Placeholder("x");
  const OutputRef square = Node("Square", "square", {x});
  Node("Add", "sum", {Node("Neg", "neg", {square}), Node("Exp", "exp", {x})});
  Open();
  const int64_t before = Replay::played(), outgrown = Replay::outgrown();
  for (int i = 0; i < 7; ++i) {
    const Tensor fed = Tensor::Vector<float>({0, static_cast<float>(i)});
    ASSERT_TRUE(RunStep({{"x:0", fed}}, {"sum:0"}).ok());
    const std::vector<float> y = Fetched();
    EXPECT_FLOAT_EQ(y[0], 1);
    EXPECT_FLOAT_EQ(y[1], std::exp(static_cast<float>(i)) - static_cast<float>(i * i)) << i;
    EXPECT_EQ(Replay::played() - before, i < 2 ? 0 : i - 1) << i;
  }
  EXPECT_EQ(Replay::outgrown(), outgrown) << "the first run tells what the recording takes";
}

TEST_F(ReplayTest, NothingIsRecordedWhereLaunchesAreWaitedFor) {
  const OutputRef x = Placeholder("x");
  Node("Neg", "neg", {Node("Square", "square", {x})});
  options_.cuda_blocking = true;
  Open();
  const int64_t before = Replay::played();
  for (int i = 0; i < 5; ++i) {
    const auto value = static_cast<float>(i);
    ASSERT_TRUE(RunStep({{"x:0", Tensor::Vector<float>({value})}}, {"neg:0"}).ok());
    EXPECT_EQ(Fetched(), std::vector<float>{-value * value});
  }
  EXPECT_EQ(Replay::played(), before);
}

// What is tried is played in every other step, whatever is decided then; values are right all the
// time.
TEST_F(ReplayTest, RecordingsAreTriedInTurn) {
  const OutputRef x = Placeholder("x");
  OutputRef y = Node("Square", "square", {x});
  for (int i = 0; i < 20; ++i) y = Node("Neg", "neg", {y});
  Node("Identity", "y", {y});
  ReplayedTasks::TryAll(true);
  Open();
  const int64_t before = Replay::played();
  std::vector<int64_t> played;
  for (int i = 0; i < 12; ++i) {
    const auto value = static_cast<float>(i);
    ASSERT_TRUE(RunStep({{"x:0", Tensor::Vector<float>({value})}}, {"y:0"}).ok());
    EXPECT_EQ(Fetched(), std::vector<float>{value * value});
    played.push_back(Replay::played() - before);
  }
  ReplayedTasks::TryAll(false);
  EXPECT_EQ(std::vector<int64_t>(played.begin(), played.begin() + 6),
            (std::vector<int64_t>{0, 0, 1, 1, 2, 2}));
  const int64_t after = played.back() - played[5];
  EXPECT_TRUE(after == 0 || after == 6) << after;
}

TEST_F(ReplayTest, AnotherShapeRunsAsEverAndIsRecordedWhenItStays) {
  Node("Square", "square", {Placeholder("x")});
  Open();
  const auto run = [&](int size, float value) {
    const Tensor fed = Tensor::FromValues<float>(Shape({size}), std::vector<float>(size, value));
    ASSERT_TRUE(RunStep({{"x:0", fed}}, {"square:0"}).ok());
    EXPECT_EQ(Fetched(), std::vector<float>(size, value * value));
  };
  for (int i = 0; i < 4; ++i) run(3, static_cast<float>(i));
  const int64_t before = Replay::played(), outgrown = Replay::outgrown();
  run(500, 2);
  EXPECT_EQ(Replay::played(), before);
  run(3, 7);
  EXPECT_EQ(Replay::played(), before + 1);
  for (int i = 0; i < 12; ++i) run(500, static_cast<float>(i));
  EXPECT_GT(Replay::played(), before + 2);
  EXPECT_EQ(Replay::outgrown(), outgrown) << "the run before the recording tells what it takes";
}

// What a step left on the device stays as it was while somebody holds it.
TEST_F(ReplayTest, WhatWasFetchedIsNotWrittenAgain) {
  Node("Square", "square", {Placeholder("x")});
  Open();
  std::vector<Tensor> kept;
  for (int i = 0; i < 6; ++i) {
    ASSERT_TRUE(
        RunStep({{"x:0", Tensor::Vector<float>({static_cast<float>(i)})}}, {"square:0"}).ok());
    kept.push_back(out_[0]);
  }
  for (int i = 0; i < 6; ++i) EXPECT_EQ(kept[i].data<float>()[0], static_cast<float>(i * i));
}

// A constant and its copies are nobody's to write, and no reason not to play.
TEST_F(ReplayTest, ConstantsAreHandedOnWithoutACopy) {
  const OutputRef c = Constant("c", Tensor::Vector<float>({3, 4}));
  Node("Identity", "same", {c});
  Node("Add", "sum", {c, Placeholder("x")});
  Open();
  for (int i = 0; i < 5; ++i) {
    const Tensor fed = Tensor::Vector<float>({1, static_cast<float>(i)});
    ASSERT_TRUE(RunStep({{"x:0", fed}}, {"sum:0", "same:0"}).ok());
    EXPECT_EQ(Fetched(), (std::vector<float>{4, static_cast<float>(4 + i)}));
    EXPECT_EQ(out_[1].data<float>()[1], 4);
  }
}

// The middle of a chain on the host cuts it into tasks that hand values to each other.
TEST_F(ReplayTest, ADetourOverTheHostMakesTwoTasks) {
  OutputRef x = Node("Square", "a", {Placeholder("x")});
  const OutputRef on_gpu = Node("Neg", "b", {x});
  const OutputRef on_host = Node("Neg", "c", {x}, {}, "/cpu:0");
  Node("Sub", "d", {on_gpu, on_host});
  Node("Mul", "e", {Node("Sub", "f", {x, on_host}), on_gpu});
  Open();
  const int64_t before = Replay::played();
  for (int i = 0; i < 6; ++i) {
    const auto v = static_cast<float>(i);
    ASSERT_TRUE(RunStep({{"x:0", Tensor::Vector<float>({v})}}, {"e:0", "d:0"}).ok());
    EXPECT_EQ(Fetched()[0], -2 * v * v * v * v) << i;
    EXPECT_EQ(out_[1].data<float>()[0], 0);
  }
  EXPECT_GE(Replay::played() - before, 8);
}

TEST_F(ReplayTest, AnErrorEndsTheStepAndTheNextOneGoesOn) {
  Node("MatMul", "product", {Placeholder("x"), Placeholder("y")});
  Open();
  const auto matrix = [](int rows, int columns) {
    return Tensor::FromValues<float>(Shape({rows, columns}), std::vector<float>(rows * columns, 1));
  };
  ASSERT_TRUE(RunStep({{"x:0", matrix(2, 3)}, {"y:0", matrix(3, 1)}}, {"product:0"}).ok());
  const Status s = RunStep({{"x:0", matrix(2, 3)}, {"y:0", matrix(2, 1)}}, {"product:0"});
  EXPECT_EQ(s.code(), StatusCode::kInvalidArgument) << s;
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(RunStep({{"x:0", matrix(2, 3)}, {"y:0", matrix(3, 1)}}, {"product:0"}).ok());
    EXPECT_EQ(Fetched(), (std::vector<float>{3, 3}));
  }
}

TEST_F(ReplayTest, TracedStepsRunNodeByNode) {
  Node("Square", "square", {Placeholder("x")});
  Open();
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(RunStep({{"x:0", Tensor::Vector<float>({2})}}, {"square:0"}).ok());
  }
  RunOptions options;
  options.trace = TraceLevel::kFull;
  const int64_t before = Replay::played();
  ASSERT_TRUE(
      session_
          ->Run(options, {{"x:0", Tensor::Vector<float>({5})}}, {"square:0"}, {}, &out_, &metadata_)
          .ok());
  EXPECT_EQ(Fetched()[0], 25);
  EXPECT_EQ(Replay::played(), before);
}

}  // namespace
}  // namespace warpbeam
